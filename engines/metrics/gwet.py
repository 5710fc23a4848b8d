"""Gwet's AC1 and AC2: agreement beyond chance that holds up where nearly all ratings
are the same. There kappa and alpha fall towards 0 even if raters hardly differ.

AC2 = (observed − chance) / (1 − chance). Observed is the mean weight of two ratings
of one item, 1 for equal ones. Chance is the mean of all weights, times
Σ p (1 − p) · q / (q − 1) over the shares p of q levels. Without weights it is AC1.

Sources: Gwet 2008 (AC1); Gwet 2014, chapters 4 and 5 (AC2, missing ratings).
"""

from __future__ import annotations

from collections.abc import Sequence

from .agreement import Ratings, Table, Weights


def gwet_table(table: Table, weights: Weights = None) -> float | None:
    """AC2 of two raters' table of levels; None without items."""
    rows = [sum(row) for row in table]
    columns = [sum(column) for column in zip(*table, strict=True)]
    agreeing = sum(
        _weight(i, j, len(table), weights) * count
        for i, row in enumerate(table)
        for j, count in enumerate(row)
    )
    both = [(row + other) / 2 for row, other in zip(rows, columns, strict=True)]
    return gwet_from([agreeing, sum(rows), *both], weights)


def gwet_parts(
    ratings: Ratings, size: int, weights: Weights = None
) -> list[float] | None:
    """What an item with levels from 0 to size - 1 adds: the mean weight of two of its
    ratings, 1 if there are two, the share of each level. None without ratings.
    """
    counts = [ratings.count(level) for level in range(size)]
    n = sum(counts)
    if n < 2:
        return [0.0, 0, *map(float, counts)] if n else None
    pairs = sum(
        count * (other - (i == j)) * _weight(i, j, size, weights)
        for i, count in enumerate(counts)
        for j, other in enumerate(counts)
    )
    return [pairs / (n * (n - 1)), 1, *(count / n for count in counts)]


def gwet_from(parts: Sequence[float], weights: Weights = None) -> float | None:
    """AC2 of the sum of its items' parts; None where no item is rated twice."""
    if not parts or not parts[1]:
        return None
    agreeing, twice, *shares = parts
    size, items = len(shares), sum(shares)
    every = [
        _weight(
            i,
            j,
            size,
            weights,
        )
        for i in range(size)
        for j in range(size)
    ]
    spread = sum(share / items * (1 - share / items) for share in shares)
    chance = sum(every) / (size * (size - 1)) * spread
    return (agreeing / twice - chance) / (1 - chance)


def _weight(i: int, j: int, size: int, weights: Weights) -> float:
    if weights is None:
        return float(i == j)
    apart = abs(i - j) / (size - 1)
    return 1 - (apart if weights == "linear" else apart * apart)
