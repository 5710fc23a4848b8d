"""A batch of debates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from ..batches.comparison import Compared
from ..batches.equivalence import Question
from ..batches.kind import BatchKind
from ..batches.lines import Names
from ..batches.report import Loss, Row
from ..batches.topics import Topic, details, questions, read_topics
from ..starting import Wishes
from . import report
from .stand_ins import DebateStandIns


@dataclass(frozen=True)
class Twin(Topic):
    """A topic once more, with the models of the two sides exchanged."""

    of: str = ""
    """The id of the other."""


class Topics(BatchKind):
    """One debate for each topic; with `swap` two, of one cluster."""

    many = "debates"
    line_types = (Topic, Twin)
    figures = report.FIGURES
    stand_ins = DebateStandIns()

    def read(
        self, path: Path, wishes: Wishes, left_out: list[str] | None = None
    ) -> tuple[list[Topic], list[str]]:
        names = Names()
        return [
            names.take(each)
            for topic in read_topics(path, wishes, left_out)
            for each in _debates(topic)
        ], []

    def details(self, rows: Sequence[Row]) -> list[dict[str, Any]]:
        return details(rows)

    def losses(self, rows: Sequence[Row]) -> list[Loss]:
        return report.losses(rows)

    def report(self, rows: Sequence[Row]) -> dict[str, Any]:
        return report.report(rows)

    def in_words(self, report_: dict[str, Any]) -> str:
        return report.in_words(report_)

    def questions(self, rows: Sequence[Row], compared: Compared) -> list[Question]:
        return questions(rows, compared)


def _debates(topic: Topic) -> Iterator[Topic]:
    """The debates of one line: with `swap` its twin too."""
    options = dict(topic.wishes.options)
    if not options.pop("swap", False):
        yield topic
        return
    plain = replace(
        topic,
        wishes=replace(topic.wishes, options=options),
        named_cluster=topic.cluster,
    )
    yield plain
    swapped = {**options, "swapped": not options.get("swapped", False)}
    told = {field.name: getattr(plain, field.name) for field in fields(plain)}
    yield Twin(
        **{
            **told,
            "id": f"{topic.id}-swapped",
            "wishes": replace(topic.wishes, options=swapped),
        },
        of=topic.id,
    )
