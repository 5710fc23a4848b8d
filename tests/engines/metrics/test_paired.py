"""Paired tests and intervals: equal to scipy's and sacrebleu's, and to what can be counted by hand."""

from __future__ import annotations

import json
import random
import statistics
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from verifytui.engines.metrics.bootstrap import ONE_CLUSTER
from verifytui.engines.metrics.paired import (
    bootstrap,
    bootstrap_p,
    mcnemar,
    permutation,
    pooled_permutation,
    share_difference,
)
from verifytui.engines.metrics.translation import bleu_counts, bleu_of


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 400), st.integers(0, 400))
def test_mcnemar_is_scipys_binomial_test(b: int, c: int) -> None:
    wanted = stats.binomtest(b, b + c).pvalue if b + c else 1.0
    assert mcnemar(b, c) == pytest.approx(wanted, abs=1e-12)


def test_mcnemar_of_thousands_of_items() -> None:
    assert mcnemar(10_000, 10_400) == pytest.approx(
        stats.binomtest(10_000, 20_400).pvalue, rel=1e-9
    )
    assert mcnemar(0, 2000) == pytest.approx(0, abs=1e-300)


def _scipy(differences: list[float]) -> float:
    flipped = stats.permutation_test(
        (np.array(differences),), np.sum, permutation_type="samples", n_resamples=10_000
    )
    return float(flipped.pvalue)


@pytest.mark.parametrize("seed", range(4))
def test_few_differences_are_permuted_exactly_as_by_scipy(seed: int) -> None:
    chance = random.Random(seed)
    differences = [chance.gauss(0.4, 1) for _ in range(6 + 2 * seed)]
    assert permutation(differences) == pytest.approx(_scipy(differences), abs=1e-12)
    assert permutation([0, 0, *differences]) == permutation(differences)


def test_many_differences_are_drawn_and_agree_with_the_t_test() -> None:
    chance = random.Random(3)
    differences = [chance.gauss(0.12, 1) for _ in range(400)]
    wanted = stats.ttest_1samp(differences, 0).pvalue
    assert permutation(differences) == pytest.approx(wanted, abs=0.01)
    assert permutation(differences) == permutation(differences)
    assert permutation(differences, seed=1) != permutation(differences)


def test_the_permutation_of_right_and_wrong_is_mcnemars_test() -> None:
    assert permutation([1] * 8 + [-1] * 2 + [0] * 30) == pytest.approx(
        mcnemar(2, 8), abs=1e-12
    )


def test_signs_are_flipped_by_cluster() -> None:
    """Ten copies of each of five items are five items."""
    differences = [0.5, 0.2, 0.4, -0.1, 0.3]
    copied = [value for value in differences for _ in range(10)]
    names = [str(n) for n in range(5) for _ in range(10)]
    assert permutation(copied, names) == permutation(differences)
    assert permutation(copied) < permutation(copied, names)


def test_what_does_not_differ_has_p_1_and_nothing_has_none() -> None:
    assert mcnemar(0, 0) == 1
    assert permutation([0.0, 0.0]) == 1
    assert permutation([0.1, 0.2, 0.3], ["a", "a", "a"]) == 1
    assert permutation([]) is None
    assert pooled_permutation([], [], lambda sums: sums[0]) is None
    assert (
        pooled_permutation([(1, 2)] * 3, [(1, 2)] * 3, lambda sums: sums[0] / sums[1])
        == 1
    )
    assert bootstrap_p([1.0], [2.0]) is None
    with pytest.raises(ValueError, match="one cluster for each item"):
        permutation([1, 2], ["a"])


def test_a_pooled_figure_of_equal_sizes_is_permuted_as_its_mean() -> None:
    chance = random.Random(5)
    first, second = ([chance.gauss(mean, 1) for _ in range(10)] for mean in (0, 0.8))
    pooled = pooled_permutation(
        [(one, 1) for one in first],
        [(one, 1) for one in second],
        lambda sums: sums[0] / sums[1],
    )
    assert pooled == permutation(
        [after - before for before, after in zip(first, second, strict=True)]
    )


def test_an_undefined_figure_counts_against_a_difference() -> None:
    first, second = [(0, 0), (1, 2)], [(2, 2), (2, 2)]
    assert (
        pooled_permutation(
            first, second, lambda sums: sums[0] / sums[1] if sums[1] > 2 else None
        )
        is None
    )
    assert (
        pooled_permutation(
            [(1, 2), (1, 1)],
            [(1, 1), (3, 4)],
            lambda sums: sums[0] / sums[1] if sums[1] > 2 else None,
        )
        == 1
    )


def test_the_interval_of_a_difference_is_that_of_the_mean_difference() -> None:
    chance = random.Random(8)
    first = [chance.random() for _ in range(200)]
    second = [value + chance.gauss(0.1, 0.3) for value in first]
    found = bootstrap(first, second, resamples=4000)
    differences = [after - before for before, after in zip(first, second, strict=True)]
    half = 1.96 * statistics.stdev(differences) / 200**0.5
    assert found.value == pytest.approx(statistics.fmean(differences))
    assert (found.low, found.high) == pytest.approx(
        (found.value - half, found.value + half), abs=0.005
    )
    assert bootstrap_p(first, second) < 0.01
    weaker = [
        before + after / 8 for before, after in zip(first, differences, strict=True)
    ]
    noise = [chance.gauss(0, 0.4) for _ in first]
    moved = [value + bump for value, bump in zip(weaker, noise, strict=True)]
    assert bootstrap_p(first, moved, resamples=4000) == pytest.approx(
        stats.ttest_rel(first, moved).pvalue, abs=0.03
    )


def test_whole_clusters_are_drawn() -> None:
    first = [0.0] * 40
    second = [float(n // 10 % 2) for n in range(40)]
    names = [str(n // 10) for n in range(40)]
    by_item, by_cluster = bootstrap(first, second), bootstrap(first, second, names)
    assert by_item.value == by_cluster.value == 0.5
    assert by_cluster.high - by_cluster.low > by_item.high - by_item.low
    assert bootstrap(first, second, ["a"] * 40) == (
        0.5,
        None,
        None,
        None,
        0,
        ONE_CLUSTER,
    )
    assert bootstrap([], []).value is None


@pytest.mark.parametrize(
    ("lost", "won", "same"), [(0, 0, 5), (3, 9, 30), (0, 6, 0), (20, 5, 75)]
)
def test_the_interval_of_two_shares_is_bonett_and_prices(
    lost: int, won: int, same: int
) -> None:
    first = [True] * lost + [False] * won + [True] * same
    second = [False] * lost + [True] * won + [True] * same
    found = share_difference(first, second)
    n = lost + won + same
    b, c = (lost + 1) / (n + 2), (won + 1) / (n + 2)
    half = stats.norm.ppf(0.975) * ((b + c - (c - b) ** 2) / (n + 2)) ** 0.5
    assert found.value == pytest.approx((won - lost) / n)
    assert (found.low, found.high) == pytest.approx(
        (max(-1, c - b - half), min(1, c - b + half))
    )
    assert found.low <= found.value <= found.high
    assert found.low < found.high


def test_two_shares_hold_the_truth_95_in_100_times_with_clusters_and_without() -> None:
    chance = random.Random(11)
    held = dict.fromkeys((1, 6), 0)
    for size in held:
        for _ in range(600):
            first, second, names = [], [], []
            for n in range(40):
                before, after = chance.betavariate(2, 2), chance.betavariate(2, 2)
                for _ in range(size):
                    first.append(chance.random() < before)
                    second.append(chance.random() < after)
                    names.append(str(n))
            found = share_difference(first, second, names)
            held[size] += found.low <= 0 <= found.high
    assert all(0.925 < one / 600 < 0.985 for one in held.values()), held
    alike = share_difference(
        [True] * 60, [True] * 60, [str(n // 10) for n in range(60)]
    )
    assert (alike.low, alike.high) == pytest.approx(
        share_difference([True] * 6, [True] * 6)[2:4]
    )


@pytest.mark.slow
def test_recorded_translations_have_the_p_of_sacrebleu(shared: Path) -> None:
    """Its approximate randomization, of two systems against the baseline: two draws of 10,000, so equal to about a hundredth."""
    sacrebleu = pytest.importorskip("sacrebleu")
    from sacrebleu.significance import PairedTest

    lines = [
        json.loads(line)
        for line in (shared / "mad-commonmt" / "lexical200_outputs.jsonl")
        .read_text("utf-8")
        .splitlines()
    ]
    names = ("baseline", "self_reflect", "gpt4")
    systems = [(name, [line["outputs"][name] for line in lines]) for name in names]
    references = [line["reference"] for line in lines]
    metrics = {"BLEU": sacrebleu.BLEU(references=[references])}
    _, scores = PairedTest(
        systems, metrics, references=None, test_type="ar", n_samples=10_000
    )()
    counts = {
        name: [
            bleu_counts(text, [wanted], "13a")
            for text, wanted in zip(texts, references, strict=True)
        ]
        for name, texts in systems
    }
    for place, name in enumerate(names[1:], 1):
        ours = pooled_permutation(counts["baseline"], counts[name], bleu_of)
        assert ours == pytest.approx(scores["BLEU"][place].p_value, abs=0.015)
