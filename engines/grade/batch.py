"""Batches of graded pairs.

Lines, figures and reports match those of judged pairs, so that both can be compared.
"""

from __future__ import annotations

import json
from copy import copy

from ...sessions.events.grade import Grade
from ...sessions.session import Session
from ...texts import t
from ..batches.kind import BatchKind, StandIns
from ..figures.measure import without_verdict
from ..judges.flips import Verdict
from ..judges.items import RELEVANT, AuditItem
from ..judges.seats import JudgingSeat, called, last
from ..method import method
from ..models.port import Task
from ..models.tokens import estimate as tokens_of
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


def grade_batch() -> BatchKind:
    """One session for each pair, and for each temperature and repeat: a batch of the
    method whose pairs these are, graded by one prompt.
    """
    kind = copy(method(JUDGED).batches["pairs"])
    kind.judged_by = (GRADER,)  # type: ignore[misc]
    kind.stand_ins = GradeStandIns()  # type: ignore[misc]
    return kind


BATCHES: dict[str, BatchKind] = {"pairs": grade_batch()}
