"""The workers of one run: assigns sessions, replaces lost workers, and shares state
between workers.
"""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable
from itertools import count

from ...engines.batches.call_limiter import CallLimiter
from ...engines.tools import Tools
from ...sessions.errors import BadInput, WorkersGone
from ...sessions.session import Session
from ...texts import t
from .connect import Connection
from .driver_service import DriverService
from .messages import Sets, ToDriver
from .worker_link import WorkerLink

PATIENCE = 60.0
"""Seconds for the first worker, or a replacement of the last one, to start."""
AGAIN = 5.0
"""Seconds before the next attempt to start a worker."""


class WorkerPool:
    """The pool of workers. They start in parallel, and a batch starts with the first
    one.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._service = DriverService(lambda message: self._say(message))
        self._links: list[WorkerLink] = []
        self._hiring: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Event()
        self._limiter: CallLimiter | None = None
        self._say: Callable[[str], None] = lambda message: None
        self._numbers = count(1)
        self._problem = ""
        """Why the last worker could not start."""
        self._sets: dict[str, bytes | None] = {}
        self._is_open = False

    def number(self) -> int:
        """Returns a number for a call."""
        return next(self._numbers)

    async def open(self, limiter: CallLimiter, say: Callable[[str], None]) -> None:
        """Starts or joins the cluster, and waits for the first worker. Later calls only
        set the limiter.

        Raises: BadInput.
        """
        self._limiter, self._say = limiter, say
        if not self._is_open:
            self._is_open = True
            say(await self._connection.open())
            for _ in range(self._connection.workers):
                self._hire()
        try:
            await self._somebody()
        except WorkersGone as error:
            raise BadInput(str(error)) from None
        limiter.hands = len(self._links)

    async def close(self) -> None:
        """Ends the workers, and a cluster that was started here."""
        for task in self._hiring:
            task.cancel()
        await asyncio.gather(*self._hiring, return_exceptions=True)
        links, self._links = self._links, []
        for link in links:
            link.close()
            self._service.left(link)
        await self._connection.close([link.actor for link in links])

    async def link_for(
        self, before: WorkerLink | None, session: Session, tools: Tools
    ) -> WorkerLink:
        """Returns the worker for a session: the one that has it, unless it is lost, or
        busy while another one has room.

        Raises: WorkersGone.
        """
        await self._somebody()
        places = 1 if self._limiter is None else self._limiter.places
        best = min(self._links, key=lambda link: len(link.calls))
        link = (
            before
            if before is not None
            and before.alive
            and len(before.calls) < max(places, len(best.calls))
            else best
        )
        self._send_set(link, session, tools)
        return link

    # ---------------------------------------------------------------- inside

    async def _somebody(self) -> None:
        """Waits for a worker. Raises: WorkersGone if none has started for too long."""
        try:
            async with asyncio.timeout(PATIENCE):
                while not self._links:
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            why = self._problem or t("wrong.ray.no_room")
            raise WorkersGone(
                t("wrong.ray.no_worker", seconds=f"{PATIENCE:.0f}", why=why)
            ) from None

    def _hire(self, after: float = 0.0) -> None:
        task = asyncio.create_task(self._begin(after))
        self._hiring.add(task)
        task.add_done_callback(self._hiring.discard)

    async def _begin(self, after: float) -> None:
        """Starts one more worker, without a time limit."""
        await asyncio.sleep(after)
        while True:
            try:
                actor, hello = await self._connection.hire()
                break
            except BadInput as error:
                self._problem = str(error)
                self._say(str(error))
            await asyncio.sleep(AGAIN)
        self._links.append(
            WorkerLink(actor, self.number(), hello.node, self._hear, self._lost)
        )
        self._service.welcome(self._links[-1])
        await self._count()

    async def _count(self) -> None:
        self._changed.set()
        if self._limiter is not None:
            self._limiter.hands = max(1, len(self._links))
            await self._limiter.turn()

    def _lost(self, link: WorkerLink) -> None:
        """Handles a lost worker: its calls fail, and a replacement starts."""
        if link not in self._links:
            return
        self._links.remove(link)
        self._say(t("batch.ray_lost", node=link.node))
        link.close()
        self._service.left(link)
        self._connection.dismiss(link.actor)
        self._hire(0.5)
        counting = asyncio.create_task(self._count())
        self._hiring.add(counting)
        counting.add_done_callback(self._hiring.discard)

    def _hear(self, link: WorkerLink, message: ToDriver) -> None:
        self._service.hear(link, message, [link for link in self._links if link.alive])

    def _send_set(self, link: WorkerLink, session: Session, tools: Tools) -> None:
        """Sends the demonstrations of a session, so that a node needs no copy."""
        try:
            name = session.setting("demonstrations")
        except KeyError:
            return
        if not isinstance(name, str) or name in link.sets:
            return
        if name not in self._sets:
            try:
                self._sets[name] = pickle.dumps(tools.demonstrations(name))
            except BadInput:
                self._sets[name] = None  # the worker says what is wrong
        data = self._sets[name]
        link.sets.add(name)
        if data is not None:
            link.say(Sets(name=name, data=data))
