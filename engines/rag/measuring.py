"""What the measures of a question share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...sessions.events.rag import RagResult
from ...sessions.session import Session
from ..figures.common import answer_of
from ..figures.measure import MeasuredValue, State
from .plan import given_answer, setting


def rated(right: bool, missing: State = "wrong") -> MeasuredValue:
    """Right, or wrong. `missing`: why it is wrong, where something is missing."""
    return MeasuredValue(float(right), "right" if right else missing)


def ratio(counts: Sequence[float]) -> float | None:
    """The share of the first count in the second."""
    if counts[1]:
        return counts[0] / counts[1]
    return None


def share(count: int, of: int) -> MeasuredValue:
    """A share that is pooled over sessions; of nothing it is 0 and counts nothing."""
    return MeasuredValue(count / of if of else 0.0, "measured", counts=(count, of))


def carried(
    session: Session, values: Sequence[MeasuredValue]
) -> Iterator[MeasuredValue]:
    """One value an iteration, up to as many as the settings allow: the last one stands
    for those that were not needed."""
    asked_once = (
        not session.header.lineup
        or given_answer(session) is not None
        or setting(session, "revise") != "end"
    )
    limit = 1 if asked_once else setting(session, "iterations") + 1
    for place in range(max(limit, len(values)) if values else 0):
        yield values[min(place, len(values) - 1)]._replace(round=place + 1)


def unexamined(session: Session) -> State | None:
    """Why nobody could examine the answer of a session; None where somebody could."""
    result = session.result
    if isinstance(result, RagResult) and result.stopped_by == "no-references":
        return "no-references"
    return answer_of(session).missing
