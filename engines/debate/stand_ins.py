"""Replies for the estimate of debates."""

from __future__ import annotations

import json

from ...sessions.session import Session
from ...texts import t
from ..batches.kind import StandIns
from ..models.port import Task
from ..models.tokens import estimate as tokens_of
from .engine import DebateEngine
from .tasks import (
    BaselineTask,
    Choose,
    JudgeAlone,
    ListCandidates,
    OppositionTask,
    Speak,
    VerdictTask,
)

SPEECH = "This is a line of argument as long as such lines are on average. " * 15
"""About 245 tokens."""
REASON = "This is a reason. " * 12


class DebateStandIns(StandIns):
    """Debaters argue and the judge decides, or never does."""

    @property
    def typical(self) -> str:
        return t("report.estimate.speeches", tokens=tokens_of(SPEECH))

    def engine(self, session: Session) -> DebateEngine:
        return DebateEngine()

    def ordinary(self, task: Task, *, decides: bool) -> str:
        match task:
            case VerdictTask():
                answer = "x" if decides else ""
                return json.dumps(
                    {
                        "preference": decides,
                        "supported_side": task.sides[0],
                        "reason": REASON,
                        "answer": answer,
                    }
                )
            case Choose():
                return json.dumps(
                    {"reason": REASON, "supported_side": task.sides[0], "answer": "x"}
                )
            case JudgeAlone():
                return json.dumps({"reason": REASON, "answer": "x"})
            case ListCandidates():
                return '{"candidates": ["x", "y"]}'
            case OppositionTask():
                return json.dumps({"reason": REASON, "disagreement": 0.5})
            case BaselineTask(kind="translation"):
                return "x " * 30
            case BaselineTask() | Speak():
                return (
                    f"{SPEECH}\n{'Translation' if task.kind == 'translation' else 'Answer'}: "
                    f"x"
                )
        raise TypeError(type(task).__name__)

    def longest(self, task: Task, filled: str, *, decides: bool) -> str:
        match task:
            case ListCandidates():
                return json.dumps({"candidates": [filled, f"{filled}z"]})
            case VerdictTask():
                return json.dumps(
                    {
                        "preference": False,
                        "supported_side": task.sides[0],
                        "reason": filled,
                        "answer": "",
                    }
                )
            case Choose():
                return json.dumps(
                    {"reason": filled, "supported_side": task.sides[0], "answer": "x"}
                )
            case JudgeAlone():
                return json.dumps({"reason": filled, "answer": "x"})
        return self.ordinary(task, decides=decides)
