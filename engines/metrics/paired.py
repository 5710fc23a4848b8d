"""Tests and intervals of the difference between two runs over the same items: second − first. None where nothing can be said.

Items of one cluster (the repeats of one item, the two sentences of one pair) are not independent: whole clusters are swapped or drawn.
Without clusters every item is its own. One seed, one result.

Sources: McNemar 1947 (exact: the sign test of Dixon and Mood 1946); Fisher 1935 and Noreen 1989 (permutation); Phipson and Smyth 2010 (a
drawn p is never 0); Efron and Tibshirani 1993, chapters 13 and 16 (bootstrap); Koehn 2004, Riezler and Maxwell 2005 (of translations);
Bonett and Price 2012 (interval of two shares).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from .bootstrap import RESAMPLES, SEED, Figure, figure
from .shares import Z95, t95

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[Any]

SWAPS = 10_000
"""Permutations that are drawn where there are more than so many."""

Clusters = Sequence[Hashable] | None
"""The cluster of each item; None: every item is its own."""

Counts = Sequence[float]
"""What one item adds to a pooled figure."""

Pooled = Callable[[Sequence[float]], float | None]
"""The figure of the summed counts of some items."""

NO_ITEMS = "no item is in both"

_CELLS = 1_000_000
"""Numbers that are held at once while drawing."""


def mcnemar(b: int, c: int) -> float:
    """The two-sided p of McNemar's exact test: `b` items right only in the first run, `c` only in the second.

    2 · P(X ≤ min(b, c)) with X binomial of b + c halves, at most 1. 1 where no item differs. It takes items as independent: where
    several share a cluster, `permutation` of the differences is the test (the same one where none do).
    """
    rarer, all_ = min(b, c), b + c
    ways = found = 1
    for place in range(rarer):
        ways = ways * (all_ - place) // (place + 1)
        found += ways
    return min(1.0, 2 * found / (1 << all_))


def permutation(
    differences: Sequence[float],
    clusters: Clusters = None,
    resamples: int = SWAPS,
    seed: int = SEED,
) -> float | None:
    """The two-sided p of the paired permutation test of a mean difference: signs are flipped by cluster. None without items.

    The share of all sign patterns whose sum is at least as far from 0 as the one observed. Where there are more patterns than
    `resamples`, so many are drawn and the share is (found + 1) / (drawn + 1). 1 where no cluster differs.
    """
    import numpy

    if not differences:
        return None
    sums = _by_cluster([(value,) for value in differences], clusters)[:, 0]
    scale = float(numpy.abs(sums).sum())
    moving = sums[numpy.abs(sums) > 1e-12 * scale]
    if not moving.size:
        return 1.0
    bound = abs(float(moving.sum())) - 1e-9 * scale
    found = drawn = 0
    for swapped in _swaps(moving.size, resamples, seed):
        found += int((numpy.abs(moving.sum() - 2 * swapped @ moving) >= bound).sum())
        drawn += len(swapped)
    return _share(found, drawn, exact=2**moving.size <= resamples)


def pooled_permutation(
    first: Sequence[Counts],
    second: Sequence[Counts],
    figure: Pooled,
    clusters: Clusters = None,
    resamples: int = SWAPS,
    seed: int = SEED,
) -> float | None:
    """The two-sided p of the paired permutation test of a figure of summed counts, such as the BLEU of a corpus. None without items.

    The runs are swapped by cluster; otherwise as `permutation`. Also called approximate randomization. A pattern in which the figure is
    undefined counts against a difference; None where the figure of either run is undefined.
    """
    if not first:
        return None
    one, other = _by_cluster(first, clusters), _by_cluster(second, clusters)
    sums, others = one.sum(0), other.sum(0)
    observed = _apart(figure, sums, others)
    if observed is None:
        return None
    step = other - one
    moving = step[step.any(1)]
    if not len(moving):
        return 1.0
    bound = abs(observed) - 1e-9 * max(1.0, abs(observed))
    found = drawn = 0
    for swapped in _swaps(len(moving), resamples, seed):
        moved = swapped @ moving
        for first_sums, second_sums in zip(sums + moved, others - moved, strict=True):
            value = _apart(figure, first_sums, second_sums)
            found += value is None or abs(value) >= bound
        drawn += len(swapped)
    return _share(found, drawn, exact=2 ** len(moving) <= resamples)


def bootstrap(
    first: Sequence[float] | Sequence[Counts],
    second: Sequence[float] | Sequence[Counts],
    clusters: Clusters = None,
    figure: Pooled | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Figure:
    """The difference of two runs' figures with its 95 % interval: percentiles over drawn clusters, further out where they are few.

    Without `figure` the items are values and the figure is their mean; with it they are counts. Its `reason` says why there is no value,
    `no_interval` why a value has no interval: one cluster says nothing of others. Where all clusters differ by the same the interval is
    that one point; for right and wrong use `share_difference`.
    """
    drawn = _Drawn(first, second, clusters, figure, resamples, seed)
    return _as_figure(drawn.observed, drawn.differences, drawn.clusters)


def bootstrap_p(
    first: Sequence[float] | Sequence[Counts],
    second: Sequence[float] | Sequence[Counts],
    clusters: Clusters = None,
    figure: Pooled | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> float | None:
    """The two-sided p of the paired bootstrap test, of the samples that `bootstrap` draws. None with fewer than two clusters.

    The share of samples, moved so that their difference is 0 on average, that lie at least as far from 0 as the difference observed:
    (found + 1) / (drawn + 1). 1 where the runs do not differ.
    """
    drawn = _Drawn(first, second, clusters, figure, resamples, seed)
    if drawn.observed is None or drawn.clusters < 2:
        return None
    bound = abs(drawn.observed)
    known = [value for value in drawn.differences() if value is not None]
    slack = 1e-9 * max(1.0, bound)
    found = sum(abs(value - drawn.observed) >= bound - slack for value in known)
    return _share(found, len(known), exact=False) if known else None


def share_difference(
    first: Sequence[bool], second: Sequence[bool], clusters: Clusters = None
) -> Figure:
    """The difference of two shares of the same items with its 95 % interval, in points of 1; it is never a single point.

    d' ± z √((b' + c' − (c' − b')²) / (n + 2)) with b' = (b + 1) / (n + 2), c' likewise, d' = c' − b' (Bonett and Price 2012). Items in
    clusters count as so many independent ones as would have the variance found between clusters, fewer where clusters are few.
    """
    if not first:
        return Figure(None, NO_ITEMS)
    steps = [
        int(after) - int(before) for before, after in zip(first, second, strict=True)
    ]
    sums = _by_cluster([(step, 1) for step in steps], clusters)
    if len(sums) < 2:
        return figure(sum(steps) / len(steps), tuple, "", len(sums))
    worth = _worth(
        [(float(total), float(size)) for total, size in sums.tolist()], steps
    )
    lost, won = (steps.count(way) / len(steps) * worth for way in (-1, 1))
    shares = (lost + 1) / (worth + 2), (won + 1) / (worth + 2)
    middle = shares[1] - shares[0]
    half = Z95 * math.sqrt((sum(shares) - middle**2) / (worth + 2))
    return Figure(
        sum(steps) / len(steps),
        low=max(-1.0, middle - half),
        high=min(1.0, middle + half),
    )


def _worth(sums: Sequence[tuple[float, float]], steps: Sequence[int]) -> float:
    """How many independent items these are worth: clusters are (sum of steps, items). At most all of them."""
    counted, clusters = len(steps), len(sums)
    mean = sum(steps) / counted
    alone = math.fsum((step - mean) ** 2 for step in steps) / counted
    if clusters == counted or not alone:
        return clusters
    between = math.fsum((total - mean * size) ** 2 for total, size in sums)
    if not between:
        return counted
    return min(
        counted,
        alone
        / (clusters / (clusters - 1) * between / counted**2)
        * (Z95 / t95(clusters - 1)) ** 2,
    )


class _Drawn:
    """The samples of two runs, drawn by cluster."""

    def __init__(
        self,
        first: Sequence[Any],
        second: Sequence[Any],
        clusters: Clusters,
        figure: Pooled | None,
        resamples: int,
        seed: int,
    ) -> None:
        self._figure = figure or _mean
        self._resamples, self._seed = resamples, seed
        self.clusters = 0
        self.observed: float | None = None
        if first:
            rows = (
                (first, second)
                if figure
                else ([(value, 1) for value in first], [(value, 1) for value in second])
            )
            self._one, self._other = (_by_cluster(counts, clusters) for counts in rows)
            self.clusters = len(self._one)
            self.observed = _apart(self._figure, self._one.sum(0), self._other.sum(0))

    def differences(self) -> Iterator[float | None]:
        """The difference in each sample; None where it is undefined."""
        import numpy

        chance = numpy.random.default_rng(self._seed)
        size = max(1, _CELLS // self.clusters)
        for start in range(0, self._resamples, size):
            times = chance.multinomial(
                self.clusters,
                [1 / self.clusters] * self.clusters,
                min(size, self._resamples - start),
            ).astype(float)
            for one, other in zip(times @ self._one, times @ self._other, strict=True):
                yield _apart(self._figure, one, other)


def _as_figure(
    value: float | None, drawn: Callable[[], Iterator[float | None]], clusters: int
) -> Figure:
    return figure(
        value,
        drawn,
        NO_ITEMS if not clusters else "undefined in one of the runs",
        clusters,
    )


def _mean(sums: Sequence[float]) -> float:
    return sums[0] / sums[1]


def _apart(figure: Pooled, first: Numbers, second: Numbers) -> float | None:
    """Second minus first; None where either is undefined."""
    one, other = figure(first.tolist()), figure(second.tolist())
    return None if one is None or other is None else other - one


def _by_cluster(counts: Sequence[Counts], clusters: Clusters) -> Numbers:
    """The sums of each cluster's counts, one row a cluster."""
    import numpy

    rows = numpy.array([tuple(one) for one in counts], dtype=float)
    if clusters is None:
        return rows
    places: dict[Hashable, int] = {}
    where = [places.setdefault(name, len(places)) for name in clusters]
    if len(where) != len(rows):
        raise ValueError("one cluster for each item")
    sums = numpy.zeros((len(places), rows.shape[1]))
    numpy.add.at(sums, where, rows)
    return sums


def _swaps(clusters: int, resamples: int, seed: int) -> Iterator[Numbers]:
    """Which clusters are swapped, a row a pattern: all patterns where they are no more than `resamples`, else so many drawn ones."""
    import numpy

    chance = numpy.random.default_rng(seed)
    exact = 2**clusters <= resamples
    rows, size = 2**clusters if exact else resamples, max(1, _CELLS // clusters)
    for start in range(0, rows, size):
        stop = min(rows, start + size)
        if exact:
            yield (
                (numpy.arange(start, stop)[:, None] >> numpy.arange(clusters)) & 1
            ).astype(float)
        else:
            yield chance.integers(
                0, 2, (stop - start, clusters), dtype=numpy.uint8
            ).astype(float)


def _share(found: int, drawn: int, *, exact: bool) -> float:
    return found / drawn if exact else (found + 1) / (drawn + 1)
