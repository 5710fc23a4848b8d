"""Pairs drawn by chance from a pool of cases."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from math import isqrt

from .sources import Pair


def possible(cases: int) -> int:
    """How many pairs of two different cases there are, whichever comes first."""
    return cases * (cases - 1) // 2


def draw_pairs(cases: Sequence[str], many: int, seed: int) -> Iterator[Pair]:
    """So many pairs without replacement, all where there are not as many.

    No case stands with itself, no two cases twice.

    Which of the two is in the place of the query is drawn, too.
    """
    ordered = sorted(cases)
    chance = random.Random(f"{seed}/pairs")  # noqa: S311
    every = possible(len(ordered))
    for number in chance.sample(range(every), min(many, every)):
        second = (1 + isqrt(8 * number + 1)) // 2
        pair = ordered[number - possible(second)], ordered[second]
        yield pair if chance.getrandbits(1) else pair[::-1]
