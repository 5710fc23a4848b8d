"""What is counted of one ranking: how one of the answers fared, and how steady the ranker was.

Whose rank it is says the setting `measured`, by name; where it names nobody, it is the first answer. So a study over answers of several
systems has a condition for each of them, and asks once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...sessions.events.rank import RankResult
from ...sessions.session import Session
from ..measures.measure import Item, Measure, Measured
from .plan import answers, setting
from .settings import CRITERIA, QUALITY


def measures() -> dict[str, Measure]:
    """All measures of a ranking, by name."""
    ranks = [
        Measure(f"rank_{name}", "lower", _rank("ranks", name), low=1)
        for name in CRITERIA
    ]
    places = [
        Measure(f"place_{name}", "lower", _rank("places", name), low=1)
        for name in CRITERIA
    ]
    scores = [
        Measure(
            f"score_{name}",
            "lower" if name == "bias" else "higher",
            _rank("scores", name),
            low=0,
            high=1,
        )
        for name in CRITERIA
    ]
    shares = [
        Measure(
            f"high_quality_{name}",
            "higher",
            _high_quality(name),
            share=True,
            low=0,
            high=1,
        )
        for name in QUALITY
    ]
    steady = Measure("consistent", "higher", _consistent, low=0, high=1)
    return {
        measure.name: measure for measure in (*ranks, *places, *scores, *shares, steady)
    }


def _result(session: Session) -> RankResult | None:
    return session.result if isinstance(session.result, RankResult) else None


def _name(session: Session) -> str:
    return str(setting(session, "measured") or answers(session)[0].name)


def _rank(kind: str, criterion: str) -> Callable[[Session, Item], Iterator[Measured]]:
    """A figure of the measured answer. A criterion that was not asked for gives nothing; one that could not be read is `unread`."""

    def of(session: Session, item: Item) -> Iterator[Measured]:
        result = _result(session)
        if result is None:
            return
        found = getattr(result, kind).get(criterion, {}).get(_name(session))
        if found is not None:
            yield Measured(float(found), "measured")
        elif criterion in result.unread:
            yield Measured(None, "unread")

    return of


def _high_quality(criterion: str) -> Callable[[Session, Item], Iterator[Measured]]:
    def of(session: Session, item: Item) -> Iterator[Measured]:
        result = _result(session)
        found = (
            result.high_quality.get(criterion, {}).get(_name(session))
            if result is not None
            else None
        )
        if found is not None:
            yield Measured(float(found), "right" if found else "wrong")
        elif result is not None and criterion in result.unread:
            yield Measured(0.0, "unread")

    return of


def _consistent(session: Session, item: Item) -> Iterator[Measured]:
    """The share of pairs of answers that both orders rank alike, over all criteria."""
    result = _result(session)
    if result is not None and result.consistent:
        yield Measured(
            sum(result.consistent.values()) / len(result.consistent), "measured"
        )
