"""Agreement within each query: where people read a query's candidates differently."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from . import agreement
from .compare import (
    BITS,
    LEAST_PAIRS,
    NO_VARIATION,
    ItemRatings,
    RaterLevels,
    is_shared,
    ratings_by_query,
    too_few,
)
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
    """Share of equal ratings among all two ratings of one pair, on `material`, `legal`
    and `levels`.
    """
    alpha: dict[str, float | None]
    """Krippendorff's alpha; None where it is undefined or not shown."""
    why: str | None
    """Why there is no alpha."""


def by_query(raters: Sequence[RaterLevels]) -> list[QueryAgreement]:
    """Every query that has a pair with two ratings, the one with the lowest share of
    equal levels first.
    """
    seen = RatingsSeen()
    made = []
    for query, every in ratings_by_query(raters).items():
        rated = [ratings for ratings in every if is_shared(ratings)]
        if rated:
            made.append(_of_query(query, rated, seen))
    return sorted(made, key=lambda one: (one.raw["levels"], one.query))


class Seen(NamedTuple):
    """What one item's ratings add to a figure."""

    equal: int
    """Couples of raters who have rated it alike."""
    couples: int
    alpha: list[float] | None
    """As `agreement.alpha_parts`."""


class RatingsSeen(dict[tuple[str, ItemRatings], Seen]):
    """By figure and ratings what they add, computed once: few ratings are different."""

    def __missing__(self, key: tuple[str, ItemRatings]) -> Seen:
        name, ratings = key
        seen = [_value(rating, name) for rating in ratings if rating is not None]
        couples = list(combinations(seen, 2))
        equal = sum(one == other for one, other in couples)
        made = self[key] = Seen(equal, len(couples), agreement.alpha_parts(seen))
        return made


def _of_query(
    query: str, rated: Sequence[ItemRatings], known: RatingsSeen
) -> QueryAgreement:
    raw = {}
    alpha = {}
    for name in FIGURES:
        seen = [known[name, ratings] for ratings in rated]
        couples = sum(one.couples for one in seen)
        raw[name] = sum(one.equal for one in seen) / couples
        alpha[name] = (
            agreement.alpha_from(agreement.add(one.alpha for one in seen))
            if len(rated) >= LEAST_PAIRS
            else None
        )
    differ = sum(
        known["levels", ratings].equal < known["levels", ratings].couples
        for ratings in rated
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


def _value(level: int, name: str) -> int:
    if name == "levels":
        return level
    return bit(level, "material" if name == "material" else "legal")
