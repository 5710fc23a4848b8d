"""1 x material + 2 x legal (LCR, section 3.2, after LeCaRD)."""

from __future__ import annotations

from ...sessions.events.relevance import Score
from .plan import Standing


def score(candidate: str, standing: Standing) -> Score:
    """The level 0 to 3; None if either judgement is unread or could not be made."""
    material, legal = standing.judgement("material"), standing.judgement("legal")
    if (
        material is None
        or legal is None
        or material.relevant is None
        or legal.relevant is None
    ):
        return Score(candidate=candidate, value=None)
    return Score(
        candidate=candidate, value=int(material.relevant) + 2 * int(legal.relevant)
    )
