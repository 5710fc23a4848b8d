"""The difference of one measure between two runs of the same items, and a verdict."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

from ..metrics.corrected import holm
from ..metrics.intervals import PairedChange, mean_difference, pooled_difference
from ..metrics.paired import bootstrap_p, mcnemar, permutation, pooled_permutation
from ..metrics.power import LEVEL, PairedSteps, items_for_same, items_to_detect
from .aggregate import Aggregate, whole
from .measure import Measure, MeasuredValue

Verdict = Literal["better", "worse", "same", "unclear"]
Test = Literal["mcnemar", "permutation", "paired-bootstrap"]


COMPLEMENTS = {"traps": "accuracy", "accuracy_decided": "accuracy"}
"""Measures that duplicate another one."""


class ValuePair(NamedTuple):
    """The values of a measure for one item in both runs."""

    id: str
    cluster: str
    first: MeasuredValue
    second: MeasuredValue
    item: str = ""
    """The item that this is a repeat of; empty: `id`."""

    @property
    def known(self) -> bool:
        return self.first.value is not None and self.second.value is not None

    @property
    def step(self) -> float:
        """Second − first, for a pair with known values."""
        return (self.second.value or 0.0) - (self.first.value or 0.0)


@dataclass(frozen=True)
class Difference:
    """A measure compared over the items that both runs have a value for."""

    measure: Measure
    a: Aggregate
    b: Aggregate
    difference: PairedChange
    p: float | None
    p_corrected: float | None
    test: Test
    wins: int
    """Items on which the second run is better; for a measure without a better side,
    higher.
    """
    ties: int
    losses: int
    margin: float
    """In the unit of the measure."""
    pairs: tuple[ValuePair, ...]
    """All pairs, including those without a value on both sides."""
    tests: int = 1
    """The factor that Holm applies to its p, if no earlier test is certain."""

    @property
    def n(self) -> int:
        """The compared items."""
        return self.a.n

    @property
    def left_out(self) -> int:
        """Items without a value in one of the runs."""
        return len(self.pairs) - self.n

    @property
    def why_left_out(self) -> dict[str, int]:
        """Their number by reason; the first run's reason takes precedence."""
        return dict(
            Counter(
                str((pair.first if pair.first.value is None else pair.second).state)
                for pair in self.pairs
                if not pair.known
            )
        )

    @property
    def verdict(self) -> Verdict | None:
        """Which run is better, as far as can be shown.

        `same`: the interval lies within the margin, which is an equivalence test (two
        one-sided tests at 2.5 % each). `better`, `worse`: the corrected p is below .05
        and the interval excludes 0. Otherwise `unclear`. None: not tested, or the runs
        differ and neither direction of the measure is better.
        """
        value, low, high = self.difference[:3]
        if not self.measure.tested:
            return None
        if value is None or low is None or high is None:
            return "unclear"
        if -self.margin <= low and high <= self.margin:
            return "same"
        p = self.p_corrected
        if p is None or p >= LEVEL or low <= 0 <= high:
            return "unclear"
        if self.measure.better == "neither":
            return None
        if (value > 0) == (self.measure.better == "higher"):
            return "better"
        return "worse"

    @cached_property
    def needed(self) -> int | None:
        """For an `unclear` verdict: the number of items that would show the difference
        with 80 % power, or, for a difference below the margin, that it is below the
        margin (`same`). None: it cannot be estimated.
        """
        found = self.difference
        if self.verdict != "unclear" or found.value is None or not found.units:
            return None
        if found.low is None:
            return None
        steps = PairedSteps(
            found.value,
            found.variance,
            found.moving,
            found.reach,
            found.effect,
            self.test == "mcnemar",
        )
        units = (
            items_for_same(steps, self.margin)
            if abs(found.value) < self.margin
            else items_to_detect(steps, self.tests)
        )
        items = len({pair.item or pair.id for pair in self.pairs if pair.known})
        if units is None:
            return None
        return math.ceil(units * items / found.units)

    @property
    def is_worse(self) -> bool:
        """Whether the second run is worse, or different if no side is better."""
        if self.measure.better == "neither":
            return self.verdict is None and self.measure.tested
        return self.verdict == "worse"

    @property
    def most_lost(self) -> float | None:
        """The worse end of the interval. If no side is better, the end further from 0.
        None: no interval.
        """
        low, high = self.difference.low, self.difference.high
        if low is None or high is None:
            return None
        lost = {"higher": -low, "lower": high, "neither": max(-low, high)}
        return lost[self.measure.better]

    @property
    def not_worse(self) -> bool | None:
        """Whether the interval excludes a loss above the margin; None: no interval."""
        lost = self.most_lost
        if lost is None:
            return None
        return lost < self.margin + 1e-12

    @property
    def flips(self) -> tuple[list[str], list[str]]:
        """The ids of the items on which the second run is better, and on which it is
        worse.
        """
        return [pair.id for pair in self.pairs if _won(self.measure, pair) > 0], [
            pair.id for pair in self.pairs if _won(self.measure, pair) < 0
        ]

    def as_json(self) -> dict[str, Any]:
        a, b = self.a.as_json(), self.b.as_json()
        return {
            "measure": self.measure.name,
            "a": a,
            "b": b,
            "difference": {
                "value": self.difference.value,
                "low": self.difference.low,
                "high": self.difference.high,
                "note": self.difference.note,
            },
            "p": self.p,
            "p_corrected": self.p_corrected,
            "test": self.test,
            "wins": self.wins,
            "ties": self.ties,
            "losses": self.losses,
            "verdict": self.verdict,
            "needed_n": self.needed,
            "better": self.measure.better,
            "margin": self.margin,
            "left_out": self.left_out,
        }


def differ(
    measure: Measure,
    pairs: Sequence[ValuePair],
    margin: float,
    test: Test | None = None,
) -> Difference:
    """The difference over the items that both runs have a value for.

    `margin` as for `margin_of`; `test`: None is the default: for right and wrong,
    McNemar's test if all items are independent, otherwise permutation of whole
    clusters.
    """
    known = [pair for pair in pairs if pair.known]
    clusters = [one.cluster for one in known]
    a, b = (
        whole(
            measure,
            [(one.cluster, side) for one, side in zip(known, sides, strict=True)],
        )
        for sides in _sides(known)
    )
    chosen: Test = test or (
        "mcnemar"
        if measure.share and len(set(clusters)) == len(known)
        else "permutation"
    )
    won = [_won(measure, one) for one in known]
    return Difference(
        measure,
        a,
        b,
        _change(measure, known, clusters),
        p := _p(measure, known, clusters, chosen) if measure.tested else None,
        p,
        chosen,
        won.count(1),
        won.count(0),
        won.count(-1),
        margin_of(measure, a.value, margin),
        tuple(pairs),
    )


def corrected(differences: Sequence[Difference]) -> list[Difference]:
    """Adds Holm's corrected p values over the headline measures. The complement of a
    headline measure costs the others nothing: it is corrected as if it replaced that
    measure.
    """
    names = {difference.measure.name for difference in differences}
    complements = {name: of for name, of in COMPLEMENTS.items() if of in names}
    heads = [
        difference
        for difference in differences
        if difference.measure.name not in complements
    ]
    done = dict(zip(map(id, heads), _holm(heads), strict=True))
    for name, of in complements.items():
        family = [
            difference
            for difference in differences
            if difference.measure.name == name
            or (id(difference) in done and difference.measure.name != of)
        ]
        pairs = zip(family, _holm(family), strict=True)
        done |= {id(one): new for one, new in pairs if one.measure.name == name}
    return [done[id(difference)] for difference in differences]


def _holm(family: Sequence[Difference]) -> list[Difference]:
    ps = holm([one.p for one in family])
    tested = sum(p is not None for p in ps)
    certain = sum(p is not None and p < LEVEL for p in ps)
    return [
        replace(
            one,
            p_corrected=p,
            tests=max(1, tested - certain + (p is not None and p < LEVEL)),
        )
        for one, p in zip(family, ps, strict=True)
    ]


def margin_of(measure: Measure, value: float | None, share: float) -> float:
    """A margin in the unit of the measure: a share of the range of values, or of the
    first run's value if the range is unbounded.
    """
    if measure.low is not None and measure.high is not None:
        return share * (measure.high - measure.low)
    return share * abs(value or 0.0)


def _sides(
    known: Sequence[ValuePair],
) -> tuple[list[MeasuredValue], list[MeasuredValue]]:
    return [one.first for one in known], [one.second for one in known]


def _won(measure: Measure, pair: ValuePair) -> int:
    """1 if the second run is better, -1 if worse, 0 if equal or unknown."""
    if not pair.known or abs(pair.step) < 1e-12:
        return 0
    if (pair.step > 0) == (measure.better != "lower"):
        return 1
    return -1


def _change(
    measure: Measure, known: Sequence[ValuePair], clusters: Sequence[str]
) -> PairedChange:
    bounds = measure.low, measure.high
    if measure.pooled is not None:
        first = [one.first.counts for one in known]
        second = [one.second.counts for one in known]
        return pooled_difference(first, second, clusters, measure.pooled, bounds)
    before = [one.first.value or 0.0 for one in known]
    after = [one.second.value or 0.0 for one in known]
    if not measure.share:
        return mean_difference(before, after, clusters, bounds)
    first_right = [float(value == 1) for value in before]
    second_right = [float(value == 1) for value in after]
    return mean_difference(first_right, second_right, clusters)


def _p(
    measure: Measure, known: Sequence[ValuePair], clusters: Sequence[str], test: Test
) -> float | None:
    if not known:
        return None
    if test == "mcnemar":
        return mcnemar(
            sum(one.step < 0 for one in known), sum(one.step > 0 for one in known)
        )
    if measure.pooled is not None:
        first, second = (
            [one.first.counts for one in known],
            [one.second.counts for one in known],
        )
        tested = pooled_permutation if test == "permutation" else bootstrap_p
        return tested(first, second, figure=measure.pooled, clusters=clusters)
    if test == "permutation":
        return permutation([one.step for one in known], clusters)
    return bootstrap_p(
        [one.first.value or 0.0 for one in known],
        [one.second.value or 0.0 for one in known],
        clusters,
    )
