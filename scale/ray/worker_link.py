"""The driver's end of the line to one worker: what is said travels in bundles, one in
each direction at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec

from ...engines.models.reply_marks import installation_secret
from ...sessions.session import Session
from .messages import (
    Begin,
    Cancel,
    EventMade,
    Forget,
    Make,
    PartialReply,
    SessionUnknown,
    StepFailed,
    ToDriver,
    ToWorker,
    event_bytes,
    for_driver,
    packed,
)

SILENT = 30.0
"""Seconds without a word after which a worker counts as lost.

It says something every five.
"""


class WorkerLost(Exception):
    """The worker is gone.

    Whether the provider has worked for the call that was on its way is not known.
    """


class RemoteCall:
    """An event that a worker is making."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._said: asyncio.Queue[
            PartialReply | EventMade | SessionUnknown | StepFailed | None
        ] = asyncio.Queue()

    def hear(
        self, message: PartialReply | EventMade | SessionUnknown | StepFailed | None
    ) -> None:
        """The worker says something of it; None: the worker is lost."""
        self._said.put_nowait(message)

    async def next(self) -> PartialReply | EventMade | SessionUnknown | StepFailed:
        """The next message; all but the last are `PartialReply`. Raises: Lost."""
        message = await self._said.get()
        if message is None:
            raise WorkerLost
        return message


class WorkerLink:
    """A worker that is alive, until it is `lost`."""

    def __init__(
        self,
        actor: Any,
        number: int,
        node: str,
        hear: Callable[[WorkerLink, ToDriver], None],
        lost: Callable[[WorkerLink], None],
    ) -> None:
        """`hear` takes what is not about a call.

        `lost` is called once, when the worker no longer answers.
        """
        self.actor, self.number, self.node = actor, number, node
        self.alive = True
        self.calls: dict[int, RemoteCall] = {}
        """Those under way."""
        self.sets: set[str] = set()
        """Names of the sets of demonstrations that it has."""
        self._hear, self._lost = hear, lost
        self._sent: dict[int, int] = {}
        """Session -> how many of its events the worker has."""
        self._out: list[ToWorker] = []
        self._news = asyncio.Event()
        self._tasks = [
            asyncio.create_task(self._putting()),
            asyncio.create_task(self._taking()),
        ]

    def say(self, message: ToWorker) -> None:
        """Sends a message, with the next bundle."""
        self._out.append(message)
        self._news.set()

    def make(
        self,
        call: RemoteCall,
        number: int,
        session: Session,
        repeat: int | None,
        *,
        whole: bool,
    ) -> None:
        """Asks for the next event of a session.

        The worker gets the events that it has not had; `whole`: all, and the header.

        A call to a worker that is lost learns that at once.
        """
        if not self.alive:
            call.hear(None)
            return
        if whole or number not in self._sent:
            self.say(
                Begin(
                    session=number,
                    method=session.method,
                    header=session.header,
                    repeat=repeat,
                    secret=installation_secret(),
                )
            )
            self._sent[number] = 0
        new = session.events[self._sent[number] :]
        self._sent[number] = len(session.events)
        self.calls[call.number] = call
        self.say(
            Make(
                call=call.number,
                session=number,
                after=len(session.events),
                events=[event_bytes(event) for event in new],
            )
        )

    def cancel(self, call: RemoteCall) -> None:
        """The event of a call is no longer wanted."""
        self.say(Cancel(call=call.number))

    def forget(self, number: int) -> None:
        """Nothing more comes of a session."""
        if self._sent.pop(number, None) is not None and self.alive:
            self.say(Forget(session=number))

    def close(self) -> None:
        """Ends the line. Calls under way learn that the worker is lost."""
        self.alive = False
        for task in self._tasks:
            task.cancel()
        calls, self.calls = self.calls, {}
        for call in calls.values():
            call.hear(None)

    # ---------------------------------------------------------------- inside

    async def _putting(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            said, self._out = self._out, []
            put = partial(self.actor.put.remote, packed(said))
            if await self._answer(put) is _NOTHING:
                return

    async def _taking(self) -> None:
        while True:
            data = await self._answer(lambda: self.actor.take.remote())
            if data is _NOTHING:
                return
            try:
                for message in for_driver(data):
                    self._take_in(message)
            except msgspec.DecodeError:
                self._end()  # nobody would answer the calls of a worker not understood
                return
            except Exception:
                self._end()
                raise

    def _take_in(self, message: ToDriver) -> None:
        if not isinstance(
            message, PartialReply | EventMade | SessionUnknown | StepFailed
        ):
            self._hear(self, message)
            return
        call = self.calls.get(message.call)
        if call is not None:
            if not isinstance(message, PartialReply):
                del self.calls[message.call]
            call.hear(message)

    async def _answer(self, ask: Callable[[], Any]) -> Any:
        """What the worker answers; `_NOTHING` where it is lost.

        Whatever Ray raises means that: a worker of ours raises nothing.
        """
        answer: asyncio.Future[Any] | None = None
        try:
            answer = asyncio.ensure_future(_awaited(ask()))
            done, _ = await asyncio.wait({answer}, timeout=SILENT)
            if not done:  # a driver that was held up itself looks once more
                done, _ = await asyncio.wait({answer}, timeout=1.0)
            if done:
                return answer.result()
        except Exception:  # noqa: S110
            pass
        finally:
            if answer is not None:
                answer.cancel()
                answer.add_done_callback(_look_at)
        self._end()
        return _NOTHING

    def _end(self) -> None:
        if self.alive:
            self._lost(self)


async def _awaited(reference: Any) -> Any:
    return await reference


def _look_at(answer: asyncio.Future[Any]) -> None:
    """So that asyncio does not report an error that came after nobody waited any
    more.
    """
    if not answer.cancelled():
        answer.exception()


_NOTHING = object()
