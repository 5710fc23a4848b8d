"""The figure of a whole, of what a measure gave for each of its items, with a 95 % interval by cluster: the one place where it is made."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..measures.measure import Measure, Measured
from ..metrics.bootstrap import interval, resampled
from ..metrics.shares import clustered_mean, clustered_share


@dataclass(frozen=True)
class Whole:
    """What a measure comes to over many items."""

    value: float | None
    """None: nothing was measured."""
    low: float | None = None
    high: float | None = None
    """None: no interval, as for a single cluster."""
    n: int = 0
    """The items that the figure counts."""
    clusters: int = 0
    """The clusters that the interval is drawn over; `n` where all items are independent."""
    missing: Mapping[str, int] = field(default_factory=dict)
    """How many items without a value there are, by why; they are no part of `n`."""
    unanswered: Mapping[str, int] = field(default_factory=dict)
    """How many of `n` have no answer of their own and count as wrong, by why."""

    def as_json(self) -> dict[str, Any]:
        clusters = {"clusters": self.clusters} if self.clusters < self.n else {}
        further = {
            name: dict(found)
            for name, found in (
                ("missing", self.missing),
                ("unanswered", self.unanswered),
            )
            if found
        }
        return {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "n": self.n,
            **clusters,
            **further,
        }


ANSWERED = ("right", "wrong", "measured")


def of_session(found: Iterable[Measured]) -> Measured | None:
    """What a measure gives for a session as a whole: what is of no round, else the last round; None where the session has no part in it."""
    chosen: Measured | None = None
    for one in found:
        if one.round is None:
            return one
        chosen = one
    return chosen


def whole(measure: Measure, told: Sequence[tuple[str, Measured]]) -> Whole:
    """The figure over items, each with its cluster: a share, a mean, or the pooled figure of the summed counts."""
    known = [(cluster, one) for cluster, one in told if one.value is not None]
    missing = dict(Counter(str(one.state) for _, one in told if one.value is None))
    if not known:
        return Whole(None, missing=missing)
    clusters = len({cluster for cluster, _ in known})
    value, low, high = (
        _pooled(measure, known) if measure.pooled is not None else _mean(measure, known)
    )
    unanswered = dict(
        Counter(str(one.state) for _, one in known if one.state not in ANSWERED)
    )
    return Whole(value, low, high, len(known), clusters, missing, unanswered)


def _mean(
    measure: Measure, known: Sequence[tuple[str, Measured]]
) -> tuple[float, float | None, float | None]:
    values = [(cluster, one.value or 0.0) for cluster, one in known]
    if measure.share:
        hits = clustered_share((cluster, value == 1) for cluster, value in values)
        assert hits is not None
        return sum(value == 1 for _, value in values) / len(values), hits.low, hits.high
    middle = math.fsum(value for _, value in values) / len(values)
    found = clustered_mean(values)
    return (
        (middle, None, None)
        if found is None
        else (middle, *_within(measure, found.low, found.high))
    )


def _pooled(
    measure: Measure, known: Sequence[tuple[str, Measured]]
) -> tuple[float | None, float | None, float | None]:
    assert measure.pooled is not None
    figure = measure.pooled
    together: dict[str, list[float]] = {}
    for cluster, one in known:
        sums = together.setdefault(cluster, [0.0] * len(one.counts))
        for place, count in enumerate(one.counts):
            sums[place] += count
    value = figure([sum(column) for column in zip(*together.values(), strict=True)])
    if value is None or len(together) < 2:
        return value, None, None
    low, high, _ = interval(
        (figure(drawn) for drawn in resampled(together.values())), len(together)
    )
    return value, low, high


def _within(measure: Measure, low: float, high: float) -> tuple[float, float]:
    """The ends of an interval, kept within what the values can be."""
    least, most = (
        -math.inf if measure.low is None else measure.low,
        math.inf if measure.high is None else measure.high,
    )
    return max(least, low), min(most, high)
