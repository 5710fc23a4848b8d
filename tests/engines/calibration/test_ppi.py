"""Prediction-powered inference, beside its formula written out, statsmodels, and
simulation.
"""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from statsmodels.regression.linear_model import OLS
from verifytui.engines.calibration import ppi
from verifytui.engines.calibration.ppi import (
    LabeledItem,
    UnlabeledItem,
    best_weight,
    corrected,
    drift,
    of_like,
    of_these,
    variance,
)
from verifytui.engines.metrics.shares import t95

Draw = tuple[list[LabeledItem], list[UnlabeledItem]]


def drawn(
    chance: random.Random,
    labels: int,
    others: int,
    right: float,
    found: float,
    spared: float,
    a_cluster: int = 1,
) -> Draw:
    """A machine that finds `found` of the right ones and spares `spared` of the wrong
    ones; clusters differ in how many are right.
    """
    things = []
    share = right
    for n in range(labels + others):
        if a_cluster > 1 and n % a_cluster == 0:
            share = chance.betavariate(3 * right, 3 * (1 - right))
        truth = chance.random() < share
        says = chance.random() < (found if truth else 1 - spared)
        things.append((f"c{n // a_cluster}", float(truth), float(says)))
    return [LabeledItem(*one) for one in things[:labels]], [
        UnlabeledItem(one[0], one[2]) for one in things[labels:]
    ]


@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_formula(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    known, others = drawn(random.Random(seed), 60, 400, 0.6, 0.85, 0.7)
    y, f, rest = (
        np.array([one.label for one in known]),
        np.array([one.machine for one in known]),
        np.array([one.machine for one in others]),
    )
    n, big = len(y), len(rest)
    weight = np.cov(y, f)[0, 1] / (f.var(ddof=1) + n / big * rest.var(ddof=1))
    assert best_weight(known, others) == pytest.approx(weight)
    found = corrected(known, others)
    assert found is not None
    assert found.value == pytest.approx(weight * rest.mean() + (y - weight * f).mean())
    assert found.rectifier == pytest.approx((y - weight * f).mean())
    spread = (y - weight * f).var(ddof=1) / n + weight**2 * rest.var(ddof=1) / big
    assert variance(known, others, weight) == pytest.approx(spread)
    # the interval of things like these: the same with one label more of either error of
    # the machine
    more, said = np.append(y, [1, 0]), np.append(f, [0, 1])
    middle = weight * rest.mean() + (more - weight * said).mean()
    half = t95(n - 1) * math.sqrt(
        (more - weight * said).var(ddof=1) / (n + 2)
        + weight**2 * rest.var(ddof=1) / big
    )
    assert found.like == pytest.approx((middle - half, middle + half))
    # the interval of these things: the regression estimator of a finite population
    slope = weight * (n + big) / big
    assert found.value == pytest.approx(
        y.mean() + slope * (np.append(f, rest).mean() - f.mean())
    )
    assert found.worth == pytest.approx(n * y.var(ddof=1) / (y - slope * f).var(ddof=1))
    middle = (y.sum() + big * (slope * rest.mean() + (more - slope * said).mean())) / (
        n + big
    )
    half = t95(n - 1) * math.sqrt(
        (1 - n / (n + big)) * (more - slope * said).var(ddof=1) / (n + 2)
    )
    assert (found.low, found.high) == pytest.approx((middle - half, middle + half))
    monkeypatch.setattr(ppi, "best_weight", lambda *_: 1.0)
    plain = corrected(known, others)
    assert plain is not None
    assert plain.value == pytest.approx(
        rest.mean() + np.mean([one.label - one.machine for one in known])
    )


def test_the_weight_is_the_one_with_the_smallest_variance() -> None:
    known, others = drawn(random.Random(5), 90, 300, 0.6, 0.8, 0.7)
    best = best_weight(known, others)
    assert 0.2 < best < 1
    values = {
        weight: variance(known, others, weight) or 0
        for weight in (best - 0.05, best, best + 0.05, 0.0, 1.0)
    }
    assert min(values, key=values.__getitem__) == best


def test_clusters_as_in_statsmodels() -> None:
    known, others = drawn(random.Random(6), 90, 300, 0.6, 0.8, 0.7, a_cluster=3)
    weight = 0.6
    parts = []
    for values, clusters in (
        (
            [one.label - weight * one.machine for one in known],
            [one.cluster for one in known],
        ),
        ([weight * one.machine for one in others], [one.cluster for one in others]),
    ):
        groups = np.unique(clusters, return_inverse=True)[1]
        fitted = OLS(np.array(values), np.ones(len(values))).fit(
            cov_type="cluster", cov_kwds={"groups": groups}
        )
        parts.append(fitted.bse[0] ** 2)
    assert variance(known, others, weight) == pytest.approx(sum(parts))


def test_clusters_that_hold_labelled_things_and_others_are_summed_as_one() -> None:
    known = [LabeledItem(f"c{n}", float(n % 2), float(n % 3 == 0)) for n in range(12)]
    others = [UnlabeledItem(f"c{n}", float(n % 3 == 0)) for n in range(12)]
    machine = np.array([one.machine for one in known])
    labels = np.array([one.label for one in known])
    errors = (labels - labels.mean() - (machine - machine.mean())) / 12 + (
        machine - machine.mean()
    ) / 12
    assert variance(known, others, 1.0) == pytest.approx(
        12 / 11 * float((errors**2).sum())
    )


def test_a_machine_that_says_nothing_leaves_the_mean_of_the_labels() -> None:
    known = [LabeledItem(str(n), float(n < 12), 1.0) for n in range(40)]
    found = corrected(known, [UnlabeledItem(f"u{n}", 1.0) for n in range(100)])
    assert found is not None
    assert (found.value, found.weight, found.worth) == (0.3, 0, pytest.approx(40))
    assert corrected([], []) is None
    alone = corrected(known, [])
    assert alone is not None
    assert (alone.value, alone.low, alone.high, alone.others) == (0.3, 0.3, 0.3, 0)
    of_one_cluster = corrected([LabeledItem("c", 1.0, 1.0)] * 5, [])
    assert of_one_cluster is not None
    assert of_one_cluster.like.low is None


def test_a_machine_that_was_never_wrong_may_still_be_wrong() -> None:
    known = [LabeledItem(str(n), float(n < 20), float(n < 20)) for n in range(40)]
    found = corrected(
        known, [UnlabeledItem(f"u{n}", float(n % 2)) for n in range(10_000)]
    )
    assert found is not None
    assert found.low is not None
    assert found.value == pytest.approx(0.5)
    assert (found.high or 0) - found.low > 0.1


@pytest.mark.parametrize(
    ("labels", "right", "found", "spared", "a_cluster"),
    [(100, 0.7, 0.9, 0.8, 1), (60, 0.9, 0.97, 0.9, 1), (120, 0.6, 0.85, 0.75, 4)],
)
def test_of_100_intervals_of_things_like_these_93_hold_the_truth(
    labels: int, right: float, found: float, spared: float, a_cluster: int
) -> None:
    chance = random.Random(11)
    held = 0
    for _ in range(300):
        known, others = drawn(chance, labels, 600, right, found, spared, a_cluster)
        low, high = of_like(known, others, best_weight(known, others))
        held += (low or 0) <= right <= (high or 0)
    assert held >= 279


@pytest.mark.parametrize(
    ("labels", "right", "found", "a_cluster"),
    [(60, 0.9, 0.97, 1), (120, 0.6, 0.85, 8), (150, 0.5, 0.9, 2)],
)
def test_of_100_intervals_of_these_things_93_hold_their_rate(
    labels: int, right: float, found: float, a_cluster: int
) -> None:
    """However their clusters are: with two things a cluster, one of them is right."""
    chance = random.Random(12)
    held = 0
    for _ in range(300):
        known, others = drawn(chance, 500, 0, right, found, 0.8, a_cluster)
        if a_cluster == 2:
            known = [
                one._replace(
                    label=float(n % 2),
                    machine=float(chance.random() < (found if n % 2 else 0.2)),
                )
                for n, one in enumerate(known)
            ]
        truth = sum(one.label for one in known) / 500
        chance.shuffle(known)
        others = [UnlabeledItem(one.cluster, one.machine) for one in known[labels:]]
        low, high = of_these(
            known[:labels], others, best_weight(known[:labels], others)
        )
        held += (low or 0) <= truth <= (high or 0)
    assert held >= 279


def test_the_correction_is_worth_labels_and_the_machine_alone_is_wrong() -> None:
    known, others = drawn(random.Random(3), 200, 5000, 0.7, 0.95, 0.6)
    found = corrected(known, others)
    assert found is not None
    assert found.low is not None
    assert found.machine_alone > 0.75
    assert found.low < 0.7 < (found.high or 0) < found.machine_alone
    assert (found.worth or 0) > 250


def test_labels_that_are_no_random_sample_are_noticed() -> None:
    known, others = drawn(random.Random(8), 200, 800, 0.6, 0.9, 0.8)
    assert (drift(known, others) or 0) > 0.01
    picked = [one for one in known if one.machine == 1]
    assert (drift(picked, others) or 0) < 0.001
    assert drift(known, []) is None


def test_few_labels_of_which_the_machine_says_the_same_are_no_proof_of_a_bad_sample() -> (
    None
):
    others = [UnlabeledItem(f"u{n}", float(n % 10 == 0)) for n in range(300)]
    assert (
        drift([LabeledItem("a", 0.0, 0.0), LabeledItem("b", 0.0, 0.0)], others) or 0
    ) > 0.1
    assert (
        drift([LabeledItem("a", 1.0, 1.0), LabeledItem("b", 1.0, 1.0)], others) or 0
    ) > 0.01


def test_the_drift_of_a_random_sample_is_seldom_found() -> None:
    chance = random.Random(2)
    found = 0
    for _ in range(300):
        known, others = drawn(chance, 30, 300, 0.95, 0.97, 0.9)
        found += (drift(known, others) or 0) < 0.001
    assert found <= 1


def test_labels_that_were_drawn_together_count_as_one_draw() -> None:
    """Every answer twice, each pair rated once: as much is known as from half as many."""
    known, others = drawn(random.Random(4), 40, 160, 0.6, 0.85, 0.7)
    weight = best_weight(known, others)
    twice = [one._replace(unit=str(n)) for n, one in enumerate(known) for _ in "ab"]
    alone, together = (
        of_these(known, others, weight),
        of_these(twice, [one for one in others for _ in "ab"], weight),
    )
    assert together == pytest.approx(alone, abs=0.004)
    apart = of_these(
        [one._replace(unit="") for one in twice],
        [one for one in others for _ in "ab"],
        weight,
    )
    assert (apart.high or 0) - (apart.low or 0) < 0.8 * (
        (together.high or 0) - (together.low or 0)
    )
