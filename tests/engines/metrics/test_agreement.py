"""Kappa and alpha against scikit-learn, krippendorff and worked examples."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterable
from pathlib import Path

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from verifytui.engines.metrics.agreement import (
    Ratings,
    add,
    alpha_from,
    alpha_parts,
    bits,
    cohen_kappa,
    confusion,
    fleiss_from,
    fleiss_parts,
    raw_agreement,
)
from verifytui.engines.metrics.levels import LEVELS, bit

WEIGHTS = (None, "linear", "quadratic")


def alpha_of(items: Iterable[Ratings]) -> float | None:
    return alpha_from(add(map(alpha_parts, items)))


def drawn(
    seed: int, size: int, levels: tuple[int, ...] = LEVELS, agreeing: float = 0.5
) -> tuple[list[int], list[int]]:
    """Two raters, the second of whom often says what the first says."""
    chance = random.Random(seed)
    first = [chance.choice(levels) for _ in range(size)]
    return first, [
        one if chance.random() < agreeing else chance.choice(levels) for one in first
    ]


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("levels", [LEVELS, (0, 3), (0, 1, 3), (1, 2)])
def test_cohen_is_that_of_scikit_learn(
    weights: str | None, levels: tuple[int, ...]
) -> None:
    for seed in range(10):
        first, second = drawn(seed, 5 + 40 * seed, levels)
        wanted = cohen_kappa_score(first, second, labels=list(LEVELS), weights=weights)
        assert cohen_kappa(confusion(first, second), weights) == pytest.approx(
            wanted, abs=1e-12
        )


@pytest.mark.parametrize("kind", ["material", "legal"])
def test_cohen_on_a_bit_is_that_of_scikit_learn(kind: str) -> None:
    first, second = drawn(7, 300)
    wanted = cohen_kappa_score(
        [bit(one, kind) for one in first], [bit(one, kind) for one in second]
    )
    assert cohen_kappa(bits(confusion(first, second), kind)) == pytest.approx(
        wanted, abs=1e-12
    )


def test_bits_of_levels() -> None:
    assert [(bit(level, "material"), bit(level, "legal")) for level in LEVELS] == [
        (0, 0),
        (1, 0),
        (0, 1),
        (1, 1),
    ]


def test_weights_tell_near_misses_from_far_ones() -> None:
    table = confusion([0, 1, 2, 3, 0, 3], [0, 1, 2, 3, 1, 2])
    plain, linear, quadratic = (cohen_kappa(table, weights) for weights in WEIGHTS)
    assert plain < linear < quadratic < 1


@pytest.mark.parametrize("weights", WEIGHTS)
def test_cohen_without_variation_is_undefined_and_with_two_constants_nought(
    weights: str | None,
) -> None:
    assert cohen_kappa(confusion([2, 2, 2], [2, 2, 2]), weights) is None
    assert cohen_kappa(confusion([], []), weights) is None
    assert cohen_kappa(confusion([2, 2, 2], [1, 1, 1]), weights) == 0
    assert cohen_kappa(confusion([2, 2, 2], [1, 2, 3]), weights) == 0


def test_unread_items_are_left_out() -> None:
    table = confusion([0, None, 2, 3], [0, 1, None, 1])
    assert sum(map(sum, table)) == 2
    assert raw_agreement(table) == 0.5
    assert raw_agreement(confusion([None], [1])) is None


def test_raters_of_unequal_length_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="shorter"):
        confusion([0, 1], [0])


@pytest.mark.parametrize("raters", [2, 3, 6])
def test_alpha_is_that_of_krippendorff_with_missing_data(raters: int) -> None:
    for seed in range(6):
        chance = random.Random(seed)
        items = [[None if chance.random() < 0.3 else min(3, max(0, level + chance.randint(-1, 1))) for _ in range(raters)]
                 for level in (chance.choice(LEVELS) for _ in range(60))]  # fmt: skip
        data = np.array(
            [[np.nan if one is None else one for one in item] for item in items],
            dtype=float,
        ).T
        wanted = krippendorff.alpha(
            reliability_data=data,
            value_domain=list(LEVELS),
            level_of_measurement="ordinal",
        )
        assert alpha_of(items) == pytest.approx(wanted, abs=1e-12)


def test_alpha_ordinal_of_krippendorffs_own_example() -> None:
    """Krippendorff 2011, “Computing Krippendorff's Alpha-Reliability”, section D, kept
    to values below 4, shifted to begin with 0.
    """
    rows = ["1233214124..", "12333224125.", ".33323422513", "12333241251."]
    items = [
        [int(one) - 1 if one != "." and one != "5" else None for one in column]
        for column in zip(*rows, strict=True)
    ]
    data = np.array(
        [[np.nan if one is None else one for one in item] for item in items],
        dtype=float,
    ).T
    assert alpha_of(items) == pytest.approx(
        krippendorff.alpha(
            data, level_of_measurement="ordinal", value_domain=list(LEVELS)
        )
    )


def test_alpha_undefined() -> None:
    assert alpha_of([[1, 1], [1, 1]]) is None
    assert alpha_of([[1, None], [None, 2]]) is None
    assert alpha_of([]) is None
    assert alpha_of([[1, 1], [1, 2], [3, None]]) is not None


def fleiss_kappa(items: Iterable[Ratings]) -> float | None:
    return fleiss_from(add(fleiss_parts(one) for one in items))


def test_fleiss_by_hand() -> None:
    """Three raters, four items: 1, 1/3, 0 and 1 of the pairs of ratings agree; 5, 2, 1
    and 4 of the 12 ratings are 0, 1, 2 and 3.
    """
    items = [[0, 0, 0], [0, 1, 1], [0, 2, 3], [3, 3, 3]]
    chance = (25 + 4 + 1 + 16) / 144
    observed = (1 + 1 / 3 + 0 + 1) / 4
    assert fleiss_kappa(items) == pytest.approx(
        (observed - chance) / (1 - chance), abs=1e-12
    )


def test_fleiss_of_two_raters_is_scotts_pi() -> None:
    first, second = drawn(3, 200)
    shares = [(first.count(level) + second.count(level)) / 400 for level in LEVELS]
    chance = sum(share**2 for share in shares)
    observed = sum(one == other for one, other in zip(first, second, strict=True)) / 200
    assert fleiss_kappa(zip(first, second, strict=True)) == pytest.approx(
        (observed - chance) / (1 - chance), abs=1e-12
    )


def test_fleiss_takes_complete_items_only() -> None:
    items = [[0, 0, 1], [2, 2, 2], [3, 1, 3]]
    assert fleiss_kappa([*items, [None, 0, 3], [1, None, None]]) == fleiss_kappa(items)
    assert fleiss_kappa([[1, 1, 1], [1, 1, 1]]) is None
    assert fleiss_kappa([[1, None]]) is None


def judges(shared: Path) -> tuple[list[dict[str, str]], list[str]]:
    with (shared / "llmjudge" / "labels.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return rows, list(rows[0])[3:]


def test_kappas_of_33_judges(shared: Path) -> None:
    """As scikit-learn has them; one judge has said 5, which makes a level of its own."""
    rows, names = judges(shared)
    assert len(names) == 33
    human = [int(row["human"]) for row in rows]
    for name in names:
        judge = [int(row[name]) for row in rows]
        for weights in WEIGHTS:
            wanted = cohen_kappa_score(human, judge, labels=range(6), weights=weights)
            assert cohen_kappa(confusion(human, judge, 6), weights) == pytest.approx(
                wanted, abs=1e-12
            )


def test_kappas_of_33_judges_are_those_of_the_source(shared: Path) -> None:
    rows, names = judges(shared)
    if len(rows) != 4423:
        pytest.skip(
            f"the source's figures are those of 4,423 pairs, {len(rows)} are here"
        )
    source = (shared / "llmjudge" / "SOURCE.md").read_text("utf-8")
    human = [int(row["human"]) for row in rows]
    for name in names:
        assert (
            f" {name} "
            f"{cohen_kappa(confusion(human, [int(row[name]) for row in rows], 6)):.4f}"
            in source
        )


def test_alpha_of_three_judges(shared: Path) -> None:
    rows, names = judges(shared)
    items = [
        [int(row["human"]), int(row[names[0]]), int(row[names[-1]])] for row in rows
    ]
    wanted = krippendorff.alpha(
        np.array(items, dtype=float).T,
        value_domain=list(LEVELS),
        level_of_measurement="ordinal",
    )
    assert alpha_of(items) == pytest.approx(wanted, abs=1e-12)
