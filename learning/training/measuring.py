"""Measures the ranking of an encoder: nDCG@30, levels as gains, averaged over ties."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ...engines.metrics.ranking import RunLine, expected_ndcg, tiers
from ..encoders.local import LocalEncoder
from .examples import Examples
from .ranking import Told, by_encoder

AT = 30
"""Cutoff of the ranking."""


def figures(
    encoder: LocalEncoder, examples: Examples, progress: Told = lambda done, of: None
) -> dict[str, float]:
    """nDCG@30 of each validation query, 0 to 1; 0 if all its levels are 0. `progress`
    receives the number of finished documents and of all documents.
    """
    scores: dict[str, dict[str, float]] = {query: {} for query in examples.pool}
    for query, document, score in by_encoder(encoder)(
        examples.data, examples.pool, progress
    ):
        scores[query][document] = score
    return {
        query: of_scores(score, examples.validation[query])
        for query, score in scores.items()
    }


def of_scores(scores: Mapping[str, float], levels: Mapping[str, int]) -> float:
    """nDCG@30 of documents ranked by these scores."""
    return expected_ndcg(
        tiers(
            [
                RunLine(
                    name,
                    score,
                    0,
                )
                for name, score in scores.items()
            ]
        ),
        levels,
        AT,
    )


def mean(found: Mapping[str, float]) -> float:
    """The mean over queries."""
    return math.fsum(found.values()) / len(found)
