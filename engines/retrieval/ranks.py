"""Ranks the passages of an index for a query: by its words, by its vector, or by
both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from .dense import VectorIndex, fused, top

if TYPE_CHECKING:
    from .bm25 import Bm25Index
    from .store import Array

FUSED = 1000
"""Passages of each ranking that are fused, as those who proposed it did."""


class RankedPassage(NamedTuple):
    """A passage, by its place in the index, that may become a reference."""

    at: int
    score: float | None = None
    """By BM25; None where its words were not searched, or it has none of the query."""
    dense: float | None = None
    """Cosine similarity; None where no vectors were searched."""
    found_by: dict[str, int] | None = None
    """Its place in each of several rankings that hold it, from 1."""


Ranking = Callable[[int], list[RankedPassage]]
"""Returns the best candidates, at most as many as requested.

A deeper ranking starts with the same ones.
"""


def by_words(scores: Bm25Index, words: list[int], among: Array | None) -> Ranking:
    """By BM25.

    `among`: for each passage whether it may be one of them; None: all may.
    """
    return lambda depth: [
        RankedPassage(at, score) for at, score in scores.best(words, depth, among)
    ]


def by_vectors(vectors: VectorIndex, query: Array, among: Array | None) -> Ranking:
    """By cosine similarity to the query's vector, exactly: all vectors are looked
    at.
    """
    near = vectors.scores(query)
    return lambda depth: [
        RankedPassage(at, None, float(near[at])) for at in top(near, depth, among)
    ]


def by_both(
    scores: Bm25Index,
    words: list[int],
    vectors: VectorIndex,
    query: Array,
    among: Array | None,
) -> Ranking:
    """By reciprocal rank fusion of the first 1000 by words and by vector."""
    near = vectors.scores(query)
    said = dict(scores.best(words, FUSED, among))
    rankings = {"bm25": list(said), "dense": top(near, FUSED, among)}
    found_by: dict[int, dict[str, int]] = {}
    for name, ranking in rankings.items():
        for place, at in enumerate(ranking, 1):
            found_by.setdefault(at, {})[name] = place
    order = [
        RankedPassage(
            at,
            said.get(at),
            float(near[at]),
            found_by[at],
        )
        for at in fused(rankings.values())
    ]
    return lambda depth: order[:depth]
