"""What the ranker is asked, as data.

Language models get the rendered messages; `lexical`, `script` and `human` answer from
this.
"""

from __future__ import annotations

import msgspec

from ...sessions.events import Reference
from ..models.port import Task


class AnonymousAnswer(msgspec.Struct, kw_only=True):
    """An answer as it stands before the ranker. Its name is not told."""

    text: str
    references: list[Reference] = []
    revised_query: str | None = None
    """What its system would search with next, where that is what is ranked."""


class RankAnswers(Task, kw_only=True):
    """A score from 0 to 1 for each answer under one criterion.

    The reply is a JSON object {"reason": "…", "answer1": 0 to 1, …}.
    """

    question: str
    criterion: str
    accepted: list[str] = []
    answers: list[AnonymousAnswer]
    """In the order in which they are numbered, from 1."""
