"""What a machine recognises, beside scikit-learn and statsmodels."""

from __future__ import annotations

import random

import pytest
from sklearn.metrics import (
    accuracy_score,
    cohen_kappa_score,
    precision_score,
    recall_score,
)
from statsmodels.stats.proportion import proportion_confint
from verifytui.engines.calibration.confusion import confusion
from verifytui.engines.calibration.judged_item import JudgedItem


def drawn(seed: int, size: int = 80, a_cluster: int = 1) -> list[JudgedItem]:
    chance = random.Random(seed)
    found = []
    for n in range(size):
        truth = chance.random() < 0.6
        holds = chance.random() < (0.85 if truth else 0.3)
        found.append(
            JudgedItem(
                str(n), str(n // a_cluster), truth, holds, "true" if holds else "false"
            )
        )
    return found


@pytest.mark.parametrize("seed", range(4))
def test_shares_and_kappa_as_elsewhere(seed: int) -> None:
    things = drawn(seed)
    found = confusion(things, resamples=50)
    truth, said = [one.truth for one in things], [one.holds for one in things]
    assert found.sensitivity.value == pytest.approx(recall_score(truth, said))
    assert found.specificity.value == pytest.approx(
        recall_score(truth, said, pos_label=False)
    )
    assert found.precision.value == pytest.approx(precision_score(truth, said))
    assert found.negative.value == pytest.approx(
        precision_score(truth, said, pos_label=False)
    )
    assert found.accuracy.value == pytest.approx(accuracy_score(truth, said))
    assert found.kappa.value == pytest.approx(cohen_kappa_score(truth, said))
    share = (sum(truth) + sum(said)) / (2 * len(said))
    chance = 2 * share * (1 - share)
    equal = accuracy_score(truth, said)
    assert found.gwet.value == pytest.approx((equal - chance) / (1 - chance))
    assert found.gwet.low is not None
    assert found.gwet.high is not None
    assert found.gwet.low < found.gwet.value < found.gwet.high
    for one in (
        found.sensitivity,
        found.specificity,
        found.precision,
        found.negative,
        found.people,
        found.machine,
    ):
        assert (one.low, one.high) == pytest.approx(
            proportion_confint(one.count, one.of, method="wilson"), abs=1e-9
        )


def test_what_could_not_be_read_recognises_nothing_and_claims_nothing() -> None:
    read = [
        JudgedItem(str(n), str(n), n < 10, n < 10, "true" if n < 10 else "false")
        for n in range(20)
    ]
    unread = [JudgedItem("u1", "u1", True, None), JudgedItem("u2", "u2", False, None)]
    found = confusion(
        [*read, *unread, JudgedItem("x", "x", None, True, "true")], resamples=0
    )
    assert (found.labels, found.unread) == (22, 2)
    assert [
        (one.count, one.of)
        for one in (found.sensitivity, found.specificity, found.accuracy)
    ] == [(10, 11), (10, 11), (20, 22)]
    assert [
        (one.count, one.of)
        for one in (found.precision, found.negative, found.people, found.machine)
    ] == [
        (10, 10),
        (10, 10),
        (11, 22),
        (10, 22),
    ]
    assert found.right == {"true": 10, "": 1}
    assert found.kappa.value == 1


def test_items_of_one_cluster_are_no_independent_labels() -> None:
    alone, together = (confusion(drawn(1, 60, size), resamples=50) for size in (1, 6))
    one = [
        JudgedItem(str(n), str(n // 6), truth := (n // 6) % 2 == 0, truth, "true")
        for n in range(60)
    ]
    assert together.people.value == alone.people.value
    assert together.clusters == 10
    of_ten = confusion(one, resamples=0).people
    assert (of_ten.low, of_ten.high) != (alone.people.low, alone.people.high)
    assert (of_ten.high or 0) - (
        of_ten.low or 0
    ) > 0.5  # ten clusters that agree within: as ten labels


def test_without_labels_of_a_kind_there_is_no_share() -> None:
    found = confusion(
        [JudgedItem(str(n), str(n), True, True, "true") for n in range(12)],
        resamples=50,
    )
    assert found.specificity.value is None
    assert found.kappa.value is None
    assert found.sensitivity.value == 1
    assert (found.sensitivity.low or 0) < 0.8


def test_what_a_panel_did_not_decide_is_not_unread() -> None:
    things = [
        JudgedItem("a", "a", True, None, "undecided"),
        JudgedItem("b", "b", True, None),
        JudgedItem("c", "c", True, True, "true"),
    ]
    found = confusion(things)
    assert (found.unread, found.undecided) == (1, 1)
    assert found.right == {"undecided": 1, "": 1, "true": 1}
    assert found.sensitivity.count == 1
