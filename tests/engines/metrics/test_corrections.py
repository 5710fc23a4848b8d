"""Holm, clustered standard errors and Kendall's tau: equal to scipy's, or to the
formula written out.
"""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from verifytui.engines.metrics.clustered import standard_error
from verifytui.engines.metrics.corrected import holm


def test_holms_own_example_and_what_is_undefined() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.01, None, 0.04]) == [0.02, None, 0.04]
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []
    assert holm([None]) == [None]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_rejects_step_by_step(ps: list[float]) -> None:
    """At every level it rejects the same as the procedure: the smallest while p ≤ level
    / (those left).
    """
    corrected = holm(ps)
    for level in (0.01, 0.05, 0.2):
        rejected = 0
        for before, p in enumerate(sorted(ps)):
            if p * (len(ps) - before) > level:
                break
            rejected += 1
        assert sum(p <= level for p in corrected if p is not None) == rejected


def test_independent_items_have_the_standard_error_of_scipy() -> None:
    values = [random.Random(2).random() for _ in range(30)] + [0.2, 0.9]
    assert standard_error(values) == pytest.approx(stats.sem(values))
    assert standard_error(values, range(32)) == pytest.approx(stats.sem(values))


def test_clusters_have_the_standard_error_of_the_sandwich() -> None:
    """The cluster-robust variance of a regression on a constant: (X'X)⁻¹ Σ X'uu'X
    (X'X)⁻¹ · G / (G − 1).
    """
    chance = random.Random(9)
    names = [chance.choice("abcdefgh") for _ in range(100)]
    values = np.array([ord(name) % 5 + chance.gauss(0, 1) for name in names])
    ones = np.ones((100, 1))
    bread = np.linalg.inv(ones.T @ ones)
    left = values - values.mean()
    groups = [np.array([one == name for one in names]) for name in sorted(set(names))]
    meat = sum(
        ones[group].T @ np.outer(left[group], left[group]) @ ones[group]
        for group in groups
    )
    wanted = float((bread @ meat @ bread)[0, 0] * 8 / 7) ** 0.5
    assert standard_error(list(values), names) == pytest.approx(wanted)


def test_no_standard_error_of_one_cluster() -> None:
    assert standard_error([1.0, 2.0], "aa") is None
    assert standard_error([1.0]) is None
    assert standard_error([]) is None
