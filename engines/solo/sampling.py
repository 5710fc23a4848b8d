"""How many samples are drawn: a number of them, or as many as a number of tokens
allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...sessions.session import Session
from .settings import SETTINGS
from .state import failed_tokens, setting

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
