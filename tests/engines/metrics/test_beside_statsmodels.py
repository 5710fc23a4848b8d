"""Statistics of comparisons, beside statsmodels."""

from __future__ import annotations

import random

import numpy as np
import pytest
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint
from verifytui.engines.metrics.clustered import standard_error
from verifytui.engines.metrics.corrected import holm
from verifytui.engines.metrics.paired import mcnemar
from verifytui.engines.metrics.shares import score_interval


@pytest.mark.parametrize(
    ("b", "c"), [(0, 0), (0, 1), (1, 0), (3, 12), (12, 3), (7, 7), (0, 40), (120, 90)]
)
def test_exact_mcnemar(b: int, c: int) -> None:
    assert mcnemar(b, c) == pytest.approx(
        min(1.0, their_mcnemar([[5, b], [c, 9]], exact=True).pvalue) if b + c else 1.0
    )


@pytest.mark.parametrize(
    ("hits", "items"), [(0, 1), (1, 1), (0, 25), (25, 25), (7, 25), (499, 1000)]
)
def test_wilson(hits: int, items: int) -> None:
    assert score_interval(hits / items, items) == pytest.approx(
        proportion_confint(hits, items, method="wilson"), abs=1e-12
    )


@pytest.mark.parametrize("seed", range(5))
def test_holm(seed: int) -> None:
    chance = random.Random(seed)
    ps = [round(chance.random() ** 3, 2) for _ in range(chance.randint(1, 15))]
    assert holm(ps) == pytest.approx(list(multipletests(ps, method="holm")[1]))


@pytest.mark.parametrize("seed", range(5))
def test_clustered_standard_error(seed: int) -> None:
    chance = random.Random(seed)
    clusters = [chance.randrange(12) for _ in range(80)]
    values = [chance.gauss(cluster % 3, 1) for cluster in clusters]
    fitted = OLS(np.array(values), np.ones(80)).fit(
        cov_type="cluster",
        cov_kwds={"groups": np.array(clusters), "use_correction": True},
    )
    count = len(set(clusters))
    # They multiply by (n − 1) / (n − k) too, which is 1 for a mean.
    assert standard_error(values, clusters) == pytest.approx(float(fitted.bse[0]))
    assert count > 2
