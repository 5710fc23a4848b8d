"""What can be measured of a ranking that is in a file: nDCG, precision and average
precision of one query.

The figures are those of `engines/metrics/ranking.py`: graded gains, the ideal of all
labels of the query, the mean over all orders of equal scores. A query that is not
ranked counts 0, and its state says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ...sessions.events import Result
from ...sessions.session import Session
from ..metrics.ranking import (
    expected_average_precision,
    expected_ndcg,
    expected_precision,
)
from .measure import Item, Measure, MeasuredValue

LABELS = "labels"
"""Field of an item: the levels of a query's candidates, by id."""
RELEVANT = "relevant"
"""Field of an item: the level from which on a candidate is relevant for precision: the
highest that any label has.
"""
USUAL = ("ndcg_10", "ndcg_20", "ndcg_30", "map")
"""Measures by default."""
FORMS = "ndcg_K, p_K, map"
"""The names of measures, for messages."""
MOST = 1_000_000
PLACES = 5
"""Places of a ranking that a reader sees."""
_AT = re.compile(r"(ndcg|p)[@_]([1-9][0-9]{0,6})")

Tiers = list[list[str]]


class QueryRanking(Result, tag="result", kw_only=True):
    """The ranking of one query; None: the run does not rank it."""

    tiers: Tiers | None = None
    """Candidates best first; those of one tier have equal scores."""

    @property
    def answer(self) -> str | None:
        """The first places, for readers; None where nothing is ranked."""
        first = self.tiers[:PLACES] if self.tiers is not None else []
        return " > ".join(" = ".join(tier[:PLACES]) for tier in first) or None


def named(name: str) -> Measure | None:
    """The measure of this name (`ndcg_30`, also `ndcg@30`, `p_10`, `map`); None where
    it names none of rankings.
    """
    if name == "map":
        return _measure("map", expected_average_precision)
    found = _AT.fullmatch(name)
    if found is None or int(found[2]) > MOST:
        return None
    k = int(found[2])
    if found[1] == "ndcg":
        return _measure(
            f"ndcg_{k}", lambda tiers, labels, _: expected_ndcg(tiers, labels, k)
        )
    return _measure(
        f"p_{k}",
        lambda tiers, labels, relevant: expected_precision(tiers, labels, k, relevant),
    )


def shown(name: str) -> str | None:
    """`nDCG@30` for `ndcg_30`; None for a name that is no such measure."""
    if name == "map":
        return "MAP"
    found = _AT.fullmatch(name)
    if found is None:
        return None
    return f"{'nDCG' if found[1] == 'ndcg' else 'P'}@{found[2]}"


def _measure(
    name: str, figure: Callable[[Tiers, dict[str, int], int], float]
) -> Measure:
    def of(session: Session, item: Item) -> Iterator[MeasuredValue]:
        labels, result = item.fields.get(LABELS), session.result
        if isinstance(labels, dict) and isinstance(result, QueryRanking):
            if result.tiers is None:
                yield MeasuredValue(0.0, "not-ranked")
            else:
                yield MeasuredValue(
                    figure(result.tiers, labels, int(item.fields[RELEVANT])), "measured"
                )

    return Measure(name, "higher", of, low=0, high=1)
