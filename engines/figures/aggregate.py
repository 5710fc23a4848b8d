"""The figure of a run: a measure aggregated over its items, with its interval.

This is the only place that computes a run's point estimate and 95 % interval
(`metrics/intervals.py`). Items of one cluster are not independent.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..metrics.intervals import (
    Interval95,
    Note,
    bounded_mean,
    pooled_figure,
    unbounded_mean,
)
from .measure import Measure, MeasuredValue, ratio

ANSWERED = ("right", "wrong", "measured")


@dataclass(frozen=True)
class Aggregate:
    """A measure aggregated over many items."""

    value: float | None
    """None: nothing was measured."""
    low: float | None = None
    high: float | None = None
    """None: there is no interval, and `note` says why."""
    n: int = 0
    """The items that the figure counts."""
    count: int | None = None
    """Of a share: how many it holds for."""
    clusters: int = 0
    """`n` where all items are independent."""
    missing: Mapping[str, int] = field(default_factory=dict)
    """Reason → items without a value; they are no part of `n`."""
    unanswered: Mapping[str, int] = field(default_factory=dict)
    """Reason → items of `n` that have no answer of their own and count as wrong."""
    note: Note | None = None
    """Why there is no interval."""
    of: int | None = None
    """What `count` is counted of, where an item can count several times; None: `n`."""

    def as_json(self) -> dict[str, Any]:
        optional = {
            "count": self.count,
            "clusters": self.clusters if self.clusters < self.n else None,
            "missing": dict(self.missing) or None,
            "unanswered": dict(self.unanswered) or None,
            "note": self.note,
        }
        return {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "n": self.n,
            "of": self.n if self.of is None else self.of,
            **{name: value for name, value in optional.items() if value is not None},
        }


def of_session(measured: Iterable[MeasuredValue]) -> MeasuredValue | None:
    """Return a measure's value for a whole session, else for its last round.

    None if it does not apply to the session.
    """
    chosen: MeasuredValue | None = None
    for one in measured:
        if one.round is None:
            return one
        chosen = one
    return chosen


def whole(measure: Measure, items: Sequence[tuple[str, MeasuredValue]]) -> Aggregate:
    """The figure over items, each with its cluster: share, mean or pooled figure."""
    known = [(cluster, one) for cluster, one in items if one.value is not None]
    missing = Counter(str(one.state) for _, one in items if one.value is None)
    if not known:
        return Aggregate(None, missing=dict(missing))
    clusters = [cluster for cluster, _ in known]
    value, found = _figure(measure, clusters, [one for _, one in known])
    unanswered = Counter(
        str(one.state) for _, one in known if one.state not in ANSWERED
    )
    count, of = None, None
    if measure.share:
        count = sum(one.value == 1 for _, one in known)
    elif measure.pooled is ratio and measure.high == 1:
        count, of = (round(sum(one.counts[at] for _, one in known)) for at in (0, 1))
    return Aggregate(
        value,
        found.low,
        found.high,
        len(known),
        count,
        len(set(clusters)),
        dict(missing),
        dict(unanswered),
        found.note,
        of,
    )


def share_figure(items: Sequence[tuple[str, bool]]) -> Aggregate:
    """The share of true values, each with its cluster."""
    if not items:
        return Aggregate(None)
    clusters, values = zip(*items, strict=True)
    found = bounded_mean([float(value) for value in values], clusters)
    n, count = len(items), sum(values)
    return Aggregate(
        count / n,
        found.low,
        found.high,
        n,
        count,
        len(set(clusters)),
    )


def _figure(
    measure: Measure, clusters: Sequence[str], known: Sequence[MeasuredValue]
) -> tuple[float | None, Interval95]:
    """The point estimate and its interval."""
    bounds = measure.low, measure.high
    if measure.pooled is not None:
        counts = [one.counts for one in known]
        sums = [math.fsum(column) for column in zip(*counts, strict=True)]
        value = measure.pooled(sums)
        return value, pooled_figure(counts, clusters, measure.pooled, bounds)
    values = [one.value or 0.0 for one in known]
    if measure.share:
        values = [float(value == 1) for value in values]
    return math.fsum(values) / len(values), _mean_interval(values, clusters, *bounds)


def _mean_interval(
    values: Sequence[float],
    clusters: Sequence[str],
    low: float | None,
    high: float | None,
) -> Interval95:
    if low is not None and high is not None:
        return bounded_mean(values, clusters, low, high)
    found = unbounded_mean(values, clusters)
    if found.low is None or found.high is None:
        return found
    return Interval95(
        found.low if low is None else max(low, found.low),
        found.high if high is None else min(high, found.high),
    )
