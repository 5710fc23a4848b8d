"""What the roles are asked, as data.

Language models get the rendered messages; `script` and `human` answer from this.
"""

from __future__ import annotations

from ...sessions.events.solo import Aspect
from ..models.port import Task


class SoloTask(Task, kw_only=True):
    """What all tasks say of the topic."""

    topic: str
    kind: str
    """`question` or `translation`."""
    source: str | None = None
    """Language codes of a translation, else None."""
    target: str | None = None


class Solve(SoloTask, kw_only=True):
    """Answer the question, or translate the text."""

    strategy: str
    iteration: int = 1
    """The attempt that it is."""
    based_on: Aspect | None = None
    """The part of the analysis that the translation is to rest on."""


class Reflect(SoloTask, kw_only=True):
    """Say whether your last attempt is good as it is."""

    iteration: int
    answer: str | None


class Analyse(SoloTask, kw_only=True):
    """Find what helps to translate the text."""

    about: Aspect


class RateTask(SoloTask, kw_only=True):
    """Say how good a translation is, without a reference."""

    translation: str
