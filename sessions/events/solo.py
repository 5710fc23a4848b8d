"""Events of `solo`: one model answers alone."""

from __future__ import annotations

from typing import ClassVar, Literal

from . import Change, Failure, Note, Read, ReplyEvent, Result

Aspect = Literal["keywords", "topics", "demonstrations"]
"""What a translator can look at in a text before it translates."""


class Attempt(ReplyEvent, tag="attempt", kw_only=True):
    """One try of the solver; `answer` is what it states, None if it states none."""

    rare: ClassVar[frozenset[str]] = frozenset({"based_on"})

    iteration: int = 1
    """From 1: the number of the attempt, be it an iteration, a sample or a candidate.
    """
    based_on: Aspect | None = None
    """The part of the analysis that a candidate translation rests on; None: on none."""
    answer: str | None = None
    read: Read = "unread"


class Review(ReplyEvent, tag="review", kw_only=True):
    """What the solver thinks of its last attempt.

    `satisfied` is None where that could not be read.
    """

    iteration: int
    """The attempt that is reviewed."""
    satisfied: bool | None = None
    reason: str = ""
    read: Read = "unread"


class Analysis(ReplyEvent, tag="analysis", kw_only=True):
    """What the solver finds in a text before it translates; `text` holds it."""

    about: Aspect


class Estimate(ReplyEvent, tag="estimate", kw_only=True):
    """How good candidates are, without a reference.

    A model rates one text, which several candidates may share; a command rates all.
    """

    iterations: list[int]
    """The attempts that are rated."""
    values: list[float | None] = []
    """One for each, the higher the better; None where it could not be read.

    From a model 0 to 100, from a command any number.
    """
    reason: str = ""
    read: Read = "unread"


class SoloResult(Result, tag="result", kw_only=True):
    """The answer in the end.

    None: no attempt states one, or no estimate could be read.
    """

    rare: ClassVar[frozenset[str]] = frozenset({"chosen", "groups"})

    answer: str | None
    attempts: int
    decided_by: Literal["single", "majority", "satisfied", "limit", "estimator"]
    chosen: int | None = None
    """The attempt that the answer comes from, where it was chosen among several."""
    groups: list[list[int]] = []
    """With a majority: the attempts that say the same, the largest group first.

    One without an answer is in none.
    """


EVENTS = Change | Failure | Note | Attempt | Review | Analysis | Estimate | SoloResult
