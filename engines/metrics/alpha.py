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

from .agreement import alpha_from, coincidences
from .bootstrap import IntervalEstimate, figure, resampled

Metric = Literal["nominal", "ordinal", "interval"]
Value = bool | int | float | str

NO_PAIR = "no item has two ratings"
ALL_ALIKE = "all ratings are the same"

DIGITS = 9
"""Decimals to which equal numbers are the same rating: 0.1 + 0.2 is 0.3."""


def alpha(
    items: Sequence[tuple[Hashable, Sequence[Value]]], metric: Metric
) -> IntervalEstimate:
    """Alpha over items, each with its cluster and its ratings; an item with fewer than
    two ratings adds nothing.

    `ordinal` and `interval` take numbers. No value where nothing is rated twice, or
    where all ratings are the same.
    """
    known: list[tuple[Hashable, Sequence[Value]]] = [
        (cluster, ratings) for cluster, ratings in items if len(ratings) > 1
    ]
    if metric != "nominal":
        known = [
            (cluster, [round(float(value), DIGITS) for value in ratings])
            for cluster, ratings in known
        ]
    codes = sorted(
        {value for _, ratings in known for value in ratings},
        key=str if metric == "nominal" else float,
    )
    if len(codes) == 1:
        return IntervalEstimate(None, ALL_ALIKE)
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
        # Squares of numbers about 0 do not cancel each other.
        middle = (float(codes[0]) + float(codes[-1])) / 2
        numbers = [float(value) - middle for value in ratings]
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
    return coincidences(counts)


def _alpha(parts: Sequence[float], size: int, metric: Metric) -> float | None:
    """Alpha of the sum of items' parts; None where chance leaves no disagreement."""
    if metric == "interval":
        observed, n, total, squares = parts
        expected = 2 * (n * squares - total * total)
        if expected <= 1e-9 * n * squares:  # what rounding leaves of equal values
            return None
    elif metric == "nominal":
        observed, *counts = parts
        n = sum(counts)
        expected = n * n - sum(count * count for count in counts)
    else:
        return alpha_from(parts, size)
    if expected > 0:
        return 1 - (n - 1) * observed / expected
    return None
