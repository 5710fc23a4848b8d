"""The topics of a batch of debates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .lines import Line, Row, id_of, read_lines, text_of, texts_of
from .options import Wishes

OWN_FIELDS = frozenset({"id", "topic", "answers", "wrong_answers"})
FORM = '{"id": "…", "topic": "…"}'


@dataclass(frozen=True)
class Topic(Line):
    """One topic of a batch."""

    topic: str
    wishes: Wishes
    wrong_answers: tuple[str, ...] = ()
    """The traps."""


def read_topics(path: Path, base: Wishes) -> list[Topic]:
    """All topics of a JSON-lines file, in order. BadInput names the first line that is wrong."""

    def read(row: Row, number: int, where: str) -> Iterable[Topic]:
        wishes = base.with_line({key: value for key, value in row.items() if key not in OWN_FIELDS})
        yield Topic(id_of(row), texts_of(row, "answers"), where, text_of(row, "topic"), wishes, texts_of(row, "wrong_answers"))

    return read_lines(path, read, FORM)
