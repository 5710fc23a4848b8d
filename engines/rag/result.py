"""How a question ended: a fold over its events."""

from __future__ import annotations

from ...sessions.events import RagResult, Verification
from ...sessions.session import Session
from .plan import SCORES, Turn, setting, stopped_by, turns


def result(session: Session) -> RagResult:
    """The last answer, as in Algorithm 1; with `keep: best` that of the best verified iteration. None where there were no references."""
    answered = [turn for turn in turns(session) if turn.answer is not None]
    kept = _best(answered) if setting(session, "keep") == "best" else None
    if kept is None and answered:
        kept = answered[-1]
    return RagResult(
        answer=kept.answer.answer if kept is not None and kept.answer is not None else None,
        iterations=len(answered),
        stopped_by=stopped_by(session) or "single",
        kept=kept.iteration if kept is not None else None,
    )


def overall(verification: Verification) -> float | None:
    """Mean of the scores that were read, 0 to 1, with bias turned round; None if none was."""
    scores = {name: getattr(verification, name) for name in SCORES}
    known = [1 - value if name == "bias" else value for name, value in scores.items() if value is not None]
    return sum(known) / len(known) if known else None


def _best(answered: list[Turn]) -> Turn | None:
    """The verified iteration with the highest mean; of equals the later, as without this option."""
    rated = [(mean, turn) for turn in answered if turn.verification is not None and (mean := overall(turn.verification)) is not None]
    return max(rated, key=lambda pair: (pair[0], pair[1].iteration))[1] if rated else None
