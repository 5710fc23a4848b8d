"""Reads the topics of a batch, for every method that answers topics."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from ..figures.items import cluster_of, id_of
from ..figures.rows import Row as JsonRow
from ..starting import Wishes
from ..topic import DEFAULT_TARGET
from .lines import BatchLine, read_lines, text_of, texts_of

OWN_FIELDS = frozenset({"id", "topic", "answers", "wrong_answers", "cluster"})
FORM = '{"id": "…", "topic": "…"}'


@dataclass(frozen=True)
class TopicLine(BatchLine):
    """One topic of a batch."""

    stored_as: ClassVar[str] = "Topic"
    topic: str
    wishes: Wishes
    """The wishes of this line for its session."""
    kind: str
    """`question` or `translation`."""
    target: str
    """The language wanted of a translation."""
    wrong_answers: tuple[str, ...] = ()
    """The traps."""

    @property
    def wanted(self) -> Wishes:
        return self.wishes.about(
            topic=self.topic,
            answers=self.answers or None,
            wrong_answers=self.wrong_answers or None,
        )

    @property
    def about(self) -> str:
        return " ".join(self.topic.split())


def read_topics(
    path: Path, base: Wishes, left_out: list[str] | None = None
) -> list[TopicLine]:
    """All topics of a file, in order. What is wrong with lines as for `read_lines`."""

    def read(row: JsonRow, number: int, where: str) -> Iterable[TopicLine]:
        wishes = base.with_line(
            {key: value for key, value in row.items() if key not in OWN_FIELDS},
            OWN_FIELDS,
        )
        topic, accepted, traps = (
            text_of(row, "topic"),
            texts_of(row, "answers"),
            texts_of(row, "wrong_answers"),
        )
        kind, target = (
            wishes.get("kind") or "question",
            wishes.get("target") or DEFAULT_TARGET,
        )
        yield TopicLine(
            id_of(row, number),
            accepted,
            where,
            topic,
            wishes,
            kind,
            target,
            traps,
            named_cluster=cluster_of(row),
        )

    return read_lines(path, read, FORM, left_out)
