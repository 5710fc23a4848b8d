"""`verifytui rank`: several answers to one question are ranked, or those of every
question of a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...engines.rank.plan import SETTINGS
from ...sessions.errors import bad_input
from ..flags import PATH, many_option, typed_option
from ..method_command import asking_command

if TYPE_CHECKING:
    from ...sessions.events import Reference


def _answers(given: Sequence[str]) -> list[dict[str, Any]] | None:
    """`NAME=FILE`, or a file that names its answer. None without any."""
    from ...sessions.files import read_text

    made = []
    for one in given:
        name, equals, path = one.partition("=")
        file = Path(path if equals else one)
        made.append(
            {"name": name.strip() if equals else file.stem, "text": read_text(file)}
        )
    return made or None


def _references(file: Path) -> Sequence[Reference]:
    from ...engines.retrieval.given_references import read_references

    return read_references(file)


def _accepted(given: Sequence[str]) -> list[str] | None:
    if not all(one.strip() for one in given):
        raise bad_input("wrong.question.answers")
    return list(given) or None


rank = asking_command(
    "rank",
    SETTINGS,
    "questions",
    answers=(many_option("--answers", "[NAME=]FILE"), _answers),
    accepted=(many_option("--accepted", "TEXT"), _accepted),
    references=(typed_option("--references", PATH, "FILE"), _references),
)
