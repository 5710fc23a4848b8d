"""Measures agreement between raters: Cohen's kappa, Fleiss' kappa, Krippendorff's
alpha. None where a figure is undefined.

A figure is undefined where chance alone would leave no disagreement: all ratings are
the same, so there is nothing to agree about.

Sources: Cohen 1960; Cohen 1968 (weights); Fleiss 1971; Krippendorff 2004, chapter 11;
De Vries et al. 2008 (several tables).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from .levels import LEVELS, Bit, bit

Table = list[list[int]]
"""Counts: `table[i][j]` items were rated i by the first rater and j by the second."""

Weights = Literal["linear", "quadratic"] | None

Ratings = Sequence[int | None]
"""Ratings of one item, one per rater; None where missing."""


def confusion(
    first: Iterable[int | None], second: Iterable[int | None], size: int = len(LEVELS)
) -> Table:
    """The table of two raters' levels, 0 to size - 1, item by item.

    Items that either has left unrated are left out.
    """
    table = [[0] * size for _ in range(size)]
    for one, other in zip(first, second, strict=True):
        if one is not None and other is not None:
            table[one][other] += 1
    return table


def bits(table: Sequence[Sequence[int]], kind: Bit) -> Table:
    """The 2 x 2 table of one bit, from the table of levels."""
    folded = [[0, 0], [0, 0]]
    for i, row in enumerate(table):
        for j, count in enumerate(row):
            folded[bit(i, kind)][bit(j, kind)] += count
    return folded


def raw_agreement(table: Sequence[Sequence[int]]) -> float | None:
    """The share of items with equal ratings; None without items."""
    total = sum(map(sum, table))
    if total:
        return sum(row[i] for i, row in enumerate(table)) / total
    return None


def cohen_kappa(
    table: Sequence[Sequence[int]], weights: Weights = None
) -> float | None:
    """1 - observed / expected disagreement; a disagreement weighs 1, the distance of
    the levels, or its square.

    The distance is that of the levels themselves, whether or not a level between them
    occurs.
    """
    return pooled_kappa([table], weights)


def pooled_kappa(
    tables: Iterable[Sequence[Sequence[int]]], weights: Weights = None
) -> float | None:
    """Cohen's kappa of several tables: 1 - the sum of their observed / the sum of their
    expected disagreement.

    None where chance leaves no disagreement.

    It is the mean of the tables' kappas, each weighed by its items and by the
    disagreement that chance alone would leave in it (De Vries et al. 2008). A table
    whose kappa is undefined has no weight.
    """
    observed = expected = 0.0
    for table in tables:
        found, chance = disagreement(table, weights)
        observed += found
        expected += chance
    if expected:
        return 1 - observed / expected
    return None


def disagreement(
    table: Sequence[Sequence[int]], weights: Weights = None
) -> tuple[float, float]:
    """The disagreement of two raters, summed over their items: as observed, and as
    chance alone would leave it.
    """
    rows = [sum(row) for row in table]
    columns = [sum(column) for column in zip(*table, strict=True)]
    observed = expected = 0
    for i, row in enumerate(table):
        for j, count in enumerate(row):
            if i != j:
                weight = (
                    1
                    if weights is None
                    else abs(i - j)
                    if weights == "linear"
                    else (i - j) ** 2
                )
                observed += weight * count
                expected += weight * rows[i] * columns[j]
    total = sum(rows)
    return float(observed), expected / total if total else 0.0


def fleiss_parts(ratings: Ratings) -> list[float] | None:
    """What one item adds to Fleiss' kappa: items, agreeing pairs of ratings, all pairs,
    ratings of each level. None: nothing.
    """
    if None in ratings or len(ratings) < 2:
        return None
    counts = _counts(ratings)
    n = len(ratings)
    return [1, sum(count * (count - 1) for count in counts), n * (n - 1), *counts]


def fleiss_from(parts: Sequence[float]) -> float | None:
    """Fleiss' kappa of the sum of its items' parts."""
    if not parts:
        return None
    _, agreeing, possible, *counts = parts
    chance = sum((count / sum(counts)) ** 2 for count in counts)
    if sum(1 for count in counts if count) > 1:
        return (agreeing / possible - chance) / (1 - chance)
    return None


def alpha_parts(ratings: Ratings) -> list[float] | None:
    """What one item adds to the matrix of coincidences, row by row; None for an item
    with fewer than two ratings.
    """
    counts = _counts(ratings)
    return coincidences(counts) if sum(counts) > 1 else None


def coincidences(counts: Sequence[int]) -> list[float]:
    """The matrix of coincidences of one item, row by row: `counts` of each value."""
    others = sum(counts) - 1
    return [
        a * (b - (i == j)) / others
        for i, a in enumerate(counts)
        for j, b in enumerate(counts)
    ]


def alpha_from(parts: Sequence[float], size: int = len(LEVELS)) -> float | None:
    """Krippendorff's alpha, ordinal, of a matrix of coincidences of `size` values."""
    if not parts:
        return None
    rows = [parts[i * size : (i + 1) * size] for i in range(size)]
    totals = [sum(row) for row in rows]
    observed = expected = 0.0
    for i in range(size):
        for j in range(i + 1, size):
            distance = (sum(totals[i : j + 1]) - (totals[i] + totals[j]) / 2) ** 2
            observed += distance * rows[i][j]
            expected += distance * totals[i] * totals[j]
    if expected:
        return 1 - (sum(totals) - 1) * observed / expected
    return None


def add(parts: Iterable[Sequence[float] | None]) -> list[float]:
    """The sum of equally long vectors; None adds nothing.

    Empty if nothing was added.
    """
    return [
        sum(column)
        for column in zip(*(part for part in parts if part is not None), strict=True)
    ]


def _counts(ratings: Ratings) -> list[int]:
    return [sum(1 for rating in ratings if rating == level) for level in LEVELS]
