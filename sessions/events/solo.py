"""What happens when one model answers alone."""

from __future__ import annotations

from typing import Literal

from . import Change, Failure, Made, Note, Read, Result


class Attempt(Made, tag="attempt", kw_only=True):
    """One try of the solver; `answer` is what it states, None if it states none."""

    iteration: int = 1
    """From 1."""
    answer: str | None = None
    read: Read = "unread"


class SoloResult(Result, tag="result", kw_only=True):
    """The answer in the end. None: no attempt states one."""

    answer: str | None
    attempts: int
    decided_by: Literal["single", "majority", "satisfied", "limit", "estimator"]


EVENTS = Change | Failure | Note | Attempt | SoloResult
