"""Plays, steps and runs one session, recorded or live. It knows no widget: what it does is shown by a `Face`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Literal, Protocol

from ...sessions.errors import SessionError
from ...sessions.events import Event, Failure
from ..play import Play, is_result
from ..showing import clean

if TYPE_CHECKING:
    from ...engines.models.config import Config
    from ...engines.models.desk import Desk
    from ...engines.models.port import Remark, Waiting
    from ...sessions.library import Library
    from ...sessions.session import Seat
    from .method import SessionMethod

LONGEST_PAUSE = 5.0
"""Seconds that a replay waits at most between two events."""

SHORTEST_PAUSE = 0.6
"""Seconds that a replay waits at least between two events, at speed 1."""

SPEEDS = {"1": 1.0, "2": 2.0, "4": 4.0, "max": 0.0}
"""How many times faster than recorded a replay is; 0: without pauses."""

Until = Literal["step", "round", "end"]

Hindrance = Literal["", "nothing", "finished", "replayed", "read_only", "unknown", "person"]
"""Why a session does not go on; empty: it does."""


class Stage(Protocol):
    """Where a reply streams in."""

    async def begin(self, role: str, model: str, state: Callable[[], str]) -> None:
        """Begins a reply, or begins it again: what an earlier attempt streamed is void. `state` says in a few words what is going on."""

    def feed(self, text: str, reasoning: bool = False) -> None:
        """Adds a piece of the reply."""

    async def end_live(self) -> None:
        """Takes away a reply that will not become an event."""


class Face(Protocol):
    """What shows a run to the user."""

    async def refresh_view(self) -> None:
        """Shows the session at the cursor, which has moved."""

    async def stage(self) -> Stage:
        """Returns the place where the next reply streams in."""
        ...

    async def announce(self, stage: Stage, role: str, seat: Seat) -> None:
        """Shows who is asked now."""

    async def hear(self, stage: Stage, part: Waiting | Remark) -> None:
        """Shows that a call waits before its next attempt, or a remark about it."""

    def say(self, message: str, severity: Literal["information", "warning", "error"] = "information") -> None:
        """Shows a message."""

    def rested(self) -> None:
        """A run is over, however it ended."""

    def report(self, error: BaseException) -> None:
        """A run ended by a defect."""


class Runner:
    """One open session and the task that takes it further. Recorded events are played first, then new ones are made."""

    def __init__(self, face: Face, config: Config, library: Callable[[], Library]) -> None:
        """`library` is where a draft gets its file with its first event."""
        self.play: Play | None = None
        self.method: SessionMethod | None = None
        self.desk: Desk | None = None
        self.speed = "1"
        """A key of `SPEEDS`."""
        self.until: Until = "step"
        self.began = 0.0
        """When the last run was started, by the monotonic clock."""
        self.speaking: str | None = None
        """The role that is asked now, or the empty string for a step that asks nobody; None while no event is being made."""
        self._face = face
        self._config = config
        self._library = library
        self._task: asyncio.Task[None] | None = None
        self._stage: Stage | None = None
        self._pausing = False
        self._queued = 0

    @property
    def running(self) -> bool:
        return self._task is not None and not self._task.done()

    @property
    def live(self) -> bool:
        """Whether a run makes new events, so that a change may hold from its next call."""
        return self.running and self.play is not None and self.play.can_go_on()

    # Sessions

    async def open(self, play: Play, method: SessionMethod | None) -> None:
        """Takes another session, after it has stopped and closed the former one."""
        await self.halt()
        if self.play is not None and self.play is not play:
            self.play.close()
        if self.method is not None and self.method is not method:
            self.method.close()
        self.play, self.method, self.desk, self._stage = play, method, None, None

    async def close(self) -> None:
        """Stops, and closes the session."""
        await self.halt()
        await self.clear_stage()
        if self.play is not None:
            self.play.close()
        if self.method is not None:
            self.method.close()

    # Going on

    def start(self, until: Until) -> Hindrance:
        """Goes on by one `step`, to the end of the `round`, or to the `end`; returns why it cannot.

        Called during a run, it tells that run how far to go. Steps asked for while a recording plays are counted: keys may come faster
        than events are drawn.
        """
        play = self.play
        if play is None:
            return "nothing"
        if self.running and until == self.until == "step" and not play.at_end:
            self._queued += 1
        self.until = until
        self._pausing = False
        if self.running:
            return ""
        self._queued = 0
        hindrance = self._hindrance(play)
        if not hindrance:
            self.began = time.monotonic()
            self._task = asyncio.create_task(self._go(play))
            self._task.add_done_callback(self._ended)
        return hindrance

    def waits_for_person(self) -> bool:
        """Whether the session that is open can go on, but not before the user has decided something."""
        play, method = self.play, self.method
        return play is not None and method is not None and play.can_go_on() and method.waits_for_person(play.session)

    def pause(self) -> None:
        """Lets a run end with the event that is being made."""
        self._pausing = True

    def cancel(self) -> None:
        """Stops a run without waiting for its end."""
        if self._task is not None:
            self._task.cancel()

    async def halt(self) -> None:
        """Stops a run and waits until what it cost is stored."""
        if self.running and self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
        self.record_wishes()

    def record_wishes(self) -> None:
        """Records the changes that the user made while a call ran."""
        try:
            if self.play is not None:
                self.play.settle()
        except SessionError as error:
            self._face.say(clean(str(error)), "error")

    async def clear_stage(self) -> None:
        """Takes away a reply that will not become an event."""
        if self._stage is not None:
            await self._stage.end_live()

    def _hindrance(self, play: Play) -> Hindrance:
        if not play.at_end:
            return ""
        if not play.can_go_on():
            known = play.known and self.method is not None
            return "finished" if play.finished else "replayed" if play.replaying else "unknown" if not known else "read_only"
        return "person" if self.waits_for_person() else ""

    def _ended(self, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._face.report(error)

    async def _go(self, play: Play) -> None:
        try:
            while True:
                await asyncio.sleep(0)  # a built-in answers at once: keys and paintings have their turn between two steps
                event = await (self._replayed(play) if not play.at_end else self._made(play))
                if event is None or self._pausing or isinstance(event, Failure) or is_result(event) or self.waits_for_person():
                    return
                if self.until == "step":
                    if not self._queued:
                        return
                    self._queued -= 1
                if self.until == "round" and self.method is not None and self.method.ends_part(event):
                    return
        except SessionError as error:
            self._face.say(clean(str(error)), "error")
        finally:
            self.speaking = None
            self.record_wishes()
            self._face.rested()

    async def _replayed(self, play: Play) -> Event | None:
        """Shows the next recorded event, after a pause like the recorded one where a whole session plays; None at the last event."""
        event = play.session.events[play.cursor]
        factor = SPEEDS[self.speed]
        if self.until == "end" and factor:
            await asyncio.sleep(min(LONGEST_PAUSE, max(getattr(event, "seconds", 0.0), SHORTEST_PAUSE) / factor))
        play.cursor += 1
        await self._face.refresh_view()
        return event if not play.at_end else None

    async def _made(self, play: Play) -> Event | None:
        """Makes one new event; None where there is nothing to make."""
        from ...engines.models.desk import Desk
        from ...engines.models.port import Delta
        from ...engines.step import step

        method = self.method
        if method is None or not play.can_go_on():
            return None
        play.keep(self._library())
        stage = self._stage = await self._face.stage()
        play.settle()
        await self._announce(stage, play, method)
        while play.settle():
            await self._announce(stage, play, method)
        if self.desk is None:
            self.desk = Desk(lambda: play.session, self._config, builtins=method.builtins())
        await method.prepare(play.session)
        kept: Event | None = None
        async with aclosing(step(play.journal, method.engine(), self.desk)) as parts:
            async for part in parts:
                if isinstance(part, Delta):
                    stage.feed(part.text, part.reasoning)
                elif isinstance(part, Event):
                    kept = part
                else:
                    await self._face.hear(stage, part)
        if kept is not None:
            play.settle()
            play.cursor = len(play.session.events)
            self.speaking = None
            await self._face.refresh_view()
        return kept

    async def _announce(self, stage: Stage, play: Play, method: SessionMethod) -> None:
        coming = method.upcoming(play.session)
        if coming is None:
            return
        self.speaking = coming.role
        seated = play.session.seated([coming.role])
        if seated:
            await self._face.announce(stage, *seated[0])
