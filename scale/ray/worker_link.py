"""The driver's connection to one worker. Messages are sent in bundles, one at a time in
each direction.
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
"""Seconds without a message after which a worker counts as lost. It sends one every
five.
"""


class WorkerLost(Exception):
    """The worker is lost. Whether the provider processed the call in progress is
    unknown.
    """


class RemoteCall:
    """An event in progress on a worker."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._said: asyncio.Queue[
            PartialReply | EventMade | SessionUnknown | StepFailed | None
        ] = asyncio.Queue()

    def hear(
        self, message: PartialReply | EventMade | SessionUnknown | StepFailed | None
    ) -> None:
        """Receives the worker's report; None: the worker is lost."""
        self._said.put_nowait(message)

    async def next(self) -> PartialReply | EventMade | SessionUnknown | StepFailed:
        """The next report; all but the last are `PartialReply`. Raises: Lost."""
        message = await self._said.get()
        if message is None:
            raise WorkerLost
        return message


class WorkerLink:
    """A worker, until it is `lost`."""

    def __init__(
        self,
        actor: Any,
        number: int,
        node: str,
        hear: Callable[[WorkerLink, ToDriver], None],
        lost: Callable[[WorkerLink], None],
    ) -> None:
        """`hear` receives reports that belong to no call. `lost` is called once, when
        the worker no longer answers.
        """
        self.actor, self.number, self.node = actor, number, node
        self.alive = True
        self.calls: dict[int, RemoteCall] = {}
        """The calls in progress."""
        self.sets: set[str] = set()
        """Names of the sets of demonstrations that the worker has."""
        self._hear, self._lost = hear, lost
        self._sent: dict[int, int] = {}
        """Session → number of its events that the worker has."""
        self._out: list[ToWorker] = []
        self._news = asyncio.Event()
        self._tasks = [
            asyncio.create_task(self._putting()),
            asyncio.create_task(self._taking()),
        ]

    def say(self, message: ToWorker) -> None:
        """Sends a message with the next bundle."""
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
        """Requests the next event of a session, with the events that the worker does
        not have yet; `whole`: with all events and the header. If the worker is lost,
        the call fails at once.
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
        """Cancels the event of a call."""
        self.say(Cancel(call=call.number))

    def forget(self, number: int) -> None:
        """Drops a session."""
        if self._sent.pop(number, None) is not None and self.alive:
            self.say(Forget(session=number))

    def close(self) -> None:
        """Closes the connection. Calls in progress fail as lost."""
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
                self._end()  # calls of this worker would never be answered
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
        """The worker's reply; `_NOTHING` if it is lost. Any error from Ray means that,
        because workers raise none.
        """
        answer: asyncio.Future[Any] | None = None
        try:
            answer = asyncio.ensure_future(_awaited(ask()))
            done, _ = await asyncio.wait({answer}, timeout=SILENT)
            if not done:  # a driver that was delayed itself checks once more
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
    """Retrieves the error of an abandoned call, so that asyncio does not report it."""
    if not answer.cancelled():
        answer.exception()


_NOTHING = object()
