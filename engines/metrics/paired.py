"""Two-sided tests of the difference between two runs over the same items.

Items of one cluster (the repeats of an item, the two sentences of a pair) are not
independent: whole clusters are swapped or drawn. Without clusters every item is
its own. The same seed gives the same p.

Sources: McNemar 1947 (exact: the sign test of Dixon and Mood 1946); Fisher 1935
and Noreen 1989 (permutation); Phipson and Smyth 2010 (a drawn p is never 0);
Hoeffding 1952 (large samples); Efron and Tibshirani 1993, chapter 16 (bootstrap);
Koehn 2004, Riezler and Maxwell 2005 (of translations).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from .bootstrap import RESAMPLES, SEED
from .intervals import Clusters, Counts, Pooled, blocks_of, cluster_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[Any]

SWAPS = 10_000
"""Number of random permutations, used when there are more than this many."""

MANY = 500
"""Clusters that differ, above which a permutation test is approximated."""

HEAVY = 0.05
"""A cluster with more than this share of all squares is too heavy for that."""

EXACT = 1000
"""Items that differ, above which McNemar's p is summed in floating point."""

_CELLS = 1_000_000
"""Numbers that are held at once while drawing."""


def mcnemar(b: int, c: int) -> float:
    """The p of McNemar's exact test, of independent items; 1 where no item differs.

    `b` items are right only in the first run, `c` only in the second. It is
    2 · P(X <= min(b, c)), at most 1, with X binomial of b + c halves.
    """
    rarer, all_ = min(b, c), b + c
    if all_ > EXACT:
        logs = (log_ways(all_, k) - all_ * math.log(2) for k in range(rarer + 1))
        return min(1.0, 2 * math.fsum(map(math.exp, logs)))
    ways = tail = 1
    for k in range(rarer):
        ways = ways * (all_ - k) // (k + 1)
        tail += ways
    return min(1.0, 2 * tail / (1 << all_))


def log_ways(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def permutation(
    differences: Sequence[float],
    clusters: Clusters = None,
    resamples: int = SWAPS,
    seed: int = SEED,
) -> float | None:
    """The p of the permutation test of a mean difference; None without items.

    Signs are flipped by cluster: p is the share of all sign patterns whose sum is
    at least as far from 0. Where there are more than `resamples`, this many are
    drawn and p is (as far + 1) / (drawn + 1). Above `MANY` clusters that differ
    the sum is taken as normal. 1 where no cluster differs.
    """
    import numpy

    if not differences:
        return None
    sums = cluster_sums([(value,) for value in differences], clusters)[:, 0]
    scale = float(numpy.abs(sums).sum())
    moving = sums[numpy.abs(sums) > 1e-12 * scale]
    if not moving.size:
        return 1.0
    sizes = numpy.abs(moving)
    if sizes.max() - sizes.min() <= 1e-9 * sizes.max():
        won = int((moving > 0).sum())
        return mcnemar(moving.size - won, won)
    if moving.size > MANY and not _heavy(moving):
        return _normal_p(float(moving.sum()), moving)
    bound = abs(float(moving.sum())) - 1e-9 * scale
    far = drawn = 0
    for swapped in _swaps(moving.size, resamples, seed):
        far += int((numpy.abs(moving.sum() - 2 * swapped @ moving) >= bound).sum())
        drawn += len(swapped)
    return _share(far, drawn, exact=2**moving.size <= resamples)


def swapped_columns(rows: Iterable[Sequence[int]]) -> float:
    """The exact one-sided p of the sum of the first column: the share of all ways to
    put one number of each row there with a sum at least as large. 1 without rows.

    A row is a cluster, its numbers are what the columns count there: the first may
    be no more than any other. The ways are counted by their sum, one row after the
    other, so there is nothing to draw. Of two columns of right and wrong it is
    McNemar's test, one-sided.
    """
    import numpy

    chance, above = numpy.ones(1), 0
    for row in rows:
        least, reach = min(row), max(row) - min(row)
        above += row[0] - least
        if not reach:
            continue
        wider = numpy.zeros(len(chance) + reach)
        for value in row:
            start = value - least
            wider[start : start + len(chance)] += chance
        chance = wider / len(row)
    # place k holds the chance of a sum k above the least there could be
    return min(1.0, float(chance[above:].sum()))


def pooled_permutation(
    first: Sequence[Counts],
    second: Sequence[Counts],
    figure: Pooled,
    clusters: Clusters = None,
    resamples: int = SWAPS,
    seed: int = SEED,
) -> float | None:
    """The p of the permutation test of a figure of summed counts, such as BLEU.

    The runs are swapped by cluster; otherwise as `permutation`. Also called
    approximate randomization. A pattern in which the figure is undefined counts
    against a difference. None without items, and where a run's figure is undefined.
    """
    if not first:
        return None
    one, other = cluster_sums(first, clusters), cluster_sums(second, clusters)
    sums, others = one.sum(0), other.sum(0)
    observed = _apart(figure, sums, others)
    if observed is None:
        return None
    step = other - one
    moving = step[step.any(1)]
    if not len(moving):
        return 1.0
    if len(moving) > MANY:
        steps = _swap_steps(figure, sums, others, blocks_of(moving))
        if steps is not None and not _heavy(steps):
            return _normal_p(observed, steps)
    bound = abs(observed) - 1e-9 * max(1.0, abs(observed))
    far = drawn = 0
    for swapped in _swaps(len(moving), resamples, seed):
        moved = swapped @ moving
        for first_sums, second_sums in zip(sums + moved, others - moved, strict=True):
            value = _apart(figure, first_sums, second_sums)
            far += value is None or abs(value) >= bound
        drawn += len(swapped)
    return _share(far, drawn, exact=2 ** len(moving) <= resamples)


def bootstrap_p(
    first: Sequence[float] | Sequence[Counts],
    second: Sequence[float] | Sequence[Counts],
    clusters: Clusters = None,
    figure: Pooled | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> float | None:
    """The p of the paired bootstrap test. None with fewer than two clusters.

    Samples are moved so that their difference is 0 on average; p is the share
    that lies at least as far from 0 as the difference observed:
    (as far + 1) / (drawn + 1). 1 where the runs do not differ.
    """
    rows: list[Sequence[Any]] = [first, second]
    if figure is None:
        rows = [[(value, 1) for value in run] for run in rows]
    one, other = (cluster_sums(counts, clusters) for counts in rows)
    if len(one) < 2:
        return None
    of = figure or _mean
    observed = _apart(of, one.sum(0), other.sum(0))
    if observed is None:
        return None
    drawn = _bootstrapped(of, one, other, resamples, seed)
    known = [value for value in drawn if value is not None]
    bound = abs(observed) - 1e-9 * max(1.0, abs(observed))
    far = sum(abs(value - observed) >= bound for value in known)
    if known:
        return _share(far, len(known), exact=False)
    return None


def _bootstrapped(
    figure: Pooled, numbers: Numbers, other: Numbers, resamples: int, seed: int
) -> Iterator[float | None]:
    """The difference in each sample of clusters; None where it is undefined."""
    import numpy

    chance, clusters = numpy.random.default_rng(seed), len(numbers)
    size = max(1, _CELLS // clusters)
    for start in range(0, resamples, size):
        rows = min(size, resamples - start)
        times = chance.multinomial(clusters, [1 / clusters] * clusters, rows)
        for sums in zip(times @ numbers, times @ other, strict=True):
            yield _apart(figure, *sums)


def _heavy(steps: Numbers) -> bool:
    """Whether one step decides too much for the sum to be normal."""
    squares = steps * steps
    return bool(squares.max() > HEAVY * squares.sum())


def _normal_p(total: float, steps: Numbers) -> float:
    """The p of a sum of steps whose signs are chance."""
    return math.erfc(abs(total) / math.sqrt(2 * float((steps * steps).sum())))


def _swap_steps(
    figure: Pooled, first: Numbers, second: Numbers, moving: Numbers
) -> Numbers | None:
    """Half of how far each swap moves the difference; None where it is undefined."""
    import numpy

    whole = _apart(figure, first, second)
    swapped = [_apart(figure, first + row, second - row) for row in moving]
    if whole is None:
        return None
    known = [value for value in swapped if value is not None]
    if len(known) < len(swapped):
        return None
    return (whole - numpy.array(known)) / 2


def _mean(sums: Sequence[float]) -> float:
    return sums[0] / sums[1]


def _apart(figure: Pooled, first: Numbers, second: Numbers) -> float | None:
    """Second minus first; None where either is undefined."""
    one, other = figure(first.tolist()), figure(second.tolist())
    if one is None or other is None:
        return None
    return other - one


def _swaps(clusters: int, resamples: int, seed: int) -> Iterator[Numbers]:
    """Which clusters are swapped, a row for each pattern.

    All patterns where they are no more than `resamples`, else this many drawn ones.
    """
    import numpy

    chance = numpy.random.default_rng(seed)
    exact = 2**clusters <= resamples
    rows, size = 2**clusters if exact else resamples, max(1, _CELLS // clusters)
    for start in range(0, rows, size):
        stop = min(rows, start + size)
        if exact:
            patterns = numpy.arange(start, stop)[:, None] >> numpy.arange(clusters)
            yield (patterns & 1).astype(float)
            continue
        shape = (stop - start, clusters)
        yield chance.integers(0, 2, shape, dtype=numpy.uint8).astype(float)


def _share(far: int, drawn: int, *, exact: bool) -> float:
    if exact:
        return far / drawn
    return (far + 1) / (drawn + 1)
