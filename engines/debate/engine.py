"""Makes a debate, one event at a time."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Literal

import msgspec

from ...sessions.errors import BadInput
from ...sessions.events import Event, Usage
from ...sessions.events.debate import (
    Baseline,
    Candidates,
    Resample,
    Speech,
    Stance,
    Verdict,
)
from ...sessions.session import Session
from ...texts import english
from ..model_request import ModelRequest, RequestOutcome, as_asked, ask
from ..models.panels import Ballot, How
from ..models.port import Message, ModelError, ModelReply, Models, Part
from ..models.replies import made_by
from ..reading import Unread
from . import verdicts
from .answers import closing, same, single_line
from .messages import again, messages, schema, sent, task
from .plan import DebateStep, asked_again, debaters, defended, upcoming
from .result import result


class DebateEngine:
    """Multi-Agent Debate (Liang et al. 2023, section 2).

    It keeps no state: everything comes from the session.
    """

    def finished(self, session: Session) -> bool:
        return upcoming(session) is None

    def asks(self, session: Session) -> bool:
        step = upcoming(session)
        return step is not None and step.role != ""

    async def advance(
        self, session: Session, models: Models
    ) -> AsyncGenerator[Part | Event, None]:
        """Yields what streams in, then the next event; nothing if the debate is
        finished.

        Raises: ModelError, also for a faulty template.
        """
        step = upcoming(session)
        if step is None:
            return
        if step.what == "result":
            yield result(session)
            return
        if step.what == "baseline" and not step.role:
            yield _given(defended(session) or "")
            return
        try:
            thread = messages(session, step)
        except BadInput as error:  # a template of a session from elsewhere
            raise ModelError("internal", english(error)) from None
        request = ModelRequest(
            step.role,
            task(session, step),
            thread,
            schema(session, step),
            lambda replies: _event(session, step, replies),
            lambda before, reply, _: again(session, step, before, reply),
            ballot=_BALLOTS.get(asked_again(session, step).what),
            templates=session.header.prompts.templates,
            sent=sent(session, step),
        )
        async with aclosing(ask(models, request)) as parts:
            async for part in parts:
                yield part.value if isinstance(part, RequestOutcome) else part


def asked(session: Session, number: int) -> list[Message] | None:
    """The exact messages that event `number` answered; None if it answered none (a
    change, a note, a result).
    """
    step = upcoming(session.prefix(number - 1))
    event = session.events[number - 1]
    if step is None or not step.role or getattr(event, "role", None) != step.role:
        return None
    thread = messages(session.prefix(number - 1), step)
    return as_asked([thread], session, event)


def _given(text: str) -> Baseline:
    """The event with the user's answer, which the first debater defends."""
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


def _verdict_values(made: Event) -> dict[str, Any]:
    """What is voted on in a decision of the judge.

    Where it names no side or no answer, it votes for none.
    """
    if not isinstance(made, Verdict | Resample) or made.read == "unread":
        return {}
    preference = (
        made.preference if isinstance(made, Verdict) else made.answer is not None
    )  # a sample keeps no answer without one
    return {
        "reason": made.reason,
        "preference": preference,
        "supported_side": made.supported_side or "none",
        "answer": made.answer or "",
    }


def _stance_values(made: Event) -> dict[str, Any]:
    if isinstance(made, Stance) and made.value is not None:
        return {"disagreement": made.value}
    return {}


def _listed_values(made: Event) -> dict[str, Any]:
    if isinstance(made, Candidates) and made.items:
        return {"candidates": made.items}
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
    """The event of a step, and why the last reply cannot be read (None if it can)."""
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
        return Stance(**made, round=step.round, value=rated[0], read=rated[1]), None
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
