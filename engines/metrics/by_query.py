"""Agreement within each query: where people read a query's candidates differently."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from . import agreement
from .compare import BITS, LEAST_PAIRS, NO_VARIATION, Rater, too_few
from .levels import bit

FIGURES = (*BITS, "levels")


class QueryAgreement(NamedTuple):
    """All raters together on the candidates of one query."""

    query: str
    pairs: int
    """Candidates with two ratings or more."""
    differ: int
    """Those that are not rated alike."""
    raw: dict[str, float]
    """Share of equal ratings among all two ratings of one pair, on `material`, `legal` and `levels`."""
    alpha: dict[str, float | None]
    """Krippendorff's alpha; None where it is undefined or not shown."""
    why: str | None
    """Why there is no alpha."""


def by_query(raters: Sequence[Rater]) -> list[QueryAgreement]:
    """Every query that has a pair with two ratings, the one with the lowest share of equal levels first."""
    items: dict[str, list[list[int | None]]] = {}
    for pair in dict.fromkeys(pair for rater in raters for pair in rater.labels):
        ratings = [rater.labels.get(pair) for rater in raters]
        if sum(one is not None for one in ratings) > 1:
            items.setdefault(pair[0], []).append(ratings)
    made = [_of_query(query, rated) for query, rated in items.items()]
    return sorted(made, key=lambda one: (one.raw["levels"], one.query))


def _of_query(query: str, rated: list[list[int | None]]) -> QueryAgreement:
    raw: dict[str, float] = {}
    alpha: dict[str, float | None] = {}
    for name in FIGURES:
        seen = [[_value(one, name) for one in ratings] for ratings in rated]
        couples = [
            (one, other)
            for ratings in seen
            for one, other in combinations(
                [one for one in ratings if one is not None], 2
            )
        ]
        raw[name] = sum(one == other for one, other in couples) / len(couples)
        alpha[name] = (
            agreement.krippendorff_alpha(seen) if len(rated) >= LEAST_PAIRS else None
        )
    differ = sum(
        len({one for one in ratings if one is not None}) > 1 for ratings in rated
    )
    undefined = NO_VARIATION if None in alpha.values() else None
    return QueryAgreement(
        query,
        len(rated),
        differ,
        raw,
        alpha,
        too_few(len(rated)) if len(rated) < LEAST_PAIRS else undefined,
    )


def _value(level: int | None, name: str) -> int | None:
    if level is None or name == "levels":
        return level
    return bit(level, "material" if name == "material" else "legal")
