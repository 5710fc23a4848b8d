"""Paired tests and intervals: equal to scipy's and sacrebleu's, and to what can be
counted by hand.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from verifytui.engines.metrics import paired
from verifytui.engines.metrics.paired import (
    bootstrap_p,
    mcnemar,
    permutation,
    pooled_permutation,
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


def test_the_bootstrap_p_is_near_that_of_the_t_test() -> None:
    chance = random.Random(8)
    first = [chance.random() for _ in range(200)]
    second = [value + chance.gauss(0.1, 0.3) for value in first]
    assert bootstrap_p(first, second) < 0.01
    noise = [chance.gauss(0.02, 0.4) for _ in first]
    moved = [value + bump for value, bump in zip(first, noise, strict=True)]
    assert bootstrap_p(first, moved, resamples=4000) == pytest.approx(
        stats.ttest_rel(first, moved).pvalue, abs=0.03
    )
    copies = [value for value in moved for _ in range(5)]
    names = [n for n in range(200) for _ in range(5)]
    again = [value for value in first for _ in range(5)]
    assert bootstrap_p(again, copies, names) == bootstrap_p(first, moved)


@pytest.mark.parametrize("shift", [0.0, 0.02, 0.05])
def test_many_differences_have_the_p_of_drawn_swaps(shift: float) -> None:
    chance = random.Random(4)
    steps = [chance.gauss(shift, 0.5) for _ in range(700)]
    drawn = stats.permutation_test(
        (np.array(steps),),
        np.sum,
        permutation_type="samples",
        n_resamples=10_000,
        rng=np.random.default_rng(1),
    )
    assert permutation(steps) == pytest.approx(float(drawn.pvalue), abs=0.015)
    one_heavy = [0.001] * 699 + [1.0, 0.002]
    assert permutation(one_heavy) < 0.001


def test_differences_of_one_size_have_the_p_of_mcnemar() -> None:
    steps = [0.3] * 20 + [-0.3] * 7 + [0.0] * 30
    assert permutation(steps) == mcnemar(7, 20)


def test_many_pooled_counts_have_the_p_of_drawn_swaps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chance = random.Random(3)
    first = [(float(chance.randint(0, 8)), 10.0) for _ in range(900)]
    second = [(hits + chance.choice([-1, 0, 1, 1]), all_) for hits, all_ in first]
    second[:400] = first[:400]
    second[400:] = [(hits - 0.21, all_) for hits, all_ in second[400:]]

    def ratio(sums: Sequence[float]) -> float:
        return sums[0] / sums[1]

    quick = pooled_permutation(first, second, ratio)
    monkeypatch.setattr(paired, "MANY", 10_000)
    drawn = pooled_permutation(first, second, ratio, resamples=4000)
    assert 0.01 < quick < 0.9
    assert quick == pytest.approx(drawn, abs=0.03)


@pytest.mark.slow
def test_recorded_translations_have_the_p_of_sacrebleu(shared: Path) -> None:
    """Its approximate randomization, of two systems against the baseline: two draws of
    10,000, so equal to about a hundredth.
    """
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
