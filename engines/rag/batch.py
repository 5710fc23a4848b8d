"""Batches of questions to answer, and of answers to verify."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...sessions.session import Session
from ..batches.kind import BatchKind
from ..batches.report import SummaryRow
from ..figures import common
from ..figures.measure import Measure
from ..starting import Wishes
from .measures import TALLIED, measures, tallies
from .questions import QuestionLine, read_answers, read_questions
from .stand_ins import RagStandIns


class QuestionBatch(BatchKind):
    """One session for each question."""

    many = "questions"
    line_types = (QuestionLine,)
    judged_by = ("verifier",)
    verb = "verified"
    quiet = TALLIED
    stand_ins = RagStandIns()

    @property
    def measures(self) -> Mapping[str, Measure]:
        return common.measures() | measures()

    def read(
        self, path: Path, wishes: Wishes, left_out: list[str] | None = None
    ) -> tuple[list[QuestionLine], list[str]]:
        return read_questions(path, wishes, left_out), []

    def tallies(self, session: Session) -> Mapping[str, Mapping[str, int]]:
        return tallies(session)

    def details(self, row: SummaryRow) -> Mapping[str, Any]:
        """The judgements and the verdicts of claims, counted."""
        return {
            name: row.tallies[name]
            for name in ("judgements", "claims")
            if name in row.tallies
        }


class AnswerBatch(QuestionBatch):
    """One session for each answer that exists: it is verified, and nothing is
    generated.
    """

    many = "answers"

    def read(
        self, path: Path, wishes: Wishes, left_out: list[str] | None = None
    ) -> tuple[list[QuestionLine], list[str]]:
        return read_answers(path, wishes, left_out)
