"""Replies for the estimate of sessions of one model alone."""

from __future__ import annotations

import json

from ...sessions.events.solo import Estimate
from ...sessions.session import Seat, Session
from ...texts import t
from ..batches.kind import StandIns
from ..models.port import Task
from ..models.tokens import estimate as tokens_of
from .engine import SoloEngine
from .state import ASKED_AS, attempts, roles_of, setting
from .tasks import Analyse, RateTask, Reflect, Solve

REASONING = (
    "This is a step of the reasoning, as long as such steps are on average. " * 12
)
REASON = "This is a reason. " * 12


async def _free(session: Session) -> Estimate:
    """What a command says in an estimate: it runs on this machine, and no call is made."""
    numbers = [one.iteration for one in attempts(session)]
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

    def engine(self, session: Session) -> SoloEngine:
        return SoloEngine(_free)

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
