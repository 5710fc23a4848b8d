"""The tasks of a debate, as data.

Language models get the rendered messages; `script` and `human` answer from these.
"""

from __future__ import annotations

import msgspec

from ..models.port import Task


class SpeechText(msgspec.Struct, frozen=True):
    """One speech of the debate so far."""

    role: str
    round: int
    text: str
    model: str
    """Who said it: a model's id, `human` or `script`."""


class DebateTask(Task, kw_only=True):
    """What all tasks have."""

    topic: str
    kind: str
    """`question` or `translation`."""
    source: str | None = None
    """Language codes of a translation, else None."""
    target: str | None = None
    round: int = 0
    """From 1; 0 before the first round."""
    history: list[SpeechText] = []
    """The speeches that the reply may use, in order."""
    control: str = "none"
    """`judge-blind`, `consultancy`, or `none`: a debate."""


class BaselineTask(DebateTask, kw_only=True):
    """Role `baseline`: answer alone, before the debate."""


class Speak(DebateTask, kw_only=True):
    """A debater's speech of this round."""

    defended: SpeechText | None = None
    """Seeded opening, first debater: the baseline's answer."""


class VerdictTask(DebateTask, kw_only=True):
    """Discriminative verdict after this round."""

    sides: list[str]


class ListCandidates(DebateTask, kw_only=True):
    """Extractive judge, first step."""


class Choose(DebateTask, kw_only=True):
    """Extractive judge, second step."""

    sides: list[str]
    candidates: list[str]
    """As read from the first step; empty if it could not be read."""


class JudgeAlone(DebateTask, kw_only=True):
    """A blind judge: answer without a debate."""


class OppositionTask(DebateTask, kw_only=True):
    """Role `observer`: how far the speeches of this round oppose each other, 0 to 1."""
