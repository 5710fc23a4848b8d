"""Bounds chosen on labels, and what they are worth on others."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace

import pytest
from sklearn.metrics import roc_curve
from verifytui.engines.calibration.judged_item import JudgedItem
from verifytui.engines.calibration.thresholds import (
    Rules,
    bound_between,
    choose,
    clauses_of,
    lacking,
)
from verifytui.engines.rag.verification_measures import RagVerdicts

RAG = RagVerdicts()


def revises(
    rule: str, clauses: Mapping[str, bool | None], holds: bool | None
) -> bool | None:
    return RAG.revises(rule, clauses, holds)


def one_score(sign: str) -> Rules:
    return Rules(("thresholds-any",), {"score": sign}, revises, {"score": 0.5})


ALL = Rules(
    RAG.rules,
    RAG.signs,
    revises,
    {
        "reference_correctness": 0.27,
        "correctness": 0.26,
        "bias": 0.7,
        "truthfulness": 0.92,
    },
)


def drawn(
    seed: int,
    size: int,
    apart: float,
    a_cluster: int = 1,
    names: tuple[str, ...] = ("score",),
) -> list[JudgedItem]:
    """Scores of right answers lie `apart` above those of wrong ones; the machine's word
    says nothing.
    """
    chance = random.Random(seed)
    found = []
    for n in range(size):
        truth = chance.random() < 0.6
        scores = {
            name: min(
                1.0,
                max(0.0, round(chance.gauss(0.5 + (apart if truth else 0), 0.2), 2)),
            )
            for name in names
        }
        found.append(
            JudgedItem(str(n), f"c{n // a_cluster}", truth, False, "false", scores)
        )
    return found


@pytest.mark.parametrize(
    ("fired", "kept", "sign", "present", "bound"),
    [
        (0.2, 0.4, "<", 0.27, 0.27),
        (0.2, 0.4, "<", 0.9, 0.3),
        (0.41, 0.42, "<", 0.9, 0.415),
        (0.412, 0.4125, "<", 0.9, 0.4123),
        (None, 0.3, "<", 0.9, 0.1),
        (None, 0.0, "<", 0.9, 0.0),
        (1.0, None, "<", 0.9, None),
        (0.8, None, "<", 0.2, 0.9),
        (0.4, 0.2, ">", 0.7, 0.3),
        (None, 0.9, ">", 0.3, 0.9),
        (0.0, None, ">", 0.3, None),
        (0.3, None, ">", 0.7, 0.1),
    ],
)
def test_a_bound_between_two_scores(
    fired: float | None,
    kept: float | None,
    sign: str,
    present: float,
    bound: float | None,
) -> None:
    found = bound_between(fired, kept, sign, present)
    assert found == bound
    if found is not None:
        past = [
            None if score is None else score < found if sign == "<" else score > found
            for score in (fired, kept)
        ]
        assert past[0] in (True, None)
        assert past[1] in (False, None)


@pytest.mark.parametrize("seed", range(3))
def test_of_one_score_the_best_bound_is_that_of_the_roc_curve(seed: int) -> None:
    things = drawn(seed, 120, 0.2)
    found = (
        choose(things, one_score("<"), folds=2, resamples=0)
        .rules["thresholds-any"]
        .bounds["score"]
    )
    false, true, _ = roc_curve(
        [one.truth for one in things],
        [one.scores["score"] for one in things],
        drop_intermediate=False,
    )
    wrong = [one for one in things if not one.truth]
    right = [one for one in things if one.truth]
    index = sum(one.scores["score"] < found for one in wrong) / len(wrong) - sum(
        one.scores["score"] < found for one in right
    ) / len(right)
    assert index == pytest.approx(max(true - false))
    turned = [
        replace(one, scores={"score": round(1 - one.scores["score"], 2)})
        for one in things
    ]
    other = (
        choose(turned, one_score(">"), folds=2, resamples=0)
        .rules["thresholds-any"]
        .bounds["score"]
    )
    assert [one.scores["score"] > other for one in turned] == [
        one.scores["score"] < found for one in things
    ]


def test_four_bounds_together_are_as_good_as_any_on_a_grid_of_one_pair() -> None:
    """Every pair of bounds on a grid, for the rule that all clauses must speak for it."""
    things = drawn(4, 150, 0.15, names=("correctness", "truthfulness"))
    rules = replace(ALL, signs=dict.fromkeys(("correctness", "truthfulness"), "<"))
    found = choose(things, rules, folds=2, resamples=0)

    def index(rule: str, bounds: Mapping[str, float]) -> float:
        decided = [
            revises(rule, clauses_of(one, rules, bounds), one.holds) for one in things
        ]
        wrong = [
            decision is True
            for one, decision in zip(things, decided, strict=True)
            if not one.truth
        ]
        right = [
            decision is False
            for one, decision in zip(things, decided, strict=True)
            if one.truth
        ]
        return sum(wrong) / len(wrong) + sum(right) / len(right) - 1

    grid = [n / 20 for n in range(21)]
    for rule in rules.names:
        best = max(
            index(rule, {"correctness": one, "truthfulness": other})
            for one in grid
            for other in grid
        )
        assert index(rule, found.rules[rule].bounds) >= best - 0.03
        assert index(rule, found.rules[rule].bounds) >= index(rule, rules.bounds)


def test_what_is_shown_was_measured_on_other_labels() -> None:
    """Scores that say nothing: on its own labels a bound looks as if it did, held out
    it does not.
    """
    own, held_out = [], []
    for seed in range(6):
        things = drawn(seed, 80, 0.0, names=tuple(ALL.signs))
        found = choose(things, ALL, folds=5, resamples=0)
        rule = found.rules[found.rule]
        decided = [
            revises(found.rule, clauses_of(one, ALL, rule.bounds), one.holds)
            for one in things
        ]
        wrong = [
            decision is True
            for one, decision in zip(things, decided, strict=True)
            if not one.truth
        ]
        right = [
            decision is False
            for one, decision in zip(things, decided, strict=True)
            if one.truth
        ]
        own.append(sum(wrong) / len(wrong) + sum(right) / len(right) - 1)
        held_out.append(found.reached.youden.value or 0)
    assert sum(own) / len(own) > 0.2
    assert abs(sum(held_out) / len(held_out)) < 0.12


def test_a_cluster_is_never_in_two_folds() -> None:
    """Pairs of one cluster are twins: held out one by one, their bound would be chosen
    on the twin.
    """
    things = drawn(2, 60, 0.0)
    twins = [
        replace(one, id=f"{one.id}{which}", cluster=one.id)
        for one in things
        for which in "ab"
    ]
    single = choose(things, one_score("<"), folds=10, resamples=0)
    double = choose(twins, one_score("<"), folds=10, resamples=0)
    assert double.clusters == 60
    assert double.reached.youden.value == pytest.approx(single.reached.youden.value)


def test_nothing_is_changed_without_a_gain() -> None:
    things = [
        JudgedItem(
            str(n),
            str(n),
            n % 2 == 0,
            False,
            "false",
            {"score": 0.9 if n % 2 == 0 else 0.1},
        )
        for n in range(60)
    ]
    found = choose(
        things, replace(one_score("<"), bounds={"score": 0.33}), folds=3, resamples=20
    )
    assert found.rules["thresholds-any"].bounds == {"score": 0.33}
    assert found.reached.right.value == 1


def test_the_goal_is_what_is_chosen_for() -> None:
    """Few answers are wrong: right decisions ask for a bound that fires less often than
    Youden's index does.
    """
    chance = random.Random(1)
    things = []
    for n in range(200):
        truth = n % 8 != 0
        things.append(
            JudgedItem(
                str(n),
                str(n),
                truth,
                False,
                "false",
                {"score": round(chance.gauss(0.6 if truth else 0.45, 0.15), 2)},
            )
        )
    youden, accuracy = (
        choose(things, one_score("<"), goal, folds=4, resamples=0)
        for goal in ("youden", "accuracy")
    )
    assert (accuracy.reached.right.value or 0) > (youden.reached.right.value or 0)
    assert (accuracy.reached.found.value or 0) < (youden.reached.found.value or 0)


def test_an_unread_score_decides_nothing_and_one_that_is_not_given_is_left_out() -> (
    None
):
    unread = JudgedItem(
        "u", "u", False, False, "false", {"correctness": None, "truthfulness": 0.1}
    )
    assert clauses_of(unread, ALL, ALL.bounds) == {
        "correctness": None,
        "truthfulness": True,
    }
    assert revises("thresholds-all", clauses_of(unread, ALL, ALL.bounds), False) is None
    assert revises("thresholds-any", clauses_of(unread, ALL, ALL.bounds), False) is True
    assert revises("thresholds-any", clauses_of(unread, ALL, ALL.bounds), True) is False
    assert revises("thresholds-any", {}, False) is False


def test_too_few_labels_choose_nothing() -> None:
    things = drawn(0, 49, 0.2)
    assert lacking(things) == (
        sum(bool(one.truth) for one in things),
        sum(not one.truth for one in things),
    )
    assert lacking(drawn(0, 60, 0.2)) is None
    assert lacking(
        [replace(one, truth=n >= 9) for n, one in enumerate(drawn(0, 60, 0.2))]
    ) == (51, 9)
    assert (
        lacking([replace(one, cluster="one") for one in drawn(0, 60, 0.2)]) is not None
    )
    assert (
        lacking(
            [
                *drawn(0, 49, 0.2),
                *(replace(one, abstains=True) for one in drawn(1, 20, 0.2)),
            ]
        )
        is not None
    )


def test_folds_do_not_depend_on_the_order() -> None:
    things = drawn(3, 80, 0.1, 2)
    one, other = (
        choose(listed, one_score("<"), folds=5, resamples=0)
        for listed in (things, things[::-1])
    )
    assert one.reached.youden.value == pytest.approx(other.reached.youden.value)


def test_the_gain_is_over_the_present_way_to_decide() -> None:
    things = drawn(1, 120, 0.3)
    rules = replace(one_score("<"), bounds={"score": 0.62})
    alone, present = (
        choose(things, replace(rules, rule=rule), folds=5, resamples=0)
        for rule in ("", "thresholds-any")
    )
    reached = present.reached.youden.value or 0
    assert present.gain.value == pytest.approx(
        reached - (present.rules["thresholds-any"].now.youden.value or 0)
    )
    assert alone.gain.value == pytest.approx(
        reached - (alone.judgement.youden.value or 0)
    )
    assert present.gain.value < (alone.gain.value or 0)
    accuracy = choose(
        things, replace(rules, rule="thresholds-any"), "accuracy", folds=5, resamples=0
    )
    now = accuracy.rules["thresholds-any"].now
    assert accuracy.gain.value == pytest.approx(
        (accuracy.reached.right.value or 0) - (now.right.value or 0)
    )
