"""What comes next when one model answers alone: a pure function of the session's
events.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, get_args

import msgspec

from ...sessions.events.solo import (
    Aspect,
    Attempt,
    SoloResult,
)
from ...sessions.session import Session
from .state import (
    ESTIMATOR,
    SETTINGS,
    SOLVER,
    analyses,
    attempts,
    by_command,
    estimates,
    failed_tokens,
    review_of,
    setting,
    stated,
)

if TYPE_CHECKING:
    from ...sessions.events.solo import Attempt


MOST = SETTINGS.bounds("samples")[1]
"""Samples, however large the budget is."""


def enough(session: Session, made: Sequence[Attempt]) -> bool:
    """True if no further sample is wanted.

    With a budget of tokens there is at least one sample, and another one as long as the
    mean of those drawn still fits. In and out count, as in the totals of a session, and
    so do calls that failed.
    """
    budget = (
        setting(session, "token_budget")
        if setting(session, "strategy") == "sc"
        else None
    )
    if budget is None:
        return len(made) >= int(setting(session, "samples"))
    if not made:
        return False
    spent = sum(_tokens(session, sample) for sample in made)
    return len(made) >= MOST or failed_tokens(session) + spent + spent / len(
        made
    ) > int(budget)


def _tokens(session: Session, sample: Attempt) -> int:
    """Tokens of a sample: the provider's figure; where there is none, or nothing was
    asked (the cache, a built-in), an estimate.
    """
    from ..models.tokens import estimate, estimate_messages
    from .messages import attempt_thread

    usage = sample.usage
    counted = 0 if usage is None else (usage.input or 0) + (usage.output or 0)
    return counted or estimate_messages(attempt_thread(session, None)) + estimate(
        sample.text
    )


ASPECTS: tuple[Aspect, ...] = get_args(Aspect)
"""Aspects in the order in which they are analysed."""


class SoloStep(msgspec.Struct, frozen=True):
    """The next thing to happen.

    `role` is who is asked; "" for what is computed, by us or by the user's command.
    """

    what: Literal["attempt", "review", "analysis", "estimate", "result"]
    role: str
    iteration: int = 1
    """The attempt that it is, or that it is about."""
    about: Aspect | None = None
    """What is analysed, or what an attempt rests on."""


def upcoming(session: Session) -> SoloStep | None:
    """The next step; None when the session is finished.

    Failures, notes and changes count for nothing.
    """
    if any(isinstance(event, SoloResult) for event in session.events):
        return None
    return _NEXT[setting(session, "strategy")](session) or SoloStep(
        "result", "", len(attempts(session))
    )


def most_attempts(session: Session) -> int | None:
    """How many attempts there are at most; None where tokens decide."""
    strategy = setting(session, "strategy")
    if strategy == "sc" and setting(session, "token_budget") is not None:
        return None
    limit = {"sc": "samples", "rerank": "samples", "reflect": "iterations"}.get(
        strategy
    )
    if limit:
        return int(setting(session, limit))
    if strategy == "maps":
        return 1 + len(ASPECTS)
    return 1


def progress(session: Session) -> tuple[int, int] | None:
    """The attempt that a session is at, and how many there are at most; None where
    there is one, or where tokens decide how many.
    """
    most = most_attempts(session)
    if most is None or most <= 1:
        return None
    step = upcoming(session)
    return max(
        len(attempts(session)),
        step.iteration if step is not None and step.what == "attempt" else 0,
    ), most


def rated_alike(session: Session, iteration: int) -> list[int]:
    """The attempts that state, letter for letter, the answer of this one: one rating
    does for all.
    """
    answer = stated(session, iteration)
    return [
        attempt.iteration for attempt in attempts(session) if attempt.answer == answer
    ]


def _once(session: Session) -> SoloStep | None:
    if attempts(session):
        return None
    return SoloStep("attempt", SOLVER)


def _sampled(session: Session) -> SoloStep | None:
    made = attempts(session)
    if enough(session, made):
        return None
    return SoloStep("attempt", SOLVER, len(made) + 1)


def _reflected(session: Session) -> SoloStep | None:
    made = len(attempts(session))
    if made == 0:
        return SoloStep("attempt", SOLVER)
    if made >= setting(session, "iterations"):
        return None
    review = review_of(session, made)
    if review is None:
        return SoloStep("review", SOLVER, made)
    if review.satisfied:
        return None
    return SoloStep("attempt", SOLVER, made + 1)


def _analysed(session: Session) -> SoloStep | None:
    known, made = analyses(session), attempts(session)
    if not made:
        return SoloStep("attempt", SOLVER)
    for about in ASPECTS:
        if about not in known:
            return SoloStep("analysis", SOLVER, 1, about)
    done = {one.based_on for one in made}
    left = [about for about in ASPECTS if about not in done]
    if left:
        return SoloStep("attempt", SOLVER, len(made) + 1, left[0])
    return _estimated(session)


def _estimated(session: Session) -> SoloStep | None:
    """The next candidate to rate; None when each that states a translation has been
    rated.
    """
    known = estimates(session)
    left = [
        attempt.iteration
        for attempt in attempts(session)
        if attempt.answer is not None and attempt.iteration not in known
    ]
    if left:
        return SoloStep("estimate", "" if by_command(session) else ESTIMATOR, left[0])
    return None


_NEXT: dict[str, Callable[[Session], SoloStep | None]] = {
    "direct": _once,
    "cot": _once,
    "sc": _sampled,
    "reflect": _reflected,
    "rerank": lambda session: _sampled(session) or _estimated(session),
    "maps": _analysed,
}
