"""Plays, steps and runs one session, recorded or live.

It does not depend on widgets: a `Face` shows it, or nothing for a while.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from ..sessions.errors import BadInput, SessionError
from ..sessions.events import Event, Failure
from .play import Play, is_result
from .showing import clean

if TYPE_CHECKING:
    from ..engines.models.config import Config
    from ..engines.models.desk import Desk
    from ..engines.models.port import ModelCall, ModelRemark, Waiting
    from ..sessions.library import Library
    from ..sessions.session import Seat, Session
    from .method import SessionMethod

LONGEST_PAUSE = 5.0
"""Seconds that a replay waits at most between two events."""

SHORTEST_PAUSE = 0.6
"""Seconds that a replay waits at least between two events, at speed 1."""

SPEEDS = {"1": 1.0, "2": 2.0, "4": 4.0, "max": 0.0}
"""How many times faster than recorded a replay is; 0: without pauses."""

Until = Literal["step", "round", "end"]

Hindrance = Literal[
    "", "nothing", "finished", "replayed", "read_only", "unknown", "person"
]
"""Why a session does not continue; empty: it does."""


@dataclass(slots=True)
class PendingReply:
    """A reply that is on its way."""

    role: str
    seat: Seat
    since: float = field(default_factory=time.monotonic)
    said: list[str] = field(default_factory=list)
    thought: list[str] = field(default_factory=list)
    waiting: Waiting | None = None
    """Why the attempt before failed, while the next one waits."""
    waits_until: float = 0.0


class SeatQuestion:
    """What a person is asked for a seat."""

    def __init__(self, call: ModelCall) -> None:
        self.call = call
        self.since = time.monotonic()
        self._words: asyncio.Future[str | None] = (
            asyncio.get_running_loop().create_future()
        )

    def answer(self, words: str | None) -> None:
        """Takes what the person says; None: they say nothing now."""
        if not self._words.done():
            self._words.set_result(words)

    async def words(self) -> str | None:
        """Returns what the person says, once they have."""
        return await self._words


class Stage(Protocol):
    """Where a reply streams in."""

    async def begin(
        self,
        role: str,
        model: str,
        state: Callable[[], str],
        since: float | None = None,
    ) -> None:
        """Begins a reply, or begins it again: what an earlier attempt streamed is void.
        `state` says in a few words what is going on; `since` is when the reply was
        asked for.
        """

    def feed(self, text: str, reasoning: bool = False) -> None:
        """Adds a piece of the reply."""

    async def end_live(self) -> None:
        """Takes away a reply that will not become an event, or that nobody looks at
        now.
        """


class Face(Protocol):
    """What shows a run to the user."""

    async def refresh_view(self) -> None:
        """Shows the session at the cursor, which has moved."""

    def grown(self) -> None:
        """Tells that an event has come while the user looks at earlier ones."""

    async def stage(self) -> Stage | None:
        """Returns the place where the next reply streams in; None where nobody
        looks.
        """
        ...

    async def announce(self, stage: Stage, reply: PendingReply) -> None:
        """Shows who is asked now, or that a call waits before its next attempt."""

    def at_work(self, reply: PendingReply) -> None:
        """Announces that a role is called now."""

    def remark(self, part: ModelRemark) -> None:
        """Shows a remark about a call."""

    def asked(self) -> None:
        """A person is asked, or is not asked any more: `SessionRunner.question` has
        changed.
        """

    def say(
        self,
        message: str,
        severity: Literal["information", "warning", "error"] = "information",
    ) -> None:
        """Shows a message."""

    def rested(self) -> None:
        """A run is over, however it ended."""

    def report(self, error: BaseException) -> None:
        """A run ended by a defect."""


class SessionRunner:
    """One open session and the task that takes it further.

    Recorded events are played first, then new ones are made.
    """

    def __init__(
        self, face: Face, config: Config, library: Callable[[], Library]
    ) -> None:
        """`library` is where a draft gets its file with its first event."""
        self.play: Play | None = None
        self.method: SessionMethod | None = None
        self.desk: Desk | None = None
        self.speed = "1"
        """A key of `SPEEDS`."""
        self.until: Until = "step"
        self.speaking: str | None = None
        """The role being called, or the empty string for a step that calls none; None
        while no event is being created.
        """
        self.live = False
        """Whether a run creates new events, so that a change can apply from its next
        call; False while it plays recorded ones.
        """
        self.began = 0.0
        """When the last run was started, by the monotonic clock."""
        self.reply: PendingReply | None = None
        """What is being said now."""
        self.question: SeatQuestion | None = None
        """What a person is asked now."""
        self._face = face
        self._config = config
        self._library = library
        self._task: asyncio.Task[None] | None = None
        self._stage: Stage | None = None
        self._asking = asyncio.Lock()
        self._staging = asyncio.Lock()
        self._pausing = False
        self._queued = 0

    @property
    def running(self) -> bool:
        return self._task is not None and not self._task.done()

    # Sessions

    async def open(self, play: Play, method: SessionMethod | None) -> None:
        """Takes another session, after it has stopped and closed the former one."""
        await self.halt()
        if self.play is not None and self.play is not play:
            self.play.close()
        if self.method is not None and self.method is not method:
            self.method.close()
        self.play, self.method, self.desk, self.reply, self._stage = (
            play,
            method,
            None,
            None,
            None,
        )

    async def close(self) -> None:
        """Stops, and closes the session."""
        await self.halt()
        await self.clear_stage()
        if self.play is not None:
            if self.play.typed:
                with suppress(SessionError):
                    self.play.keep(self._library())
            self.play.close()
        if self.method is not None:
            self.method.close()

    def forget(self) -> None:
        """Lets go of a session that is closed: the runner, its method and its tools
        hold each other.
        """
        self.play = self.method = self.desk = self.reply = None

    # Going on

    def start(self, until: Until) -> Hindrance:
        """Goes on by one `step`, to the end of the `round`, or to the `end`; returns
        why it cannot.

        Called during a run, it tells that run how far to go. Steps asked for while a
        recording plays are counted: keys may come faster than events are drawn.
        """
        play = self.play
        if play is None:
            return "nothing"
        if self.running and until == self.until == "step" and not self.live:
            self._queued += 1
        self.until = until
        self._pausing = False
        if self.running:
            return ""
        self._queued = 0
        hindrance = self._hindrance(play)
        if not hindrance:
            self.began = time.monotonic()
            self.live = play.at_end
            self._task = asyncio.create_task(self._go(play))
            self._task.add_done_callback(self._ended)
        return hindrance

    def waits_for_person(self) -> bool:
        """Whether the session that is open can continue, but not before the user has
        decided something.
        """
        play, method = self.play, self.method
        return (
            play is not None
            and method is not None
            and play.extendable
            and method.waits_for_person(play.session)
        )

    def pause(self) -> None:
        """Lets a run end with the event that is being made."""
        self._pausing = True

    def cancel(self) -> None:
        """Stops a run without waiting for its end."""
        if self._task is not None:
            self._task.cancel()

    async def at_rest(self) -> None:
        """Waits until the task of a run is over."""
        if self._task is not None and not self._task.done():
            await asyncio.wait({self._task})

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
        """Takes away a reply that will not become an event, or that nobody looks at
        now.
        """
        stage, self._stage = self._stage, None
        if stage is not None:
            await stage.end_live()

    # Who looks, and where

    async def look(self, cursor: int) -> None:
        """Shows the session as it was after event `cursor`.

        A playing recording stops there; a run continues in the background, and is
        visible again at the end.
        """
        play = self.play
        if play is None:
            return
        if self.running and not self.live:
            await self.halt()
        play.cursor = min(max(cursor, 0), len(play.session.events))
        if not play.at_end:
            await self.clear_stage()
        await self._face.refresh_view()
        await self._put_on_stage(play)

    async def meet(self, face: Face) -> None:
        """Tells another face from now on."""
        await self.clear_stage()
        self._face = face

    async def show_reply(self) -> None:
        """Shows what is being said now from its beginning, where the session is shown
        at its end.
        """
        if self.play is not None:
            await self._put_on_stage(self.play)

    async def _put_on_stage(self, play: Play) -> None:
        async with self._staging:
            reply, face = self.reply, self._face
            stage = (
                await face.stage()
                if reply is not None and self._stage is None and play.at_end
                else None
            )
            if stage is None or reply is None:
                return
            await face.announce(stage, reply)
            # the user has gone elsewhere meanwhile
            if face is not self._face or not play.at_end:
                await stage.end_live()
                return
            for pieces, reasoning in ((reply.thought, True), (reply.said, False)):
                if pieces:
                    stage.feed("".join(pieces), reasoning)
            self._stage = stage

    # A person on a seat

    async def ask(self, call: ModelCall) -> str:
        """Returns what the person at the keyboard says for a seat, whenever that is;
        what else the user does continues.

        Raises:
            asyncio.CancelledError: they leave it for later, so the run ends and nothing
            is stored.
        """
        async with self._asking:
            question = self.question = SeatQuestion(call)
            self._face.asked()
            try:
                words = await question.words()
            finally:
                self.question = None
                self._face.asked()
        if words is None:
            raise asyncio.CancelledError
        return words

    def _hindrance(self, play: Play) -> Hindrance:
        if not play.at_end:
            return ""
        if not play.can_go_on():
            known = play.known and self.method is not None
            if play.finished:
                return "finished"
            if play.replaying:
                return "replayed"
            if not known:
                return "unknown"
            return "read_only"
        if self.waits_for_person():
            return "person"
        return ""

    def _ended(self, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._face.report(error)

    async def _go(self, play: Play) -> None:
        try:
            while True:
                # a built-in answers at once: keys and paintings have their turn between
                # two steps
                await asyncio.sleep(0)
                self.live = self.live or play.at_end
                event = await (self._made(play) if self.live else self._replayed(play))
                if (
                    event is None
                    or self._pausing
                    or isinstance(event, Failure)
                    or is_result(event)
                    or self.waits_for_person()
                ):
                    return
                if self.until == "step":
                    if not self._queued:
                        return
                    self._queued -= 1
                if (
                    self.until == "round"
                    and self.method is not None
                    and self.method.ends_part(event)
                ):
                    return
        except BadInput as error:
            self._face.say(clean(str(error)), "error")
        finally:
            self.live, self.speaking, self.reply = False, None, None
            self.record_wishes()
            self._face.rested()

    async def _replayed(self, play: Play) -> Event | None:
        """Shows the next recorded event, after a pause like the recorded one where a
        whole session plays; None at the last event.
        """
        event = play.session.events[play.cursor]
        factor = SPEEDS[self.speed]
        if self.until == "end" and factor:
            await asyncio.sleep(
                min(
                    LONGEST_PAUSE,
                    max(getattr(event, "seconds", 0.0), SHORTEST_PAUSE) / factor,
                )
            )
        play.cursor += 1
        await self._face.refresh_view()
        if not play.at_end:
            return event
        return None

    async def _made(self, play: Play) -> Event | None:
        """Makes one new event; None where there is nothing to make."""
        method = self.method
        if method is None or not play.extendable:
            return None
        if play.draft:
            await asyncio.to_thread(self._check_seats, play.session)
        play.keep(self._library())
        play.settle()
        await self._announce(play, method)
        while play.settle():
            await self._announce(play, method)
        await method.prepare(play.session)
        before, kept = len(play.session.events), None
        try:
            kept = await self._stepped(play, method)
        finally:
            seen = play.cursor >= before
            if seen:
                play.cursor = len(play.session.events)
        if kept is not None:
            play.settle()
            self.speaking = self.reply = None
            await self._shown(seen)
        return kept

    def _check_seats(self, session: Session) -> None:
        """Checks every seat before the first call, while there is no file yet.

        Raises: BadInput, which names every seat that cannot be asked.
        """
        from ..engines.preflight import check_rest

        check_rest(session, self._config)

    async def _shown(self, seen: bool) -> None:
        """Shows what has come, but not to a user who looks at earlier events."""
        if seen:
            self._stage = None  # the reply gives way to its event
            await self._face.refresh_view()
        else:
            self._face.grown()

    async def _stepped(self, play: Play, method: SessionMethod) -> Event | None:
        """Returns the next event, which is on disk; tells what streams in before."""
        from ..engines.models.desk import Desk
        from ..engines.models.port import Delta
        from ..engines.step import step

        if self.desk is None:
            self.desk = Desk(
                lambda: play.session, self._config, builtins=method.builtins()
            )
        kept: Event | None = None
        async with aclosing(step(play.journal, method.engine(), self.desk)) as parts:
            async for part in parts:
                if isinstance(part, Delta):
                    self._stream(part.text, part.reasoning)
                elif isinstance(part, Event):
                    kept = part
                else:
                    await self._hear(play, part)
        return kept

    def _stream(self, text: str, reasoning: bool) -> None:
        if self.reply is not None:
            self.reply.waiting = None
            (self.reply.thought if reasoning else self.reply.said).append(text)
        if self._stage is not None:
            self._stage.feed(text, reasoning)

    async def _hear(self, play: Play, part: Waiting | ModelRemark) -> None:
        """A call waits before its next attempt, which says everything anew; or there is
        a remark about it.
        """
        from ..engines.models.port import Waiting

        if not isinstance(part, Waiting):
            self._face.remark(part)
            return
        self.reply = PendingReply(
            part.role,
            play.session.seat(part.role),
            waiting=part,
            waits_until=time.monotonic() + part.seconds,
        )
        self._stage = None
        await self._put_on_stage(play)

    async def _announce(self, play: Play, method: SessionMethod) -> None:
        coming = method.upcoming(play.session)
        if coming is None:
            return
        self.speaking = coming.role
        seated = play.session.seated([coming.role])
        if seated:
            self.reply, self._stage = PendingReply(*seated[0]), None
            self._face.at_work(self.reply)
            await self._put_on_stage(play)
