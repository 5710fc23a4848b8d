"""Labels drawn by the machine's verdict: figures of the whole run, and the plan."""

from __future__ import annotations

import pytest
from verifytui.engines.calibration.confusion import confusion
from verifytui.engines.calibration.judged_item import JudgedItem
from verifytui.engines.calibration.machine import FAR, least_drift
from verifytui.engines.calibration.stratified import needed


def things(holds: bool, size: int, labels: int, right: int) -> list[JudgedItem]:
    """So many things of one verdict, of which the first are labelled."""
    return [
        JudgedItem(
            f"{holds}{n}", f"{holds}{n}", n < right if n < labels else None, holds
        )
        for n in range(size)
    ]


def test_each_verdict_counts_by_its_size() -> None:
    run = things(True, 900, 50, 45) + things(False, 100, 50, 10)
    found = confusion(run, 10, by_verdict=True)
    assert found.sensitivity.value == pytest.approx(810 / 830)
    assert found.specificity.value == pytest.approx(80 / 170)
    assert found.people.value == pytest.approx(0.83)
    assert confusion(run, 10).sensitivity.value == pytest.approx(45 / 55)
    for one in (found.sensitivity, found.specificity, found.people):
        assert one.low < one.value < one.high  # type: ignore[operator]


def test_a_verdict_without_a_label_leaves_no_figure() -> None:
    run = things(True, 90, 50, 45) + things(False, 10, 0, 0)
    assert confusion(run, 10, by_verdict=True).sensitivity.value is None


def test_a_plan_says_how_many_labels_a_bound_of_80_percent_needs() -> None:
    assert needed(0.9) == 54
    assert needed(0.8) is None


def test_scores_show_a_drift_where_verdicts_are_equal() -> None:
    run = [
        JudgedItem(
            str(n),
            str(n),
            n % 4 == 0 if n < 100 else None,
            n % 2 == 0,
            scores={"correctness": 0.2 if n < 100 else 0.8},
        )
        for n in range(400)
    ]
    assert (least_drift(run, ()) or 0) > FAR
    assert (least_drift(run, ("correctness",)) or 0) < FAR
    assert (least_drift(run, ("correctness",), by_verdict=True) or 0) < FAR


def test_errors_drawn_more_often_show_within_a_verdict() -> None:
    """Over all, the labelled answers have the same verdicts and the same scores."""
    run = [
        JudgedItem(
            str(n),
            str(n),
            n % 4 == 0 if n < 100 else None,
            n % 2 == 0,
            scores={"correctness": 0.2 + 0.6 * ((n % 2 == 0) is (n < 100))},
        )
        for n in range(400)
    ]
    assert (least_drift(run, ("correctness",)) or 0) < FAR
