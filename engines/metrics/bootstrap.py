"""95 % intervals by resampling: percentiles of a figure over samples drawn, with
replacement, from clusters of items.

Items of one cluster (the pairs of one query, the repeats of one item) are not
independent, so whole clusters are drawn. Clusters that are alike are drawn as one
multinomial, so a sample of n clusters of k kinds costs k draws, not n.

Sources: Efron and Tibshirani 1993, chapter 13 (percentile interval); Davison and
Hinkley 1997, section 3.8 (drawing whole clusters); Hesterberg 2015 (few clusters).
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import mul
from typing import NamedTuple

from .shares import t95

RESAMPLES = 1000
SEED = 0
MANY = 4000
"""Numbers in all clusters from which numpy adds them up: below, loading it takes
longer.
"""
TAIL = 0.025

ONE_CLUSTER = (
    "all items belong to one cluster, so nothing is known about other clusters"
)


class IntervalEstimate(NamedTuple):
    """One figure with its interval."""

    value: float | None
    reason: str | None = None
    """Why there is no value."""
    low: float | None = None
    high: float | None = None
    resamples: int = 0
    """Samples that the interval rests on: those in which the figure is defined."""
    no_interval: str | None = None
    """Why a value has no interval."""


def samples(
    counts: Sequence[int], resamples: int = RESAMPLES, seed: int = SEED
) -> Iterator[list[int]]:
    """For each resample, how often each kind was drawn.

    `counts`: how many there are of each kind.
    """
    chance = random.Random(seed)  # noqa: S311
    size = sum(counts)
    one_by_one = (
        4 * len(counts) > size > 0
    )  # a draw is cheaper than a binomial, so few of a kind are drawn singly
    weights = (
        None if max(counts, default=0) == 1 == min(counts, default=0) else counts
    )  # the same draws, and quicker
    for _ in range(resamples):
        if one_by_one:
            found = Counter(chance.choices(range(len(counts)), weights, k=size))
            yield [found[place] for place in range(len(counts))]
            continue
        drawn = [0] * len(counts)
        left, mass = size, size
        for place, count in enumerate(counts):
            if not left:
                break
            if count:
                drawn[place] = (
                    left if count == mass else _binomial(chance, left, count / mass)
                )
                left -= drawn[place]
                mass -= count
        yield drawn


def resampled(
    clusters: Iterable[Sequence[float]], resamples: int = RESAMPLES, seed: int = SEED
) -> Iterator[list[float]]:
    """For each resample, the sum of as many clusters as there are, drawn with
    replacement. A cluster is what its items add up to.
    """
    kinds = Counter(map(tuple, clusters))
    columns = list(zip(*kinds, strict=True))
    drawn = samples(list(kinds.values()), resamples, seed)
    if len(kinds) * len(columns) < MANY:
        for times in drawn:
            yield [sum(map(mul, column, times)) for column in columns]
        return
    import numpy

    rows = numpy.array(list(kinds), dtype=float)
    for times in drawn:
        yield (numpy.array(times) @ rows).tolist()


def interval(
    values: Iterable[float | None], clusters: int | None = None
) -> tuple[float | None, float | None, int]:
    """The 2.5th and 97.5th percentile of the values there are, and their number.

    Samples of few clusters are too much alike: with `clusters`, the percentiles lie as
    much further out as Student's distribution does.
    """
    known = sorted(value for value in values if value is not None)
    if not known:
        return None, None, 0
    tail = TAIL if clusters is None else expanded_tail(clusters)
    return _percentile(known, tail), _percentile(known, 1 - tail), len(known)


def expanded_tail(clusters: int) -> float:
    """The share left out at either end for this many clusters, two or more: .025 for
    many, less for few (Hesterberg 2015, section 3.4).
    """
    return (
        math.erfc(
            math.sqrt(clusters / (clusters - 1)) * t95(clusters - 1) / math.sqrt(2)
        )
        / 2
    )


def figure(
    value: float | None,
    drawn: Callable[[], Iterable[float | None]],
    reason: str,
    clusters: int,
) -> IntervalEstimate:
    """A value with its interval; without a value, the reason.

    `drawn` gives the value of every resample, `clusters` says how many clusters there
    are to draw from: from one, nothing is drawn.
    """
    if value is None:
        return IntervalEstimate(None, reason)
    if clusters < 2:
        return IntervalEstimate(value, no_interval=ONE_CLUSTER)
    return IntervalEstimate(value, None, *interval(drawn(), clusters))


def _percentile(ordered: Sequence[float], share: float) -> float:
    """Between two neighbours in proportion."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def _binomial(chance: random.Random, n: int, p: float) -> int:
    """How many of n uniform numbers fall below p (0 < p < 1), exact to the last digit
    of p.

    All n are compared with p binary digit by digit, at once: one random bit each. About
    half of those undecided are decided by a digit.
    """
    below = 0
    while n and p:
        p *= 2
        ones = chance.getrandbits(n).bit_count()
        if p >= 1:
            p -= 1
            below += n - ones
            n = ones
        else:
            n -= ones
    return below
