"""`--equivalence MODEL`: a model compares answers that text and value do not settle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

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


ROLE = "equivalence"
REPLY = 60
"""Tokens of an ordinary reply."""


class EquivalenceQuestion(NamedTuple):
    """The answer of a row, to be compared with the texts `of` its line."""

    row: SummaryRow
    of: Compared
    question: str
    accepted: tuple[str, ...]
    answer: str
    repeat: int = 0
    """Replies of another repeat are not taken from the cache."""

    def asked_of(self, model: str) -> JudgeQuestion:
        """What this model is asked."""
        texts = (self.question, self.accepted, self.answer)
        made = same_question(
            self.row.line.id,
            *texts,
            of=self.of,
            seat=model,
        )
        made.answer.repeat = self.repeat
        return made


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
    def name(self) -> str:
        return self.seat.called

    def expect(
        self, found: CostEstimate, sessions: Iterable[Session], prices: CallPrices
    ) -> None:
        """Adds a call for each answer that is to come. At most it is compared with
        traps, too, and each reply is asked for once more.
        """
        for session in sessions:
            task = session.header.task
            accepted = [str(one) for one in task.get("answers") or ()]
            for seat in self.seat.members if accepted else ():
                question = same_question("", asked(task), accepted, accepted[0])
                sent = estimate_messages(thread_of(question))
                most = prices.limit(seat)
                found.spent.add(prices.of(ROLE, seat, sent, most or REPLY))
                for _ in range(4 if task.get("wrong_answers") else 2):
                    found.at_most.add(prices.of(ROLE, seat, 4 * sent, most or 0))
                if most is None and not found.no_bound:
                    roles = role_name(ROLE)
                    found.no_bound.append(t("report.estimate.no_limit", roles=roles))

    async def compare(
        self,
        questions: Iterable[EquivalenceQuestion],
        folder: Path,
        limiter: CallLimiter,
        tell: Callable[[str], None],
    ) -> None:
        """Gives every row what the model says; asks what `folder` does not hold yet.

        Stops when the budget is reached. Raises: BadInput, WriteError.
        """
        rows = {}
        asked = []
        for question in questions:
            asked.append(question.asked_of(self.name))
            rows[asked[-1].answer.key] = question.row

        def hear(answer: JudgedAnswer) -> None:
            rows[answer.key].hear(answer, answer.totals)
            limiter.budget.add(answer.totals)

        asking = JudgeInstructions(self.config, limiter.step, say=tell)
        with suppress(OverBudget):
            await ask_missing(self.seat, asked, folder / EQUIVALENCE, asking, hear)


def recall(
    model: str,
    questions: Iterable[EquivalenceQuestion],
    said: Mapping[Key, JudgedAnswer],
) -> None:
    """Gives every row what this model has said of its answer. No model is called."""
    for question in questions:
        answer = said.get(question.asked_of(model).answer.key)
        if answer is not None:
            question.row.hear(answer, answer.totals)


def questions(
    rows: Sequence[SummaryRow], of: Compared, repeats: Mapping[str, int] | None = None
) -> list[EquivalenceQuestion]:
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
            repeat = (repeats or {}).get(row.line.id, 0)
            question = asked(item.fields)
            made.append(
                EquivalenceQuestion(row, of, question, accepted, answer, repeat)
            )
    return made
