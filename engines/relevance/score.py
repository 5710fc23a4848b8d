"""1 x material + 2 x legal (LCR, section 3.2, after LeCaRD)."""

from __future__ import annotations

from ...sessions.events.relevance import Score
from .plan import CurrentStages


def score(candidate: str, standing: CurrentStages) -> Score:
    """The level 0 to 3; None if either judgement is unread or could not be made."""
    return Score(candidate=candidate, value=_level(standing))


def level(standing: CurrentStages) -> int | None:
    """The level that the judgements make; the scored one where a judgement is missing.

    None: no score is in force.
    """
    if standing.score is None:
        return None
    judged = standing.judgement("material") and standing.judgement("legal")
    if judged is None:
        return standing.score.value
    return _level(standing)


def _level(standing: CurrentStages) -> int | None:
    material, legal = standing.judgement("material"), standing.judgement("legal")
    if (
        material is None
        or legal is None
        or material.relevant is None
        or legal.relevant is None
    ):
        return None
    return int(material.relevant) + 2 * int(legal.relevant)
