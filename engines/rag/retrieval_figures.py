"""One list of references held against the gold passages of its question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...sessions.events import Reference
from ..metrics import retrieval
from .gold import Gold, has_gold, places


class RetrievalFigures(NamedTuple):
    """The figures of one list."""

    recall: float
    mrr: float
    """1 / the place of the first gold passage."""
    ndcg: float
    context_precision: float
    hit_rate: bool
    """Whether there is any gold passage among them."""
    shown: int = 0
    """References."""


NOTHING = RetrievalFigures(0.0, 0.0, 0.0, 0.0, False)
"""Nothing was found."""

MEANS = ("recall", "mrr", "ndcg", "context_precision")
NAMES = (*MEANS, "hit_rate")


def retrieved(
    gold: Sequence[Gold], references: Sequence[Reference], k: int = 0
) -> RetrievalFigures | None:
    """The figures of these references, in the order in which the generator sees them;
    None without a gold passage.

    `k`: how many were asked for; 0 where nobody searched.
    """
    if not has_gold(gold):
        return None
    grades = [one.grade for one in gold]
    found = places(gold, references)
    rank = retrieval.reciprocal_rank(found, grades)
    ndcg, precision = (
        retrieval.ndcg(found, grades, k),
        retrieval.context_precision(found, grades),
    )
    return RetrievalFigures(
        retrieval.recall(found, grades),
        rank,
        ndcg,
        precision,
        rank > 0,
        len(references),
    )
