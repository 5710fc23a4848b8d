"""How many paired items a verdict needs, and which difference this many can show.

Power is that of the verdict itself: its test at 5 % (exact McNemar for independent
right and wrong, else permutation), corrected for several tests, and an interval
that leaves out 0. "Same" needs an interval within the margin.

Sources: Connor 1987 and Miettinen 1968 (paired right and wrong); Hoeffding 1952
(permutation); Schuirmann 1987 (equivalence); Kish 1965 (design effect); Searle,
Casella and McCulloch 1992, chapter 3 (components of variance).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from functools import lru_cache
from statistics import NormalDist
from typing import Literal, NamedTuple

from .intervals import INTRACLASS, PRIOR
from .paired import log_ways, mcnemar
from .shares import Z95, t95

LEVEL, POWER = 0.05, 0.8

MOST = 10_000_000
"""More items than this are not worth naming."""

EXACT = 100
"""Items that differ, up to which McNemar's power is summed exactly."""

DISCORDANT = 0.2
"""Assumed before a run: the share of items on which two runs differ."""

SPREAD = 0.3
"""Assumed before a run: the standard deviation of items' differences, of 1."""

MOST_REPEATS = 100

Kind = Literal["share", "mean"]

_NORMAL = NormalDist()


class PairedSteps(NamedTuple):
    """How the items of two runs differ: what power depends on."""

    difference: float
    """The mean difference; its sign does not matter."""
    variance: float
    """Of one item's difference."""
    moving: float = 1.0
    """The share of items that differ."""
    reach: float = 1.0
    """How far an item could differ."""
    effect: float = 1.0
    """The design effect of clusters."""
    exact: bool = False
    """True: each item differs by -1, 0 or 1, and McNemar's test is used."""

    @property
    def square(self) -> float:
        """The mean square of one item's difference."""
        return self.variance + self.difference**2


def detection_power(steps: PairedSteps, items: float, tests: float = 1) -> float:
    """The chance of a verdict `better` or `worse` with this many items.

    `tests`: what p is multiplied by (Holm). It is the mean over how many of the
    items differ, since both the test and the interval depend on that.
    """
    worth, level = items / steps.effect, LEVEL / tests
    power = _sign_power if steps.exact else _moving_power
    return math.fsum(
        weight * power(steps, worth, moving, level)
        for moving, weight in _moving(worth, steps.moving)
    )


def sameness_power(
    steps: PairedSteps, items: float, margin: float, z: float = Z95
) -> float:
    """The chance of a verdict `same`: an interval from -margin to margin.

    `z`: the normal quantile of the interval.
    """
    worth, pairs = items / steps.effect, 2 * (z / Z95) ** 2
    square = worth * steps.variance + pairs * _added(steps, worth * steps.moving)
    half = z * math.sqrt(square) / (worth + pairs)
    centre = abs(steps.difference) * worth / (worth + pairs)
    error = math.sqrt(worth * steps.variance) / (worth + pairs)
    inside = _chance(margin - half - centre, error)
    return max(0.0, inside - _chance(half - margin - centre, error))


def items_to_detect(steps: PairedSteps, tests: float = 1) -> int | None:
    """The items that show this difference with 80 % power; None: too many."""
    if not steps.difference:
        return None
    return _least(lambda items: detection_power(steps, items, tests))


def items_for_same(steps: PairedSteps, margin: float, z: float = Z95) -> int | None:
    """The items that show with 80 % power that the runs are the same.

    None: too many, or the difference is not below the margin.
    """
    if abs(steps.difference) >= margin:
        return None
    return _least(lambda items: sameness_power(steps, items, margin, z))


# ------------------------------------------------------------------ before a run


class Design(NamedTuple):
    """What is assumed of a run that was not made."""

    items: int
    clusters: int | None = None
    """None: every item is its own."""
    repeats: int = 1
    tests: int = 1
    """Tests that are corrected together."""
    kind: Kind = "share"
    spread: float | None = None
    """Of a share, the share of items that differ; of a mean, the standard deviation
    of the items' differences. None: `DISCORDANT`, `SPREAD`."""
    intraclass: float = INTRACLASS
    """The correlation of items in one cluster, and of repeats of one item."""

    def steps(self, difference: float) -> PairedSteps:
        """How items would differ by so much on average, on a scale of 1."""
        of_each = self.items * self.repeats / (self.clusters or self.items)
        effect = 1 + (of_each - 1) * self.intraclass
        if self.kind == "mean":
            spread = SPREAD if self.spread is None else self.spread
            return PairedSteps(difference, spread**2, effect=effect)
        moving = max(difference, DISCORDANT if self.spread is None else self.spread)
        variance = moving - difference**2
        return PairedSteps(difference, variance, moving, 1.0, effect, effect == 1.0)


def smallest_detectable(plan: Design) -> float | None:
    """The smallest difference that the plan shows with 80 % power, on a scale of 1.

    None: it cannot show any.
    """
    pairs = plan.items * plan.repeats

    def shown(difference: float) -> bool:
        return detection_power(plan.steps(difference), pairs, plan.tests) >= POWER

    low, high = 0.0, 1.0
    if not plan.items or not shown(high):
        return None
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (low, middle) if shown(middle) else (middle, high)
    return high


def items_needed(difference: float, plan: Design) -> int | None:
    """The items that show this difference, with repeats and clusters as planned."""
    pairs = items_to_detect(plan.steps(difference), plan.tests)
    if pairs is None:
        return None
    return math.ceil(pairs / plan.repeats)


def repeats_needed(difference: float, plan: Design) -> int | None:
    """The repeats of each item that show this difference; None: no number does."""
    for repeats in range(1, MOST_REPEATS + 1):
        steps = plan._replace(repeats=repeats).steps(difference)
        if detection_power(steps, plan.items * repeats, plan.tests) >= POWER:
            return repeats
    return None


# ------------------------------------------------------------------ after a run


class VarianceSplit(NamedTuple):
    """How much of the variance of single values comes from items, from repeats."""

    between: float
    """Variance between items."""
    within: float
    """Variance between repeats of one item."""
    items: int
    repeats: float
    """Repeats of an item; the harmonic mean where items have several numbers."""

    def error(self, repeats: float | None = None) -> float:
        """The standard error of the mean with this many repeats of an item (None: as
        measured).
        """
        each = self.between + self.within / (repeats or self.repeats)
        return math.sqrt(each / self.items)

    def as_json(self) -> dict[str, float]:
        return self._asdict() | {
            "error": self.error(),
            "error_without_repeats": self.error(1),
        }


def variance_split(
    values: Iterable[tuple[Hashable, float]],
) -> VarianceSplit | None:
    """The components of the variance of values, each with its item.

    By one-way analysis of variance. None without two items, or without repeats.
    """
    by_item: dict[Hashable, list[float]] = {}
    for item, value in values:
        by_item.setdefault(item, []).append(value)
    groups = list(by_item.values())
    n, count = sum(map(len, groups)), len(groups)
    if count < 2 or n == count:
        return None
    mean = math.fsum(value for group in groups for value in group) / n
    means = [math.fsum(group) / len(group) for group in groups]
    within = math.fsum(
        (value - middle) ** 2
        for group, middle in zip(groups, means, strict=True)
        for value in group
    ) / (n - count)
    between = math.fsum(
        len(group) * (middle - mean) ** 2
        for group, middle in zip(groups, means, strict=True)
    ) / (count - 1)
    size = (n - sum(len(group) ** 2 for group in groups) / n) / (count - 1)
    harmonic = count / math.fsum(1 / len(group) for group in groups)
    return VarianceSplit(max(0.0, (between - within) / size), within, count, harmonic)


# ------------------------------------------------------------------ power


def _least(power: Callable[[int], float]) -> int | None:
    """The least number of items with 80 % power."""
    high = 2
    while power(high) < POWER:
        high *= 2
        if high > MOST:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power(middle) >= POWER else (middle, high)
    return high


def _moving(worth: float, share: float) -> list[tuple[int, float]]:
    """How many of the items differ, each with its chance.

    Where these are many, 25 numbers stand for all.
    """
    n, mean = round(worth), worth * share
    if share >= 1:
        return [(n, 1.0)]
    error = math.sqrt(mean * (1 - share))
    if mean > EXACT:
        places = [step / 4 for step in range(-12, 13)]
        weights = [_NORMAL.pdf(place) / 4 for place in places]
        moving = [round(mean + place * error) for place in places]
        return list(zip(moving, weights, strict=True))
    least = max(0, math.floor(mean - 6 * error))
    most = min(n, math.ceil(mean + 6 * error + 6))
    return [(k, _binomial(n, k, share)) for k in range(least, most + 1)]


def _added(steps: PairedSteps, moving: float) -> float:
    """The square of the pseudo-pair's difference, as the interval has it."""
    others = max(0.0, moving - 1)
    squares = steps.square / steps.moving if steps.moving else 0.0
    return (PRIOR * steps.reach**2 + others * squares) / (PRIOR + others)


def _moving_power(steps: PairedSteps, worth: float, moving: int, level: float) -> float:
    """The chance of a low p and of an interval without 0, of a permutation test."""
    mean = abs(steps.difference) / steps.moving
    variance = max(0.0, steps.square / steps.moving - mean**2)
    if moving < 2:
        return 0.0
    return min(
        _tested(mean, variance, moving, level),
        _beyond(mean, variance, moving, worth, _added(steps, moving), steps.reach),
    )


def _tested(mean: float, variance: float, moving: int, level: float) -> float:
    """The chance of a p below the level, of a permutation test of steps.

    A sum over the root of its squares is a monotone function of Student's t.
    """
    quantile = -_NORMAL.inv_cdf(level / 2)
    if moving < 1 - math.log2(level) or moving <= quantile**2:
        return 0.0
    if variance <= 0:
        return 1.0
    degrees = moving - 1
    bound = quantile * math.sqrt(degrees / (moving - quantile**2))
    shift = mean * math.sqrt(moving / variance)
    return _NORMAL.cdf(
        (shift - bound * (1 - 1 / (4 * degrees)))
        / math.sqrt(1 + bound**2 / (2 * degrees))
    )


def _beyond(
    mean: float, variance: float, moving: int, worth: float, added: float, reach: float
) -> float:
    """The chance that the interval of the pseudo-pair rule leaves out 0."""
    shape = min(1.0, added / reach**2) if reach else 0.0
    wider = 1 + ((t95(max(1, round(worth) - 1)) / Z95) ** 2 - 1) * (1 - shape)
    worth, kept = worth / wider, moving / wider
    squares = Z95**2 * (kept * variance + 2 * added)
    scale = 1 + Z95**2 / (worth + 2) - Z95**2 / kept
    if scale <= 0:
        return 0.0
    distance = kept * mean - math.sqrt(squares / scale)
    return _chance(distance, math.sqrt(kept * variance / wider))


def _sign_power(steps: PairedSteps, worth: float, moving: int, level: float) -> float:
    """The chance of a low p of McNemar's test; the interval agrees with it."""
    won = (1 + abs(steps.difference) / steps.moving) / 2
    if moving > EXACT / 2:
        bound = 1 - _NORMAL.inv_cdf(level / 2) * math.sqrt(moving)
        error = 2 * math.sqrt(moving * won * (1 - won))
        return _chance(moving * (2 * won - 1) - bound, error)
    lost = _most_lost(moving, level)
    return math.fsum(_binomial(moving, k, 1 - won) for k in range(lost + 1))


@lru_cache(maxsize=4096)
def _most_lost(moving: int, level: float) -> int:
    """The most losses among items that differ with a p below the level; or -1."""
    lost = -1
    while 2 * lost < moving and mcnemar(lost + 1, moving - lost - 1) < level:
        lost += 1
    return lost


def _binomial(n: int, k: int, share: float) -> float:
    if share <= 0 or share >= 1:
        return float(k == (n if share >= 1 else 0))
    return math.exp(log_ways(n, k) + k * math.log(share) + (n - k) * math.log1p(-share))


def _chance(distance: float, error: float) -> float:
    """The chance that a normal value falls short of its mean by less than this."""
    if error <= 0:
        return float(distance > 0)
    return _NORMAL.cdf(distance / error)
