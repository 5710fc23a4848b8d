"""How often an interval of kappa holds the truth, by simulation."""

from __future__ import annotations

import random

import pytest
from verifytui.engines.metrics.agreement import cohen_kappa
from verifytui.engines.metrics.bootstrap import interval, resampled

pytestmark = pytest.mark.slow


def covered(intervals: list[tuple[float, float]], truth: float) -> float:
    return sum(low <= truth <= high for low, high in intervals) / len(intervals)


@pytest.mark.slow
def test_of_clustered_kappas_95_in_100_intervals_hold_the_truth_and_about_75_of_those_that_ignore_the_clusters() -> (
    None
):
    """Thirty queries of thirty pairs; in every query the raters agree in its own share
    of the pairs, half on average, else by chance.
    """
    chance = random.Random(7)
    ours, ignoring = [], []
    for _ in range(300):
        clusters = []
        for _ in range(30):
            agreeing, cells = chance.betavariate(2, 2), [0, 0, 0, 0]
            for _ in range(30):
                first = chance.randint(0, 1)
                cells[
                    2 * first
                    + (first if chance.random() < agreeing else chance.randint(0, 1))
                ] += 1
            clusters.append(cells)
        single = [
            [int(place == cell) for place in range(4)]
            for cells in clusters
            for cell, n in enumerate(cells)
            for _ in range(n)
        ]
        for drawn, kept in ((clusters, ours), (single, ignoring)):
            values = [
                cohen_kappa([sample[:2], sample[2:]])
                for sample in resampled(drawn, 300)
            ]  # type: ignore[list-item]
            low, high, _ = interval(values, len(drawn))
            kept.append((low or 0.0, high or 0.0))
    assert covered(ours, 0.5) > 0.92
    assert covered(ignoring, 0.5) < 0.8
