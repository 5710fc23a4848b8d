"""How well a score tells what people call right from what they call wrong, whatever the
bound: the ROC curve and the area under it.

The area is the chance that a right thing, drawn at random, has a higher score than a
wrong one; equal scores count half. Its variance is DeLong's, over clusters as
Obuchowski has it; without clusters both are the same. The interval is Wilson's for a
share of as many independent things as the area is worth: it stays between 0 and 1, and
has a width where every right thing is above every wrong one.

Sources: Hanley and McNeil 1982; DeLong, DeLong and Clarke-Pearson 1988; Obuchowski
1997; Wilson 1927; Kottas, Kuss and Zapf 2014 (Wilson's interval of an area).
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..metrics.shares import Z95, score_interval, t95


class ScoredItem(NamedTuple):
    """A score, beside what people say."""

    cluster: str
    score: float
    """Higher speaks for right."""
    right: bool


class RocPoint(NamedTuple):
    """What follows where a score of `bound` or more counts as right."""

    bound: float
    """Infinite: nothing counts as right."""
    sensitivity: float
    """The share of right things that it finds, 0 to 1."""
    false_positives: float
    """The share of wrong things that it takes for right: 1 − specificity."""


class Roc(NamedTuple):
    """The curve of one score; without an area where all things are right, or all are
    wrong.
    """

    area: float | None
    low: float | None
    high: float | None
    right: int
    wrong: int
    points: tuple[RocPoint, ...]
    """From the strictest bound to the laxest, one for each different score."""


def roc(scored: Iterable[ScoredItem]) -> Roc:
    """The curve, and the area under it with its 95 % interval."""
    listed = list(scored)
    above, below = (
        [one for one in listed if one.right],
        [one for one in listed if not one.right],
    )
    if not above or not below:
        return Roc(None, None, None, len(above), len(below), ())
    high, low = sorted(one.score for one in above), sorted(one.score for one in below)
    of_right = [_share_below(low, one.score) for one in above]
    of_wrong = [1 - _share_below(high, one.score) for one in below]
    area = math.fsum(of_right) / len(above)
    least, most = _interval(area, above, below, of_right, of_wrong)
    return Roc(
        area,
        least,
        most,
        len(above),
        len(below),
        tuple(_points(high, low)),
    )


def _share_below(ordered: Sequence[float], score: float) -> float:
    """The share of an ordered list that is smaller; equal ones count half."""
    return (
        (bisect_left(ordered, score) + bisect_right(ordered, score)) / 2 / len(ordered)
    )


def _points(right: Sequence[float], wrong: Sequence[float]) -> Iterable[RocPoint]:
    yield RocPoint(math.inf, 0.0, 0.0)
    for bound in sorted({*right, *wrong}, reverse=True):
        found, mistaken = (
            len(right) - bisect_left(right, bound),
            len(wrong) - bisect_left(wrong, bound),
        )
        yield RocPoint(bound, found / len(right), mistaken / len(wrong))


def _interval(
    area: float,
    above: Sequence[ScoredItem],
    below: Sequence[ScoredItem],
    of_right: Sequence[float],
    of_wrong: Sequence[float],
) -> tuple[float, float] | tuple[None, None]:
    """Wilson's interval of the area; none where right or wrong things are of one
    cluster only.
    """
    right, wrong = _summed(above, of_right, area), _summed(below, of_wrong, area)
    fewest = min(len(right), len(wrong))
    if fewest < 2:
        return None, None
    variance = _variance(right, wrong, len(above), len(below))
    worth = (
        min(
            len(above) + len(below),
            area * (1 - area) / variance * (Z95 / t95(fewest - 1)) ** 2,
        )
        if variance > 0
        else fewest
    )
    if worth > 0:
        return score_interval(area, worth)
    return (0.0, 1.0)


def _variance(
    right: dict[str, float], wrong: dict[str, float], above: int, below: int
) -> float:
    """Of the area, from what each cluster's right and wrong things add to it; `above`
    and `below` are how many of each there are.
    """
    both = {*right, *wrong}
    squares = (
        _scale(len(right)) * math.fsum(one**2 for one in right.values()) / above**2
    )
    squares += (
        _scale(len(wrong)) * math.fsum(one**2 for one in wrong.values()) / below**2
    )
    return (
        squares
        + 2
        * _scale(len(both))
        * math.fsum(right.get(one, 0.0) * wrong.get(one, 0.0) for one in both)
        / above
        / below
    )


def _summed(
    things: Sequence[ScoredItem], parts: Sequence[float], area: float
) -> dict[str, float]:
    """By cluster, how far its things' parts lie from the area in sum."""
    found: dict[str, float] = {}
    for thing, part in zip(things, parts, strict=True):
        found[thing.cluster] = found.get(thing.cluster, 0.0) + part - area
    return found


def _scale(clusters: int) -> float:
    if clusters > 1:
        return clusters / (clusters - 1)
    return 1.0
