"""The built-in `script`: handwritten speeches for a few example topics, spoken through
the real engine.

It is not a language model. It refuses any other topic, a role or round without a
speech, and a history with other texts or an edited speech.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from ..models.port import ModelCall
from ..script import NAME, HandWritten, ScriptedTopic, as_json, plain, read, refusal
from .messages import (
    BaselineTask,
    Choose,
    DebateTask,
    ListCandidates,
    OppositionTask,
    Speak,
    SpeechText,
    VerdictTask,
)

SCRIPTS = Path(__file__).parent / "scripts"


class ScriptedDebate(ScriptedTopic, frozen=True, kw_only=True):
    """A topic with its speeches: one file. Each list has one entry per round, from
    round 1.
    """

    id: str
    title: str
    baseline: str
    affirmative: list[str]
    negative: list[str]
    verdicts: list[dict[str, Any]]
    candidates: list[list[str]]
    extractions: list[dict[str, Any]]
    disagreement: list[float]


def example_topics() -> list[ScriptedDebate]:
    """Return the topics of the script, in the order in which they are offered."""
    return list(_scripts().values())


def example_of(topic: str) -> ScriptedDebate | None:
    """Return the example with this topic, ignoring white space and a final full stop or
    question mark.
    """
    return _scripts().get(plain(topic))


class DebateScript(HandWritten):
    """Debates the example topics."""

    def line(self, call: ModelCall) -> str:
        task = call.task
        if not isinstance(task, DebateTask):
            raise refusal(call.role, "it only knows debates")
        if task.control != "none":
            raise refusal(call.role, "its lines are those of a debate of two sides")
        lines = example_of(task.topic)
        about = (task.kind, task.source, task.target)
        if lines is None or about != lines.asked_as:
            raise refusal(
                call.role,
                "it has lines for its example topics only, "
                "and this topic is none of them",
            )
        defended = [task.defended] if isinstance(task, Speak) and task.defended else []
        for said in [*defended, *task.history]:
            _check(lines, said, call.role)
        said_now = _asked(lines, call.role, task)
        if said_now is None:
            raise refusal(
                call.role,
                f"it has nothing written for {call.role} in round {task.round}",
            )
        return said_now


def _check(lines: ScriptedDebate, speech: SpeechText, role: str) -> None:
    """Raises: ModelError for a speech that the script does not answer."""
    if speech.model != NAME:
        raise refusal(role, f"its lines do not answer what {speech.model} said")
    if speech.text != _written(lines, speech):
        raise refusal(
            role,
            f"its lines do not answer the changed speech of {speech.role} in "
            f"round {speech.round}",
        )


def _asked(lines: ScriptedDebate, role: str, task: DebateTask) -> str | None:
    match task:
        case BaselineTask():
            return lines.baseline.strip()
        case Speak():
            return _written(lines, SpeechText(role, task.round, "", NAME))
        case VerdictTask():
            return _json(_at(lines.verdicts, task.round))
        case OppositionTask():
            value = _at(lines.disagreement, task.round)
            if value is None:
                return None
            return _json({"disagreement": value})
    shown = max((said.round for said in task.history), default=0)
    if isinstance(task, ListCandidates):
        listed = _at(lines.candidates, shown)
        if listed is None:
            return None
        return _json({"candidates": listed})
    if isinstance(task, Choose):
        return _json(_at(lines.extractions, shown))
    return None


def _written(lines: ScriptedDebate, said: SpeechText) -> str | None:
    if said.role == "baseline":
        return lines.baseline.strip()
    speeches = {"affirmative": lines.affirmative, "negative": lines.negative}.get(
        said.role
    )
    text: str | None = _at(speeches, said.round) if speeches else None
    if text:
        return text.strip()
    return None


def _at(entries: list[Any], round_: int) -> Any:
    if 1 <= round_ <= len(entries):
        return entries[round_ - 1]
    return None


def _json(value: dict[str, Any] | None) -> str | None:
    if value is None:
        return None
    return as_json(value)


@cache
def _scripts() -> dict[str, ScriptedDebate]:
    return {plain(one.topic): one for one in read(SCRIPTS, ScriptedDebate)}
