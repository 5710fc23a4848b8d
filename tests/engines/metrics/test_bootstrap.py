"""Intervals: the draws are those of a multinomial, the percentiles those of numpy."""

from __future__ import annotations

import random
import statistics
import time

import numpy as np
import pytest
from verifytui.engines.metrics.agreement import cohen_kappa, confusion
from verifytui.engines.metrics.bootstrap import (
    ONE_CLUSTER,
    figure,
    interval,
    resampled,
    samples,
)
from verifytui.engines.metrics.compare import RaterLevels, compare


def test_draws_are_multinomial() -> None:
    counts = [50, 0, 30, 15, 5]
    drawn = list(samples(counts, 4000))
    assert all(sum(sample) == 100 and sample[1] == 0 for sample in drawn)
    for place, count in enumerate(counts):
        seen = [sample[place] for sample in drawn]
        share = count / 100
        assert statistics.fmean(seen) == pytest.approx(count, abs=0.35)
        assert statistics.pvariance(seen) == pytest.approx(
            100 * share * (1 - share), rel=0.1
        )
    covariance = np.cov(
        [sample[0] for sample in drawn], [sample[2] for sample in drawn]
    )[0][1]
    assert covariance == pytest.approx(-100 * 0.5 * 0.3, rel=0.15)


def test_draws_have_a_seed() -> None:
    assert list(samples([3, 4, 5], 20)) == list(samples([3, 4, 5], 20))
    assert list(samples([3, 4, 5], 20, seed=1)) != list(samples([3, 4, 5], 20))


def test_nothing_to_draw() -> None:
    assert list(samples([], 2)) == [[], []]
    assert list(samples([0, 0], 1)) == [[0, 0]]
    assert list(samples([7], 1)) == [[7]]


@pytest.mark.parametrize("size", [1, 2, 39, 40, 41, 1000])
def test_percentiles_are_those_of_numpy(size: int) -> None:
    chance = random.Random(size)
    values = [chance.gauss(0, 1) for _ in range(size)]
    low, high, number = interval([*values, None])
    assert (low, high) == pytest.approx(
        tuple(np.percentile(values, [2.5, 97.5])), abs=1e-12
    )
    assert number == size


def test_a_figure_without_a_value_has_a_reason_and_no_interval() -> None:
    assert figure(None, lambda: [0.5], "undefined", 5) == (
        None,
        "undefined",
        None,
        None,
        0,
        None,
    )
    assert figure(0.5, lambda: [None, None], "undefined", 5) == (
        0.5,
        None,
        None,
        None,
        0,
        None,
    )


def test_one_cluster_has_no_interval_and_says_why() -> None:
    assert figure(0.5, lambda: [0.4, 0.6], "undefined", 1) == (
        0.5,
        None,
        None,
        None,
        0,
        ONE_CLUSTER,
    )


def test_whole_clusters_are_drawn() -> None:
    clusters = [[3, 0], [0, 1], [0, 1], [5, 5]]
    drawn = list(resampled(clusters, 3000))
    assert {tuple(one) for one in drawn} <= {
        (3 * a + 5 * d, b + 5 * d)
        for a in range(5)
        for b in range(5)
        for d in range(5)
        if a + b + d == 4
    }
    assert statistics.fmean(one[0] for one in drawn) == pytest.approx(8, abs=0.25)
    assert statistics.fmean(one[1] for one in drawn) == pytest.approx(7, abs=0.25)
    many = [[n % 7, 1] for n in range(50)]
    assert {one[1] for one in resampled(many, 20)} == {50}


def test_draws_of_many_kinds_are_multinomial() -> None:
    """Where clusters are all different they are drawn one by one."""
    counts = [1] * 20 + [3]
    drawn = list(samples(counts, 4000))
    assert {sum(one) for one in drawn} == {23}
    assert statistics.fmean(one[20] for one in drawn) == pytest.approx(3, abs=0.1)
    assert statistics.pvariance(one[20] for one in drawn) == pytest.approx(
        23 * (3 / 23) * (20 / 23), rel=0.1
    )


def test_interval_of_kappa_is_that_of_resampled_pairs() -> None:
    chance = random.Random(4)
    first = [chance.randint(0, 3) for _ in range(120)]
    second = [one if chance.random() < 0.6 else chance.randint(0, 3) for one in first]
    pairs = list(zip(first, second, strict=True))
    by_items = []
    for _ in range(1000):
        sample = chance.choices(pairs, k=len(pairs))
        by_items.append(cohen_kappa(confusion(*zip(*sample, strict=True))))
    raters = [
        RaterLevels(name, {(str(n), "c"): level for n, level in enumerate(levels)})
        for name, levels in (("a", first), ("b", second))
    ]
    figure = compare(*raters).kappa["levels"]
    low, high, _ = interval(by_items)
    assert (figure.low, figure.high) == pytest.approx((low, high), abs=0.02)
    assert figure.low < figure.value < figure.high


def test_a_thousand_resamples_of_4423_pairs_take_under_two_seconds() -> None:
    chance = random.Random(2)
    raters = [
        RaterLevels(
            name, {(str(n % 25), str(n)): chance.randint(0, 3) for n in range(4423)}
        )
        for name in "ab"
    ]
    start = time.process_time()
    assert compare(*raters).kappa["levels_quadratic"].resamples == 1000
    assert time.process_time() - start < 2
