"""Batches of questions to answer, and of answers to verify."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...sessions.session import Session
from ..batches.comparison import Compared
from ..batches.equivalence import Question as Comparison
from ..batches.kind import BatchKind
from ..batches.report import Loss, Row
from ..starting import Wishes
from . import answers, report, telling
from .details import details
from .facts import Facts, facts
from .losses import losses
from .questions import Question, read_answers, read_questions
from .stand_ins import RagStandIns


class Questions(BatchKind):
    """One session for each question."""

    many = "questions"
    line_types = (Question,)
    figures = report.FIGURES
    stand_ins = RagStandIns()

    def read(
        self, path: Path, wishes: Wishes, left_out: list[str] | None = None
    ) -> tuple[list[Question], list[str]]:
        return read_questions(path, wishes, left_out), []

    def facts(self, session: Session) -> Facts:
        return facts(session)

    def details(self, rows: Sequence[Row]) -> list[dict[str, Any]]:
        return details(rows)

    def losses(self, rows: Sequence[Row]) -> list[Loss]:
        return losses(rows)

    def report(self, rows: Sequence[Row]) -> dict[str, Any]:
        return report.report(rows)

    def in_words(self, report_: dict[str, Any]) -> str:
        return telling.in_words(report_, self.many)

    def questions(self, rows: Sequence[Row], compared: Compared) -> list[Comparison]:
        return answers.questions(rows, compared)


class Answers(Questions):
    """One session for each answer that exists: it is verified, and nothing is generated."""

    many = "answers"

    def read(
        self, path: Path, wishes: Wishes, left_out: list[str] | None = None
    ) -> tuple[list[Question], list[str]]:
        return read_answers(path, wishes, left_out)
