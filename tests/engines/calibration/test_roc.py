"""The ROC curve and its area, beside scikit-learn and scipy; the variance, beside
DeLong's and Obuchowski's formulas written out.
"""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from scipy.stats import mannwhitneyu
from sklearn.metrics import roc_auc_score, roc_curve
from verifytui.engines.calibration.roc import ScoredItem, roc
from verifytui.engines.metrics.shares import Z95, score_interval, t95


def drawn(
    seed: int, size: int = 60, a_cluster: int = 1, digits: int = 1
) -> list[ScoredItem]:
    chance = random.Random(seed)
    found = []
    for n in range(size):
        right = chance.random() < 0.4
        found.append(
            ScoredItem(
                f"c{n // a_cluster}",
                round(chance.gauss(0.8 if right else 0.2, 0.6), digits),
                right,
            )
        )
    return found


@pytest.mark.parametrize("seed", range(4))
def test_points_and_area_as_elsewhere(seed: int) -> None:
    things = drawn(seed)
    found = roc(things)
    truth, scores = [one.right for one in things], [one.score for one in things]
    false, true, bounds = roc_curve(truth, scores, drop_intermediate=False)
    assert [point.bound for point in found.points] == pytest.approx(list(bounds))
    assert [point.sensitivity for point in found.points] == pytest.approx(list(true))
    assert [point.false_positives for point in found.points] == pytest.approx(
        list(false)
    )
    assert found.area == pytest.approx(roc_auc_score(truth, scores))
    above = [one.score for one in things if one.right]
    below = [one.score for one in things if not one.right]
    assert found.area == pytest.approx(
        mannwhitneyu(above, below).statistic / len(above) / len(below)
    )


def written_out(things: list[ScoredItem]) -> tuple[float, float, int]:
    """Area, Obuchowski's variance of clustered data, and the clusters of the rarer
    kind; DeLong's where every item is its own cluster.
    """
    x = [one for one in things if one.right]
    y = [one for one in things if not one.right]
    psi = np.array(
        [
            [
                (one.score > other.score) + 0.5 * (one.score == other.score)
                for other in y
            ]
            for one in x
        ]
    )
    area = psi.mean()
    ten, one = psi.mean(axis=1), psi.mean(axis=0)
    names = sorted({each.cluster for each in things})
    sums10 = {
        n: sum(v - area for v, t in zip(ten, x, strict=True) if t.cluster == n)
        for n in names
    }
    sums01 = {
        n: sum(v - area for v, t in zip(one, y, strict=True) if t.cluster == n)
        for n in names
    }
    i10, i01, i = len({t.cluster for t in x}), len({t.cluster for t in y}), len(names)
    s10 = i10 / ((i10 - 1) * len(x)) * sum(v**2 for v in sums10.values())
    s01 = i01 / ((i01 - 1) * len(y)) * sum(v**2 for v in sums01.values())
    s11 = i / (i - 1) * sum(sums10[n] * sums01[n] for n in names)
    return area, s10 / len(x) + s01 / len(y) + 2 * s11 / len(x) / len(y), min(i10, i01)


@pytest.mark.parametrize("a_cluster", [1, 5])
def test_the_interval_rests_on_the_variance_of_delong_and_obuchowski(
    a_cluster: int,
) -> None:
    things = drawn(3, 90, a_cluster)
    area, variance, fewest = written_out(things)
    if a_cluster == 1:
        x = [one.score for one in things if one.right]
        y = [one.score for one in things if not one.right]
        placed = np.array(
            [[(one > other) + 0.5 * (one == other) for other in y] for one in x]
        )
        delong = placed.mean(axis=1).var(ddof=1) / len(x) + placed.mean(axis=0).var(
            ddof=1
        ) / len(y)
        assert variance == pytest.approx(delong)
    found = roc(things)
    worth = area * (1 - area) / variance * (Z95 / t95(fewest - 1)) ** 2
    assert (found.low, found.high) == pytest.approx(
        score_interval(area, min(len(things), worth))
    )


def test_a_perfect_score_is_not_certain_to_be_one() -> None:
    found = roc([ScoredItem(str(n), float(n >= 5), n >= 5) for n in range(20)])
    assert (found.area, found.high) == (1, 1)
    assert found.low == pytest.approx(5 / (5 + Z95**2))


def test_there_is_no_area_where_all_are_right_and_no_interval_from_one_cluster() -> (
    None
):
    assert roc([ScoredItem("a", 1.0, True)] * 3).area is None
    one = roc([ScoredItem("a", float(n % 3), n % 2 == 0) for n in range(10)])
    assert one.area is not None
    assert one.low is None


def test_intervals_hold_the_truth() -> None:
    """Normal scores 1.2 apart: an area of Φ(1.2 / √2)."""
    truth = 0.5 * (1 + math.erf(1.2 / 2))
    chance = random.Random(4)
    held = 0
    for _ in range(200):
        things = [
            ScoredItem(str(n), chance.gauss(1.2 * (n < 30), 1), n < 30)
            for n in range(80)
        ]
        found = roc(things)
        held += (found.low or 0) <= truth <= (found.high or 0)
    assert held >= 186
