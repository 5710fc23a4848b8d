"""Asks a model, and once more if its reply cannot be read: the same for every method."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any, Generic, NamedTuple, TypeVar

from ..sessions.errors import BadInput
from ..texts import english
from .models.port import Message, ModelError, Models, Part, Remark, Reply

T = TypeVar("T")


class Answered(NamedTuple, Generic[T]):
    """All replies, the last of which counts, and the value that was read from it."""

    replies: list[Reply]
    value: T


class Request(NamedTuple, Generic[T]):
    """What a role is asked, and how its reply is read."""

    role: str
    task: Any
    thread: list[Message]
    schema: dict[str, Any] | None
    read: Callable[[list[Reply]], tuple[T, str | None]]
    """The value of the replies so far, and why the last one cannot be read (None if it can)."""
    again: Callable[[list[Message], str, str], list[Message]]
    """The messages for asking once more, from the messages, the reply and the reason. Raises: BadInput for a faulty template."""
    holds: Callable[[Reply], bool] | None = None
    """Whether the cache may keep a reply for the same request later."""


async def ask(models: Models, request: Request[T]) -> AsyncGenerator[Part | Answered[T], None]:
    """Yields what streams in, and last the answer. Raises: ModelError."""
    thread = request.thread
    replies: list[Reply] = []
    while True:
        async with aclosing(models.ask(request.role, request.task, thread, request.schema, request.holds)) as parts:
            async for part in parts:
                if isinstance(part, Reply):
                    replies.append(part)
                else:
                    yield part
        value, unread = request.read(replies)
        if unread is None or len(replies) > 1:
            yield Answered(replies, value)
            return
        yield Remark(request.role, "again", f"The reply cannot be read ({unread}); it is asked for once more.", replies[-1].model)
        try:
            thread = request.again(thread, replies[0].text, unread)
        except BadInput as error:  # a template of a session from elsewhere
            raise ModelError("internal", english(error), role=request.role) from None
