"""Asks who sits on a role, and once more if the reply cannot be read: the same for every method, for one model and for a panel."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any, Generic, NamedTuple, TypeVar

from ..sessions.errors import BadInput
from ..sessions.session import Seat
from ..texts import english
from .models.panels import Ballot, Heard, tasks_of, together
from .models.port import Delta, Message, ModelError, Models, Part, Remark, Reply

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
    ballot: Ballot[T] | None = None
    """What a panel votes on; None: only one model can be asked."""


async def ask(
    models: Models, request: Request[T]
) -> AsyncGenerator[Part | Answered[T], None]:
    """Yields what streams in, and last the answer. Raises: ModelError."""
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
    models: Models, request: Request[T], kept: list[Reply] | None = None
) -> AsyncGenerator[Part | Answered[T], None]:
    """`kept`: where the replies are put, for who wants those that came before a failure."""
    thread = request.thread
    replies: list[Reply] = [] if kept is None else kept
    while True:
        async with aclosing(
            models.ask(
                request.role, request.task, thread, request.schema, request.holds
            )
        ) as parts:
            async for part in parts:
                if isinstance(part, Reply):
                    replies.append(part)
                else:
                    yield part
        value, unread = request.read(replies)
        if unread is None or len(replies) > 1:
            yield Answered(replies, value)
            return
        yield Remark(
            request.role,
            "again",
            f"The reply cannot be read ({unread}); it is asked for once more.",
            replies[-1].model,
        )
        try:
            thread = request.again(thread, replies[0].text, unread)
        except BadInput as error:  # a template of a session from elsewhere
            raise ModelError("internal", english(error), role=request.role) from None


async def _ask_all(
    models: Models, request: Request[T], panel: Seat, ballot: Ballot[T]
) -> AsyncGenerator[Part | Answered[T], None]:
    """Asks all members at the same time. What one says is shown when it is whole: no two stream into each other.

    Raises: ModelError where fewer than half of them replied; whatever else a member raises, after all have been asked.
    """
    shown: asyncio.Queue[Part | None] = asyncio.Queue()

    async def hear(seat: Seat, task: Any) -> Heard:
        replies: list[Reply] = []
        try:
            async with aclosing(
                _ask_one(models, request._replace(task=task), replies)
            ) as parts:
                async for part in parts:
                    if isinstance(part, Answered):
                        shown.put_nowait(
                            Delta(
                                request.role,
                                f"{seat.called}: {part.replies[-1].text}\n\n",
                            )
                        )
                        return Heard(
                            seat,
                            part.replies,
                            ballot.values(part.value),
                            getattr(part.value, "read", "json"),
                        )
                    if isinstance(part, Remark) and part.kind == "again":
                        part.message = f"{seat.called}: {part.message}"
                    if not isinstance(part, Delta):
                        shown.put_nowait(part)
        except ModelError as error:
            return Heard(seat, replies, error=error)
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
    reply = together(panel, [one.result() for one in hearing], ballot)
    value, _ = request.read([reply])
    yield Answered([reply], value)
