"""Intervals of shares and means: those of independent items where items are, and as wide as clusters make them where they are not."""

from __future__ import annotations

import random
import statistics

import pytest
from scipy import stats
from verifytui.engines.metrics.shares import (
    clustered_mean,
    clustered_share,
    score_interval,
    t95,
)


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 5, 6, 7, 10, 20, 50, 1000])
def test_quantiles_are_those_of_scipy(degrees: int) -> None:
    assert t95(degrees) == pytest.approx(stats.t.ppf(0.975, degrees), abs=1.5e-3)


@pytest.mark.parametrize(("hits", "counted"), [(0, 5), (3, 4), (5, 5), (40, 100)])
def test_the_interval_of_independent_items_is_that_of_scipy(
    hits: int, counted: int
) -> None:
    wanted = stats.binomtest(hits, counted).proportion_ci(method="wilson")
    assert score_interval(hits / counted, counted) == pytest.approx(
        (wanted.low, wanted.high), abs=1e-12
    )
    found = clustered_share((str(n), n < hits) for n in range(counted))
    assert found == pytest.approx((wanted.low, wanted.high, counted), abs=1e-12)


def test_ten_copies_of_an_item_are_worth_about_one() -> None:
    rights = [n % 3 != 0 for n in range(30)]
    once = clustered_share((str(n), right) for n, right in enumerate(rights))
    copied = clustered_share(
        (str(n), right) for n, right in enumerate(rights) for _ in range(10)
    )
    assert once is not None
    assert copied is not None
    assert copied.clusters == 30
    assert (copied.low, copied.high) == pytest.approx((once.low, once.high), abs=0.02)
    assert copied.high - copied.low > once.high - once.low


def test_clusters_that_all_say_the_same_count_once_each() -> None:
    found = clustered_share((str(n), True) for n in range(5) for _ in range(20))
    assert found == pytest.approx((*score_interval(1, 5), 5))
    assert clustered_share([("a", True)] * 20) == pytest.approx(
        (*score_interval(1, 1), 1)
    )
    assert clustered_share([]) is None


def test_a_mean_of_single_items_has_the_standard_error_of_the_mean() -> None:
    chance = random.Random(1)
    values = [chance.random() for _ in range(40)]
    found = clustered_mean((str(n), value) for n, value in enumerate(values))
    assert found is not None
    half = stats.t.ppf(0.975, 39) * statistics.stdev(values) / 40**0.5
    middle = statistics.fmean(values)
    assert (found.low, found.high) == pytest.approx(
        (middle - half, middle + half), abs=1e-4
    )
    assert clustered_mean([("a", 1.0), ("a", 2.0)]) is None


def covered(intervals: list[tuple[float, float]], truth: float) -> float:
    return sum(low <= truth <= high for low, high in intervals) / len(intervals)


def test_of_clustered_shares_95_in_100_intervals_hold_the_truth_and_about_75_of_those_that_ignore_the_clusters() -> (
    None
):
    """Forty topics of eight debates; every topic has its own chance to be won, .5 on average."""
    chance = random.Random(7)
    ours, ignoring = [], []
    for _ in range(1500):
        topics = [chance.betavariate(1.2, 1.2) for _ in range(40)]
        told = [
            (str(n), chance.random() < topic)
            for n, topic in enumerate(topics)
            for _ in range(8)
        ]
        found = clustered_share(told)
        assert found is not None
        ours.append((found.low, found.high))
        ignoring.append(
            score_interval(sum(right for _, right in told) / len(told), len(told))
        )
    assert 0.93 < covered(ours, 0.5) < 0.97
    assert 0.65 < covered(ignoring, 0.5) < 0.8
