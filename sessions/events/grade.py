"""Events of `grade`: one prompt grades the relevance of cases."""

from __future__ import annotations

from . import Change, Failure, Note, Read, ReplyEvent
from .labels import Label
from .relevance import RelevanceResult, Score


class Grade(ReplyEvent, tag="grade", kw_only=True):
    """One reply about one candidate: its level and the reason. None is unread."""

    candidate: str
    value: int | None = None
    """0 to 3."""
    reason: str = ""
    read: Read = "unread"
    left_out: int = 0
    """Characters of the two cases that did not fit into the budget and were left out.
    """


EVENTS = Change | Failure | Note | Grade | Score | Label | RelevanceResult
