"""The result of a question, computed from its events."""

from __future__ import annotations

from ...sessions.events.rag import RagResult, Verification
from ...sessions.session import Session
from .abstention import abstains
from .plan import SCORES, Turn, setting, stopped_by, turns


def result(session: Session) -> RagResult:
    """The last answer, as in Algorithm 1; with `keep: best` that of the best verified iteration. None if there were no references.

    An answer that does not answer never replaces one that does.
    """
    answered = [turn for turn in turns(session) if turn.answer is not None]
    choice = [turn for turn in answered if turn.answer is not None and not abstains(turn.answer.answer)] or answered
    kept = _best(choice) if setting(session, "keep") == "best" else None
    if kept is None and choice:
        kept = choice[-1]
    return RagResult(
        answer=kept.answer.answer if kept is not None and kept.answer is not None else None,
        iterations=len(answered),
        stopped_by=stopped_by(session) or "single",
        kept=kept.iteration if kept is not None else None,
    )


def overall(verification: Verification) -> float | None:
    """Mean of the scores that were read, 0 to 1, with 1 - bias for bias; None if none was read."""
    scores = {name: getattr(verification, name) for name in SCORES}
    known = [1 - value if name == "bias" else value for name, value in scores.items() if value is not None]
    return sum(known) / len(known) if known else None


def _best(answered: list[Turn]) -> Turn | None:
    """The verified iteration with the highest mean; of equal ones the last."""
    rated = [(mean, turn) for turn in answered if turn.verification is not None and (mean := overall(turn.verification)) is not None]
    return max(rated, key=lambda pair: (pair[0], pair[1].iteration))[1] if rated else None
