"""The built-in `script`: replies written by hand for the bundled example topics.

It is not a language model and says nothing else.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ..models.port import ModelCall
from ..script import (
    HandWritten,
    ScriptedTopic,
    ScriptEntry,
    as_json,
    plain,
    read,
    refusal,
)
from .messages import Analyse, RateTask, Reflect, SoloTask, Solve

SCRIPTS = Path(__file__).parent / "scripts"


class ScriptedAttempt(ScriptEntry, frozen=True, kw_only=True):
    """An attempt of `reflect`, and what its review says."""

    said: str
    reason: str
    satisfied: bool


class Rating(ScriptEntry, frozen=True, kw_only=True):
    """A rating of one translation, written by hand."""

    translation: str
    reason: str
    score: int


class ScriptedSolo(ScriptedTopic, frozen=True, kw_only=True):
    """A topic with its replies for each strategy."""

    direct: str
    cot: str
    sc: list[str] = []
    reflect: list[ScriptedAttempt] = []
    rerank: list[str] = []
    analysis: dict[str, str] = {}
    maps: dict[str, str] = {}
    """Translations by the part of the analysis that they rest on."""
    ratings: list[Rating] = []


class SoloScript(HandWritten):
    """Solves the example topics."""

    def line(self, call: ModelCall) -> str:
        said = _said(call.task) if isinstance(call.task, SoloTask) else None
        if said is None:
            raise refusal(
                call.role,
                "it has a reply for its example topics only, and this is none of them",
            )
        return said.strip()


def _said(task: SoloTask) -> str | None:
    """What is written for a task; None where nothing is."""
    lines = lines_of(task.topic)
    if lines is None or lines.asked_as != (task.kind, task.source, task.target):
        return None
    match task:
        case Solve(based_on=str(about)):
            return lines.maps.get(about)
        case Solve(strategy="cot"):
            return lines.cot
        case Solve(strategy="sc"):
            return _in_turn(lines.sc, task.iteration)
        case Solve(strategy="rerank"):
            return _in_turn(lines.rerank, task.iteration)
        case Solve(strategy="reflect"):
            return _nth(lines.reflect, task.iteration).said
        case Solve():
            return lines.direct
        case Reflect():
            thought = _nth(lines.reflect, task.iteration)
            return as_json({"reason": thought.reason, "satisfied": thought.satisfied})
        case Analyse():
            return lines.analysis.get(task.about)
        case RateTask():
            found = next(
                (
                    rating
                    for rating in lines.ratings
                    if rating.translation == task.translation
                ),
                None,
            )
            if found is None:
                return None
            return as_json({"reason": found.reason, "score": found.score})
    return None


def _in_turn(said: list[str], number: int) -> str | None:
    if said:
        return said[(number - 1) % len(said)]
    return None


def _nth(attempts: list[ScriptedAttempt], number: int) -> ScriptedAttempt:
    """The thought of this number, or the last one."""
    return attempts[min(number, len(attempts)) - 1]


def lines_of(topic: str) -> ScriptedSolo | None:
    """The replies to a topic; white space and a closing full stop or question mark do
    not count. None where there are none.
    """
    return _all().get(plain(topic))


@cache
def _all() -> dict[str, ScriptedSolo]:
    return {
        plain(lines.topic): lines
        for listed in read(SCRIPTS, list[ScriptedSolo])
        for lines in listed
    }
