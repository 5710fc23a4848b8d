"""Measures of a ranking in a file: nDCG, precision and average precision of one query.

The figures are those of `engines/metrics/ranking.py`: graded gains, the ideal of all
labels of the query, the mean over all orders of equal scores. A query that is not
ranked counts 0, and its state says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ...sessions.events import Result
from ...sessions.session import Session
from ...texts import t
from ..metrics.charges import within
from ..metrics.ranking import (
    Labels,
    Tiers,
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
SAME = "same_charge"
"""Field of an item: the ids that share a charge with the query; absent: not known."""
WITHIN = "_within"
"""End of the names of measures among candidates that share a charge."""
USUAL = ("ndcg_10", "ndcg_20", "ndcg_30", "map")
"""Measures by default."""
FORMS = "ndcg_K, p_K, map, ndcg_K_within, p_K_within, map_within"
"""The names of measures, for messages."""
MOST = 1_000_000
PLACES = 5
"""Places of a ranking that a reader sees."""
_AT = re.compile(r"(ndcg|p)[@_]([1-9][0-9]{0,6})")


class QueryRanking(Result, tag="result", kw_only=True):
    """The ranking of one query; None: the run does not rank it."""

    tiers: Tiers | None = None
    """Candidates best first; those of one tier have equal scores."""
    measured: bool = True
    """False where an order of charges lacks the query's."""

    @property
    def answer(self) -> str | None:
        """Return the first ranks for readers; None if nothing is ranked."""
        first = self.tiers[:PLACES] if self.tiers is not None else []
        return " > ".join(" = ".join(tier[:PLACES]) for tier in first) or None


def named(name: str) -> Measure | None:
    """Return the measure with this name (`ndcg_30`, also `ndcg@30`, `p_10`, `map`);
    None if it names no ranking measure.
    """
    plain, inside = name.removesuffix(WITHIN), WITHIN * name.endswith(WITHIN)
    if plain == "map":
        return _measure("map" + inside, expected_average_precision)
    found = _AT.fullmatch(plain)
    if found is None or int(found[2]) > MOST:
        return None
    k = int(found[2])
    if found[1] == "ndcg":
        return _measure(
            f"ndcg_{k}{inside}",
            lambda tiers, labels, _: expected_ndcg(tiers, labels, k),
        )
    return _measure(
        f"p_{k}{inside}",
        lambda tiers, labels, relevant: expected_precision(tiers, labels, k, relevant),
    )


def shown(name: str) -> str | None:
    """`nDCG@30` for `ndcg_30`; None for a name that is no such measure."""
    if name.endswith(WITHIN) and (plain := shown(name.removesuffix(WITHIN))):
        return f"{plain} {t('report.ranking.charge_within')}"
    if name == "map":
        return "MAP"
    found = _AT.fullmatch(name)
    if found is None:
        return None
    return f"{'nDCG' if found[1] == 'ndcg' else 'P'}@{found[2]}"


def _measure(name: str, figure: Callable[[Tiers, Labels, int], float]) -> Measure:
    def of(session: Session, item: Item) -> Iterator[MeasuredValue]:
        labels, result = item.fields.get(LABELS), session.result
        if not isinstance(labels, dict) or not isinstance(result, QueryRanking):
            return
        if not result.measured:
            return
        tiers: Tiers | None = result.tiers
        gains: Labels = labels
        if name.endswith(WITHIN):
            tiers, gains = within(tiers or [], labels, {*item.fields.get(SAME, ())})
            if not any(gains.values()):
                return
        if result.tiers is None or tiers is None:
            yield MeasuredValue(0.0, "not-ranked")
        else:
            value = figure(tiers, gains, int(item.fields[RELEVANT]))
            yield MeasuredValue(value, "measured")

    return Measure(name, "higher", of, low=0, high=1)
