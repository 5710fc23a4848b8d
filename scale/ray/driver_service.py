"""The shared state of all workers, kept by the driver: replies to equal requests, and
the limits of models.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from ...engines.models.cache import Cache, cache_in
from ...engines.models.pacing import Pacing, Ticket, here
from ...engines.models.port import ModelReply
from ...engines.models.request_cache import held
from ...sessions.paths import paths
from .messages import (
    CacheLookup,
    DriverReply,
    Enter,
    Keep,
    Leave,
    ModelFault,
    RequestDone,
    Slow,
    ToDriver,
)
from .worker_link import WorkerLink


class DriverService:
    """Answers the workers' requests."""

    def __init__(self, say: Callable[[str], None]) -> None:
        """`say` receives messages for the user."""
        self._say = say
        self._cache: Cache = cache_in(paths(os.environ).cache)
        self._pacing: Pacing = here()
        self._flights: dict[
            bytes, tuple[WorkerLink, asyncio.Future[ModelReply | ModelFault | None]]
        ] = {}
        """Requests in progress, each with its worker."""
        self._keeping: dict[bytes, asyncio.Task[Any]] = {}
        """Replies that are being written."""
        self._tickets: dict[tuple[int, int], Ticket] = {}
        """Worker and number → its place among the calls of a model."""
        self._entering: dict[tuple[int, int], asyncio.Task[None]] = {}
        self._slow: dict[str, None] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    def welcome(self, link: WorkerLink) -> None:
        """Sends a new worker the current state."""
        for model in self._slow:
            link.say(Slow(model=model))

    def left(self, link: WorkerLink) -> None:
        """Releases the requests and places of a lost worker."""
        for key in [
            key for key, (leader, _) in self._flights.items() if leader is link
        ]:
            self._landed(key, None)
        for place in [place for place in self._entering if place[0] == link.number]:
            self._entering[place].cancel()
        for place in [place for place in self._tickets if place[0] == link.number]:
            self._pacing.leave(self._tickets.pop(place), None)

    def hear(
        self, link: WorkerLink, message: ToDriver, links: Sequence[WorkerLink]
    ) -> None:
        """Handles a worker's request or report."""
        match message:
            case CacheLookup():
                self._task(self._look(link, message))
            case Keep():
                self._keeping[message.key] = self._task(
                    asyncio.to_thread(self._cache.put, message.key, message.reply)
                )
            case RequestDone():
                self._task(self._land(message.key, message.reply or message.fault))
            case Enter():
                place = (link.number, message.number)
                if not message.begun:
                    entering = self._entering[place] = asyncio.create_task(
                        self._enter(link, message)
                    )
                    entering.add_done_callback(
                        lambda _: self._entering.pop(place, None)
                    )
                elif (
                    ticket := self._pacing.at_once(
                        message.model, message.pace, message.tokens
                    )
                ) is not None:
                    self._tickets[place] = ticket
            case Leave():
                self._leave(link, message, links)

    # ---------------------------------------------------------------- replies

    async def _look(self, link: WorkerLink, look: CacheLookup) -> None:
        """Of several equal requests, one calls the model. The others wait for its reply
        or error.
        """
        while look.key in self._flights:
            outcome = await asyncio.shield(self._flights[look.key][1])
            if isinstance(outcome, ModelFault):
                link.say(DriverReply(number=look.number, fault=outcome))
                return
            if outcome is not None:
                link.say(DriverReply(number=look.number, reply=held(outcome)))
                return
        self._flights[look.key] = link, asyncio.get_running_loop().create_future()
        found = await asyncio.to_thread(self._cache.get, look.key)
        problem = self._cache.problem()
        if problem is not None:
            self._say(problem.sentence)
        if found is not None:
            self._landed(look.key, None)
        elif not link.alive:
            self._landed(look.key, None)
            return
        link.say(DriverReply(number=look.number, reply=found))

    async def _land(self, key: bytes, outcome: ModelReply | ModelFault | None) -> None:
        """Saves the reply to disk before other workers receive it."""
        keeping = self._keeping.pop(key, None)
        try:
            if keeping is not None:
                await keeping
        finally:
            self._landed(key, outcome)  # waiting workers must not wait forever

    def _landed(self, key: bytes, outcome: ModelReply | ModelFault | None) -> None:
        _, flight = self._flights.pop(key, (None, None))
        if flight is not None and not flight.done():
            flight.set_result(outcome)

    # ---------------------------------------------------------------- limits

    async def _enter(self, link: WorkerLink, enter: Enter) -> None:
        ticket = await self._pacing.enter(enter.model, enter.pace, enter.tokens)
        if not link.alive:
            self._pacing.leave(ticket, 0)
            return
        self._tickets[link.number, enter.number] = ticket
        link.say(DriverReply(number=enter.number, waited=ticket.waited))

    def _leave(
        self, link: WorkerLink, leave: Leave, links: Sequence[WorkerLink]
    ) -> None:
        place = (link.number, leave.number)
        entering = self._entering.get(place)
        if entering is not None:
            entering.cancel()
        ticket = self._tickets.pop(place, None)
        if leave.refused is None:
            if ticket is not None:
                self._pacing.leave(ticket, leave.tokens)
            return
        self._task(self._refuse(link, leave, ticket))
        if ticket is not None and ticket.model not in self._slow:
            self._slow[ticket.model] = None
            for one in links:
                one.say(Slow(model=ticket.model))

    async def _refuse(
        self, link: WorkerLink, leave: Leave, ticket: Ticket | None
    ) -> None:
        slowed = ticket is not None and await self._pacing.refuse(
            ticket, leave.refused or 0.0
        )
        link.say(DriverReply(number=leave.number, slowed=slowed))

    def _task(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
