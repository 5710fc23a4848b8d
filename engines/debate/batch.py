"""A batch of debates."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..batches.comparison import Compared
from ..batches.equivalence import Question
from ..batches.kind import BatchKind
from ..batches.report import Loss, Row
from ..batches.topics import Topic, details, questions, read_topics
from ..starting import Wishes
from . import report
from .stand_ins import DebateStandIns


class Topics(BatchKind):
    """One debate for each topic."""

    many = "debates"
    figures = report.FIGURES
    stand_ins = DebateStandIns()

    def read(self, path: Path, wishes: Wishes) -> tuple[list[Topic], list[str]]:
        return read_topics(path, wishes), []

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
