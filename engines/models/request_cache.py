"""Answers equal requests once: from the cache, from a request that is on its way, or by
asking.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import Protocol

import msgspec

from ...sessions.events import CachedTime, Usage
from ...sessions.session import Seat
from .cache import Cache, Problem, key
from .config import Config
from .environment import Environment
from .port import (
    ModelCall,
    ModelError,
    ModelRemark,
    ModelReply,
    Readable,
    ReplyStream,
)
from .providers import PROVIDERS, base_of
from .targets import parameters

WHOLE = "stop"
"""The finish reason of a reply that may be cached: the provider says that it is neither
cut nor refused.
"""


def key_of(call: ModelCall, config: Config, env: Environment) -> bytes | None:
    """The key of a request; None if the config no longer allows the call.

    Needs neither LiteLLM nor an API key.
    """
    seat = call.seat
    if seat.name is not None and seat.name not in config.models:
        return None
    params, extra = parameters(seat, config)
    return key(
        seat.model,
        _endpoint(seat, config, env),
        call.messages,
        {**extra, **params},
        call.schema,
        call.task.repeat,
    )


class Replies(Protocol):
    """Holds replies for equal requests to come, and knows which requests are on their
    way.
    """

    flights: dict[tuple[object, bytes], asyncio.Future[ModelReply | ModelError | None]]
    """The requests of this process that are on their way, by event loop and key."""

    async def find(self, key: bytes) -> ModelReply | None:
        """The reply to an equal request: one held in memory or, with `cached`, one that
        another process has just received.

        None: the caller makes the call. Raises: ModelError, that of the other process.
        """
        ...

    async def keep(self, key: bytes, reply: ModelReply) -> None:
        """Stores a reply; it replaces an earlier one."""
        ...

    def landed(self, key: bytes, outcome: ModelReply | ModelError | None) -> None:
        """A request that `find` had no reply for is over; None: without an outcome."""
        ...

    def problem(self) -> Problem | None:
        """Return the last error since the previous call of this method, or None."""
        ...


class DiskReplies:
    """The replies in the cache of this machine. Implements `Replies`."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self.flights: dict[
            tuple[object, bytes], asyncio.Future[ModelReply | ModelError | None]
        ] = cache.flights

    async def find(self, key: bytes) -> ModelReply | None:
        """See `Replies`."""
        return await asyncio.to_thread(self._cache.get, key)

    async def keep(self, key: bytes, reply: ModelReply) -> None:
        """See `Replies`."""
        await asyncio.to_thread(self._cache.put, key, reply)

    def landed(self, key: bytes, outcome: ModelReply | ModelError | None) -> None:
        """See `Replies`. Does not notify other processes."""

    def problem(self) -> Problem | None:
        """See `Replies`."""
        return self._cache.problem()


async def shared(
    replies: Replies,
    of: bytes,
    call: ModelCall,
    readable: Readable,
    asking: ReplyStream,
) -> ReplyStream:
    """Yields what `asking` yields, but starts it only if neither the cache nor a
    request on its way has the answer.

    Of several equal requests the first one asks, and the others wait for it. They share
    its failure, too; if it is cancelled, they ask themselves. A reply is on disk before
    anybody gets it. Raises: ModelError, as `asking` does.
    """
    place = (asyncio.get_running_loop(), of)
    fresh = call.task.fresh
    while not fresh and place in replies.flights:
        outcome = await asyncio.shield(replies.flights[place])
        if isinstance(outcome, ModelError):
            raise ModelError(
                outcome.kind,
                str(outcome),
                retry_after=outcome.retry_after,
                role=outcome.role,
            )
        if outcome is not None:
            yield held(outcome)
            return
    flight: asyncio.Future[ModelReply | ModelError | None] = (
        asyncio.get_running_loop().create_future()
    )
    leading = replies.flights.setdefault(place, flight) is flight
    outcome = None
    try:
        found = None if fresh else await replies.find(of)
        if found is not None and (found.cached or readable(found)):
            outcome = held(found)
        async with aclosing(asking) as parts:
            while outcome is None:
                part = await anext(parts)
                if not isinstance(part, ModelReply):
                    yield part
                    continue
                if part.finish == WHOLE and readable(part):
                    await replies.keep(of, part)
                outcome = part
    except ModelError as error:
        outcome = error
        raise
    finally:
        if leading:
            del replies.flights[place]
            flight.set_result(outcome)
            replies.landed(of, outcome)
    problem = replies.problem()
    if problem is not None:
        yield ModelRemark(call.role, "cache", problem.sentence, about=problem.about)
    yield outcome


def held(reply: ModelReply) -> ModelReply:
    """A copy of the reply that costs nothing, and says what it took when it was asked
    for.
    """
    if reply.cached:
        return reply
    used = reply.usage or Usage()
    took = CachedTime(
        input=used.input,
        output=used.output,
        estimated=used.estimated,
        cost=reply.cost,
        seconds=reply.seconds,
        calls=reply.attempts,
    )
    return msgspec.structs.replace(
        reply,
        usage=Usage(input=0, output=0),
        cost=0.0,
        seconds=0.0,
        attempts=0,
        cached=True,
        took=took,
    )


def _endpoint(seat: Seat, config: Config, env: Environment) -> list[str]:
    """Return the user's settings for the model's endpoint."""
    named = config.models.get(seat.name) if seat.name is not None else None
    if named is not None and named.api_base is not None:
        return [seat.name or "", named.api_base, f"schema: {named.schema}"]
    provider = seat.model.partition("/")[0]
    bases = (
        base_of(one, env)
        for one in ([provider] if provider in PROVIDERS else PROVIDERS)
    )
    return [base for base in bases if base is not None]
