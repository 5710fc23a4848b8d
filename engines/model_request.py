"""Sends a request to the model of a role, and again if the reply cannot be read: the
same for every method, for one model and for a panel.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from ..prompts import render
from ..sessions.errors import BadInput
from ..sessions.events import Event, ReplyEvent
from ..sessions.session import Seat, Session
from ..texts import english
from .models.panels import Ballot, MemberReply, tasks_of, together
from .models.port import (
    Delta,
    Message,
    ModelError,
    ModelRemark,
    ModelReply,
    Models,
    Part,
)
from .reading import Unread
from .reading.fields import Doubt
from .reading.marks import KEY, follows, own_part
from .reading.ownership import texts_in
from .thread import again

TEMPLATE = "mark"
"""Key of the template that asks for the mark; prompts of older sessions lack it."""

T = TypeVar("T")
V = TypeVar("V")


class RequestOutcome(NamedTuple, Generic[T]):
    """All replies, of which the last one counts, and the value read from it."""

    replies: list[ModelReply]
    value: T


class ModelRequest(NamedTuple, Generic[T]):
    """A request to a role, and the reader of its reply."""

    role: str
    task: Any
    thread: list[Message]
    schema: dict[str, Any] | None
    read: Callable[[list[ModelReply]], tuple[T, str | None]]
    """Reads the value of the replies so far, and the reason if the last one cannot be
    read (else None).
    """
    again: Callable[[list[Message], str, str], list[Message]]
    """The messages for another attempt, from the messages, the reply and the reason.

    Raises: BadInput for a template error.
    """
    holds: Callable[[ModelReply], bool] | None = None
    """Whether the reply may be cached for equal requests."""
    ballot: Ballot[T] | None = None
    """The fields that a panel votes on; None: only a single model can be used."""
    templates: Mapping[str, Any] = {}
    """The prompts of the session. If they have a template for the mark, the reply must
    carry one.
    """
    sent: Sequence[str] = ()
    """Texts by others in the messages."""


def read_request(
    session: Session,
    role: str,
    task: object,
    thread: list[Message],
    schema: dict[str, Any] | None,
    value: Callable[[ModelReply], V],
    event: Callable[[list[ModelReply], V], T],
    ballot: Ballot[T] | None = None,
) -> ModelRequest[T]:
    """A request whose last reply counts.

    `value` reads it and returns `Unread` if that fails; `event` is built from all
    replies and the value. The template `again` asks for another attempt.
    """

    def read(replies: list[ModelReply]) -> tuple[T, str | None]:
        found = value(replies[-1])
        why = found.reason if isinstance(found, Unread) else None
        return event(replies, found), why

    return ModelRequest(
        role,
        task,
        thread,
        schema,
        read,
        lambda before, reply, why: again(session, before, reply, reason=why),
        lambda reply: not isinstance(value(reply), Unread),
        ballot,
        session.header.prompts.templates,
        texts_in(task),
    )


async def ask(
    models: Models, request: ModelRequest[T]
) -> AsyncGenerator[Part | RequestOutcome[T], None]:
    """Yields streamed parts, and finally the outcome. Raises: ModelError."""
    panel = None if request.ballot is None else models.panel(request.role)
    asking = (
        _ask_one(models, request)
        if panel is None or request.ballot is None
        else _ask_all(models, request, panel, request.ballot)
    )
    async with aclosing(asking) as parts:
        async for part in parts:
            yield part


async def _ask_one(
    models: Models, request: ModelRequest[T], kept: list[ModelReply] | None = None
) -> AsyncGenerator[Part | RequestOutcome[T], None]:
    """`kept`: receives the replies, including those before a failure."""
    request = _marked(models, request)
    thread = request.thread
    replies: list[ModelReply] = [] if kept is None else kept
    while True:
        async with aclosing(
            models.ask(
                request.role, request.task, thread, request.schema, request.holds
            )
        ) as parts:
            async for part in parts:
                if isinstance(part, ModelReply):
                    replies.append(part)
                else:
                    yield part
        value, unread = request.read(replies)
        if unread is None or len(replies) > 1:
            yield RequestOutcome(replies, value)
            return
        yield ModelRemark(
            request.role,
            "again",
            f"The reply cannot be read ({unread}); asking once more.",
            replies[-1].model,
        )
        try:
            thread = request.again(thread, replies[0].text, unread)
        except BadInput as error:  # a template of a session from elsewhere
            raise ModelError("internal", english(error), role=request.role) from None


def _marked(models: Models, request: ModelRequest[T]) -> ModelRequest[T]:
    """The request with a demand for a mark, and a reader of marked replies. Unchanged
    if no object is requested, if the prompts are older, and for built-ins and people,
    who quote nobody.

    Raises: ModelError for a template error.
    """
    if request.schema is None or TEMPLATE not in request.templates:
        return request
    mark = models.reply_mark(request.role, request.task, request.thread)
    if mark is None:
        return request
    try:
        marking = ReplyMarking(request, mark)
    except BadInput as error:  # a template of a session from elsewhere
        raise ModelError("internal", english(error), role=request.role) from None
    return request._replace(
        thread=marking.asked(request.thread),
        schema=marking.schema,
        read=marking.read,
        again=lambda *before: marking.asked(request.again(*before)),
        holds=None if request.holds is None else marking.holds,
    )


class ReplyMarking(Generic[T]):
    """Asks for a mark in the replies to one request, and reads marked replies."""

    def __init__(self, request: ModelRequest[T], mark: str) -> None:
        """Raises: BadInput for a template error."""
        self._request, self._mark = request, mark
        self._text = mark_text(request.templates, mark)
        self.schema = _with_mark(request.schema or {})

    def asked(self, thread: list[Message]) -> list[Message]:
        """The messages, with the demand for the mark in the last one."""
        return with_mark(thread, self._text)

    def read(self, replies: list[ModelReply]) -> tuple[T, str | None]:
        """See `ModelRequest.read`. The result has the original replies."""
        came: dict[str, str] = {}
        shown: list[ModelReply] = []
        doubt = None
        for reply in replies:
            self._note(reply)
            own, doubt = self._own(reply)
            came[own.text] = reply.text
            shown.append(own)
        value, unread = self._request.read(shown)
        if isinstance(value, ReplyEvent):
            value.text = came.get(value.text, value.text)
        return value, unread if doubt is None or unread is None else doubt

    def holds(self, reply: ModelReply) -> bool:
        """See `ModelRequest.holds`."""
        own, doubt = self._own(reply)
        read = self._request.holds
        return doubt is None and read is not None and read(own)

    def _note(self, reply: ModelReply) -> None:
        """Records in the reply that a mark was requested, and whether it follows the
        schema.
        """
        reply.mark = self._mark
        if reply.structured and not follows(reply.text, self.schema):
            reply.enforced = False

    def _own(self, reply: ModelReply) -> tuple[ModelReply, str | None]:
        """The reply reduced to its own part, and the reason if there is none."""
        try:
            text = own_part(reply.text, self._mark, self.schema, self._request.sent)
            return msgspec.structs.replace(reply, text=text), None
        except Doubt as doubt:
            return msgspec.structs.replace(reply, text=""), str(doubt)


def as_asked(
    threads: Sequence[list[Message]], session: Session, event: Event
) -> list[Message]:
    """The messages of the requests that an event replies to, with their marks.

    Raises: BadInput for a template error.
    """
    marks = marks_in(event)
    if len(marks) == len(threads):
        templates = session.header.prompts.templates
        threads = [
            with_mark(thread, mark_text(templates, mark))
            for thread, mark in zip(threads, marks, strict=True)
        ]
    return [message for thread in threads for message in thread]


def marks_in(event: Event) -> list[str]:
    """The marks that the requests of an event asked for."""
    if not isinstance(event, ReplyEvent) or event.mark is msgspec.UNSET:
        return []
    return event.mark.split()


def mark_text(templates: Mapping[str, object], mark: str) -> str:
    """The text that asks for a mark. Raises: BadInput for a template error."""
    return render(templates, TEMPLATE, token=mark)


def with_mark(thread: Sequence[Message], text: str) -> list[Message]:
    """Appends a text to the last message, so that earlier messages stay the same."""
    *before, last = thread
    return [*before, {**last, "content": f"{last['content']}\n\n{text}"}]


def _with_mark(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with the mark as its last key; the reason still comes first."""
    if schema.get("type") != "object":
        return dict(schema)
    return {
        **schema,
        "properties": {**schema.get("properties", {}), KEY: {"type": "string"}},
        "required": [*schema.get("required", ()), KEY],
    }


async def _ask_all(
    models: Models, request: ModelRequest[T], panel: Seat, ballot: Ballot[T]
) -> AsyncGenerator[Part | RequestOutcome[T], None]:
    """Calls all members at the same time. A member's reply is shown when it is
    complete, so that no two streams mix.

    Raises: ModelError if fewer than half of them replied; any other error of a member,
    after all calls.
    """
    shown: asyncio.Queue[Part | None] = asyncio.Queue()

    async def hear(seat: Seat, task: object) -> MemberReply:
        replies: list[ModelReply] = []
        try:
            async with aclosing(
                _ask_one(models, request._replace(task=task), replies)
            ) as parts:
                async for part in parts:
                    if isinstance(part, RequestOutcome):
                        shown.put_nowait(
                            Delta(
                                request.role,
                                f"{seat.called}: {part.replies[-1].text}\n\n",
                            )
                        )
                        return MemberReply(
                            seat,
                            part.replies,
                            ballot.values(part.value),
                            getattr(part.value, "read", "json"),
                        )
                    if isinstance(part, ModelRemark) and part.kind == "again":
                        part.message = f"{seat.called}: {part.message}"
                    if not isinstance(part, Delta):
                        shown.put_nowait(part)
        except ModelError as error:
            return MemberReply(seat, replies, error=error)
        raise AssertionError("an answer comes last")

    asked = zip(panel.panel, tasks_of(request.task, panel), strict=True)
    hearing = [asyncio.ensure_future(hear(seat, task)) for seat, task in asked]
    everybody = asyncio.gather(*hearing, return_exceptions=True)
    everybody.add_done_callback(lambda _: shown.put_nowait(None))
    try:
        while (part := await shown.get()) is not None:
            yield part
    finally:
        for one in hearing:
            one.cancel()
        await asyncio.gather(*hearing, return_exceptions=True)
    heard = [one.result() for one in hearing]
    reply = together(panel, heard, ballot)
    said = [one for each in heard for one in each.replies]
    reply.mark = next((one.mark for one in said), reply.mark)
    if any(one.enforced is False for one in said):
        reply.enforced = False
    value, _ = request.read([reply])
    yield RequestOutcome([reply], value)
