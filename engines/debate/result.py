"""The result of a debate, computed from its events."""

from __future__ import annotations

from typing import Literal

from ...sessions.events.debate import (
    DebateResult,
    Resample,
    ResampleSummary,
    Speech,
    Verdict,
)
from ...sessions.session import Session
from .answers import same
from .disagreement import disagreement
from .plan import adaptive_round, breaks, debaters, setting, verdict_of


def result(session: Session) -> DebateResult:
    """The result after the last round, with how far the debaters disagreed and how
    steady the judge was.
    """
    made = decided(session)
    if setting(session, "stop") == "forced":
        made.adaptive_round = adaptive_round(session)
    if len(debaters(session)) > 1:
        made.disagreement = disagreement(session)
    decision = verdict_of(session, made.rounds, "extractive")
    decision = decision or verdict_of(session, made.rounds, "discriminative")
    made.resampled = _resampled(session, decision)
    return made


def decided(session: Session) -> DebateResult:
    """Who won.

    The answer is that of the deciding verdict; without one, the debate is undecided.

    The extractive verdict decides if there is one. If it leaves the answer open after
    an early end (`extract: always`), the verdict that ended the debate decides.
    """
    last = max(
        (event.round for event in session.events if isinstance(event, Speech)),
        default=0,
    )
    forced = setting(session, "stop") == "forced"
    broke = verdict_of(session, last, "discriminative")
    chosen = verdict_of(session, last, "extractive")
    deciding: Verdict | None = None
    if chosen is not None and chosen.answer:
        deciding = chosen
    elif broke is not None and breaks(broke) and not forced:
        deciding = broke
    who, by = _side(session, deciding) if deciding else (None, None)
    return DebateResult(
        answer=deciding.answer if deciding else None,
        decided_by=deciding.mode if deciding else "undecided",
        supported_side=who,
        side_by=by,
        rounds=last,
    )


def _resampled(session: Session, decision: Verdict | None) -> ResampleSummary | None:
    """How many of the judge's decisions are the one that counts, itself among them;
    None where it was asked once.
    """
    again = [event for event in session.events if isinstance(event, Resample)]
    if not again or decision is None:
        return None
    answer, side = decision.answer or None, decision.supported_side
    read = [event for event in again if event.read != "unread"]
    same_answer = sum(
        (event.answer or None) == answer
        or bool(answer and event.answer and same(answer, event.answer))
        for event in read
    )
    unread = len(again) - len(read) + (decision.read == "unread")
    return ResampleSummary(
        asked=1 + len(again),
        same_answer=1 + same_answer,
        same_side=1 + sum(event.supported_side == side for event in read),
        unread=unread,
    )


def _side(
    session: Session, verdict: Verdict
) -> tuple[str | None, Literal["judge", "match"] | None]:
    """The side that the result supports: the one that the judge names, else the one
    whose last answer it is.
    """
    if verdict.supported_side is not None:
        return verdict.supported_side, "judge"
    answers: dict[str, str | None] = dict.fromkeys(debaters(session))
    if not answers:
        return None, None
    for event in session.events:
        if isinstance(event, Speech):
            answers[event.role] = event.answer
    equal = [
        role
        for role, answer in answers.items()
        if answer is not None and same(answer, verdict.answer or "")
    ]
    if len(equal) == 1:
        return equal[0], "match"
    if equal or None not in answers.values():
        return "tie", "match"
    return None, None
