"""Runs a debate, one event at a time."""

from __future__ import annotations

from typing import Any, Literal, get_args

import msgspec

from ...sessions.events import Event, Usage
from ...sessions.events.debate import (
    Baseline,
    Candidates,
    DebateResult,
    Resample,
    ResampleSummary,
    Speech,
    Stance,
    Verdict,
)
from ...sessions.session import Session
from ..engine import Made, MethodEngine
from ..model_request import ModelRequest
from ..models.panels import Ballot, How
from ..models.port import ModelReply
from ..models.replies import made_by
from ..reading import Unread
from . import verdicts
from .messages import again, messages, schema, sent, task
from .plan import (
    DebateStep,
    What,
    adaptive_round,
    asked_again,
    breaks,
    debaters,
    defended,
    setting,
    upcoming,
    verdict_of,
)
from .rounds import closing, disagreement, same, single_line


def result(session: Session) -> DebateResult:
    """Return the result after the last round, with how far the debaters disagreed and
    how consistent the judge was.
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
    """Return the winner. The answer is that of the deciding verdict; without one, the
    debate is undecided.

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
    """Return how many of the judge's decisions equal the one that counts, including
    itself; None if the judge decided once.
    """
    again = [event for event in session.events if isinstance(event, Resample)]
    if not again or decision is None:
        return None
    answer, side = decision.answer or None, decision.supported_side
    read = [event for event in again if not event.unreadable]
    same_answer = sum(
        (event.answer or None) == answer
        or bool(answer and event.answer and same(answer, event.answer))
        for event in read
    )
    unread = len(again) - len(read) + decision.unreadable
    return ResampleSummary(
        asked=1 + len(again),
        same_answer=1 + same_answer,
        same_side=1 + sum(event.supported_side == side for event in read),
        unread=unread,
    )


def _side(
    session: Session, verdict: Verdict
) -> tuple[str | None, Literal["judge", "match"] | None]:
    """Return the side that the result supports: the one that the judge names, else the
    one whose last answer it is.
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


def _request(session: Session, step: DebateStep) -> Made:
    """Return the request of a step, or the answer that the user gave."""
    if not step.role:
        return _given(defended(session) or "")
    return ModelRequest(
        step.role,
        task(session, step),
        messages(session, step),
        schema(session, step),
        lambda replies: _event(session, step, replies),
        lambda before, reply, _: again(session, step, before, reply),
        ballot=_BALLOTS.get(asked_again(session, step).what),
        templates=session.header.prompts.templates,
        sent=sent(session, step),
    )


def _given(text: str) -> Baseline:
    """Return the event with the user's answer, which the first debater defends."""
    return Baseline(
        role="baseline",
        model="given",
        text=text,
        answer=closing(text) or text,
        read="literal",
        usage=Usage(input=0, output=0),
        cost=0.0,
        attempts=0,
    )


def _verdict_values(event: Event) -> dict[str, object]:
    """Return the values of the judge's decision that a panel votes on.

    A decision without a side or an answer does not vote on it.
    """
    if not isinstance(event, Verdict | Resample) or event.read == "unread":
        return {}
    preference = (
        event.preference if isinstance(event, Verdict) else event.answer is not None
    )  # a sample keeps no answer without one
    return {
        "reason": event.reason,
        "preference": preference,
        "supported_side": event.supported_side or "none",
        "answer": event.answer or "",
    }


def _stance_values(event: Event) -> dict[str, object]:
    if isinstance(event, Stance) and event.value is not None:
        return {"disagreement": event.value}
    return {}


def _listed_values(event: Event) -> dict[str, object]:
    if isinstance(event, Candidates) and event.items:
        return {"candidates": event.items}
    return {}


_ANSWER: dict[str, How] = {"reason": "text", "answer": "answer"}
_CHOICE: dict[str, How] = {
    "reason": "text",
    "supported_side": "choice",
    "answer": "answer",
}
_VERDICT: dict[str, How] = {
    "reason": "text",
    "preference": "choice",
    "supported_side": "choice",
    "answer": "answer",
}
_BALLOTS: dict[str, Ballot[Event]] = {
    "verdict": Ballot(_VERDICT, _verdict_values, same),
    "extraction": Ballot(_CHOICE, _verdict_values, same),
    "blind": Ballot(_ANSWER, _verdict_values, same),
    "stance": Ballot({"disagreement": "number"}, _stance_values),
    "candidates": Ballot({"candidates": "items"}, _listed_values),
}
"""What a panel on the judge's or the observer's seat votes on, by what is asked."""


def _event(
    session: Session, step: DebateStep, replies: list[ModelReply]
) -> tuple[Event, str | None]:
    """Return the event of a step, and why the last reply cannot be read (None if it
    can).
    """
    made = made_by(step.role, replies)
    text, structured = replies[-1].text, replies[-1].structured
    sides, shown = debaters(session), sent(session, step)
    if step.what == "baseline":
        translation = session.header.task.get("kind") == "translation"
        answer = closing(text) or (single_line(text) if translation else None)
        return Baseline(
            **made, answer=answer, read="sliced" if answer else "unread"
        ), None
    if step.what == "speech":
        return Speech(**made, round=step.round, answer=closing(text)), None
    if step.what == "stance":
        rated = verdicts.rating(text, structured=structured, sent=shown)
        if isinstance(rated, Unread):
            return Stance(**made, round=step.round), rated.reason
        return Stance(
            **made,
            round=step.round,
            value=rated[0],
            read=rated[1],
        ), None
    if step.what == "candidates":
        listed = verdicts.candidates(text, structured=structured, sent=shown)
        if isinstance(listed, Unread):
            return Candidates(**made, round=step.round), listed.reason
        return Candidates(
            **made, round=step.round, items=listed[0], read=listed[1]
        ), None
    discriminative = asked_again(session, step).what == "verdict"
    read = verdicts.discriminative if discriminative else verdicts.extractive
    judged = read(text, sides, structured=structured, sent=shown)
    if step.what == "resample":
        return _resample(made, step, judged)
    return _verdict(made, step, judged)


def _verdict(
    made: dict[str, Any], step: DebateStep, judged: verdicts.VerdictReading | Unread
) -> tuple[Event, str | None]:
    mode: Literal["discriminative", "extractive"] = (
        "discriminative" if step.what == "verdict" else "extractive"
    )
    if isinstance(judged, Unread):
        return Verdict(**made, round=step.round, mode=mode), judged.reason
    return Verdict(
        **made, round=step.round, mode=mode, **msgspec.structs.asdict(judged)
    ), None


def _resample(
    made: dict[str, Any], step: DebateStep, judged: verdicts.VerdictReading | Unread
) -> tuple[Event, str | None]:
    if isinstance(judged, Unread):
        return Resample(**made, round=step.round, sample=step.sample), judged.reason
    answer = None if judged.preference is False else judged.answer
    resample = Resample(
        **made,
        round=step.round,
        sample=step.sample,
        supported_side=judged.supported_side,
        reason=judged.reason,
        answer=answer,
        read=judged.read,
    )
    return resample, None


DEBATE_ENGINE = MethodEngine(
    upcoming,
    {
        **dict.fromkeys(get_args(What), _request),
        "result": lambda session, step: result(session),
    },
)
"""The engine of Multi-Agent Debate (Liang et al. 2023, section 2)."""
