"""The score interval and the quantiles are those of scipy."""

from __future__ import annotations

import pytest
from scipy import stats
from verifytui.engines.metrics.shares import score_interval, t95


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
