"""One model answers alone, one event at a time."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

from ...sessions.errors import BadInput
from ...sessions.events import Event
from ...sessions.events.solo import Analysis, Attempt, Estimate, Review
from ...sessions.session import Session
from ...texts import english
from ..model_request import ModelRequest, RequestOutcome, as_asked, ask
from ..models.port import Message, ModelError, ModelReply, Models, Part
from ..models.replies import made_by
from ..reading import Unread
from ..reading.ownership import texts_in
from . import messages
from .command import by_nobody
from .plan import SoloStep, rated_alike, upcoming
from .replies import answer_in, read_rating, read_review
from .result import result
from .state import setting, stated


class SoloEngine:
    """Keeps nothing between two calls: everything is read from the session."""

    def __init__(
        self, rated_by: Callable[[Session], Awaitable[Estimate]] = by_nobody
    ) -> None:
        """`rated_by`: the user's own command, which rates the translations of a session
        that wants a command for that.
        """
        self._rated_by = rated_by

    def finished(self, session: Session) -> bool:
        return upcoming(session) is None

    def asks(self, session: Session) -> bool:
        step = upcoming(session)
        return step is not None and (step.role != "" or step.what == "estimate")

    async def advance(
        self, session: Session, models: Models
    ) -> AsyncGenerator[Part | Event, None]:
        """Yields what streams in and then the next event; nothing if the session is
        finished.

        Raises: ModelError, also for a faulty template or a command that fails.
        """
        step = upcoming(session)
        if step is None:
            return
        if step.what == "result":
            yield result(session)
            return
        if step.role == "":
            yield await self._rated_by(session)
            return
        try:
            request = _REQUESTS[step.what](session, step)
        except BadInput as error:  # a template of a session from elsewhere
            raise ModelError("internal", english(error), role=step.role) from None
        async with aclosing(ask(models, request)) as parts:
            async for part in parts:
                yield part.value if isinstance(part, RequestOutcome) else part


def asked(session: Session, number: int) -> list[Message] | None:
    """The exact messages that event `number` answered; None if it answered none (a
    change, a note, the result, what a command said).
    """
    event = session.events[number - 1]
    thread = _thread(session.prefix(number - 1), event)
    if thread is None:
        return None
    return as_asked([thread], session, event)


def _thread(before: Session, event: Event) -> list[Message] | None:
    match event:
        case Attempt():
            return messages.attempt_thread(before, event.based_on)
        case Review():
            return messages.review_thread(before)
        case Analysis():
            return messages.analysis_thread(before, event.about)
        case Estimate(role=role, iterations=[first, *_]) if role:
            return messages.rating_thread(before, stated(before, first) or "")
    return None


def _attempt(session: Session, step: SoloStep) -> ModelRequest[Any]:
    translation, strategy = (
        session.header.task.get("kind") == "translation",
        setting(session, "strategy"),
    )

    def read(replies: list[ModelReply]) -> tuple[Attempt, str | None]:
        answer = answer_in(replies[-1].text, translation, strategy)
        made = Attempt(
            **made_by(step.role, replies),
            iteration=step.iteration,
            based_on=step.about,
            answer=answer,
            read="unread" if answer is None else "sliced",
        )
        return made, "it states no answer" if answer is None else None

    return ModelRequest(
        step.role,
        messages.solve(session, step.iteration, step.about),
        messages.attempt_thread(session, step.about),
        None,
        read,
        lambda thread, reply, _: messages.again(session, thread, reply, "again"),
        lambda reply: answer_in(reply.text, translation, strategy) is not None,
    )


def _review(session: Session, step: SoloStep) -> ModelRequest[Any]:
    task = messages.reflect(session)

    def value(reply: ModelReply) -> Any:
        return read_review(reply.text, reply.structured, texts_in(task))

    def read(replies: list[ModelReply]) -> tuple[Review, str | None]:
        made, found = (
            Review(**made_by(step.role, replies), iteration=step.iteration),
            value(replies[-1]),
        )
        if isinstance(found, Unread):
            return made, found.reason
        made.satisfied, made.reason, made.read = found
        return made, None

    return _object(
        session,
        step,
        task,
        messages.review_thread(session),
        messages.REVIEW_SCHEMA,
        read,
        value,
        "again_review",
    )


def _estimate(session: Session, step: SoloStep) -> ModelRequest[Any]:
    translation, alike = (
        stated(session, step.iteration) or "",
        rated_alike(session, step.iteration),
    )
    task = messages.rate(session, translation)

    def value(reply: ModelReply) -> Any:
        return read_rating(reply.text, reply.structured, texts_in(task))

    def read(replies: list[ModelReply]) -> tuple[Estimate, str | None]:
        made = Estimate(
            **made_by(step.role, replies), iterations=alike, values=[None] * len(alike)
        )
        found = value(replies[-1])
        if isinstance(found, Unread):
            return made, found.reason
        score, made.reason, made.read = found
        made.values = [score] * len(alike)
        return made, None

    thread = messages.rating_thread(session, translation)
    return _object(
        session, step, task, thread, messages.RATING_SCHEMA, read, value, "again_rating"
    )


def _object(
    session: Session,
    step: SoloStep,
    task: Any,
    thread: list[Message],
    schema: dict[str, Any],
    read: Callable[[list[ModelReply]], tuple[Any, str | None]],
    value: Callable[[ModelReply], Any],
    template: str,
) -> ModelRequest[Any]:
    return ModelRequest(
        step.role,
        task,
        thread,
        schema,
        read,
        lambda before, reply, _: messages.again(session, before, reply, template),
        lambda reply: not isinstance(value(reply), Unread),
        templates=session.header.prompts.templates,
        sent=texts_in(task),
    )


def _analysis(session: Session, step: SoloStep) -> ModelRequest[Any]:
    about = step.about
    assert about is not None
    return ModelRequest(
        step.role,
        messages.analyse(session, about),
        messages.analysis_thread(session, about),
        None,
        lambda replies: (Analysis(**made_by(step.role, replies), about=about), None),
        lambda thread, reply, _: thread,
        lambda reply: True,
    )


_REQUESTS: dict[str, Callable[[Session, SoloStep], ModelRequest[Any]]] = {
    "attempt": _attempt,
    "review": _review,
    "analysis": _analysis,
    "estimate": _estimate,
}
