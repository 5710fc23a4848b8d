"""Asks a model, and once more if its reply cannot be read: the same for every method."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any, Generic, NamedTuple, TypeVar

from ..sessions.errors import BadInput
from .models.port import Message, ModelError, Models, Part, Remark, Reply

T = TypeVar("T")


class Heard(NamedTuple, Generic[T]):
    """What came of it: all replies, the last of which counts, and what was made of that."""

    replies: list[Reply]
    made: T


class Asking(NamedTuple, Generic[T]):
    """One thing to be asked of a role."""

    role: str
    task: Any
    thread: list[Message]
    schema: dict[str, Any] | None
    read: Callable[[list[Reply]], tuple[T, str | None]]
    """What the replies so far make, and why the last one could not be read, if so."""
    again: Callable[[list[Message], str, str], list[Message]]
    """The thread for asking once more, from the thread, the reply and the reason. BadInput for a faulty template."""
    holds: Callable[[Reply], bool] | None = None
    """Whether a reply may be kept for the next who asks the same."""


async def ask(models: Models, asking: Asking[T]) -> AsyncGenerator[Part | Heard[T], None]:
    """Yields what streams in; the last thing is what was heard. ModelError."""
    thread = asking.thread
    replies: list[Reply] = []
    while True:
        async with aclosing(models.ask(asking.role, asking.task, thread, asking.schema, asking.holds)) as parts:
            async for part in parts:
                if isinstance(part, Reply):
                    replies.append(part)
                else:
                    yield part
        made, unread = asking.read(replies)
        if unread is None or len(replies) > 1:
            yield Heard(replies, made)
            return
        yield Remark(asking.role, "again", f"The reply cannot be read ({unread}); it is asked for once more.", replies[-1].model)
        try:
            thread = asking.again(thread, replies[0].text, unread)
        except BadInput as error:  # a template of a session from elsewhere
            raise ModelError("internal", str(error), role=asking.role) from None
