"""A comparison as tables of texts, for the sinks that draw tables, and the items that flipped."""

from __future__ import annotations

from dataclasses import dataclass

from ...sessions.clean import clean
from ...texts import t
from ..measures.common import answer_of, listed
from ..measures.content import asked
from . import compared_words as words
from .comparing import PRICE, Versus
from .differing import Difference
from .wording import measure_name

MOST_FLIPS = 200
"""Items that a document shows; how many more there are is said."""


@dataclass(frozen=True)
class Flip:
    """One item whose result is not the same in both runs."""

    id: str
    better: bool
    asked: str
    accepted: tuple[str, ...]
    first: str | None
    second: str | None
    """The answers."""


def columns(versus: Versus) -> list[str]:
    """The heads of `row`."""
    names = [clean(run.name, newlines=False) for run in (versus.first, versus.second)]
    ends = ("difference", "column_p", "column_counts", "column_verdict")
    return [
        t("report.compare.column_measure"),
        *names,
        *(t(f"report.compare.{name}") for name in ends),
    ]


def row(versus: Versus, one: Difference) -> list[str]:
    """One measure: both values and the difference with their intervals, p, items, verdict."""
    told = [
        f"{side.value} ({side.interval})" if side.interval else side.value
        for side in words.sides(versus, one)
    ]
    return [
        measure_name(one.measure.name),
        *told,
        words.tested(one) or "–",
        f"{one.wins} / {one.ties} / {one.losses}",
        words.verdict(one),
    ]


def flipped_measure(versus: Versus) -> Difference | None:
    """The measure whose flips are shown: the first of quality; None where there is none."""
    return next(
        (
            one
            for one in versus.differences
            if one.measure.name not in PRICE and one.difference.value is not None
        ),
        None,
    )


def flips(versus: Versus, one: Difference) -> list[Flip]:
    """The items that flipped, those that are worse first."""
    better, worse = one.flips
    return [
        _flip(versus, id_, good)
        for good, ids in ((False, worse), (True, better))
        for id_ in ids
    ]


def _flip(versus: Versus, id_: str, better: bool) -> Flip:
    item = versus.paired.items[id_][0]
    first, second = (
        answer_of(run.cases[id_].session).text for run in (versus.first, versus.second)
    )
    return Flip(id_, better, asked(item.fields), listed(item, "answers"), first, second)
