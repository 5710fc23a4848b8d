"""What a rate becomes when labels of a few correct the machine's word on all:
prediction-powered inference for a mean.

With labels Y of n things, the machine's word f on them, and its word on N other things:

    rate = λ · mean of f over the others + mean of (Y − λ f) over the labelled ones

The second term, the rectifier, is what the machine is wrong by on average, so the rate
is right whatever the machine is worth, as long as the labelled things are a random
sample. λ makes the variance smallest and is kept between 0 and 1: a machine that says
nothing of people's word leaves the mean of the labels. Of all these things the rate is
a fixed number; of things like these it is an expectation. So there are two intervals:

- of these n + N things, by the draw of the labelled ones alone: variance N / (n + N) ·
  Var(Y − λ' f) / n with λ' = λ (n + N) / N, which is the regression estimator of
  surveys. Clusters do not matter here; what was drawn together does, and is summed;
- of things like these: Var(Y − λ f) / n + λ² Var(f) / N, summed over clusters where
  things are not independent.

Each is rate ± t · √variance, after two labels have been added, one on which people say
right and the machine wrong, and one the other way round. Without these two a machine
that was never wrong on a few labels would be taken for one that is never wrong
(`benchmarks/coverage.py` says how often such an interval holds the truth).

Sources: Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023 (prediction-powered
inference); Angelopoulos, Duchi and Zrnic 2023 (PPI++, the choice of λ); Cochran 1977,
chapters 2 and 7 (finite populations, regression estimators); Liang and Zeger 1986
(clusters); Bonett and Price 2012 (the two labels added, there for λ = 1); Rao 1948 (the
score test).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..metrics.clustered import standard_error
from ..metrics.intervals import clustered_share
from ..metrics.shares import t95


class LabeledItem(NamedTuple):
    """A thing with a label."""

    cluster: str
    label: float
    """What people say: 1 for right, 0 for wrong."""
    machine: float
    """0 to 1: what the machine says."""
    unit: str = ""
    """Things that share it were drawn together, as the same answer given twice; "": it
    was drawn alone.
    """


class UnlabeledItem(NamedTuple):
    """A thing that only the machine has judged."""

    cluster: str
    machine: float


ADDED = (LabeledItem("\0right", 1.0, 0.0), LabeledItem("\0wrong", 0.0, 1.0))
"""The two labels that make an interval of few honest."""


class Interval(NamedTuple):
    """A 95 % interval within 0 to 1; without ends where it cannot be told."""

    low: float | None
    high: float | None


class CorrectedMean(NamedTuple):
    """The corrected mean with its intervals."""

    value: float
    low: float | None
    """Of all these things; None with a single label."""
    high: float | None
    like: Interval
    """Of things like these; without ends where all labels are of one cluster."""
    weight: float
    """λ: how much of the machine's word counts, 0 to 1."""
    rectifier: float
    """What is added to λ times the machine's mean over the others: the mean of label −
    λ · machine over the labelled things.
    """
    labels: int
    others: int
    clusters: int
    """Of the labelled things."""
    labels_alone: float
    """The mean of the labels."""
    machine_alone: float
    """The machine's mean over everything."""
    worth: float | None
    """How many labels alone would say as much of all these things; None where nothing
    varies.
    """


def corrected(
    labelled: Sequence[LabeledItem],
    others: Sequence[UnlabeledItem],
) -> CorrectedMean | None:
    """Estimates the mean that labels of all items would have; None without a label."""
    if not labelled:
        return None
    chosen = best_weight(labelled, others) if others else 0.0
    value, rectifier = _estimate(labelled, others, chosen)
    said = [one.machine for one in labelled] + [other.machine for other in others]
    ends = of_these(labelled, others, chosen)
    return CorrectedMean(
        value=min(1.0, max(0.0, value)),
        low=ends.low,
        high=ends.high,
        like=of_like(labelled, others, chosen),
        weight=chosen,
        rectifier=rectifier,
        labels=len(labelled),
        others=len(others),
        clusters=len({one.cluster for one in labelled}),
        labels_alone=_middle(one.label for one in labelled),
        machine_alone=_middle(said),
        worth=_worth(labelled, others, chosen),
    )


def best_weight(
    labelled: Sequence[LabeledItem], others: Sequence[UnlabeledItem]
) -> float:
    """The λ from 0 to 1 with the smallest variance: Cov(Y, f) / (Var(f over the
    labelled) + n / N · Var(f over the others)).

    0 without two labels or two others, or where the machine says the same of
    everything.
    """
    if len(labelled) < 2 or len(others) < 2:
        return 0.0
    label, machine = (
        _middle(one.label for one in labelled),
        _middle(one.machine for one in labelled),
    )
    shared = math.fsum(
        (one.label - label) * (one.machine - machine) for one in labelled
    ) / (len(labelled) - 1)
    spread = _variance(one.machine for one in labelled) + len(labelled) / len(
        others
    ) * _variance(other.machine for other in others)
    if spread > 0:
        return min(1.0, max(0.0, shared / spread))
    return 0.0


def of_these(
    labelled: Sequence[LabeledItem], others: Sequence[UnlabeledItem], weight: float
) -> Interval:
    """The interval of the mean over the labelled things and the others; a point where
    there are no others.
    """
    labels, rest = len(labelled), len(others)
    known = math.fsum(one.label for one in labelled)
    if not others:
        return Interval(known / labels, known / labels)
    units = _units(labelled)
    if len(set(units)) < 2:
        return Interval(None, None)
    whole = labels + rest
    slope = weight * whole / rest
    more, units = _with_added(labelled, units)
    off = [one.label - slope * one.machine for one in more]
    middle = (
        known
        + rest * (slope * _middle(other.machine for other in others) + _middle(off))
    ) / whole
    return _around(
        middle,
        rest / whole * _squared_error(off, units),
        len(set(units)) - len(ADDED) - 1,
    )


def of_like(
    labelled: Sequence[LabeledItem], others: Sequence[UnlabeledItem], weight: float
) -> Interval:
    """The interval of the mean over things like these, by cluster; without others it is
    that of every share of labels.
    """
    clusters = len({one.cluster for one in labelled})
    if clusters < 2:
        return Interval(None, None)
    if not others:
        share = clustered_share((one.cluster, one.label == 1) for one in labelled)
        if share is None:
            return Interval(None, None)
        return Interval(share.low, share.high)
    more, _ = _with_added(labelled, [one.cluster for one in labelled])
    spread = variance(more, others, weight)
    if spread is None:
        return Interval(None, None)
    return _around(_estimate(more, others, weight)[0], spread, clusters - 1)


def variance(
    labelled: Sequence[LabeledItem], others: Sequence[UnlabeledItem], weight: float
) -> float | None:
    """Of the corrected mean of things like these; None with labels, or others that
    count, of fewer than two clusters.
    """
    if len({one.cluster for one in labelled}) < 2 or (
        weight and len({other.cluster for other in others}) < 2
    ):
        return None
    return math.fsum(
        (part.label - weight * part.machine) ** 2 for part in _parts(labelled, others)
    )


def drift(
    labelled: Sequence[LabeledItem], others: Sequence[UnlabeledItem]
) -> float | None:
    """The p value of the machine saying as much of the labelled things as of the
    others, which a random sample makes so; None if unknown.

    Two-sided, by the normal distribution, with the larger of two variances: of squares
    over clusters about the mean of all things (Rao 1948, the score test), and of
    drawing the labelled things from all of them. Each alone is too small for some
    samples of few: the first where the machine says the same of all labelled things,
    the second where it seldom says so much.
    """
    if (
        len({one.cluster for one in labelled}) < 2
        or len({other.cluster for other in others}) < 2
    ):
        return None
    said = [(one.cluster, one.machine, 1 / len(labelled)) for one in labelled]
    said += [(other.cluster, other.machine, -1 / len(others)) for other in others]
    middle = _middle(machine for _, machine, _ in said)
    found: dict[str, float] = {}
    for cluster, machine, share in said:
        found[cluster] = found.get(cluster, 0.0) + share * (machine - middle)
    drawn = _variance(machine for _, machine, _ in said) * (
        1 / len(labelled) + 1 / len(others)
    )
    spread = max(drawn, math.fsum(part**2 for part in found.values()))
    if spread > 0:
        return math.erfc(abs(math.fsum(found.values())) / math.sqrt(2 * spread))
    return 1.0


def _estimate(
    labelled: Sequence[LabeledItem], others: Sequence[UnlabeledItem], weight: float
) -> tuple[float, float]:
    """The mean, and the rectifier in it."""
    rectifier = math.fsum(one.label - weight * one.machine for one in labelled) / len(
        labelled
    )
    elsewhere = (
        math.fsum(other.machine for other in others) / len(others) if others else 0.0
    )
    return weight * elsewhere + rectifier, rectifier


def _around(middle: float, spread: float, degrees: int) -> Interval:
    half = t95(degrees) * math.sqrt(spread)
    return Interval(
        min(1.0, max(0.0, middle - half)), max(0.0, min(1.0, middle + half))
    )


class _ClusterError(NamedTuple):
    """What one cluster adds to the error of the mean: `label` − λ · `machine`."""

    label: float
    machine: float


def _parts(
    labelled: Sequence[LabeledItem], others: Sequence[UnlabeledItem]
) -> list[_ClusterError]:
    """Of each cluster, scaled by √(G / (G − 1)) for the G clusters of the labelled
    things and of the others.
    """
    label, machine = (
        _middle(one.label for one in labelled),
        _middle(one.machine for one in labelled),
    )
    elsewhere = _middle(other.machine for other in others)
    of_labels, of_others = (
        _scale(one.cluster for one in labelled),
        _scale(other.cluster for other in others),
    )
    found: dict[str, list[float]] = {}
    for each in labelled:
        part = found.setdefault(each.cluster, [0.0, 0.0])
        part[0] += of_labels * (each.label - label) / len(labelled)
        part[1] += of_labels * (each.machine - machine) / len(labelled)
    for other in others:
        found.setdefault(other.cluster, [0.0, 0.0])[1] -= (
            of_others * (other.machine - elsewhere) / len(others)
        )
    return [_ClusterError(*part) for part in found.values()]


def _middle(values: Iterable[float]) -> float:
    listed = list(values)
    if listed:
        return math.fsum(listed) / len(listed)
    return 0.0


def _scale(clusters: Iterable[str]) -> float:
    count = len(set(clusters))
    if count > 1:
        return math.sqrt(count / (count - 1))
    return 1.0


def _variance(values: Iterable[float]) -> float:
    listed = list(values)
    middle = _middle(listed)
    return math.fsum((one - middle) ** 2 for one in listed) / (len(listed) - 1)


def _worth(
    labelled: Sequence[LabeledItem], others: Sequence[UnlabeledItem], weight: float
) -> float | None:
    """As many labels as would have this variance by themselves."""
    if not others or len(labelled) < 2:
        return None
    slope, units = (
        weight * (len(labelled) + len(others)) / len(others),
        _units(labelled),
    )
    spread = _squared_error(
        [one.label - slope * one.machine for one in labelled], units
    )
    if spread > 0:
        return (
            len(labelled)
            * _squared_error([one.label for one in labelled], units)
            / spread
        )
    return None


def _units(labelled: Sequence[LabeledItem]) -> list[str]:
    """What each was drawn with."""
    return [one.unit or f"\0{place}" for place, one in enumerate(labelled)]


def _with_added(
    labelled: Sequence[LabeledItem], groups: Sequence[str]
) -> tuple[list[LabeledItem], list[str]]:
    """With the two labels added, each as often as a group has things on average; and
    the groups of all.
    """
    times = max(1, round(len(labelled) / len(set(groups))))
    more = [one for one in ADDED for _ in range(times)]
    return [*labelled, *more], [*groups, *(one.cluster for one in more)]


def _squared_error(values: Sequence[float], groups: Sequence[str]) -> float:
    """The variance of the mean of values that were drawn group by group; 0 from one
    group.
    """
    return (standard_error(values, groups) or 0.0) ** 2
