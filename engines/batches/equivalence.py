"""`--equivalence MODEL`: a model compares answers that text and value do not settle.

An audit has other models say something of answers in the same way (`ItemJudge`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...sessions.session import Seat, Session
from ...texts import t
from ...texts.roles import role_name
from ..figures.common import is_translation, listed, step_of
from ..figures.items import asked
from ..figures.judge.answers import (
    EQUIVALENCE,
    Compared,
    JudgedAnswer,
    JudgeInstructions,
    JudgeQuestion,
    Key,
    ask_missing,
    judge_seat,
    same_question,
    thread_of,
)
from ..models.tokens import estimate_messages
from .budget import OverBudget
from .call_limiter import CallLimiter

if TYPE_CHECKING:
    from ..models.config import Config
    from .estimate import CallPrices, CostEstimate
    from .report import SummaryRow


RowQuestion = tuple["SummaryRow", JudgeQuestion]
"""A row, and what is asked of its answer."""
REPLY = 60
"""Tokens of an ordinary reply."""


@dataclass
class Equivalence:
    """The model that compares answers."""

    seat: Seat
    config: Config

    @classmethod
    def of(cls, model: str | None, config: Config) -> Equivalence | None:
        """The comparison by this model. Raises: BadInput for a built-in."""
        if model is None:
            return None
        from ..models.seating import seat

        return cls(judge_seat(seat(model, config), "wrong.batch.equivalence"), config)

    @property
    def role(self) -> str:
        """The task's name, as used in messages and prices."""
        return "equivalence"

    @property
    def name(self) -> str:
        return self.seat.called

    def questions(
        self, rows: Sequence[SummaryRow], of: Compared, repeats: Mapping[str, int]
    ) -> list[RowQuestion]:
        """Return the questions about these rows. `repeats`: line to repeat."""
        return questions(self.name, rows, of, repeats)

    def example(self, session: Session) -> JudgeQuestion | None:
        """Return a typical question about a session that has not run yet."""
        task = session.header.task
        accepted = [str(one) for one in task.get("answers") or ()]
        if not accepted:
            return None
        return same_question("", asked(task), accepted, accepted[0])

    def expect(
        self, found: CostEstimate, sessions: Iterable[Session], prices: CallPrices
    ) -> None:
        """Add the expected calls for each pending answer.

        The maximum includes comparisons with traps and one retry of each reply.
        """
        for session in sessions:
            question, task = self.example(session), session.header.task
            for seat in self.seat.members if question is not None else ():
                assert question is not None
                sent = estimate_messages(thread_of(question))
                most = prices.limit(seat)
                found.spent.add(prices.of(self.role, seat, sent, most or REPLY))
                for _ in range(4 if task.get("wrong_answers") else 2):
                    found.at_most.add(prices.of(self.role, seat, 4 * sent, most or 0))
                if most is None and not found.no_bound:
                    roles = role_name(self.role)
                    found.no_bound.append(t("report.estimate.no_limit", roles=roles))

    async def compare(
        self,
        questions: Iterable[RowQuestion],
        folder: Path,
        limiter: CallLimiter,
        tell: Callable[[str], None],
    ) -> None:
        """Gives every row what the model says; asks what `folder` does not hold yet.

        Stops when the budget is reached. Raises: BadInput, WriteError.
        """
        rows = {}
        asked = []
        for row, question in questions:
            asked.append(question)
            rows[question.answer.key] = row

        def hear(answer: JudgedAnswer) -> None:
            rows[answer.key].hear(answer, answer.totals)
            limiter.budget.add(answer.totals)

        asking = JudgeInstructions(self.config, limiter.step, say=tell)
        with suppress(OverBudget):
            await ask_missing(self.seat, asked, folder / EQUIVALENCE, asking, hear)


def recall(questions: Iterable[RowQuestion], said: Mapping[Key, JudgedAnswer]) -> None:
    """Restore the recorded comparisons of every row. Calls no model."""
    for row, question in questions:
        answer = said.get(question.answer.key)
        if answer is not None:
            row.hear(answer, answer.totals)


def questions(
    model: str,
    rows: Sequence[SummaryRow],
    of: Compared,
    repeats: Mapping[str, int],
) -> list[RowQuestion]:
    """What a model is to compare: answers that no rule accepts, as right or as a trap.

    `repeats`: line to repeat.
    """
    made = []
    for row in rows:
        item, answer = row.item, row.answer.text
        if item is None or answer is None or is_translation(item):
            continue
        accepted = listed(item, of)
        right = step_of(answer, item) is not None
        if accepted and not right and step_of(answer, item, of) is None:
            texts = asked(item.fields), accepted, answer
            question = same_question(row.line.id, *texts, of=of, seat=model)
            question.answer.repeat = repeats.get(row.line.id, 0)
            made.append((row, question))
    return made
