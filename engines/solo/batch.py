"""A batch of topics that one model answers alone: lines, measures and estimate.

By attempt, a session that ended keeps its answer up to the limit of its strategy, and
disagrees with itself no more: else the later figures would be those of the hard topics
alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from ...sessions.events.solo import Estimate, SoloResult
from ...sessions.session import Seat, Session
from ...texts import t
from ..batches import topics
from ..batches.kind import BatchKind, StandIns
from ..figures import by_round
from ..figures.by_round import OPPOSED, RoundAnswer, stands
from ..figures.measure import Item, Measure, MeasuredValue
from ..metrics.equivalence import same
from ..models.port import Task
from ..models.tokens import estimate as tokens_of
from ..starting import Wishes
from ..step import Engine
from .messages import Analyse, RateTask, Reflect, Solve
from .plan import most_attempts
from .replies import groups, solo_engine
from .state import ASKED_AS, ROLES, SOLVER, attempts, review_of, roles_of, setting


def measures() -> dict[str, Measure]:
    """All measures of one model alone, by name."""
    found = (
        Measure(
            "disagreement",
            "neither",
            _disagreement,
            low=0,
            high=1,
            by_round=True,
            subject="process",
            rule=OPPOSED,
        ),
        *by_round.measures(answers),
        Measure(
            "sample_agreement",
            "neither",
            _agreement,
            low=0,
            high=1,
            subject="process",
        ),
        Measure("attempts", "neither", _attempts, low=1, subject="process"),
    )
    return {measure.name: measure for measure in found}


def answers(session: Session) -> list[RoundAnswer]:
    """The answer after each attempt, up to the limit of attempts.

    With `sc` it is the answer of most samples so far, else that of the last attempt.
    Where a candidate is chosen at the end there is only one answer, and nothing is
    yielded. An unfinished session counts as failed in its missing attempts.
    """
    strategy, made = setting(session, "strategy"), attempts(session)
    result = session.result
    if strategy in ("rerank", "maps"):
        return []
    found = []
    for number in range(1, len(made) + 1):
        said = [one.answer for one in made[:number]]
        if strategy == "sc":
            most = groups(said)
            found.append(stands(number, said[most[0][0] - 1] if most else None))
        else:
            found.append(stands(number, said[-1]))
    for number in range(len(made) + 1, (most_attempts(session) or 0) + 1):
        found.append(
            stands(number, result.answer)
            if isinstance(result, SoloResult)
            else RoundAnswer(number, None, "failed")
        )
    return found


def neighbours(session: Session) -> list[float | None]:
    """Whether each attempt of `reflect` disagrees with the one before (1) or not (0);
    None where either states no answer.

    The MAD paper, Figure 1: the disagreement between two neighbouring iterations. A
    review that is satisfied keeps the answer, which is no disagreement.
    """
    made = attempts(session)
    found = [_differ(one.answer, other.answer) for one, other in pairwise(made)]
    if _satisfied(session):
        return [*found, 0.0]
    return found


def _satisfied(session: Session) -> bool:
    review = review_of(session, len(attempts(session)))
    return review is not None and review.satisfied is True


def _differ(one: str | None, other: str | None) -> float | None:
    if one is None or other is None:
        return None
    return float(not same(one, other))


def _disagreement(session: Session, item: Item) -> Iterator[MeasuredValue]:
    """The mean over neighbouring attempts, then each neighbouring pair.

    For `reflect` only. A satisfying answer is kept: up to the limit it no longer
    disagrees with itself.
    """
    if setting(session, "strategy") != "reflect":
        return
    found = neighbours(session)
    known = [value for value in found if value is not None]
    if session.result is None:
        yield MeasuredValue(None, "failed")
    elif found:
        yield (
            MeasuredValue(sum(known) / len(known), "measured")
            if known
            else MeasuredValue(None, "unread")
        )
    left = (most_attempts(session) or 0) - 1 - len(found)
    settled = [0.0] * left if _satisfied(session) and session.result is not None else []
    for number, value in enumerate([*found, *settled], 1):
        yield MeasuredValue(value, "unread" if value is None else "measured", number)


def _agreement(session: Session, item: Item) -> Iterator[MeasuredValue]:
    """The share of all samples that say what most say; one without an answer says
    nothing. Only of `sc`.
    """
    result = session.result
    if setting(session, "strategy") != "sc":
        return
    if not isinstance(result, SoloResult):
        yield MeasuredValue(None, "failed")
    else:
        largest = len(result.groups[0]) if result.groups else 0
        yield MeasuredValue(
            largest / result.attempts, "measured" if largest else "undecided"
        )


def _attempts(session: Session, item: Item) -> Iterator[MeasuredValue]:
    if isinstance(session.result, SoloResult):
        yield MeasuredValue(float(session.result.attempts), "measured")


REASONING = (
    "This is a step of the reasoning, as long as such steps are on average. " * 12
)
REASON = "This is a reason. " * 12


async def _free(session: Session) -> Estimate:
    """What a command says in an estimate: it runs on this machine, and no call is
    made.
    """
    numbers = [attempt.iteration for attempt in attempts(session)]
    return Estimate(
        role="", iterations=numbers, values=[0.0] * len(numbers), attempts=0
    )


class SoloStandIns(StandIns):
    """The solver reasons, or answers at once; it is never satisfied, or at once.

    Of several translations no two are alike.
    """

    @property
    def typical(self) -> str:
        return t("report.estimate.reasoning", tokens=tokens_of(REASONING))

    def engine(self, session: Session) -> Engine:
        return solo_engine(_free)

    def ordinary(self, task: Task, *, decides: bool) -> str:
        match task:
            case Solve():
                answer = f"{task.iteration} " + (
                    "x " * 30 if task.kind == "translation" else "x"
                )
                if ASKED_AS[task.strategy] == "cot":
                    return f"{REASONING}\nAnswer: {answer}"
                return answer
            case Reflect():
                return json.dumps({"reason": REASON, "satisfied": decides})
            case Analyse():
                return REASON
            case RateTask():
                return json.dumps({"reason": REASON, "score": 50})
        raise TypeError(type(task).__name__)

    def longest(self, task: Task, filled: str, *, decides: bool) -> str:
        match task:
            case Solve():
                return f"Answer: {task.iteration} {filled}"
            case Reflect():
                return json.dumps({"reason": filled, "satisfied": False})
            case Analyse():
                return filled
        return json.dumps({"reason": filled, "score": 50})

    def asked(self, session: Session) -> list[tuple[str, Seat]]:
        return session.seated(roles_of(session))

    def open_ended(self, session: Session) -> bool:
        return (
            setting(session, "strategy") == "sc"
            and setting(session, "token_budget") is not None
        )


class SoloBatch(BatchKind):
    """One attempt for each topic."""

    many = "solo sessions"
    line_types = (topics.TopicLine,)
    judged_by = (SOLVER, *(role for role in ROLES if role != SOLVER))
    verb = "answered"
    stand_ins = SoloStandIns()
    own = staticmethod(measures)

    def read(
        self, path: Path, wishes: Wishes, left_out: list[str] | None = None
    ) -> tuple[list[topics.TopicLine], list[str]]:
        return topics.read_topics(path, wishes, left_out), []


BATCHES: dict[str, BatchKind] = {"topics": SoloBatch()}
