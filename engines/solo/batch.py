"""A batch of topics that one model answers alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...sessions.events.solo import SoloResult
from ...texts import t
from ..batches import topics
from ..batches.comparison import Compared
from ..batches.equivalence import Question, compared, compared_in_words
from ..batches.gates import COMMON, Figure
from ..batches.kind import BatchKind
from ..batches.report import (
    Loss,
    Row,
    by_in_words,
    left_out_in_words,
    states_in_words,
    totals,
    totals_in_words,
    verified_by,
)
from ..starting import Wishes
from .stand_ins import SoloStandIns
from .state import ROLES, SOLVER


class Topics(BatchKind):
    """One attempt for each topic."""

    many = "solo sessions"
    line_types = (topics.Topic,)
    figures = {**topics.FIGURES, "undecided": Figure("undecided", "done"), **COMMON}
    stand_ins = SoloStandIns()

    def read(
        self, path: Path, wishes: Wishes, left_out: list[str] | None = None
    ) -> tuple[list[topics.Topic], list[str]]:
        return topics.read_topics(path, wishes, left_out), []

    def details(self, rows: Sequence[Row]) -> list[dict[str, Any]]:
        return topics.details(rows)

    def losses(self, rows: Sequence[Row]) -> list[Loss]:
        return topics.losses(rows)

    def report(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Totals and figures of a batch; those of the answers as in `topics.answered`."""
        results = [row.result for row in rows if isinstance(row.result, SoloResult)]
        return {
            **totals(rows),
            "verified_by": verified_by(rows, *ROLES),
            "undecided": sum(result.answer is None for result in results),
            "unread": sum(row.unread for row in rows),
            **topics.answered(rows),
            **compared(rows),
            "left_out": [loss.as_json() for loss in self.losses(rows) if loss.of],
        }

    def in_words(self, report: dict[str, Any]) -> str:
        lines = [
            states_in_words(
                report, "topics", by_in_words("answered", report["verified_by"], SOLVER)
            )
        ]
        lines += [
            *topics.answered_in_words(report),
            *compared_in_words(report),
            *topics.translation_in_words(report["translation"]),
        ]
        if report["done"]:
            lines.append(
                t(
                    "report.batch.solo",
                    report=report["undecided"],
                    report2=report["unread"],
                )
            )
        return "\n".join(
            [*lines, *left_out_in_words(report["left_out"]), totals_in_words(report)]
        )

    def questions(self, rows: Sequence[Row], compared: Compared) -> list[Question]:
        return topics.questions(rows, compared)
