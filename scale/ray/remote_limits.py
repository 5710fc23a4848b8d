"""Delegates to the driver what all workers share: replies to equal requests, and the
limits of models.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import count
from typing import Any, cast

from ...engines.models.cache import Problem
from ...engines.models.limits import FREE, RateLimits
from ...engines.models.pacing import Ticket
from ...engines.models.port import Kind, ModelError, ModelReply
from .messages import (
    CacheLookup,
    DriverReply,
    Enter,
    Keep,
    Leave,
    ModelFault,
    RequestDone,
)

Say = Callable[[Any], None]
"""Sends a message to the driver."""


class DriverQuestions:
    """Sends requests to the driver and waits for the replies."""

    def __init__(self, say: Say) -> None:
        self.say = say
        self.numbers = count(1)
        self._open: dict[int, asyncio.Future[DriverReply]] = {}
        self._left: dict[int, Callable[[DriverReply], None]] = {}

    async def ask(
        self,
        question: CacheLookup | Enter | Leave,
        otherwise: Callable[[DriverReply], None] = lambda answer: None,
    ) -> DriverReply:
        """Waits for the driver's reply. `otherwise` receives it if nobody waits any
        more.
        """
        coming: asyncio.Future[DriverReply] = asyncio.get_running_loop().create_future()
        self._open[question.number] = coming
        try:
            self.say(question)
            return await coming
        except asyncio.CancelledError:
            if coming.done() and not coming.cancelled():
                otherwise(coming.result())
            else:
                self._left[question.number] = otherwise
            raise
        finally:
            del self._open[question.number]

    def hear(self, answer: DriverReply) -> None:
        """Receives a reply."""
        coming = self._open.get(answer.number)
        if coming is not None and not coming.done():
            coming.set_result(answer)
        elif answer.number in self._left:
            self._left.pop(answer.number)(answer)


class RemoteReplies:
    """The driver's replies. Implements `engines.models.request_cache.Replies`."""

    def __init__(self, questions: DriverQuestions) -> None:
        self.flights: dict[
            tuple[object, bytes], asyncio.Future[ModelReply | ModelError | None]
        ] = {}
        self._questions = questions
        self._ours: set[bytes] = set()
        """Requests of this worker that the driver counts as in progress."""

    async def find(self, key: bytes) -> ModelReply | None:
        """See `Replies`."""

        def decline(answer: DriverReply) -> None:
            if answer.reply is None and answer.fault is None:
                self._questions.say(RequestDone(key=key))

        answer = await self._questions.ask(
            CacheLookup(number=next(self._questions.numbers), key=key), decline
        )
        if answer.fault is not None:
            raise error_of(answer.fault)
        if answer.reply is None:
            self._ours.add(key)
        return answer.reply

    async def keep(self, key: bytes, reply: ModelReply) -> None:
        """See `Replies`. The driver saves the reply before it passes it on."""
        self._questions.say(Keep(key=key, reply=reply))

    def landed(self, key: bytes, outcome: ModelReply | ModelError | None) -> None:
        """See `Replies`."""
        if key in self._ours:
            self._ours.discard(key)
            if isinstance(outcome, ModelError):
                self._questions.say(RequestDone(key=key, fault=fault_of(outcome)))
            else:
                self._questions.say(RequestDone(key=key, reply=outcome))

    def problem(self) -> Problem | None:
        """See `Replies`. The driver reports problems of its cache."""
        return None


class RemotePacing:
    """The driver's limits. Implements `engines.models.pacing.Pacing`.

    Calls of a model without limits start at once and are only reported, until a
    provider refuses one.
    """

    def __init__(self, questions: DriverQuestions) -> None:
        self.slow: set[str] = set()
        """Models whose calls a provider has refused."""
        self._questions = questions

    def at_once(self, model: str, pace: RateLimits, tokens: int) -> Ticket | None:
        """See `Pacing`."""
        if pace != FREE or model in self.slow:
            return None
        number = next(self._questions.numbers)
        self._questions.say(
            Enter(number=number, model=model, pace=pace, tokens=tokens, begun=True)
        )
        return Ticket(model=model, number=number)

    async def enter(self, model: str, pace: RateLimits, tokens: int) -> Ticket:
        """See `Pacing`."""
        number = next(self._questions.numbers)
        try:
            answer = await self._questions.ask(
                Enter(number=number, model=model, pace=pace, tokens=tokens, begun=False)
            )
        except asyncio.CancelledError:
            self._questions.say(Leave(number=number, tokens=0))
            raise
        return Ticket(model=model, number=number, waited=answer.waited)

    def likely(self, model: str) -> float | None:
        """See `Pacing`."""
        return None

    def leave(self, ticket: Ticket, tokens: int | None) -> None:
        """See `Pacing`."""
        self._questions.say(Leave(number=ticket.number, tokens=tokens))

    async def refuse(self, ticket: Ticket, seconds: float) -> bool:
        """See `Pacing`."""
        self.slow.add(ticket.model)
        return (
            await self._questions.ask(Leave(number=ticket.number, refused=seconds))
        ).slowed


def fault_of(error: ModelError) -> ModelFault:
    """An error as data."""
    return ModelFault(
        kind=error.kind,
        message=str(error),
        retry_after=error.retry_after,
        role=error.role,
    )


def error_of(fault: ModelFault) -> ModelError:
    """The error of this data."""
    return ModelError(
        cast(Kind, fault.kind),
        fault.message,
        retry_after=fault.retry_after,
        role=fault.role,
    )
