"""Krippendorff's alpha of any values: equal to the formula written out, and to the
alpha of levels.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import permutations

import pytest
from verifytui.engines.metrics.alpha import ALL_ALIKE, NO_PAIR, Metric, alpha
from verifytui.tests.support.alpha import krippendorff_alpha


def by_hand(items: Sequence[Sequence[float]], metric: Metric) -> float:
    """The definition: mean squared distances of ordered pairs within items, and of all
    pairs.
    """
    known = [ratings for ratings in items if len(ratings) > 1]
    every = [value for ratings in known for value in ratings]

    def distance(one: float, other: float) -> float:
        if metric == "nominal":
            return float(one != other)
        return (one - other) ** 2

    within = sum(
        distance(*pair) / (len(ratings) - 1)
        for ratings in known
        for pair in permutations(ratings, 2)
    )
    between = sum(distance(*pair) for pair in permutations(every, 2)) / (len(every) - 1)
    return 1 - within / between


def drawn(seed: int) -> list[list[float]]:
    chance = random.Random(seed)
    return [
        [
            chance.choice([0.0, 0.25, 0.5, 1.0])
            for _ in range(chance.choice([1, 2, 3, 5]))
        ]
        for _ in range(30)
    ]


@pytest.mark.parametrize("metric", ["nominal", "interval"])
@pytest.mark.parametrize("seed", [1, 2])
def test_equal_to_the_definition(metric: Metric, seed: int) -> None:
    items = drawn(seed)
    found = alpha(list(enumerate(items)), metric)
    assert found.value == pytest.approx(by_hand(items, metric))
    assert found.low is not None
    assert found.high is not None
    assert found.low < by_hand(items, metric) < found.high


def test_ordinal_equals_the_alpha_of_levels() -> None:
    chance = random.Random(3)
    items = [[chance.randrange(4) for _ in range(3)] for _ in range(25)]
    assert alpha(list(enumerate(items)), "ordinal").value == pytest.approx(
        krippendorff_alpha(items)
    )


def test_krippendorffs_example() -> None:
    """Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", section C:
    nominal .743, interval .849, ordinal .815.
    """
    table = [
        [1, 1, 1],
        [2, 2, 3, 2],
        [3, 3, 3, 3],
        [3, 3, 3, 3],
        [2, 2, 2, 2],
        [1, 2, 3, 4],
        [4, 4, 4, 4],
        [1, 1, 2, 1],
        [2, 2, 2, 2],
        [5, 5, 5],
        [1, 1],
        [3],
    ]
    items = list(enumerate(table))
    assert alpha(items, "nominal").value == pytest.approx(0.743, abs=0.0005)
    assert alpha(items, "ordinal").value == pytest.approx(0.815, abs=0.0005)
    assert alpha(items, "interval").value == pytest.approx(0.849, abs=0.0005)


@pytest.mark.parametrize("metric", ["interval", "ordinal", "nominal"])
@pytest.mark.parametrize("value", [0.1, 0.9, 0.5, 1e9 / 3])
def test_equal_ratings_are_undefined(metric: Metric, value: float) -> None:
    items = [(n, [value] * (2 + n % 3)) for n in range(200)]
    assert alpha(items, metric)[:2] == (None, ALL_ALIKE)


def test_sums_of_floats_are_no_disagreement() -> None:
    """0.1 + 0.2 is not 0.3; a mean of votes is often such a sum."""
    items = [(n, [0.3, 0.1 + 0.2]) for n in range(40)]
    for metric in ("interval", "ordinal"):
        assert alpha(items, metric)[:2] == (None, ALL_ALIKE)  # type: ignore[arg-type]


def test_samples_without_variation_are_left_out() -> None:
    """One item in 40 differs: a third of the samples hold none that does."""
    items = [(n, [0.1, 0.1]) for n in range(39)] + [(39, [0.1, 0.9])]
    found = alpha(items, "interval")
    assert 550 < found.resamples < 720
    assert found.value == pytest.approx(0, abs=0.05)
    assert found.high is not None
    assert found.high < 0.5


def test_undefined_is_said() -> None:
    assert alpha([("a", [True, True]), ("b", [True, True])], "nominal")[:2] == (
        None,
        ALL_ALIKE,
    )
    assert alpha([("a", [True])], "nominal")[:2] == (None, NO_PAIR)
    only = alpha([("a", [True, False]), ("a", [True, True])], "nominal")
    assert only.value is not None
    assert only.low is None


@pytest.mark.parametrize("count", [2, 300, 3_000])
def test_equal_decimal_votes_have_no_alpha(count: int) -> None:
    items = [(n, [0.1, 0.1, 0.1]) for n in range(count)]
    found = alpha(items, "interval")
    assert (found.value, found.reason) == (None, ALL_ALIKE)
