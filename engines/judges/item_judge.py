"""A model that judges for a measure of a study, asked of the items of an audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...sessions.session import Session
from ..batches.equivalence import Equivalence, RowQuestion
from ..figures.items import asked
from ..figures.judge.answers import Compared, JudgeQuestion
from ..figures.judge.measure import JudgeMeasure
from ..figures.judge.tasks import About
from ..figures.measure import Item
from .items import AuditItem

if TYPE_CHECKING:
    from ..batches.report import SummaryRow


@dataclass
class ItemJudge(Equivalence):
    """The judge, and what it is shown."""

    about: About = "quality"
    shown: Mapping[str, AuditItem] = field(default_factory=dict)
    """Line to the item as it is shown there."""

    def questions(
        self, rows: Sequence[SummaryRow], of: Compared, repeats: Mapping[str, int]
    ) -> list[RowQuestion]:
        """See `Equivalence`. Each item is judged once."""
        return [
            (row, self._question(row.line.id, repeats.get(row.line.id, 0)))
            for row in rows
            if of == "answers" and row.answer.text is not None
        ]

    def example(self, session: Session) -> JudgeQuestion | None:
        """See `Equivalence`."""
        question = asked(session.header.task)
        return next(
            self._question(line, 0)
            for line, item in self.shown.items()
            if item.fields["question"].strip() == question.strip()
        )

    def _question(self, line: str, repeat: int) -> JudgeQuestion:
        item = self.shown[line]
        given = item.fields
        kind = "translation" if self.about == "ambiguity" else "question"
        listed = {"answers": given.get("accepted"), "wrong_answers": given.get("wrong")}
        held = Item(line, item.cluster, "", {**given, **listed, "kind": kind})
        judge = JudgeMeasure(self.about, self.seat, self.about, repeat=repeat)
        if "best" not in given:
            return judge.questions((held, given["answer"]))[0]
        first, second = (one["text"] for one in given["answers"][:2])
        return judge.questions((held, first), (held, second))[0]
