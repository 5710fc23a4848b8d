"""Needed items and detectable differences: what they promise comes true under the
verdict itself.
"""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.regression.mixed_linear_model import MixedLM
from statsmodels.stats.power import TTestPower
from verifytui.engines.figures.common import measures
from verifytui.engines.figures.difference import (
    Difference,
    ValuePair,
    corrected,
    differ,
)
from verifytui.engines.figures.measure import Measure, MeasuredValue
from verifytui.engines.metrics.power import (
    Design,
    PairedSteps,
    detection_power,
    items_for_same,
    items_needed,
    items_to_detect,
    repeats_needed,
    sameness_power,
    smallest_detectable,
    variance_split,
)

ACCURACY = measures()["accuracy"]
SCORE = Measure("score", "higher", lambda session, item: [], low=0, high=1)


def shares(lost: int, won: int, n: int, repeats: int = 1) -> list[ValuePair]:
    """Pairs of which so many are lost, so many won, and the rest equal."""
    sides = [(1.0, 0.0)] * lost + [(0.0, 1.0)] * won + [(1.0, 1.0)] * (n - lost - won)
    return [
        ValuePair(f"i{k}", f"c{k // repeats}", *map(_bit, pair), f"c{k // repeats}")
        for k, pair in enumerate(sides)
    ]


def _bit(value: float) -> MeasuredValue:
    return MeasuredValue(value, "right" if value else "wrong")


def family(of: Difference, size: int) -> Difference:
    """The difference among so many measures that show nothing."""
    nothing = differ(ACCURACY, shares(5, 5, 50), 0.02)
    return corrected([of, *[nothing] * (size - 1)])[0]


@pytest.mark.parametrize("size", [1, 2, 10])
@pytest.mark.parametrize(("lost", "won"), [(1, 3), (0, 2), (4, 8)])
def test_at_the_needed_items_four_of_five_runs_are_better(
    lost: int, won: int, size: int
) -> None:
    needed = family(differ(ACCURACY, shares(lost, won, 20), 0.02), size).needed
    assert needed is not None
    chance = np.random.default_rng(1)
    drawn = chance.multinomial(
        needed, [lost / 20, won / 20, 1 - (lost + won) / 20], 400
    )
    verdicts: dict[tuple[int, int], str | None] = {}
    for b, c, _ in drawn.tolist():
        if (b, c) not in verdicts:
            again = differ(ACCURACY, shares(b, c, needed), 0.0)
            verdicts[b, c] = family(again, size).verdict
    better = sum(verdicts[b, c] == "better" for b, c, _ in drawn.tolist()) / 400
    assert 0.75 - 0.05 < better < 0.85 + 0.05


def test_mcnemar_never_needs_fewer_than_six_items() -> None:
    found = differ(ACCURACY, shares(0, 2, 2), 0.02)
    assert (found.verdict, found.needed) == ("unclear", 6)
    assert family(found, 10).needed == 9


def test_items_are_counted_and_not_their_repeats() -> None:
    """Each item twice, alike both times: as many items as of single ones, not twice as
    many.
    """
    once = differ(ACCURACY, shares(20, 30, 400), 0.02)
    twice = differ(ACCURACY, shares(40, 60, 800, repeats=2), 0.02)
    assert twice.a.clusters == 400
    assert once.needed is not None
    assert twice.needed == pytest.approx(once.needed, rel=0.15)


def test_what_is_certain_already_is_no_part_of_the_family() -> None:
    certain = differ(ACCURACY, shares(0, 30, 60), 0.02)
    unclear = differ(ACCURACY, shares(3, 9, 60), 0.02)
    _, alone = corrected([certain, unclear])
    _, together = corrected([unclear, unclear])
    assert (alone.tests, together.tests) == (1, 2)
    assert alone.needed is not None
    assert together.needed is not None
    assert alone.needed < together.needed


def test_a_difference_below_the_margin_needs_items_for_the_same() -> None:
    found = differ(ACCURACY, shares(0, 0, 60), 0.02)
    assert (found.verdict, found.needed) == ("unclear", 137)
    assert differ(ACCURACY, shares(0, 0, 136), 0.02).verdict == "unclear"
    assert differ(ACCURACY, shares(0, 0, 137), 0.02).verdict == "same"
    steps = PairedSteps(0.01, 0.03, 0.04)
    needed = items_for_same(steps, 0.02)
    assert needed is not None
    assert (
        sameness_power(steps, needed, 0.02)
        >= 0.8
        > sameness_power(steps, needed * 0.9, 0.02)
    )
    assert items_for_same(steps, 0.01) is None


@pytest.mark.parametrize("n", [10, 20, 40])
@pytest.mark.parametrize("jitter", [0.0, 0.01])
def test_runs_that_differ_by_more_than_the_margin_are_not_called_the_same(
    n: int, jitter: float
) -> None:
    """Of 5 % of the items one is right and the other is not; the margin is .02."""
    chance = np.random.default_rng(7)
    same = 0
    for _ in range(600):
        steps = (chance.random(n) < 0.05) + jitter * chance.standard_normal(n)
        pairs = [
            ValuePair(
                f"{k}",
                f"{k}",
                MeasuredValue(0.0, "measured"),
                MeasuredValue(step, "measured"),
            )
            for k, step in enumerate(steps.tolist())
        ]
        same += differ(SCORE, pairs, 0.02, test="mcnemar").verdict == "same"
    assert same / 600 <= 0.025


def test_many_items_need_as_many_as_the_t_test_of_statsmodels() -> None:
    for shift in (0.1, 0.2):
        theirs = TTestPower().solve_power(shift, power=0.8, alpha=0.05)
        steps = PairedSteps(shift * 0.2, 0.04, reach=0.5)
        assert items_to_detect(steps) == pytest.approx(theirs, rel=0.03)
        clustered = steps._replace(effect=3.0)
        assert items_to_detect(clustered) == pytest.approx(3 * theirs, rel=0.03)
    assert items_to_detect(PairedSteps(0.0, 0.04)) is None
    assert items_to_detect(PairedSteps(1e-6, 0.04)) is None


def test_what_a_plan_can_show_is_what_it_needs_the_other_way_round() -> None:
    for plan in (
        Design(100),
        Design(60, tests=4),
        Design(200, 50, 2),
        Design(80, kind="mean"),
    ):
        least = smallest_detectable(plan)
        assert least is not None
        assert items_needed(least, plan) == pytest.approx(plan.items, rel=0.05)
        pairs = plan.items * plan.repeats
        assert detection_power(plan.steps(least), pairs, plan.tests) >= 0.8
    assert smallest_detectable(Design(4)) is None
    assert smallest_detectable(Design(0)) is None
    assert repeats_needed(0.5, Design(40)) == 1
    assert repeats_needed(0.01, Design(40)) is None
    least = smallest_detectable(Design(100, repeats=5))
    assert least is not None
    assert repeats_needed(least, Design(100)) == 5


def test_the_variance_of_repeats_is_split_as_by_a_mixed_model() -> None:
    chance = np.random.default_rng(3)
    items = np.repeat(np.arange(60), 4)
    values = chance.normal(0, 0.4, 60)[items] + chance.normal(0, 0.7, 240)
    found = variance_split(list(zip(items.tolist(), values.tolist(), strict=True)))
    assert found is not None
    fitted = MixedLM(values, np.ones(240), groups=items).fit()
    assert found.between == pytest.approx(float(fitted.cov_re[0, 0]), rel=1e-3)
    assert found.within == pytest.approx(float(fitted.scale), rel=1e-3)
    assert (found.items, found.repeats) == (60, 4)
    assert found.error() == pytest.approx(float(fitted.bse[0]), rel=1e-3)
    assert found.error(1) > found.error() > found.error(100)
    assert variance_split([("a", 1.0), ("b", 2.0)]) is None
    assert variance_split([("a", 1.0), ("a", 2.0)]) is None
