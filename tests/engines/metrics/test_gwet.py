"""Gwet's AC2: equal to the package irrCAC, and to its definition over pairs."""

from __future__ import annotations

import random
from itertools import permutations, product
from statistics import mean

import pytest
from verifytui.engines.metrics.agreement import Ratings, Weights, add, confusion
from verifytui.engines.metrics.gwet import gwet_from, gwet_parts, gwet_table

FOUR_RATERS: list[Ratings] = [
    (0, 0, None, 0),
    (1, 1, 2, 1),
    (2, 2, 2, 2),
    (2, 2, 2, 2),
    (1, 1, 1, 1),
    (0, 1, 2, 3),
    (3, 3, 3, 3),
    (0, 0, 1, 0),
    (1, 1, 1, 1),
    (None, 4, 4, 4),
    (None, None, 0, 0),
    (None, None, 2, None),
]
"""Gwet 2014, table 2.10 (`cac.raw4raters` of irrCAC), with levels from 0."""


def by_hand(items: list[Ratings], size: int, weights: Weights) -> float:
    def weight(one: int, other: int) -> float:
        power = {None: 0, "linear": 1, "quadratic": 2}[weights]
        if power:
            return 1 - (abs(one - other) / (size - 1)) ** power
        return float(one == other)

    rated = [[one for one in item if one is not None] for item in items]
    observed = mean(
        mean(weight(*pair) for pair in permutations(item, 2))
        for item in rated
        if len(item) > 1
    )
    shares = [
        mean(item.count(level) / len(item) for item in rated if item)
        for level in range(size)
    ]
    # A rating at random agrees by the mean weight, as often as ratings are random.
    at_random = mean(weight(*pair) for pair in product(range(size), repeat=2))
    share = sum(p * (1 - p) for p in shares) / (1 - 1 / size)
    chance = at_random * share
    return (observed - chance) / (1 - chance)


def of(items: list[Ratings], size: int, weights: Weights) -> float | None:
    return gwet_from(add(gwet_parts(one, size, weights) for one in items), weights)


@pytest.mark.parametrize(
    ("weights", "value"),
    [(None, 0.7754440681), ("linear", 0.8587391364), ("quadratic", 0.9140007236)],
)
def test_equal_to_irrcac(weights: Weights, value: float) -> None:
    assert of(FOUR_RATERS, 5, weights) == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
@pytest.mark.parametrize("seed", range(3))
def test_equal_to_the_definition(weights: Weights, seed: int) -> None:
    chance = random.Random(seed)
    items: list[Ratings] = [
        tuple(chance.choice([None, 0, 0, 0, 1, 2, 3]) for _ in range(4))
        for _ in range(30)
    ]
    assert of(items, 4, weights) == pytest.approx(by_hand(items, 4, weights))
    pairs = [item[:2] for item in items if None not in item[:2]]
    table = confusion(*zip(*pairs, strict=True), size=4)
    assert gwet_table(table, weights) == pytest.approx(by_hand(pairs, 4, weights))


def test_holds_where_nearly_all_ratings_are_the_same() -> None:
    """118 of 125 alike, and kappa is below 0."""
    table = [[118, 5], [2, 0]]
    assert gwet_table(table) == pytest.approx(0.9408, abs=0.0005)
    assert gwet_table([[40, 0], [0, 0]]) == 1
    assert gwet_table([[0, 0], [0, 0]]) is None
    assert gwet_from([]) is None
    assert of([(1, None), (None, 0)], 2, None) is None
