"""The answer in the end, out of all attempts."""

from __future__ import annotations

from ...sessions.events.solo import SoloResult
from ...sessions.session import Session
from .state import RATED, attempts, estimates, review_of, setting, stated


def result(session: Session) -> SoloResult:
    """How the session ends."""
    made, strategy = attempts(session), setting(session, "strategy")
    count, last = len(made), made[-1]
    if strategy == "sc":
        from .majority import groups

        found = groups([one.answer for one in made])
        chosen = found[0][0] if found else None
        return SoloResult(
            answer=None if chosen is None else made[chosen - 1].answer,
            attempts=count,
            decided_by="majority",
            chosen=chosen,
            groups=found,
        )
    if strategy in RATED:
        known = {
            number: value
            for number, value in estimates(session).items()
            if value is not None
        }
        chosen = (
            max(known, key=lambda number: (known[number], -number)) if known else None
        )
        answer = None if chosen is None else stated(session, chosen)
        return SoloResult(
            answer=answer, attempts=count, decided_by="estimator", chosen=chosen
        )
    if strategy == "reflect":
        review = review_of(session, count)
        satisfied = review is not None and review.satisfied is True
        return SoloResult(
            answer=last.answer,
            attempts=count,
            decided_by="satisfied" if satisfied else "limit",
        )
    return SoloResult(answer=last.answer, attempts=count, decided_by="single")
