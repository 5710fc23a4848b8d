"""`verifytui debate`: one topic, or every topic of a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...engines.debate.settings import SETTINGS
from .. import flags
from ..beside import beside_option, check, run_beside
from ..flags import PATH, typed_option
from ..method_command import asking_command
from ..run_commands import run_lines

if TYPE_CHECKING:
    from ...engines.method import Method
    from ...engines.starting import Wishes
    from ...sessions.events import Reference


def _passages(file: Path) -> Sequence[Reference]:
    from ...engines.retrieval.given_references import read_references

    return read_references(file)


def _debates(
    method: Method, many: str, file: Path, values: flags.Values, wishes: Wishes
) -> int:
    """A batch of debates, and what runs beside it."""
    if values["beside"] is None:
        return run_lines(method, many, file, values, wishes)
    check(values)
    code = run_lines(method, many, file, values, wishes)
    return run_beside(code, values, wishes)


debate = asking_command(
    "debate",
    SETTINGS,
    "topics",
    (beside_option,),
    _debates,
    evidence=(typed_option("--evidence", PATH, "FILE"), _passages),
)
