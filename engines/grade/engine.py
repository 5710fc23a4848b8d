"""Grades candidates, one event at a time."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from ...sessions.errors import BadInput
from ...sessions.events import Event
from ...sessions.events.grade import Grade
from ...sessions.events.relevance import Score
from ...sessions.session import Session
from ...texts import english
from ..cases.rating import concluded
from ..model_request import ModelRequest, RequestOutcome, as_asked, ask
from ..models.panels import Ballot
from ..models.port import Message, ModelError, ModelReply, Models, Part
from ..models.replies import made_by
from ..reading import Unread
from ..reading.ownership import texts_in
from .grading import GradeReading, read_grade
from .messages import SCHEMA, again, wish
from .plan import GradeState, GradeStep


class GradeEngine:
    """Keeps nothing between two calls: everything is read from the session."""

    def __init__(self, focus: Callable[[], str | None] | None = None) -> None:
        """`focus`: the candidate that goes first, if any."""
        self._focus = focus or (lambda: None)

    def finished(self, session: Session) -> bool:
        return self.upcoming(session) is None

    def asks(self, session: Session) -> bool:
        step = self.upcoming(session)
        return step is not None and step.role != ""

    def upcoming(self, session: Session) -> GradeStep | None:
        """The next step, of the candidate in focus if there is one."""
        return GradeState(session).upcoming(self._focus())

    async def advance(
        self, session: Session, models: Models
    ) -> AsyncGenerator[Part | Event, None]:
        """Yields what streams in, then the next event; nothing if all candidates are
        graded. Raises: ModelError, also for a faulty template.
        """
        fold = GradeState(session)
        step = fold.upcoming(self._focus())
        if step is None:
            return
        if step.candidate is None:
            yield concluded(fold.in_order(), fold.rated(session))
            return
        if step.what == "score":
            yield Score(
                candidate=step.candidate, value=fold.grades[step.candidate].value
            )
            return
        try:
            request = _request(session, step.candidate)
        except BadInput as error:  # a template of a session from elsewhere
            raise ModelError("internal", english(error), role=step.role) from None
        async with aclosing(ask(models, request)) as parts:
            async for part in parts:
                yield part.value if isinstance(part, RequestOutcome) else part


def asked(session: Session, number: int) -> list[Message] | None:
    """The exact messages that event `number` answered; None if it answered none.

    Raises: BadInput.
    """
    event = session.events[number - 1]
    if not isinstance(event, Grade):
        return None
    thread = wish(session.prefix(number - 1), event.candidate).messages
    return as_asked([thread], session, event)


def _request(session: Session, candidate: str) -> ModelRequest[Grade]:
    wanted = wish(session, candidate)
    sent = texts_in(wanted.task)

    def read(replies: list[ModelReply]) -> tuple[Grade, str | None]:
        value = _read(replies[-1])
        made = Grade(
            **made_by("grader", replies), candidate=candidate, left_out=wanted.left_out
        )
        if isinstance(value, Unread):
            return made, value.reason
        made.value, made.reason, made.read = value
        return made, None

    def once_more(thread: list[Message], reply: str, why: str) -> list[Message]:
        return again(session, thread, reply, why)

    def _read(reply: ModelReply) -> GradeReading | Unread:
        return read_grade(reply.text, reply.structured, sent)

    holds = lambda reply: not isinstance(_read(reply), Unread)  # noqa: E731
    return ModelRequest(
        "grader",
        wanted.task,
        wanted.messages,
        SCHEMA,
        read,
        once_more,
        holds,
        _BALLOT,
        session.header.prompts.templates,
        sent,
    )


_BALLOT = Ballot[Grade](
    {"reason": "text", "grade": "level"},
    lambda one: (
        {"reason": one.reason, "grade": one.value} if one.read != "unread" else {}
    ),
)
