"""Measures of whether the references of a question contain what is right, and of how
its answer cites them.

`reference_gain` is column Dlt of Table 6 of the CoV-RAG paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ...sessions.events import Reference
from ...sessions.events.rag import Check
from ...sessions.session import Session
from ..figures.common import listed
from ..figures.measure import Item, Measure, MeasuredValue, Rule, State, ratio, right_if
from ..figures.remembered import per_session
from ..metrics import containment, retrieval
from .facts import carried, facts, iterations, share, unexamined
from .gold import Gold, gold_in, has_gold, places
from .plan import ACCEPTED_ID


class RetrievalFigures(NamedTuple):
    """The figures of one list."""

    recall: float
    mrr: float
    """1 / the place of the first gold passage."""
    ndcg: float
    context_precision: float
    hit_rate: bool
    """Whether there is any gold passage among them."""
    shown: int = 0
    """References."""


NOTHING = RetrievalFigures(0.0, 0.0, 0.0, 0.0, False)
"""Nothing was found."""

MEANS = ("recall", "mrr", "ndcg", "context_precision")
NAMES = (*MEANS, "hit_rate")


def retrieved(
    gold: Sequence[Gold], references: Sequence[Reference], k: int = 0
) -> RetrievalFigures | None:
    """Return the figures of these references, in the order in which the generator
    receives them; None without a gold passage.

    `k`: number of requested passages; 0 without a search.
    """
    if not has_gold(gold):
        return None
    grades = [one.grade for one in gold]
    found = places(gold, references)
    rank = retrieval.reciprocal_rank(found, grades)
    ndcg, precision = (
        retrieval.ndcg(found, grades, k),
        retrieval.context_precision(found, grades),
    )
    return RetrievalFigures(
        retrieval.recall(found, grades),
        rank,
        ndcg,
        precision,
        rank > 0,
        len(references),
    )


FIRST, LAST = 0, -1


def measures() -> Iterator[Measure]:
    """The measures of references and of citations."""
    for suffix, place in (("first", FIRST), ("last", LAST)):
        yield _measure(f"reference_accuracy_{suffix}", _holds_at(place), share=True)
    yield _measure("reference_accuracy", _holds_by_iteration, share=True, by_round=True)
    yield Measure(
        "reference_gain", "higher", _gain, low=-1, high=1, subject="references"
    )
    for suffix, place in (("", LAST), ("_first", FIRST)):
        for name in MEANS:
            yield _measure(f"{name}{suffix}", _found(name, place))
        yield _measure(f"hit_rate{suffix}", _found("hit_rate", place), share=True)
    yield _measure("recall_by_iteration", _recalls, by_round=True)
    yield from _citations()


def _measure(
    name: str, rule: Rule, *, share: bool = False, by_round: bool = False
) -> Measure:
    return Measure(
        name, "higher", rule, share, 0, 1, by_round=by_round, subject="references"
    )


# ------------------------------------------------------------------ accepted answers


def _held(session: Session, item: Item) -> Sequence[MeasuredValue]:
    """Return, for each iteration, whether a reference contains an accepted answer.

    Nothing is returned if the accepted answers serve as references, because these
    contain themselves.
    """
    accepted = listed(item, "answers")
    if not accepted or _is_accepted_answer(session):
        return ()
    if session.result is None:
        return (MeasuredValue(0.0, "failed"),)
    return _holding(session, accepted)


@per_session
def _holding(session: Session, accepted: tuple[str, ...]) -> Sequence[MeasuredValue]:
    values = []
    for iteration in iterations(session):
        if iteration.references is None:
            return ()
        holds = any(
            containment.contains(text, accepted) for text in iteration.references
        )
        missing: State = "wrong" if iteration.references else "no-references"
        values.append(right_if(holds, missing))
    return tuple(values)


def _is_accepted_answer(session: Session) -> bool:
    """Return whether the given references are the accepted answers."""
    given = session.header.task.get("references")
    return isinstance(given, list) and any(
        str(each.get("id", "")).startswith(ACCEPTED_ID)
        for each in given
        if isinstance(each, dict)
    )


def _holds_at(place: int) -> Rule:
    def of(session: Session, item: Item) -> Iterator[MeasuredValue]:
        held = _held(session, item)
        if held:
            yield held[place]

    return of


def _holds_by_iteration(session: Session, item: Item) -> Iterator[MeasuredValue]:
    yield from carried(session, _held(session, item))


def _gain(session: Session, item: Item) -> Iterator[MeasuredValue]:
    """Compare the last references with the first."""
    held = _held(session, item) if session.result is not None else ()
    if held:
        gain = (held[LAST].value or 0.0) - (held[FIRST].value or 0.0)
        yield MeasuredValue(gain, "measured")


# ------------------------------------------------------------------ gold passages


def _retrieved(session: Session, item: Item) -> Sequence[RetrievalFigures]:
    """Return what each iteration found of the gold passages; nothing without gold
    passages.
    """
    gold = gold_in(item.fields)
    if not has_gold(gold):
        return ()
    return _retrieved_of(session, gold)


@per_session
def _retrieved_of(
    session: Session, gold: tuple[Gold, ...]
) -> Sequence[RetrievalFigures]:
    if session.result is None:
        return (NOTHING,)
    return tuple(
        retrieved(gold, iteration.shown, iteration.asked_for) or NOTHING
        for iteration in iterations(session)
        if iteration.references is not None
    )


def _found(name: str, place: int) -> Rule:
    """Return what the first (0) or the last references (-1) contain of the gold
    passages.
    """

    def of(session: Session, item: Item) -> Iterator[MeasuredValue]:
        found = _retrieved(session, item)
        if found:
            yield _of_gold(session, name, found[place])

    return of


def _of_gold(session: Session, name: str, figures: RetrievalFigures) -> MeasuredValue:
    value = float(getattr(figures, name))
    if session.result is None:
        return MeasuredValue(value, "failed")
    if not figures.shown:
        return MeasuredValue(value, "no-references")
    if name == "hit_rate":
        return right_if(figures.hit_rate)
    return MeasuredValue(value, "measured")


def _recalls(session: Session, item: Item) -> Iterator[MeasuredValue]:
    found = _retrieved(session, item)
    yield from carried(session, [_of_gold(session, "recall", each) for each in found])


# ------------------------------------------------------------------ citations


def _citations() -> Iterator[Measure]:
    """Return the counts of the check in the last answer.

    `uncited`: the share of sentences without a citation. `unknown`: the share of
    citations whose reference does not exist. `empty_marks`: brackets without a number.
    """
    shares = {"uncited": _uncited, "unknown": _unknown}
    for name, count in shares.items():
        yield Measure(
            name,
            "lower",
            _of_check(count),
            low=0,
            high=1,
            pooled=ratio,
            subject="verification",
        )
    marks, support = _of_check(_empty_marks), _of_check(_support)
    yield Measure("empty_marks", "lower", marks, low=0, subject="verification")
    yield Measure("support", "higher", support, low=0, high=1, subject="verification")


def _of_check(count: Callable[[Check], MeasuredValue | None]) -> Rule:
    def of(session: Session, item: Item) -> Iterator[MeasuredValue]:
        counted = facts(session)
        check = counted.check if counted is not None else None
        missing = unexamined(session)
        measured = count(check) if check is not None and missing is None else None
        if missing is not None:
            yield MeasuredValue(None, missing)
        elif measured is not None:
            yield measured

    return of


def _uncited(check: Check) -> MeasuredValue | None:
    if check.sentences:
        return share(check.uncited, len(check.sentences))
    return None


def _unknown(check: Check) -> MeasuredValue:
    cited = {number for sentence in check.sentences for number in sentence.citations}
    return share(len(check.unknown), len(cited | set(check.unknown)))


def _empty_marks(check: Check) -> MeasuredValue:
    return MeasuredValue(float(check.empty), "measured")


def _support(check: Check) -> MeasuredValue | None:
    """Return the mean over the sentences with a citation; None if there is none."""
    known = [each.support for each in check.sentences if each.support is not None]
    if known:
        return MeasuredValue(sum(known) / len(known), "measured")
    return None
