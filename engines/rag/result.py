"""The result of a question, computed from its events."""

from __future__ import annotations

from ...sessions.events.rag import RagResult
from ...sessions.session import Session
from .plan import kept_turn, stopped_by, turns


def result(session: Session) -> RagResult:
    """The answer of the iteration that is kept; None if there were no references."""
    kept = kept_turn(session)
    return RagResult(
        answer=kept.answer.answer
        if kept is not None and kept.answer is not None
        else None,
        iterations=sum(turn.answer is not None for turn in turns(session)),
        stopped_by=stopped_by(session) or "single",
        kept=kept.iteration if kept is not None else None,
    )
