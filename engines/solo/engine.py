"""One model answers alone, one event at a time."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from ...sessions.errors import BadInput
from ...sessions.events import Event
from ...sessions.events.solo import Attempt, SoloResult
from ...sessions.session import Session
from ...texts import english
from ..metrics import stated
from ..model_request import Answered, Request, ask
from ..models.port import Message, ModelError, Models, Part, Reply
from ..models.replies import made_by
from .messages import again, messages, task
from .plan import Step, attempts, setting, upcoming


class SoloEngine:
    """Keeps nothing between two calls: everything is read from the session."""

    def finished(self, session: Session) -> bool:
        return upcoming(session) is None

    def asks(self, session: Session) -> bool:
        step = upcoming(session)
        return step is not None and step.role != ""

    async def advance(self, session: Session, models: Models) -> AsyncGenerator[Part | Event, None]:
        """Yields what streams in and then the next event; nothing if the session is finished.

        Raises ModelError, also for a faulty template.
        """
        step = upcoming(session)
        if step is None:
            return
        if step.what == "result":
            tries = attempts(session)
            yield SoloResult(answer=tries[-1].answer, attempts=len(tries), decided_by="single")
            return
        try:
            thread = messages(session)
        except BadInput as error:  # a template of a session from elsewhere
            raise ModelError("internal", english(error)) from None
        request = Request(
            step.role,
            task(session),
            thread,
            None,
            lambda replies: _attempt(session, step, replies),
            lambda before, reply, _: again(session, before, reply),
        )
        async with aclosing(ask(models, request)) as parts:
            async for part in parts:
                yield part.value if isinstance(part, Answered) else part


def asked(session: Session, number: int) -> list[Message] | None:
    """The exact messages that event `number` answered; None if it answered none (a change, a note, the result)."""
    return messages(session.prefix(number - 1)) if isinstance(session.events[number - 1], Attempt) else None


def _attempt(session: Session, step: Step, replies: list[Reply]) -> tuple[Event, str | None]:
    """The attempt that the last reply makes, and why no answer could be read, if so."""
    answer = answer_in(replies[-1].text, session.header.task.get("kind") == "translation", setting(session, "strategy"))
    attempt = Attempt(**made_by(step.role, replies), iteration=step.iteration, answer=answer, read="unread" if answer is None else "sliced")
    return attempt, "it states no answer" if answer is None else None


def answer_in(text: str, translation: bool, strategy: str) -> str | None:
    """The answer that a reply states; None if it states none.

    With `direct` a reply of one line, or a translation of any length, is the answer itself where no answer is announced.
    """
    announced = stated.closing(text)
    if announced is not None or strategy != "direct":
        return announced
    return text.strip() or None if translation else stated.single_line(text)
