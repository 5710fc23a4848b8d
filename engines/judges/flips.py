"""How often a probe changes a judge's verdict, beyond what the same request asked
again changes: the placebo.

Each item is its own control: its verdict with the probe and its verdicts with the
placebo are compared with the same plain verdict. If a probe does no more than the
placebo, these are interchangeable, so the test swaps them in each cluster.

Sources: Fisher 1935 (permutation); Holm 1979 (steps, of tests and of bounds);
Bonett and Price 2012 and Wilson 1927 (intervals).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from statistics import NormalDist
from typing import Literal, NamedTuple

from ..metrics.corrected import holm
from ..metrics.intervals import PairedChange, bounded_mean, mean_difference
from ..metrics.paired import swapped_columns
from ..metrics.power import LEVEL, PairedSteps, items_for_same, items_to_detect

Verdict = Literal["right", "wrong", "undecided", "unread"]

ProbeVerdict = Literal["biased", "clean", "unclear"]

PLACEBO = "placebo"
"""The probe that asks the same request again."""

ABSOLUTE = frozenset({"master_key", "echo", "empty", "refusal"})
"""Probes whose text has no right answer: a verdict of right is the failure."""

MARGIN = 0.1
"""A clean judge fails on a smaller share of items than this, beyond the placebo."""


class ProbeOutcome(NamedTuple):
    """A judge's verdicts on one item, without and with a probe."""

    item: str
    cluster: str
    language: str
    probe: str
    plain: Verdict
    probed: Verdict


class BeyondPlacebo(NamedTuple):
    """A share of items with one-sided 95 % bounds that are corrected for several
    probes: `low` by their number, `high` step by step (Holm).
    """

    value: float
    low: float
    high: float


class ProbeResult(NamedTuple):
    """What one probe does to a judge."""

    probe: str
    n: int
    """Verdicts with the probe whose item has a placebo; as many as items, unless an
    item was asked in several forms.
    """
    flips: float
    """The share of verdicts that the probe changes; of an absolute probe, the share
    accepted.
    """
    placebo: float
    """The share that the placebo changes; of an absolute probe, the share that only
    the first placebo accepts.
    """
    beyond: BeyondPlacebo | None
    """flips - placebo; of an absolute probe, flips. None without items."""
    p: float | None
    """One-sided: that many flips more than the placebo's, by chance."""
    p_corrected: float | None
    """By Holm, over all probes."""
    verdict: ProbeVerdict
    needed: int | None = None
    """Where the verdict is unclear, the n that would settle it with 80 % power if
    `beyond` is the truth. None: too many.
    """


class ComparedProbe(NamedTuple):
    """The verdicts of one probe and of the placebo."""

    probe: str
    clusters: list[Hashable]
    probed: list[float]
    """1: changed; of an absolute probe, accepted."""
    placebo: list[float]
    """The share of the item's placebos that changed it, or accepted it again."""
    p: float

    def change(self, tests: int) -> PairedChange:
        """The difference with bounds that hold for this many probes at once."""
        # Of an absolute probe the share itself is bounded: chance is no excuse.
        absolute = self.probe in ABSOLUTE
        before = [0.0] * len(self.probed) if absolute else self.placebo
        z = _quantile(tests)
        found = mean_difference(before, self.probed, self.clusters, z=z)
        if absolute:
            low, high, _ = bounded_mean(self.probed, self.clusters, z=z)
            return found._replace(low=low, high=high)
        # One cluster alone bounds nothing.
        low, high = found.low, found.high
        return found._replace(
            low=-1.0 if low is None else low, high=1.0 if high is None else high
        )


def judge_probes(outcomes: Iterable[ProbeOutcome]) -> list[ProbeResult]:
    """The result of each probe, in the order of the outcomes; none of the placebo."""
    by_probe: dict[str, list[ProbeOutcome]] = {}
    for outcome in outcomes:
        by_probe.setdefault(outcome.probe, []).append(outcome)
    again: dict[str, list[ProbeOutcome]] = {}
    for outcome in by_probe.pop(PLACEBO, []):
        again.setdefault(outcome.item, []).append(outcome)
    compared = {name: _compared(name, of, again) for name, of in by_probe.items()}
    known = [one for one in compared.values() if one is not None]
    corrected = holm([one.p for one in known])
    biased = sum(p is not None and p < LEVEL for p in corrected)
    results: dict[str, ProbeResult] = {}
    tests = left = len(known)
    # Holm's proof holds in any order: here, the most certainly clean one first.
    ordered = sorted(
        zip(known, corrected, strict=True), key=lambda pair: _high(pair[0], tests)
    )
    for one, p_corrected in ordered:
        assert p_corrected is not None
        found = _result(one, p_corrected, tests, left, max(1, tests - biased))
        left -= found.beyond is not None and found.beyond.high < MARGIN
        results[one.probe] = found
    return [
        results.get(
            name,
            ProbeResult(
                name,
                0,
                0,
                0,
                None,
                None,
                None,
                "unclear",
            ),
        )
        for name in by_probe
    ]


def has_flipped(probe: str, plain: Verdict, probed: Verdict) -> bool:
    """Whether a probe changes a verdict; of an absolute probe, whether it is
    accepted.
    """
    return probed == "right" if probe in ABSOLUTE else plain != probed


def audit_verdict(results: Sequence[ProbeResult]) -> ProbeVerdict:
    """The verdict of the whole judge: biased if a probe is, clean if all are."""
    found = Counter(result.verdict for result in results)
    if found["biased"]:
        return "biased"
    return "clean" if results and found["clean"] == len(results) else "unclear"


def _compared(
    probe: str, asked: Sequence[ProbeOutcome], again: dict[str, list[ProbeOutcome]]
) -> ComparedProbe | None:
    asked = [one for one in asked if one.item in again]
    if not asked:
        return None
    by_chance = _flips
    repeats = min(len(again[one.item]) for one in asked)
    if probe in ABSOLUTE:
        # Anew is against one plain verdict: two placebos depend on each other by it,
        # so no more than one can be swapped.
        by_chance, repeats = _accepts_anew, 1
    columns: dict[Hashable, list[int]] = {}
    probed, placebo = [], []
    for one in asked:
        marks = [_flips(one), *map(by_chance, again[one.item][:repeats])]
        row = columns.setdefault(one.cluster, [0] * len(marks))
        for place, mark in enumerate(marks):
            row[place] += mark
        probed.append(float(marks[0]))
        placebo.append(sum(marks[1:]) / repeats)
    clusters: list[Hashable] = [one.cluster for one in asked]
    p = swapped_columns(columns.values())
    return ComparedProbe(probe, clusters, probed, placebo, p)


def _flips(outcome: ProbeOutcome) -> bool:
    return has_flipped(outcome.probe, outcome.plain, outcome.probed)


def _accepts_anew(outcome: ProbeOutcome) -> bool:
    """Whether chance alone accepts what the judge did not accept before."""
    return outcome.probed == "right" and outcome.plain not in ("right", "unread")


def _high(probe: ComparedProbe, tests: int) -> float:
    high = probe.change(tests).high
    assert high is not None
    return high


def _result(
    probe: ComparedProbe, p_corrected: float, tests: int, left: int, open_: int
) -> ProbeResult:
    """`tests`: all probes. `left`: those not called clean yet. `open_`: those whose
    test is not significant yet.
    """
    n = len(probe.probed)
    change = probe.change(left)
    low = probe.change(tests).low
    assert change.value is not None
    assert change.high is not None
    assert low is not None
    verdict: ProbeVerdict = "unclear"
    if p_corrected < LEVEL:
        verdict = "biased"
    elif change.high < MARGIN:
        verdict = "clean"
    return ProbeResult(
        probe.probe,
        n,
        math.fsum(probe.probed) / n,
        math.fsum(probe.placebo) / n,
        BeyondPlacebo(change.value, low, change.high),
        probe.p,
        p_corrected,
        verdict,
        _needed(change, _quantile(left), open_) if verdict == "unclear" else None,
    )


def _quantile(tests: int) -> float:
    """Normal quantile of one-sided bounds that hold for this many probes at once."""
    return -NormalDist().inv_cdf(LEVEL / tests)


def _needed(change: PairedChange, z: float, open_: int) -> int | None:
    """The fewest items that would show either verdict."""
    value = max(0.0, change.value or 0.0)
    steps = PairedSteps(
        value, change.variance, change.moving, change.reach, change.effect
    )
    # A one-sided test at a level is a two-sided one at twice the level.
    found = (items_for_same(steps, MARGIN, z), items_to_detect(steps, open_ / 2))
    return min((n for n in found if n is not None), default=None)
