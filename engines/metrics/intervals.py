"""95 % intervals of shares, means, pooled figures and paired differences.

There are two rules:

- **Score rule**, for a mean of bounded values; a share is such a mean of 0 and 1.
- **Pseudo-pair rule**, for everything else: paired differences, means without
  bounds, and figures of summed counts.

Neither gives an interval of no width. Where the values say little about their
spread, as when all are equal, the spread comes from prior observations.

Sources: Wilson 1927 (score interval); Bonett and Price 2012 (pseudo-pairs);
Korn and Graubard 1998 (shares of clusters); Liang and Zeger 1986 (variance of
clusters); Efron and Stein 1981 (jackknife).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .shares import Z95, score_interval, t95

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[Any]

Clusters = Sequence[Hashable] | None
"""The cluster of each item; None: every item is its own."""

Counts = Sequence[float]
"""What one item adds to a pooled figure."""

Pooled = Callable[[Sequence[float]], float | None]
"""The figure of the summed counts of some items."""

Bounds = tuple[float | None, float | None]
"""What a value can be, at the least and at the most; None: no bound."""

Note = Literal["one-cluster", "too-few", "all-alike", "undefined"]
"""Why there is no interval; `texts/report.*.yaml` has the words."""

PRIOR = 4.0
"""Prior observations of a spread: this many items weigh as much as the prior."""

INTRACLASS = 0.3
"""Prior correlation of items in one cluster."""

BLOCKS = 500
"""Clusters of a pooled figure are joined into this many blocks at the most."""

FEW = 50
"""Below this many clusters, a mean of skewed values may have no interval."""

FEWEST = 60
"""Fewer items than this times (standard deviation / mean)² are too few."""


class Interval95(NamedTuple):
    """A 95 % interval, or why there is none."""

    low: float | None = None
    high: float | None = None
    note: Note | None = None


class PairedChange(NamedTuple):
    """A paired difference with its interval, and what its power depends on."""

    value: float | None = None
    """Second - first."""
    low: float | None = None
    high: float | None = None
    note: Note | None = None
    """Why there is no interval."""
    units: int = 0
    """Items, or the clusters that a pooled figure is made of."""
    variance: float = 0.0
    """Of one unit's difference."""
    moving: float = 0.0
    """The share of units that differ."""
    reach: float = 1.0
    """How far a unit could differ."""
    effect: float = 1.0
    """The design effect of clusters."""


class ClusterSpread(NamedTuple):
    """How values spread, within and between clusters."""

    n: int
    mean: float
    variance: float
    """Of the items, divided by n."""
    clusters: int
    crowd: float
    """Items in the cluster of the average item; 1: no item shares a cluster."""
    between: float
    """The design effect as measured: variance with clusters over that without."""
    informative: int
    """Items that differ from the most frequent value, less one; 0 in one cluster."""

    @property
    def effect(self) -> float:
        """The design effect, drawn towards its prior; 1 without clusters.

        The prior weighs as `PRIOR` independent items do. One cluster is one item.
        """
        if self.clusters in (1, self.n):
            return self.crowd
        prior = 1 + (self.crowd - 1) * INTRACLASS
        weight = PRIOR * prior
        measured = self.informative * max(1.0, self.between)
        return (weight * prior + measured) / (weight + self.informative)

    def worth(self, shape: float) -> float:
        """Independent items that give as certain a mean.

        Student's quantile counts as far as the variance is estimated: in a share
        of independent items (`shape` 1) it follows from the mean. It is never
        less than if all items of a cluster were equal.
        """
        known = min(1.0, shape)
        wider = (t95(self.clusters - 1) / Z95) ** 2 - 1 if self.clusters > 1 else 0.0
        least = self.n / self.crowd / (1 + wider * (1 - known))
        return max(least, self.n / self.effect / (1 + wider * (1 - known / self.crowd)))


def spread_of(values: Sequence[float], clusters: Clusters = None) -> ClusterSpread:
    """The spread of one value or more."""
    n = len(values)
    mean = math.fsum(values) / n
    sums: dict[Hashable, float] = {}
    sizes: Counter[Hashable] = Counter()
    names: Sequence[Hashable] = range(n) if clusters is None else clusters
    for name, value in zip(names, values, strict=True):
        sums[name] = sums.get(name, 0.0) + value - mean
        sizes[name] += 1
    alone = math.fsum((value - mean) ** 2 for value in values)
    count = len(sums)
    together = math.fsum(one * one for one in sums.values())
    varies = alone > 1e-18 * n * max(1.0, mean * mean)
    between = count / (count - 1) * together / alone if varies and count > 1 else 1.0
    return ClusterSpread(
        n,
        mean,
        alone / n if varies else 0.0,
        count,
        math.fsum(size * size for size in sizes.values()) / n,
        between,
        max(0, n - max(Counter(values).values()) - 1) if count > 1 else 0,
    )


def bounded_mean(
    values: Sequence[float],
    clusters: Clusters = None,
    low: float = 0.0,
    high: float = 1.0,
    z: float = Z95,
) -> Interval95:
    """The interval of a mean of values from `low` to `high`, by the score rule.

    The mean counts as a share of this many independent items as have its variance.
    `z`: the normal quantile of another level than 95 %.
    """
    spread = spread_of(values, clusters)
    share = min(1.0, max(0.0, (spread.mean - low) / (high - low)))
    most = share * (1 - share) * (high - low) ** 2
    measured = spread.variance / most if most > 0 else 1.0
    evidence = spread.informative / spread.effect
    shape = (PRIOR + evidence * measured) / (PRIOR + evidence)
    ends = score_interval(share, spread.worth(shape) / shape, z)
    return Interval95(low + ends[0] * (high - low), low + ends[1] * (high - low))


class ClusterInterval(NamedTuple):
    """An interval over clusters."""

    low: float
    high: float
    clusters: int


def clustered_share(items: Iterable[tuple[Hashable, bool]]) -> ClusterInterval | None:
    """The interval of the share of true values, each with its cluster.

    None without items. One cluster alone has a wide interval, not none.
    """
    listed = list(items)
    if not listed:
        return None
    names = [name for name, _ in listed]
    found = bounded_mean([float(held) for _, held in listed], names)
    assert found.low is not None
    assert found.high is not None
    return ClusterInterval(found.low, found.high, len(set(names)))


def unbounded_mean(values: Sequence[float], clusters: Clusters = None) -> Interval95:
    """The interval of a mean of values without bounds, by the pseudo-pair rule.

    It reaches further on the side of the longer tail (Johnson 1978). None where
    the values spread too far for so few: tokens and prices have long tails.
    """
    spread = spread_of(values, clusters)
    if spread.clusters < 2:
        return Interval95(note="one-cluster")
    few = spread.clusters < FEW and min(values) >= 0
    if few and spread.variance * FEWEST > spread.mean**2 * spread.clusters:
        return Interval95(note="too-few")
    steps = [value - spread.mean for value in values]
    moving = spread.informative + 1 if spread.variance else 0
    centred = spread._replace(mean=0.0)
    found = _pseudo_pair(steps, centred, abs(spread.mean), moving, estimated=True)
    return _moved(_skewed(found, steps, spread), spread.mean)


def mean_difference(
    first: Sequence[float],
    second: Sequence[float],
    clusters: Clusters = None,
    bounds: Bounds = (0.0, 1.0),
    z: float = Z95,
) -> PairedChange:
    """The mean paired difference and its interval, by the pseudo-pair rule.

    Of right and wrong without clusters this is the interval of Bonett and Price.
    `z`: the normal quantile of another level than 95 %.
    """
    if not first:
        return PairedChange()
    steps = [after - before for before, after in zip(first, second, strict=True)]
    spread = spread_of(steps, clusters)
    moving = sum(step != 0 for step in steps)
    low, high = bounds
    if low is not None and high is not None:
        reach = high - low
        found = _within(_pseudo_pair(steps, spread, reach, moving, z=z), -reach, reach)
    else:
        squares = math.fsum(value * value for value in (*first, *second))
        reach = math.sqrt(squares / 2 / len(steps))
        found = _pseudo_pair(steps, spread, reach, moving, estimated=True, z=z)
        found = _skewed(found, steps, spread)
    if spread.clusters < 2:
        found = Interval95(note="one-cluster")
    return _change(spread, found, moving, reach)


def pooled_figure(
    counts: Sequence[Counts],
    clusters: Clusters,
    figure: Pooled,
    bounds: Bounds = (None, None),
) -> Interval95:
    """The interval of a figure of summed counts: pseudo-pair rule, by jackknife.

    `bounds`: what the figure can be, at the least and at the most.
    """

    sums = cluster_sums(counts, clusters)
    value, steps = figure(sums.sum(0).tolist()), left_out(sums, figure)
    if value is None or isinstance(steps, str):
        return Interval95(note=steps if isinstance(steps, str) else "undefined")
    listed = steps.tolist()
    reach = _reach([steps], bounds)
    spread = spread_of(listed)
    found = _pseudo_pair(listed, spread, reach, spread.informative, estimated=True)
    return _within(_moved(found, value), *bounds)


def pooled_difference(
    first: Sequence[Counts],
    second: Sequence[Counts],
    clusters: Clusters,
    figure: Pooled,
    bounds: Bounds = (None, None),
) -> PairedChange:
    """The difference of two pooled figures of the same items and its interval."""

    if not first:
        return PairedChange()
    one, other = cluster_sums(first, clusters), cluster_sums(second, clusters)
    start, end = figure(one.sum(0).tolist()), figure(other.sum(0).tolist())
    if start is None or end is None:
        return PairedChange(note="undefined")
    before, after = left_out(one, figure), left_out(other, figure)
    if isinstance(before, str) or isinstance(after, str):
        note: Note = "one-cluster" if len(one) < 2 else "undefined"
        return PairedChange(end - start, note=note)
    steps = (after - before).tolist()
    reach = _reach([before, after], bounds)
    moving = int((blocks_of(one) != blocks_of(other)).any(1).sum())
    spread = spread_of(steps)._replace(mean=end - start)
    found = _pseudo_pair(steps, spread, reach, moving, estimated=True)
    return _change(spread, found, moving, reach)


def cluster_sums(counts: Sequence[Counts], clusters: Clusters) -> Numbers:
    """The sums of each cluster's counts, one row for each cluster."""
    import numpy

    flat = chain.from_iterable(counts)
    rows: Numbers = numpy.fromiter(flat, dtype=float).reshape(len(counts), -1)
    if clusters is None:
        return rows
    places: dict[Hashable, int] = {}
    where = [places.setdefault(name, len(places)) for name in clusters]
    if len(where) != len(rows):
        raise ValueError("one cluster for each item")
    sums = numpy.zeros((len(places), rows.shape[1]))
    numpy.add.at(sums, where, rows)
    return sums


def left_out(sums: Numbers, figure: Pooled) -> Numbers | Note:
    """How far each cluster moves the figure, on the scale of items of a mean.

    Jackknife: (G - 1) times the fall of the figure without the cluster, about 0.
    More than `BLOCKS` clusters are left out in blocks.
    """
    import numpy

    blocks = blocks_of(sums)
    if len(blocks) < 2:
        return "one-cluster"
    total = blocks.sum(0)
    without = [figure(row) for row in (total - blocks).tolist()]
    known = [value for value in without if value is not None]
    if figure(total.tolist()) is None or len(known) < len(without):
        return "undefined"
    values: Numbers = numpy.array(known)
    steps: Numbers = (values.mean() - values) * (len(values) - 1)
    return steps


def blocks_of(sums: Numbers) -> Numbers:
    """The sums of at most `BLOCKS` blocks of clusters; clusters are dealt in turn."""
    import numpy

    if len(sums) <= BLOCKS:
        return sums
    blocks = numpy.zeros((BLOCKS, sums.shape[1]))
    numpy.add.at(blocks, numpy.arange(len(sums)) % BLOCKS, sums)
    return blocks


def _change(
    spread: ClusterSpread, interval_95: Interval95, moving: int, reach: float
) -> PairedChange:
    return PairedChange(
        spread.mean,
        interval_95.low,
        interval_95.high,
        interval_95.note,
        spread.n,
        spread.variance,
        moving / spread.n,
        reach,
        spread.effect,
    )


def _reach(runs: Sequence[Numbers], bounds: Bounds) -> float:
    """How far a cluster can move a figure: the root mean square step of unrelated
    clusters.

    A cluster that spans the whole range is added to the informative ones, which do not
    move the figure as most clusters do.
    """
    low, high = bounds
    most = 0.0 if low is None or high is None else high - low
    squares = math.fsum(float((steps * steps).sum()) for steps in runs)
    telling = max(spread_of(steps.tolist()).informative for steps in runs)
    return math.sqrt((squares + most**2) / (telling + 1))


def _within(
    interval_95: Interval95, low: float | None, high: float | None
) -> Interval95:
    """An interval cut off at the bounds."""
    if interval_95.low is None or interval_95.high is None:
        return interval_95
    return Interval95(
        max(interval_95.low, -math.inf if low is None else low),
        min(interval_95.high, math.inf if high is None else high),
    )


def _moved(interval_95: Interval95, by: float) -> Interval95:
    """An interval about 0 as one about a value."""
    if interval_95.low is None or interval_95.high is None:
        return interval_95
    return Interval95(interval_95.low + by, interval_95.high + by)


def _skewed(
    interval_95: Interval95, steps: Sequence[float], spread: ClusterSpread
) -> Interval95:
    """An interval that reaches further on the side of the longer tail.

    By skewness / (6 √n) · (1 + 2 t²) standard errors (Johnson 1978).
    """
    if interval_95.low is None or interval_95.high is None or not spread.variance:
        return interval_95
    centre = math.fsum(steps) / spread.n
    third = math.fsum((step - centre) ** 3 for step in steps) / spread.n
    worth = spread.worth(0.0)
    times = 1 + 2 * t95(spread.clusters - 1) ** 2
    further = third / spread.variance / (6 * worth) * times
    return Interval95(
        interval_95.low + min(0.0, further), interval_95.high + max(0.0, further)
    )


def _pseudo_pair(
    steps: Sequence[float],
    spread: ClusterSpread,
    reach: float,
    moving: int,
    *,
    estimated: bool = False,
    z: float = Z95,
) -> Interval95:
    """The interval of mean steps, with an item added at either side of 0.

    The added items differ by `reach`, and by as much as the others do where
    several differ. `moving`: how many differ. `estimated`: the spread never
    follows from the mean. `z`: z² / 3.84 items are added, not one (Agresti and
    Coull 1998).
    """
    pairs = 2 * (z / Z95) ** 2
    others = max(0.0, moving / spread.effect - 1)
    squares = math.fsum(step * step for step in steps) / moving if moving else 0.0
    added = (PRIOR * reach**2 + others * squares) / (PRIOR + others)
    if added <= 0:
        return Interval95(note="all-alike")
    worth = spread.worth(0.0 if estimated else added / reach**2)
    total = worth + pairs
    centre = worth * spread.mean / total
    square = (worth * (spread.variance + spread.mean**2) + pairs * added) / total
    half = z * math.sqrt((square - centre**2) / total)
    return Interval95(centre - half, centre + half)
