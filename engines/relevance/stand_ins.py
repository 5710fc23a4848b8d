"""Replies for the estimate of pairs."""

from __future__ import annotations

import hashlib
import json

from ...prompts.demonstrations import load
from ...sessions.paths import paths
from ...sessions.session import Session
from ...texts import t
from ..batches.kind import StandIns
from ..models.port import Task
from .engine import RelevanceEngine
from .tasks import ExtractFacts, JudgeFactsTask

REASON = "This is a reason. " * 12
FACT = "This is one of the facts of a case, which a sentence tells. "
FACTS = 8
MOST_FACTS = 300
"""Facts of one reply: with more it is not read as a list of facts."""


class RelevanceStandIns(StandIns):
    """Facts of ordinary number, and every candidate relevant."""

    @property
    def typical(self) -> str:
        return t("report.estimate.facts", n=FACTS)

    def __init__(self) -> None:
        self._engine = RelevanceEngine(lambda name: load(name, paths().demonstrations))

    def engine(self, session: Session) -> RelevanceEngine:
        return self._engine

    def ordinary(self, task: Task, *, decides: bool) -> str:
        match task:
            case ExtractFacts():
                mark = hashlib.sha256(
                    "\n".join([task.text, *task.material]).encode()
                ).hexdigest()[:8]
                return json.dumps(
                    {"facts": [f"{FACT}({mark}, {n})" for n in range(FACTS)]}
                )
            case JudgeFactsTask():
                return json.dumps({"reason": REASON, "relevant": True})
        raise TypeError(type(task).__name__)

    def longest(self, task: Task, filled: str, *, decides: bool) -> str:
        match task:
            case ExtractFacts():
                count = max(1, min(MOST_FACTS, len(filled) // 2))
                return json.dumps(
                    {
                        "facts": [
                            f"{n} {filled[: len(filled) // count + 1]}"
                            for n in range(count)
                        ]
                    }
                )
            case JudgeFactsTask():
                return json.dumps({"reason": filled, "relevant": True})
        return self.ordinary(task, decides=decides)
