"""A batch of graded pairs. Lines, figures and report are those of judged pairs, so that the two stand beside each other."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...sessions.session import Session
from ...texts import t
from ..batches.kind import BatchKind, StandIns
from ..batches.report import Loss, Row, verified_by
from ..method import method
from ..models.port import Task
from ..models.tokens import estimate as tokens_of
from ..starting import Wishes
from .engine import GradeEngine
from .plan import GRADER

REASON = "This is a reason. " * 12
JUDGED = "relevance"
"""The method whose pairs these are."""


class GradeStandIns(StandIns):
    """A reason and a grade."""

    @property
    def typical(self) -> str:
        return t("report.estimate.reasoning", tokens=tokens_of(REASON))

    def engine(self, session: Session) -> GradeEngine:
        return GradeEngine()

    def ordinary(self, task: Task, *, decides: bool) -> str:
        return json.dumps({"reason": REASON, "grade": 2})

    def longest(self, task: Task, filled: str, *, decides: bool) -> str:
        return json.dumps({"reason": filled, "grade": 2})


class Pairs(BatchKind):
    """One session for each pair, and for each temperature and repeat."""

    many = "pairs"
    stand_ins = GradeStandIns()

    def __init__(self) -> None:
        self._judged = method(JUDGED).batches["pairs"]
        self.figures = self._judged.figures  # type: ignore[misc]
        self.line_types = self._judged.line_types  # type: ignore[misc]

    def read(
        self, path: Path, wishes: Wishes, left_out: list[str] | None = None
    ) -> tuple[Sequence[Any], Sequence[str]]:
        return self._judged.read(path, wishes, left_out)

    def facts(self, session: Session) -> Any:
        return replace(self._judged.facts(session), unshared=1)

    def details(self, rows: Sequence[Row]) -> Sequence[dict[str, Any]]:
        return self._judged.details(rows)

    def losses(self, rows: Sequence[Row]) -> list[Loss]:
        return self._judged.losses(rows)

    def report(self, rows: Sequence[Row]) -> dict[str, Any]:
        return {**self._judged.report(rows), "verified_by": verified_by(rows, GRADER)}

    def in_words(self, report: dict[str, Any]) -> str:
        by = report["verified_by"]
        return self._judged.in_words(
            {**report, "verified_by": {**by, "annotator": by[GRADER]}}
        )
