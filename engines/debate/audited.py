"""How the judge of a debate is audited: both sides have spoken."""

from __future__ import annotations

from typing import Any

from ...sessions.events import Event
from ...sessions.events.debate import DebateResult, Speech
from ...sessions.events.debate import Verdict as DebateVerdict
from ...sessions.session import Session
from ..judges.flips import Verdict
from ..judges.items import AuditItem
from ..judges.seats import JudgingSeat, called, given, last
from .rounds import same


def _topic(item: AuditItem) -> dict[str, Any]:
    return {"topic": item.fields["topic"]}


def _speeches(item: AuditItem) -> list[Event]:
    answers = item.fields.get("answers") or (None, None)
    return [
        Speech(
            **given(),
            role=one["role"],
            text=one["text"],
            round=1,
            answer=answer,
        )
        for one, answer in zip(item.fields["speeches"], answers, strict=False)
    ]


def _sided(item: AuditItem, session: Session) -> Verdict:
    """Right where the right side wins."""
    verdict, result = last(session, DebateVerdict), last(session, DebateResult)
    if verdict is None or verdict.unreadable:
        return "unread"
    side = verdict.supported_side if result is None else result.supported_side
    if side in (None, "tie"):
        return "undecided"
    return called(side == item.fields["correct_side"])


def _chose(session: Session) -> bool | None:
    """Whether the side that it named has the answer; None where all sides say the same,
    or nothing.
    """
    said = {one.role: one.answer for one in session.events if isinstance(one, Speech)}
    answers = [one for one in said.values() if one is not None]
    result = session.result
    if all(same(answers[0], one) for one in answers[1:]):
        return None
    return isinstance(result, DebateResult) and result.side_by == "judge"


def _planted(item: AuditItem, good: bool) -> dict[str, Any]:
    negative = item.fields["correct_side"] == "affirmative"
    side = "negative" if negative else "affirmative"
    return {"preference": True, "supported_side": side}


SEATS = {
    "judge": JudgingSeat(
        "judge",
        "debate",
        "topics",
        _topic,
        _sided,
        _planted,
        {"rounds": 1},
        ("human",),
        _speeches,
        chose=_chose,
        certifies="side",
    )
}
