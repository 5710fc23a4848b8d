"""A model that judges for a measure of a study, asked of the items of an audit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
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
    from ..batches.estimate import CallPrices, CostEstimate
    from ..batches.report import SummaryRow


@dataclass
class ItemJudge(Equivalence):
    """The judge, and what it is shown."""

    about: About = "quality"
    shown: Mapping[str, AuditItem] = field(default_factory=dict)
    """Line to the item as it is shown there."""

    @property
    def role(self) -> str:
        """See `Equivalence`."""
        return f"judge-{self.about}"

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
        line = self._asking.get(asked(session.header.task).strip())
        return None if line is None else self._question(line, 0)

    def expect(
        self, estimate: CostEstimate, sessions: Iterable[Session], prices: CallPrices
    ) -> None:
        """See `Equivalence`. No rule says anything before the judge."""
        super().expect(estimate, sessions, prices)
        estimate.least_calls = estimate.spent.calls

    @cached_property
    def _asking(self) -> dict[str, str]:
        """Question to a line that asks it."""
        asking = {one.fields["question"]: line for line, one in self.shown.items()}
        return {question.strip(): line for question, line in asking.items()}

    def _question(self, line: str, repeat: int) -> JudgeQuestion:
        item = self.shown[line]
        given = item.fields
        kind = "translation" if self.about == "ambiguity" else "question"
        listed = {"answers": given.get("accepted"), "wrong_answers": given.get("wrong")}
        held = Item(line, item.cluster, "", {**given, **listed, "kind": kind})
        judge = JudgeMeasure(self.about, self.seat, self.about, repeat=repeat)
        texts = [one["text"] for one in given.get("answers", ())] or [given["answer"]]
        [made] = judge.questions(*((held, text) for text in texts[:2]))
        made.answer.id += f" {line}"  # a probe of one item may read as another item
        return made
