"""Draws random pairs from a pool of cases."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from math import isqrt

from .sources import Pair


def possible(cases: int) -> int:
    """Number of unordered pairs of different cases."""
    return cases * (cases - 1) // 2


def draw_pairs(cases: Sequence[str], many: int, seed: int) -> Iterator[Pair]:
    """Draws this many pairs without replacement, or all pairs if there are fewer.

    No case is paired with itself, and no pair is drawn twice. Which case takes the
    place of the query is random.
    """
    ordered = sorted(cases)
    chance = random.Random(f"{seed}/pairs")  # noqa: S311
    every = possible(len(ordered))
    for number in chance.sample(range(every), min(many, every)):
        second = (1 + isqrt(8 * number + 1)) // 2
        pair = ordered[number - possible(second)], ordered[second]
        yield pair if chance.getrandbits(1) else pair[::-1]
