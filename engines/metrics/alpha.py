"""Krippendorff's alpha of values of any kind, with its interval: how far raters agree
beyond chance. Ratings may be missing.

alpha = 1 - observed / expected disagreement, both over ordered pairs of ratings of one
item; expected is over pairs of all ratings. The distance of two ratings is 0 or 1
(nominal), that of their ranks among all ratings (ordinal), or their difference
(interval), each squared.

Source: Krippendorff 2004, chapter 11. The interval is drawn from clusters of items
(`bootstrap.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Literal

from .bootstrap import IntervalEstimate, figure, resampled

Metric = Literal["nominal", "ordinal", "interval"]
Value = bool | int | float | str

NO_PAIR = "no item has two ratings"
ALL_ALIKE = "all ratings are the same"


def alpha(
    items: Sequence[tuple[Hashable, Sequence[Value]]], metric: Metric
) -> IntervalEstimate:
    """Alpha over items, each with its cluster and its ratings; an item with fewer than
    two ratings adds nothing.

    `ordinal` and `interval` take numbers. No value where nothing is rated twice, or
    where all ratings are the same.
    """
    known = [(cluster, ratings) for cluster, ratings in items if len(ratings) > 1]
    codes = sorted(
        {value for _, ratings in known for value in ratings},
        key=str if metric == "nominal" else float,
    )
    clusters: dict[Hashable, list[float]] = {}
    for cluster, ratings in known:
        parts = _parts(ratings, codes, metric)
        held = clusters.get(cluster)
        clusters[cluster] = (
            parts
            if held is None
            else [one + other for one, other in zip(held, parts, strict=True)]
        )
    if not clusters:
        return IntervalEstimate(None, NO_PAIR)

    def of(parts: Sequence[float]) -> float | None:
        return _alpha(parts, len(codes), metric)

    whole = of([sum(column) for column in zip(*clusters.values(), strict=True)])
    return figure(
        whole, lambda: map(of, resampled(clusters.values())), ALL_ALIKE, len(clusters)
    )


def _parts(
    ratings: Sequence[Value], codes: Sequence[Value], metric: Metric
) -> list[float]:
    """What one item adds: for `interval` its disagreement, number, sum and sum of
    squares; for `nominal` its disagreement and how often each value occurs; for
    `ordinal` its matrix of coincidences.
    """
    m = len(ratings)
    if metric == "interval":
        numbers = [float(value) for value in ratings]
        total, squares = sum(numbers), sum(value * value for value in numbers)
        return [
            max(0.0, 2 * (m * squares - total * total) / (m - 1)),
            m,
            total,
            squares,
        ]
    found = Counter(ratings)
    counts = [found[code] for code in codes]
    if metric == "nominal":
        return [(m * m - sum(count * count for count in counts)) / (m - 1), *counts]
    return [
        a * (b - (i == j)) / (m - 1)
        for i, a in enumerate(counts)
        for j, b in enumerate(counts)
    ]


def _alpha(parts: Sequence[float], size: int, metric: Metric) -> float | None:
    """Alpha of the sum of items' parts; None where chance leaves no disagreement."""
    if metric == "interval":
        observed, n, total, squares = parts
        expected = 2 * (n * squares - total * total)
    elif metric == "nominal":
        observed, *counts = parts
        n = sum(counts)
        expected = n * n - sum(count * count for count in counts)
    else:
        rows = [parts[i * size : (i + 1) * size] for i in range(size)]
        totals = [sum(row) for row in rows]
        n, observed, expected = sum(totals), 0.0, 0.0
        for i in range(size):
            for j in range(size):
                low, high = min(i, j), max(i, j)
                distance = (
                    sum(totals[low : high + 1]) - (totals[i] + totals[j]) / 2
                ) ** 2
                observed += distance * rows[i][j]
                expected += distance * totals[i] * totals[j]
    if expected > 1e-12:
        return 1 - (n - 1) * observed / expected
    return None
