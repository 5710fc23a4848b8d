"""Intervals: equal to peers where these have them, never of no width, and no less
certain the more items agree.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from verifytui.engines.metrics.intervals import (
    BLOCKS,
    Interval95,
    PairedChange,
    bounded_mean,
    clustered_share,
    mean_difference,
    pooled_difference,
    pooled_figure,
    unbounded_mean,
)
from verifytui.engines.metrics.shares import score_interval


def width(found: Interval95 | PairedChange) -> float:
    assert found.low is not None
    assert found.high is not None
    return found.high - found.low


def changes(
    values: Sequence[float], clusters: Sequence[int] | None = None
) -> PairedChange:
    """The difference of a run that has all right and one with these values."""
    return mean_difference([1.0] * len(values), values, clusters)


@pytest.mark.parametrize(("hits", "n"), [(0, 5), (3, 4), (5, 5), (40, 100), (1, 1)])
def test_a_share_of_independent_items_has_wilsons_interval(hits: int, n: int) -> None:
    wanted = stats.binomtest(hits, n).proportion_ci(method="wilson")
    found = clustered_share((str(place), place < hits) for place in range(n))
    assert found == pytest.approx((wanted.low, wanted.high, n), abs=1e-12)


@pytest.mark.parametrize(
    ("lost", "won", "same"), [(0, 0, 5), (3, 9, 30), (0, 6, 0), (20, 5, 75)]
)
def test_two_shares_have_bonett_and_prices_interval(
    lost: int, won: int, same: int
) -> None:
    first = [1.0] * lost + [0.0] * won + [1.0] * same
    second = [0.0] * lost + [1.0] * won + [1.0] * same
    found = mean_difference(first, second)
    n = lost + won + same
    b, c = (lost + 1) / (n + 2), (won + 1) / (n + 2)
    half = stats.norm.ppf(0.975) * ((b + c - (c - b) ** 2) / (n + 2)) ** 0.5
    assert found.value == pytest.approx((won - lost) / n)
    assert (found.low, found.high) == pytest.approx(
        (max(-1, c - b - half), min(1, c - b + half))
    )


def test_many_values_have_students_interval() -> None:
    chance = random.Random(1)
    values = [chance.gauss(0.6, 0.1) for _ in range(1500)]
    wanted = stats.t.interval(0.95, 1499, 0, stats.sem(values))
    middle = sum(values) / 1500
    for found, centre in (
        (bounded_mean(values), middle),
        (unbounded_mean(values), middle),
        (mean_difference([0.0] * 1500, values), middle),
        (pooled_figure([(value, 1) for value in values], None, ratio), middle),
    ):
        assert (found.low, found.high) == pytest.approx(
            (centre + wanted[0], centre + wanted[1]), abs=0.0015
        )


def ratio(sums: Sequence[float]) -> float | None:
    if sums[1]:
        return sums[0] / sums[1]
    return None


def test_ten_copies_of_an_item_are_worth_about_one() -> None:
    rights = [float(n % 3 != 0) for n in range(30)]
    copied = [right for right in rights for _ in range(10)]
    names = [n // 10 for n in range(300)]
    once, tenfold = bounded_mean(rights), bounded_mean(copied, names)
    assert (tenfold.low, tenfold.high) == pytest.approx((once.low, once.high), abs=0.03)
    once, tenfold = changes(rights), changes(copied, names)
    assert (tenfold.low, tenfold.high) == pytest.approx((once.low, once.high), abs=0.05)


def test_full_agreement_is_never_less_certain_than_one_disagreement() -> None:
    """The case of 55 items in 11 clusters, of which today none or one differs."""
    names = [n // 5 for n in range(55)]
    alike, but_one = [1.0] * 55, [1.0] * 54 + [0.0]
    assert width(changes(alike, names)) < width(changes(but_one, names))
    assert width(changes(alike, names)) < 0.25
    shares = [width(bounded_mean(values, names)) for values in (alike, but_one)]
    assert shares[0] < shares[1] < 0.25


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.integers(1, 10), min_size=2, max_size=20),
    st.integers(1, 20),
    st.randoms(use_true_random=False),
)
def test_disagreements_never_narrow_below_full_agreement(
    sizes: list[int], lost: int, chance: random.Random
) -> None:
    names = [name for name, size in enumerate(sizes) for _ in range(size)]
    values = [1.0] * len(names)
    chance.shuffle(places := list(range(len(names))))
    for place in places[: max(1, min(lost, len(names) // 3))]:
        values[place] = 0.0
    full = [1.0] * len(names)
    assert width(bounded_mean(full, names)) <= width(bounded_mean(values, names))
    assert width(changes(full, names)) <= width(changes(values, names))


@settings(max_examples=100, deadline=None)
@given(st.floats(0, 1), st.integers(2, 60), st.integers(1, 6))
def test_no_interval_has_no_width(value: float, n: int, size: int) -> None:
    names = [place // size for place in range(n)]
    assert width(bounded_mean([value] * n, names)) > 0.01
    assert width(mean_difference([value] * n, [value] * n)) > 0.01
    same = [(value, 1.0)] * n
    assert width(pooled_figure(same, None, ratio, (0, 1))) > 0.01
    assert width(pooled_difference(same, same, None, ratio, (0, 1))) > 0.01


def test_the_number_of_items_that_differ_changes_an_interval_without_a_jump() -> None:
    names = [n // 5 for n in range(100)]
    for found in (bounded_mean, changes):
        widths = [
            width(found([0.0] * lost + [1.0] * (100 - lost), names))
            for lost in range(50)
        ]
        steps = [after / before for before, after in pairwise(widths)]
        assert max(steps) < 1.5
        assert min(steps) > 0.95


def test_six_perfect_scores_are_no_certainty() -> None:
    assert bounded_mean([1.0] * 6) == (*score_interval(1, 6), None)
    low, high, _ = bounded_mean([5.0] * 6, None, 1, 5)
    assert (low, high) == (pytest.approx(1 + 4 * score_interval(1, 6)[0]), 5)


def test_why_there_is_no_interval() -> None:
    assert unbounded_mean([1.0]).note == "one-cluster"
    assert unbounded_mean([0.0, 0.0, 0.0]).note == "all-alike"
    assert unbounded_mean([1.0, 2.0, 90.0]).note == "too-few"
    assert unbounded_mean([90.0, 91.0, 92.0]).note is None
    assert mean_difference([1.0, 1.0], [0.0, 1.0], ["a", "a"]).note == "one-cluster"
    assert pooled_figure([(1, 1)], None, ratio).note == "one-cluster"
    assert pooled_figure([(1, 1), (0, 0)], None, ratio).note == "undefined"
    assert pooled_difference([], [], None, ratio).value is None
    assert mean_difference([], []).value is None


def test_blocks_of_many_clusters_have_about_the_same_interval() -> None:
    chance = random.Random(5)
    counts = [(float(chance.randint(0, 9)), 10.0) for _ in range(4 * BLOCKS)]
    later = [(hits + chance.choice([0, 0, 1]), all_) for hits, all_ in counts]
    found = pooled_difference(counts, later, None, ratio, (0, 1))
    steps = [after[0] - before[0] for before, after in zip(counts, later, strict=True)]
    wanted = mean_difference([0.0] * len(steps), [step / 10 for step in steps])
    assert (found.value, found.low, found.high) == pytest.approx(wanted[:3], abs=0.001)
