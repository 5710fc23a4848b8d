"""Draws sets from judged pairs: in proportion to people's levels, or at random (the
relevance paper, section 3.4).
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from ....engines.metrics.levels import LEVELS
from ....sessions.clean import clean_line
from ....sessions.errors import bad_input
from .judged_pairs import JudgedPair, PairSet

DEFAULT = "2k,20k,40k:random"
RANDOM = "random"


class Size(NamedTuple):
    """A requested set."""

    name: str
    """As given: `2k`."""
    pairs: int
    by_shares: bool
    """In proportion to people's levels; otherwise at random."""


class DrawnSet(NamedTuple):
    """A drawn set."""

    wanted: Size
    drawn: PairSet
    missing: dict[int, int]
    """By level: number of additional judged pairs that the requested size would need.
    """


def read_sizes(text: str) -> list[Size]:
    """Parses sets such as `2k,20k,40k:random`. A size without a suffix is drawn in
    proportion to people's levels.

    Raises: BadInput.
    """
    sizes: list[Size] = []
    for part in text.split(","):
        size = re.fullmatch(
            rf"\s*(([1-9]\d{{0,8}})(k?))(:{RANDOM})?\s*", part, re.ASCII
        )
        if size is None or any(one.name == size[1] for one in sizes):
            raise bad_input("wrong.synth_cases.sets", text=clean_line(text)[:60])
        sizes.append(
            Size(
                size[1],
                int(size[2]) * (1000 if size[3] else 1),
                size[4] is None,
            )
        )
    return sizes


def draw_sets(
    judged: Iterable[JudgedPair], gold: Sequence[int], sizes: Iterable[Size], seed: int
) -> list[DrawnSet]:
    """Draws the sets. Proportional sets are nested; random sets are independent.

    `gold`: people's levels of the training pairs. If a level has too few pairs, the
    whole set is reduced so that the proportions hold. A level that no judged pair has
    is left out, because otherwise the set would be empty.
    """
    read = sorted(
        (one for one in judged if one.level is not None),
        key=lambda one: (one.query, one.case),
    )
    by_level: dict[int, list[JudgedPair]] = {
        level: [one for one in read if one.level == level] for level in LEVELS
    }
    for level, pairs in by_level.items():
        random.Random(f"{seed}/level/{level}").shuffle(pairs)  # noqa: S311
    found = []
    for size in sizes:
        if size.by_shares:
            found.append(_by_shares(by_level, Counter(gold), size))
            continue
        chance = random.Random(f"{seed}/random/{size.name}")  # noqa: S311
        found.append(
            DrawnSet(
                size,
                PairSet(
                    name=_name(size),
                    pairs=chance.sample(read, min(size.pairs, len(read))),
                ),
                {},
            )
        )
    return found


def _by_shares(
    by_level: Mapping[int, Sequence[JudgedPair]], gold: Mapping[int, int], size: Size
) -> DrawnSet:
    wanted = apportioned(gold, size.pairs)
    missing = {
        level: count - len(by_level[level])
        for level, count in sorted(wanted.items())
        if count > len(by_level[level])
    }
    there = {level: count for level, count in gold.items() if by_level[level]}
    counts = apportioned(
        there,
        largest(
            there, {level: len(pairs) for level, pairs in by_level.items()}, size.pairs
        ),
    )
    pairs = [one for level in LEVELS for one in by_level[level][: counts.get(level, 0)]]
    return DrawnSet(size, PairSet(name=_name(size), pairs=pairs), missing)


def largest(shares: Mapping[int, int], there: Mapping[int, int], wanted: int) -> int:
    """The largest size up to `wanted` for which every level has enough pairs."""
    whole = sum(shares.values())
    if not whole:
        return 0
    most = min(
        [
            wanted,
            *(
                int(Fraction((there[level] + 1) * whole, count))
                for level, count in shares.items()
                if count
            ),
        ]
    )
    while any(
        count > there[level] for level, count in apportioned(shares, most).items()
    ):
        most -= 1
    return most


def apportioned(shares: Mapping[int, int], size: int) -> dict[int, int]:
    """Divides `size` into whole numbers by the largest-remainder method; ties go to the
    higher level.
    """
    whole = sum(shares.values())
    if not whole:
        return {}
    exact = {level: Fraction(count * size, whole) for level, count in shares.items()}
    made = {level: int(one) for level, one in exact.items()}
    rest = sorted(
        exact, key=lambda level: (exact[level] - made[level], level), reverse=True
    )
    for level in rest[: size - sum(made.values())]:
        made[level] += 1
    return made


def _name(size: Size) -> str:
    return f"train-{size.name}"
