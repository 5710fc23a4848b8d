"""Batches of graded pairs.

Lines, figures and reports match those of judged pairs, so that both can be compared.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...sessions.events.grade import Grade
from ...sessions.session import Session
from ...texts import t
from ..batches.kind import BatchKind, StandIns
from ..batches.report import SummaryRow
from ..figures.measure import Measure, without_verdict
from ..judges.flips import Verdict
from ..judges.items import RELEVANT, AuditItem
from ..judges.seats import JudgingSeat, called, last
from ..method import method
from ..models.port import Task
from ..models.tokens import estimate as tokens_of
from ..reports.batch import BatchReport, Breakdown
from ..reports.document import DataTable
from ..starting import Wishes
from ..step import Engine
from .grading import grade_engine
from .plan import GRADER


def _case_pair(item: AuditItem) -> dict[str, object]:
    names = ("query", "candidate")
    return {name: {"id": name, "text": item.fields[name]} for name in names}


def _graded(item: AuditItem, session: Session) -> Verdict:
    said = last(session, Grade)
    if said is None or said.value is None:
        return without_verdict([said] if said is not None else ())
    return called(said.value >= RELEVANT)


SEATS = {
    "grader": JudgingSeat(
        GRADER,
        "grade",
        "pairs",
        _case_pair,
        _graded,
        lambda item, good: {"grade": 3 if good else 0},
        certifies="relevant",
    )
}


REASON = "This is a reason. " * 12
JUDGED = "relevance"
"""The method whose pairs these are."""


class GradeStandIns(StandIns):
    """A reason and a grade."""

    @property
    def typical(self) -> str:
        return t("report.estimate.reasoning", tokens=tokens_of(REASON))

    def engine(self, session: Session) -> Engine:
        return grade_engine()

    def ordinary(self, task: Task, *, decides: bool) -> str:
        return json.dumps({"reason": REASON, "grade": 2})

    def longest(self, task: Task, filled: str, *, decides: bool) -> str:
        return json.dumps({"reason": filled, "grade": 2})


class GradeBatch(BatchKind):
    """One session for each pair, and for each temperature and repeat."""

    many = "pairs"
    judged_by = (GRADER,)
    verdict = "level"
    stand_ins = GradeStandIns()

    def __init__(self) -> None:
        self._judged = method(JUDGED).batches["pairs"]
        self.quiet = self._judged.quiet  # type: ignore[misc]
        self.line_types = self._judged.line_types  # type: ignore[misc]

    @property
    def own(self) -> Mapping[str, Measure]:
        return self._judged.own

    def read(
        self, path: Path, wishes: Wishes, left_out: list[str] | None = None
    ) -> tuple[Sequence[Any], Sequence[str]]:
        return self._judged.read(path, wishes, left_out)

    def tallies(self, session: Session) -> Mapping[str, Mapping[str, int]]:
        return self._judged.tallies(session)

    def details(self, row: SummaryRow) -> Mapping[str, object]:
        return self._judged.details(row)

    def breakdown(self, rows: Sequence[SummaryRow]) -> Breakdown:
        return self._judged.breakdown(rows)

    def tables(self, report: BatchReport) -> Sequence[DataTable]:
        return self._judged.tables(report)
