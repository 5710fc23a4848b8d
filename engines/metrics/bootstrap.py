"""95 % intervals by resampling: percentiles of a figure over samples drawn, with replacement, from the items.

Items that are alike are drawn as one multinomial, so a sample of n items over k kinds costs k draws, not n.
Source: Efron and Tibshirani 1993, chapter 13 (percentile interval).
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

RESAMPLES = 1000
SEED = 0
TAIL = 0.025


class Figure(NamedTuple):
    """One figure with its interval."""

    value: float | None
    reason: str | None = None
    """Why there is no value."""
    low: float | None = None
    high: float | None = None
    resamples: int = 0
    """Samples that the interval rests on: those in which the figure is defined."""


def samples(counts: Sequence[int], resamples: int = RESAMPLES, seed: int = SEED) -> Iterator[list[int]]:
    """For each resample, how often each kind of item was drawn. `counts`: how many items there are of each kind."""
    chance = random.Random(seed)  # noqa: S311 - a reproducible sample is wanted
    size = sum(counts)
    for _ in range(resamples):
        drawn = [0] * len(counts)
        left, mass = size, size
        for place, count in enumerate(counts):
            if not left:
                break
            if count:
                drawn[place] = left if count == mass else _binomial(chance, left, count / mass)
                left -= drawn[place]
                mass -= count
        yield drawn


def interval(values: Sequence[float | None]) -> tuple[float | None, float | None, int]:
    """The 2.5th and 97.5th percentile of the values there are, and their number."""
    known = sorted(value for value in values if value is not None)
    if not known:
        return None, None, 0
    return _percentile(known, TAIL), _percentile(known, 1 - TAIL), len(known)


def figure(value: float | None, resampled: Callable[[], Sequence[float | None]], reason: str) -> Figure:
    """A value with its interval; without a value, the reason. `resampled` gives the value of every resample."""
    return Figure(None, reason) if value is None else Figure(value, None, *interval(resampled()))


def _percentile(ordered: Sequence[float], share: float) -> float:
    """Between two neighbours in proportion."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def _binomial(chance: random.Random, n: int, p: float) -> int:
    """How many of n uniform numbers fall below p (0 < p < 1), exact to the last digit of p.

    All n are compared with p binary digit by digit, at once: one random bit each. About half of those undecided are decided by a digit.
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
