"""Answers equal requests once: from the cache, from a request that is on its way, or by asking."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing

import msgspec

from ...sessions.events import Took, Usage
from ...sessions.session import Seat
from .cache import Cache, key
from .config import Config
from .port import Call, ModelError, Part, Readable, Remark, Reply
from .providers import PROVIDERS, base_of
from .targets import parameters

WHOLE = "stop"
"""The finish reason of a reply that may be cached: the provider says that it is neither cut nor refused."""


def key_of(call: Call, config: Config, env: Mapping[str, str]) -> bytes | None:
    """The key of a request; None if the config no longer allows the call. Needs neither LiteLLM nor an API key."""
    seat = call.seat
    if seat.name is not None and seat.name not in config.models:
        return None
    params, extra = parameters(seat, config)
    return key(seat.model, _endpoint(seat, config, env), call.messages, {**extra, **params}, call.schema, call.task.repeat)


async def shared(
    cache: Cache, of: bytes, call: Call, readable: Readable, asking: AsyncGenerator[Part | Reply, None]
) -> AsyncGenerator[Part | Reply, None]:
    """Yields what `asking` yields, but starts it only if neither the cache nor a request on its way has the answer.

    Of several equal requests the first one asks, and the others wait for it. They share its failure, too; if it is cancelled, they ask
    themselves. A reply is on disk before anybody gets it.
    Raises: ModelError, as `asking` does.
    """
    place = (asyncio.get_running_loop(), of)
    fresh = call.task.fresh
    while not fresh and place in cache.flights:
        outcome = await asyncio.shield(cache.flights[place])
        if isinstance(outcome, ModelError):
            raise ModelError(outcome.kind, str(outcome), retry_after=outcome.retry_after, role=outcome.role)
        if outcome is not None:
            yield _again(outcome)
            return
    flight: asyncio.Future[Reply | ModelError | None] = asyncio.get_running_loop().create_future()
    leading = cache.flights.setdefault(place, flight) is flight
    outcome = None
    try:
        found = None if fresh else await asyncio.to_thread(cache.get, of)
        if found is not None and readable(found):
            outcome = _again(found)
        async with aclosing(asking) as parts:
            while outcome is None:
                part = await anext(parts)
                if not isinstance(part, Reply):
                    yield part
                    continue
                if part.finish == WHOLE and readable(part):
                    await asyncio.to_thread(cache.put, of, part)
                outcome = part
    except ModelError as error:
        outcome = error
        raise
    finally:
        if leading:
            del cache.flights[place]
            flight.set_result(outcome)
    problem = cache.problem()
    if problem is not None:
        yield Remark(call.role, "cache", problem.sentence, about=problem.about)
    yield outcome


def _again(reply: Reply) -> Reply:
    """A copy of the reply that costs nothing, and says what it took when it was asked for."""
    if reply.cached:
        return reply
    used = reply.usage or Usage()
    took = Took(
        input=used.input, output=used.output, estimated=used.estimated, cost=reply.cost, seconds=reply.seconds, calls=reply.attempts
    )
    return msgspec.structs.replace(reply, usage=Usage(input=0, output=0), cost=0.0, seconds=0.0, attempts=0, cached=True, took=took)


def _endpoint(seat: Seat, config: Config, env: Mapping[str, str]) -> list[str]:
    """What the user has set about where the model is."""
    named = config.models.get(seat.name) if seat.name is not None else None
    if named is not None and named.api_base is not None:
        return [seat.name or "", named.api_base, f"schema: {named.schema}"]
    provider = seat.model.partition("/")[0]
    bases = (base_of(one, env) for one in ([provider] if provider in PROVIDERS else PROVIDERS))
    return [base for base in bases if base is not None]
