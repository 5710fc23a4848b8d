"""Where every call of a language model waits until the limits of its model let it
begin; what a call says when it is over.
"""

from __future__ import annotations

import asyncio
import math
import threading
import time
from contextlib import suppress
from itertools import count
from typing import Protocol

import msgspec

from .limits import Gate, RateLimits


class Ticket(msgspec.Struct, kw_only=True):
    """A call that may begin."""

    model: str
    """As in `Pacing.enter`."""
    number: int
    waited: float = 0.0
    """Seconds before it might begin."""


class Pacing(Protocol):
    """The rate limits of all models, for all callers in one or several processes."""

    def at_once(self, model: str, pace: RateLimits, tokens: int) -> Ticket | None:
        """As `enter`, if the call may begin now; None if it has to wait, or somebody
        elsewhere must be asked.
        """
        ...

    async def enter(self, model: str, pace: RateLimits, tokens: int) -> Ticket:
        """Wait until a call of about this many tokens can start.

        If cancelled, the next caller takes its place. `model`: a named model's name,
        otherwise its id and endpoint (`calls.Target.paced_as`). `pace`: the configured
        limits.
        """
        ...

    def likely(self, model: str) -> float | None:
        """Seconds that a call of the model would about wait now; None: that is not
        known.
        """
        ...

    def leave(self, ticket: Ticket, tokens: int | None) -> None:
        """The call is over, however it ended.

        `tokens`: those that it has used, in and out; None: not known.
        """
        ...

    async def refuse(self, ticket: Ticket, seconds: float) -> bool:
        """In place of `leave`: the provider takes no more calls for now (429), and asks
        to wait this many seconds (0: it names none).

        True if that slows the model down.
        """
        ...


class Clock:
    """The time, and waiting for it. Tests have one that they set."""

    def now(self) -> float:
        """Seconds, only forward."""
        return time.monotonic()

    async def wait(self, news: asyncio.Event, seconds: float) -> None:
        """Until there is news, or this many seconds have passed."""
        with suppress(TimeoutError):
            async with asyncio.timeout(None if math.isinf(seconds) else seconds):
                await news.wait()


class _ModelQueue:
    """The calls of one model, including the waiting ones."""

    def __init__(self) -> None:
        self.gate = Gate()
        self.waiting: dict[int, tuple[asyncio.AbstractEventLoop, asyncio.Event]] = {}

    def wake(self) -> None:
        """Has the one that goes next look again, whichever event loop it is in."""
        while (first := self.gate.first) is not None:
            loop, news = self.waiting[first]
            try:
                loop.call_soon_threadsafe(news.set)
                return
            except RuntimeError:  # that loop is closed: nobody waits there any more
                del self.waiting[first]
                self.gate.leave(first, 0)


class ProcessPacing:
    """The limits of all models for one process, whatever threads and event loops call
    them. Implements `Pacing`.
    """

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or Clock()
        self._lines: dict[str, _ModelQueue] = {}
        self._numbers = count(1)
        self._lock = threading.Lock()

    def at_once(self, model: str, pace: RateLimits, tokens: int) -> Ticket | None:
        """See `Pacing`."""
        with self._lock:
            gate = self._line(model, pace).gate
            if gate.first is not None:
                return None
            number = next(self._numbers)
            gate.join(number, tokens)
            if gate.admit(number, self._clock.now()) == 0.0:
                return Ticket(model=model, number=number)
            gate.leave(number, 0)
            return None

    async def enter(self, model: str, pace: RateLimits, tokens: int) -> Ticket:
        """See `Pacing`."""
        began, news = self._clock.now(), asyncio.Event()
        with self._lock:
            line, number = self._line(model, pace), next(self._numbers)
            line.gate.join(number, tokens)
            line.waiting[number] = asyncio.get_running_loop(), news
        ticket = Ticket(model=model, number=number)
        try:
            while True:
                news.clear()
                with self._lock:
                    now = self._clock.now()
                    seconds = line.gate.admit(number, now)
                    if seconds == 0.0:
                        del line.waiting[number]
                        line.wake()
                        ticket.waited = now - began
                        return ticket
                await self._clock.wait(news, seconds)
        except BaseException:
            self.leave(ticket, 0)
            raise

    def likely(self, model: str) -> float | None:
        """See `Pacing`."""
        with self._lock:
            line = self._lines.get(model)
            if line is None:
                return 0.0
            return line.gate.likely(self._clock.now())

    def leave(self, ticket: Ticket, tokens: int | None) -> None:
        """See `Pacing`."""
        with self._lock:
            line = self._lines[ticket.model]
            line.waiting.pop(ticket.number, None)
            line.gate.leave(ticket.number, tokens)
            line.wake()

    async def refuse(self, ticket: Ticket, seconds: float) -> bool:
        """See `Pacing`."""
        with self._lock:
            line = self._lines[ticket.model]
            slowed = line.gate.refuse(ticket.number, seconds, self._clock.now())
            line.wake()
            return slowed

    def _line(self, model: str, pace: RateLimits) -> _ModelQueue:
        line = self._lines.get(model)
        if line is None:
            line = self._lines[model] = _ModelQueue()
        line.gate.pace = pace
        return line


_here = ProcessPacing()


def here() -> Pacing:
    """The limits of this process."""
    return _here
