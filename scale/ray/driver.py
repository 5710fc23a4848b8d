"""Makes the events of a batch's sessions on Ray: workers call the models, and this
process keeps the folder and makes the events that call no model.

Each event is appended here, and sent back to the worker with the request for the next
one. A lost worker therefore only loses its calls in progress; its sessions continue on
another worker.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing, suppress
from itertools import count
from typing import TYPE_CHECKING

from ...engines.batches.batch import Batch
from ...engines.batches.call_limiter import CallLimiter
from ...engines.batches.estimate import CallPrices, CostEstimate
from ...engines.batches.event_makers import EstimateNote, LocalMaker, LocalMakers
from ...engines.batches.lines import BatchLine
from ...engines.models.lineup import BUILTINS
from ...engines.step import Engine, Parts
from ...sessions.errors import BadInput
from ...sessions.events import Event, Failure, Result
from ...sessions.journal import Journal
from ...sessions.session import Session
from .messages import EventMade, PartialReply, SessionUnknown, StepFailed, event_of
from .worker_link import RemoteCall, WorkerLink, WorkerLost
from .worker_pool import WorkerPool

if TYPE_CHECKING:
    from ...engines.models.config import Config

MOST_LOST = 3
"""Maximum number of workers lost over one event. After that, the event fails, because
it probably crashes workers.
"""
LEAVING = 10.0
"""Seconds for a worker to report the cost of a cancelled call."""


class Defect(Exception):
    """A worker's step failed with an error that is not a model error."""


class RayMakers:
    """Makes events on the workers of a Ray cluster. Implements `Makers`."""

    keyed = False

    def __init__(self, pool: WorkerPool) -> None:
        self._here = LocalMakers()
        self._pool = pool
        self._numbers = count(1)

    def check(self, batch: Batch) -> None:
        """See `Makers`."""

    async def prices(self, config: Config, sessions: Sequence[Session]) -> CallPrices:
        """See `Makers`."""
        return await self._here.prices(config, sessions)

    def maker(self, batch: Batch, line: BatchLine, session: Session) -> Remote:
        """See `Makers`."""
        repeat = None if batch.repeats is None else batch.repeats.get(line.id, 0)
        return Remote(
            self._pool,
            batch,
            next(self._numbers),
            repeat,
            self._here.maker(batch, line, session),
        )

    async def open(self, limiter: CallLimiter, say: Callable[[str], None]) -> None:
        """See `Makers`."""
        await self._pool.open(limiter, say)

    async def again(self, limiter: CallLimiter) -> bool:
        """See `Makers`. Does nothing: calls are answered at once."""
        return False

    def note(self, estimate: CostEstimate) -> EstimateNote:
        """See `EventMakers`. Reports nothing."""
        return self._here.note(estimate)

    async def close(self) -> None:
        """See `Makers`."""
        await self._pool.close()


class Remote:
    """Makes the events of one session: those that call a model on a worker, the others
    here.
    """

    def __init__(
        self,
        pool: WorkerPool,
        batch: Batch,
        number: int,
        repeat: int | None,
        here: LocalMaker,
    ) -> None:
        self.engine: Engine = here.engine
        self._pool, self._batch, self._number, self._repeat, self._here = (
            pool,
            batch,
            number,
            repeat,
            here,
        )
        self._link: WorkerLink | None = None

    async def step(self, journal: Journal) -> Parts:
        """See `Maker`."""
        parts = (
            self._there(journal)
            if self._asks_a_model(journal.session)
            else self._here.step(journal)
        )
        event: Event | None = None
        async with aclosing(parts):
            async for part in parts:
                event = part if isinstance(part, Event) else event
                yield part
        if self._link is not None and isinstance(event, Failure | Result):
            self._link.forget(self._number)

    def _asks_a_model(self, session: Session) -> bool:
        """Whether the next event calls a language model. Built-ins answer here, so
        nodes need no corpus.
        """
        coming = self._batch.method.upcoming(session, self._batch.tools)
        if coming is None or not coming.role:
            return False
        try:
            return any(
                member.model not in BUILTINS
                for member in session.seat(coming.role).members
            )
        except KeyError:
            return False

    async def _there(self, journal: Journal) -> Parts:
        """The next event from a worker, after a failure event for each worker lost over
        it.

        Raises: WorkersGone.
        """
        lost = 0
        while True:
            link = self._link = await self._pool.link_for(
                self._link, journal.session, self._batch.tools
            )
            call = RemoteCall(self._pool.number())
            try:
                async with aclosing(self._asked(link, call, journal)) as parts:
                    async for part in parts:
                        yield part
                return
            except WorkerLost:
                lost += 1
                self._link = None
                yield journal.append(self._lost(journal.session, link))
                if lost == MOST_LOST:
                    return

    async def _asked(
        self, link: WorkerLink, call: RemoteCall, journal: Journal
    ) -> Parts:
        """Yields a worker's messages about an event, and finally the event as stored.

        Raises: Lost.
        """
        whole = False
        link.make(call, self._number, journal.session, self._repeat, whole=whole)
        try:
            while True:
                said = await call.next()
                if isinstance(said, PartialReply):
                    part = said.waiting or said.remark
                    if part is not None:
                        yield part
                elif isinstance(said, SessionUnknown) and not whole:
                    whole = True
                    link.make(
                        call, self._number, journal.session, self._repeat, whole=whole
                    )
                else:
                    break
        except (asyncio.CancelledError, GeneratorExit):
            await self._cancelled(link, call, journal)
            raise
        if isinstance(said, EventMade):
            if said.event is not None:
                yield journal.append(event_of(said.event, journal.session.method))
            return
        if isinstance(said, StepFailed) and said.bad_input is not None:
            raise BadInput(said.bad_input)
        raise Defect(
            said.kind if isinstance(said, StepFailed) else "the worker holds no session"
        )

    async def _cancelled(
        self, link: WorkerLink, call: RemoteCall, journal: Journal
    ) -> None:
        """Cancels the call on the worker and stores its cost. An event that was already
        made is stored in full.
        """
        link.cancel(call)
        try:
            async with asyncio.timeout(LEAVING):
                while isinstance(said := await call.next(), PartialReply):
                    pass
            if isinstance(said, EventMade) and said.event is not None:
                journal.append(event_of(said.event, journal.session.method))
        except (TimeoutError, WorkerLost):
            with suppress(BadInput):
                journal.append(self._lost(journal.session, link))

    def _lost(self, session: Session, link: WorkerLink) -> Failure:
        """A failure event for a call on a lost worker, with unknown cost."""
        coming = self._batch.method.upcoming(session, self._batch.tools)
        role = "" if coming is None else coming.role
        model = session.seat(role).model if role else ""
        message = (
            f"The worker on the node {link.node} was lost while the {role} was asked: "
            f"what the provider charges for that is unknown."
        )
        return Failure(
            role=role,
            kind="connection",
            message=message,
            model=model,
            usage=None,
            cost=None,
            attempts=1,
        )
