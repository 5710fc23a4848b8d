"""Measures of one question: its first, last and every answer, and how it ended.

`reference_measures` has the measures of references, `verification_measures` those of
verifications. The final answer is measured as in any method. By iteration, a session
that stopped early keeps its values; otherwise the later figures would cover hard
questions only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import get_args

from ...sessions.events.rag import RagResult
from ...sessions.session import Session
from ..figures.common import SessionAnswer, answer_of, category_shares, rightness
from ..figures.measure import Item, Measure, MeasuredValue, Rule, right_if
from ..metrics import containment
from . import reference_measures, verification_measures
from .facts import STAGES, carried, facts, iterations, stage_seconds
from .plan import Stopped, given_answer

STOPPED_BY = get_args(Stopped)
TALLIED = (
    *(f"stopped_by_{name.replace('-', '_')}" for name in STOPPED_BY),
    *(f"judged_{name}" for name in verification_measures.JUDGEMENTS),
    *(f"clause_{name}" for name in verification_measures.CLAUSES),
)
"""Measures that the text of a report does not show: tallies say the same, or nobody
asks."""
UNITS = ("words", "characters")


def measures() -> dict[str, Measure]:
    """Return all measures of a question by name."""
    listed = (
        Measure("accuracy_first", "higher", _answer_at(0), True, 0, 1),
        Measure("accuracy_last", "higher", _answer_at(-1), True, 0, 1),
        Measure(
            "accuracy_by_iteration", "higher", _accuracies, True, 0, 1, by_round=True
        ),
        *reference_measures.measures(),
        *verification_measures.measures(),
        *(
            Measure(
                f"seconds_{stage}",
                "lower",
                _seconds(stage),
                low=0,
                subject="price",
                paid=True,
            )
            for stage in STAGES
        ),
        Measure("iterations", "neither", _iterations, low=0, subject="process"),
        *category_shares("stopped_by", STOPPED_BY, _stopped_by),
        *(
            Measure(
                f"length_{unit}", "neither", _length(unit), low=0, subject="process"
            )
            for unit in UNITS
        ),
    )
    return {measure.name: measure for measure in listed}


def tallies(session: Session) -> dict[str, Mapping[str, int]]:
    """Return how the session ended, and the verdicts on its answers and their
    claims.
    """
    counted = facts(session)
    stopped_by = _stopped_by(session)
    if counted is None or stopped_by is None:
        return {}
    families: dict[str, Mapping[str, int]] = {
        "stopped_by": {stopped_by: 1},
        "judgements": Counter(counted.judgements),
    }
    if counted.claimed is not None:
        families["claims"] = counted.claimed.verdicts
    return families


def _seconds(stage: str) -> Rule:
    """Return the seconds of a stage in a finished session; nothing if the stage did not
    happen.
    """

    def of(session: Session, item: Item) -> Iterator[MeasuredValue]:
        took = stage_seconds(session).get(stage)
        if took is not None and session.result is not None:
            yield MeasuredValue(took, "measured")

    return of


def _answer_at(place: int) -> Rule:
    """Return whether the first (0) or the last answer (-1) is right. A missing answer
    is not.
    """

    def of(session: Session, item: Item) -> Iterator[MeasuredValue]:
        is_right = rightness(item)
        if is_right is not None:
            answer = _given(session, place)
            if answer.text is None:
                yield MeasuredValue(0.0, answer.missing or "undecided")
            else:
                yield right_if(is_right(answer.text))

    return of


def _given(session: Session, place: int) -> SessionAnswer:
    """Return the first or the last answer of the session, whichever iteration
    was kept.
    """
    ended_with = answer_of(session)
    if given_answer(session) is not None or session.result is None:
        return ended_with
    texts = [each.answer for each in iterations(session) if each.answer is not None]
    if not texts:
        return ended_with
    if texts[place].strip():
        return SessionAnswer(texts[place])
    return SessionAnswer(None, "empty")


def _accuracies(session: Session, item: Item) -> Iterator[MeasuredValue]:
    is_right = rightness(item)
    if is_right is None:
        return
    values = [
        MeasuredValue(0.0, answer.missing or "undecided")
        if answer.text is None
        else right_if(is_right(answer.text))
        for answer in _by_iteration(session)
    ]
    yield from carried(session, values)


def _by_iteration(session: Session) -> list[SessionAnswer]:
    """Return the answer of each iteration; if none was generated, the only answer."""
    if given_answer(session) is not None or not isinstance(session.result, RagResult):
        return [answer_of(session)]
    return [
        SessionAnswer(each.answer, "no-references" if each.answer is None else None)
        for each in iterations(session)
    ]


def _iterations(session: Session, item: Item) -> Iterator[MeasuredValue]:
    if isinstance(session.result, RagResult):
        yield MeasuredValue(float(session.result.iterations), "measured")


def _stopped_by(session: Session) -> str | None:
    result = session.result
    if isinstance(result, RagResult):
        return result.stopped_by
    return None


def _length(unit: str) -> Rule:
    """Return the length of the answer; nothing if it is counted in another unit."""

    def of(session: Session, item: Item) -> Iterator[MeasuredValue]:
        answer = answer_of(session)
        if answer.text is None:
            yield MeasuredValue(None, answer.missing or "undecided")
            return
        length = containment.length(answer.text)
        if length.unit == unit:
            yield MeasuredValue(float(length.size), "measured")

    return of
