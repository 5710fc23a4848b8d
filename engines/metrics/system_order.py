"""Whether two raters put systems in the same order: Kendall's tau of the systems' nDCG
by the labels of either (Kendall 1945, tau-b; as TREC compares qrels).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from .bootstrap import IntervalEstimate, figure, resampled
from .compare import NO_VARIATION, RaterLevels
from .ranking import Tiers, condensed, expected_ndcg

CUT = 30
"""nDCG@30, as LeCaRD has it."""


class SystemOrder(NamedTuple):
    """The systems by the labels of two raters, on the pairs that both have rated."""

    first: str
    second: str
    queries: int
    ndcg: dict[str, tuple[float, float]]
    """By system: nDCG@`CUT`, the mean over queries, by either."""
    tau: IntervalEstimate


def system_order(
    first: RaterLevels,
    second: RaterLevels,
    runs: Mapping[str, Mapping[str, Tiers]],
    *,
    resamples: int,
) -> SystemOrder:
    """The order of `runs` (name -> query -> ranking), of at least two.

    Candidates without a label of both are taken out; a query that a run lacks counts 0.
    Intervals are over resampled queries.
    """
    given = first.rated(), second.rated()
    labels: dict[str, tuple[dict[str, int], dict[str, int]]] = {}
    for query, candidate in given[0].keys() & given[1].keys():
        for of, own in zip(labels.setdefault(query, ({}, {})), given, strict=True):
            of[candidate] = own[query, candidate]
    rows = [
        [
            expected_ndcg(_left(ranked.get(query, []), one), one, CUT)
            for one in both
            for ranked in runs.values()
        ]
        for query, both in labels.items()
    ]
    sums = [sum(column) for column in zip(*rows, strict=True)]
    halves = _halves(sums)
    means = [[one / len(rows) for one in half] for half in halves] if rows else [[], []]
    return SystemOrder(
        first.name,
        second.name,
        len(rows),
        dict(zip(runs, zip(*means, strict=True), strict=False)),
        figure(
            tau_b(*halves),
            lambda: [tau_b(*_halves(one)) for one in resampled(rows, resamples)],
            NO_VARIATION,
            len(rows),
        ),
    )


def tau_b(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Kendall's tau-b; None where either has no two values that differ."""
    steps = [
        (_sign(one[0] - other[0]), _sign(one[1] - other[1]))
        for one, other in combinations(zip(first, second, strict=True), 2)
    ]
    untied = [sum(step[side] != 0 for step in steps) for side in (0, 1)]
    if not all(untied):
        return None
    agreed = sum(one * other for one, other in steps)
    return agreed / math.sqrt(untied[0] * untied[1])


def _halves(row: Sequence[float]) -> tuple[Sequence[float], Sequence[float]]:
    return row[: len(row) // 2], row[len(row) // 2 :]


def _sign(step: float) -> int:
    """Of a difference; sums of equal figures may differ in their last digits."""
    return 0 if abs(step) < 1e-9 else 1 if step > 0 else -1


def _left(listed: Tiers, labels: Mapping[str, int]) -> Tiers:
    return [left for tier in listed if (left := condensed(tier, labels))]
