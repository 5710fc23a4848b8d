"""A batch of pairs: a query with one candidate each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...sessions.session import Session
from ..batches.kind import BatchKind
from ..batches.report import Loss, Row
from ..starting import Wishes
from . import report
from .pairs import PairLine, Runs, read_pairs
from .stand_ins import RelevanceStandIns


class Pairs(BatchKind):
    """One session for each pair, and for each temperature and repeat."""

    many = "pairs"
    line_types = (PairLine,)
    figures = report.FIGURES
    stand_ins = RelevanceStandIns()

    def read(
        self, path: Path, wishes: Wishes, left_out: list[str] | None = None
    ) -> tuple[list[PairLine], list[str]]:
        return read_pairs(path, wishes, Runs(), left_out), []

    def facts(self, session: Session) -> report.Facts:
        return report.facts(session)

    def details(self, rows: Sequence[Row]) -> list[dict[str, Any]]:
        return report.details(rows)

    def losses(self, rows: Sequence[Row]) -> list[Loss]:
        return report.losses(rows)

    def report(self, rows: Sequence[Row]) -> dict[str, Any]:
        return report.report(rows)

    def in_words(self, report_: dict[str, Any]) -> str:
        return report.in_words(report_)
