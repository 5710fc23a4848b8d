"""Which kind of session the RAG tab shows: a question, or answers that are ranked."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ....sessions.session import Session


def is_ranked(session: Session) -> bool:
    """True for a session of the method `rank`."""
    return session.method == "rank"
