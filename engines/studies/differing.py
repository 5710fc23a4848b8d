"""How far one measure differs between two runs over the same items: second − first, with interval, test and a verdict."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from ..measures.measure import Measure, Measured
from ..metrics.bootstrap import Figure
from ..metrics.corrected import holm
from ..metrics.paired import (
    bootstrap,
    bootstrap_p,
    mcnemar,
    permutation,
    pooled_permutation,
    share_difference,
)
from ..metrics.power import LEVEL, needed_n
from ..metrics.shares import Z95
from .figures import Whole, whole

Verdict = Literal["better", "worse", "same", "unclear"]
Test = Literal["mcnemar", "permutation", "paired-bootstrap"]

LEAST = 10
"""Clusters below which nothing is called the same: so few may agree by chance."""


class Pair(NamedTuple):
    """What a measure gives for one item in both runs."""

    id: str
    cluster: str
    first: Measured
    second: Measured

    @property
    def known(self) -> bool:
        return self.first.value is not None and self.second.value is not None

    @property
    def step(self) -> float:
        """Second − first, of a pair that is known."""
        return (self.second.value or 0.0) - (self.first.value or 0.0)


@dataclass(frozen=True)
class Difference:
    """One measure of two runs, over the items that both could be measured on."""

    measure: Measure
    a: Whole
    b: Whole
    difference: Figure
    p: float | None
    p_corrected: float | None
    test: Test
    wins: int
    """Items on which the second run is better; with a measure that has no better side, higher."""
    ties: int
    losses: int
    margin: float
    """In the measure's own unit."""
    pairs: tuple[Pair, ...]
    """All of them, those that could not be measured on both sides included."""

    @property
    def n(self) -> int:
        """The items that are compared."""
        return self.a.n

    @property
    def left_out(self) -> int:
        """Items that one of the runs has no value for."""
        return len(self.pairs) - self.n

    @property
    def why_left_out(self) -> dict[str, int]:
        """How many of these there are, by why; the first run's reason goes before."""
        return dict(
            Counter(
                str((one.first if one.first.value is None else one.second).state)
                for one in self.pairs
                if not one.known
            )
        )

    @property
    def verdict(self) -> Verdict | None:
        """None where there is a difference, and the measure has no better side; and where it is not tested.

        `same`: the interval lies within the margin on either side of 0. `better`, `worse`: the corrected p is below .05 and the interval
        leaves 0 out. Else `unclear`.
        """
        found = self.difference
        if not self.measure.tested:
            return None
        if found.value is None or found.low is None or found.high is None:
            return "unclear"
        if (
            -self.margin <= found.low
            and found.high <= self.margin
            and self.a.clusters >= LEAST
        ):
            return "same"
        if (
            self.p_corrected is None
            or self.p_corrected >= LEVEL
            or found.low <= 0 <= found.high
        ):
            return "unclear"
        if self.measure.better == "neither":
            return None
        return (
            "better"
            if (found.value > 0) == (self.measure.better == "higher")
            else "worse"
        )

    @property
    def needed(self) -> int | None:
        """Where the verdict is `unclear`: how many items would show the difference found, or one of the margin if that is larger."""
        found = self.difference
        if (
            self.verdict != "unclear"
            or found.value is None
            or found.low is None
            or found.high is None
        ):
            return None
        spread = (found.high - found.low) / 2 / Z95 * math.sqrt(self.n)
        least = max(abs(found.value), self.margin)
        return (
            max(self.n + 1, needed_n(spread, least) or 0) if spread and least else None
        )

    @property
    def worse_than_margin(self) -> bool | None:
        """Whether the second run is worse by more than the margin, or different where no side is better; None: it cannot be measured."""
        if self.difference.value is None:
            return None
        value = self.difference.value
        lost = {"higher": -value, "lower": value, "neither": abs(value)}[
            self.measure.better
        ]
        return lost > self.margin + 1e-12

    @property
    def flips(self) -> tuple[list[str], list[str]]:
        """The ids of the items on which the second run is better, and of those on which it is worse."""
        return [one.id for one in self.pairs if _won(self.measure, one) > 0], [
            one.id for one in self.pairs if _won(self.measure, one) < 0
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
    measure: Measure, pairs: Sequence[Pair], margin: float, test: Test | None = None
) -> Difference:
    """The difference over the items that both runs have a value for. `margin` as `margin_of` takes it; `test`: None is the usual one.

    The usual test of right and wrong is McNemar's where all items are independent, else permutation of whole clusters.
    """
    known = [one for one in pairs if one.known]
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
        _interval(measure, known, clusters),
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
    """The same with p values that are corrected for being several."""
    ps = holm([one.p for one in differences])
    return [replace(one, p_corrected=p) for one, p in zip(differences, ps, strict=True)]


def margin_of(measure: Measure, value: float | None, share: float) -> float:
    """A margin in the measure's own unit: a share of what values can be, or of the first run's value where they have no bound."""
    if measure.low is not None and measure.high is not None:
        return share * (measure.high - measure.low)
    return share * abs(value or 0.0)


def _sides(known: Sequence[Pair]) -> tuple[list[Measured], list[Measured]]:
    return [one.first for one in known], [one.second for one in known]


def _won(measure: Measure, one: Pair) -> int:
    """1 where the second run is better, -1 where it is worse, 0 where they are equal or not known."""
    if not one.known or abs(one.step) < 1e-12:
        return 0
    return 1 if (one.step > 0) == (measure.better != "lower") else -1


def _interval(
    measure: Measure, known: Sequence[Pair], clusters: Sequence[str]
) -> Figure:
    if measure.share:
        return share_difference(
            [one.first.value == 1 for one in known],
            [one.second.value == 1 for one in known],
            clusters,
        )
    if measure.pooled is not None:
        return bootstrap(
            [one.first.counts for one in known],
            [one.second.counts for one in known],
            clusters,
            measure.pooled,
        )
    return bootstrap(
        [one.first.value or 0.0 for one in known],
        [one.second.value or 0.0 for one in known],
        clusters,
    )


def _p(
    measure: Measure, known: Sequence[Pair], clusters: Sequence[str], test: Test
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
