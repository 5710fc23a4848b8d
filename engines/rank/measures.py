"""Measures of one ranking: the rank of one of its answers, and how steady it is.

The setting `measured` names the answer; without it, it is the first one. A study over
answers of several systems has a condition for each of them, and asks once. The report
of a batch has the same figures for every answer (`by_answer`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from ...sessions.events.rank import RankResult
from ...sessions.session import Session
from ..figures.aggregate import Aggregate, whole
from ..figures.measure import Better, Item, Measure, MeasuredValue, Rule, State
from .plan import CRITERIA, QUALITY, answers, setting

KINDS = {
    "rank": "ranks",
    "place": "places",
    "score": "scores",
    "high_quality": "high_quality",
}
"""Figure of an answer to the field of the result."""


def measures() -> dict[str, Measure]:
    """All measures of a ranking, by name."""
    listed = [
        _measure(kind, criterion)
        for kind in KINDS
        for criterion in (QUALITY if kind == "high_quality" else CRITERIA)
    ]
    listed.append(_steady("consistent", _consistent))
    listed += [
        _steady(f"consistent_{criterion}", partial(_consistent_under, criterion))
        for criterion in CRITERIA
    ]
    return {measure.name: measure for measure in listed}


def by_answer(
    results: Sequence[tuple[Item, RankResult]],
) -> dict[str, dict[str, dict[str, Aggregate]]]:
    """The figures of every answer by name: criterion to answer to kind to figure."""
    found: dict[str, dict[str, dict[str, Aggregate]]] = {}
    names = dict.fromkeys(name for item, _ in results for name in _names(item))
    for criterion in CRITERIA:
        for name in names:
            figures = {}
            for kind in KINDS if criterion in QUALITY else list(KINDS)[:3]:
                told = [
                    (item.cluster, measured)
                    for item, result in results
                    if name in _names(item)
                    for measured in _of_answer(kind, criterion, result, name)
                ]
                if told:
                    figures[kind] = whole(_measure(kind, criterion), told)
            if figures:
                found.setdefault(criterion, {})[name] = figures
    return found


def _names(item: Item) -> list[str]:
    """The answers that an item has."""
    return [str(one["id"]) for one in item.fields.get("candidates") or ()]


def _measure(kind: str, criterion: str) -> Measure:
    of = _of_session(kind, criterion)
    name, judge = f"{kind}_{criterion}", f"ranker.{criterion}"
    if kind == "high_quality":
        return Measure(name, "higher", of, True, 0, 1, judge=judge)
    if kind == "score":
        better: Better = "lower" if criterion == "bias" else "higher"
        return Measure(name, better, of, low=0, high=1, judge=judge)
    return Measure(name, "lower", of, low=1, judge=judge)


def _steady(name: str, of: Rule) -> Measure:
    return Measure(name, "higher", of, low=0, high=1, subject="process")


def _of_session(kind: str, criterion: str) -> Rule:
    """A figure of the measured answer."""

    def of(session: Session, item: Item) -> Iterator[MeasuredValue]:
        result = session.result
        if isinstance(result, RankResult):
            name = str(setting(session, "measured") or answers(session)[0].name)
            yield from _of_answer(kind, criterion, result, name)

    return of


def _of_answer(
    kind: str, criterion: str, result: RankResult, name: str
) -> Iterator[MeasuredValue]:
    """A figure of an answer. A criterion that was not asked for gives nothing; one that
    could not be read is `unread`, which is no high quality."""
    fields: Mapping[str, Mapping[str, float]] = getattr(result, KINDS[kind])
    value = fields.get(criterion, {}).get(name)
    share = kind == "high_quality"
    if value is not None:
        state: State = "measured"
        if share:
            state = "right" if value else "wrong"
        yield MeasuredValue(float(value), state)
    elif criterion in result.unread:
        yield MeasuredValue(0.0 if share else None, "unread")


def _consistent(session: Session, item: Item) -> Iterator[MeasuredValue]:
    """The share of pairs of answers that both orders rank alike, over all criteria."""
    result = session.result
    if isinstance(result, RankResult) and result.consistent:
        shares = result.consistent.values()
        yield MeasuredValue(sum(shares) / len(shares), "measured")


def _consistent_under(
    criterion: str, session: Session, item: Item
) -> Iterator[MeasuredValue]:
    """The same of one criterion."""
    result = session.result
    if isinstance(result, RankResult) and criterion in result.consistent:
        yield MeasuredValue(result.consistent[criterion], "measured")
