"""What every workspace does: opens a session, steps, runs, replays.

A workspace of one method says, by the hooks below, who is asked, what comes next and what is shown.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, ClassVar, Protocol, cast

from textual import work
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static
from textual.worker import Worker, WorkerCancelled, WorkerFailed

from ...sessions.clean import clean
from ...sessions.errors import SessionError
from ...sessions.events import Event, Failure
from .. import words
from ..collecting import make_room
from ..fitting import fit_lines
from ..play import Play, is_result
from ..said import said
from ..texts import t
from .changes import Changes
from .looking import SPEEDS

if TYPE_CHECKING:
    from ...engines.models.config import Config
    from ...engines.models.desk import Desk
    from ...engines.models.port import Message, Model, Waiting
    from ...engines.run import Engine
    from ...sessions.session import Seat, Session
    from ..app import VerifyTui

LONGEST_PAUSE = 5.0
"""Seconds that a replay waits at most between two events."""


class Coming(Protocol):
    """The next step of a method. `role` "": nobody is asked."""

    @property
    def role(self) -> str: ...


class Stage(Protocol):
    """Where a reply streams in."""

    async def begin(self, role: str, model: str, state: Callable[[], str]) -> None:
        """A reply begins, or begins anew: what an earlier attempt streamed is void. `state` says in a few words what is going on."""

    def feed(self, text: str, reasoning: bool = False) -> None:
        """A piece of the reply."""

    async def end_live(self) -> None:
        """Takes away a reply that will not become an event."""


class Workspace(Changes, Vertical):
    """One tab. Its id, its texts' section and its sessions' `workspace` are `method`."""

    method: ClassVar[str]

    def __init__(self) -> None:
        super().__init__(id=self.method)
        self.play: Play | None = None
        self.desk: Desk | None = None
        self._worker: Worker[None] | None = None
        self._pausing = False
        self._leaving = False
        self._until = "step"
        self._queued = 0
        self._topic = ""
        self._speaking: str | None = None
        self._stage: Stage | None = None

    @property
    def tui(self) -> VerifyTui:
        return cast("VerifyTui", self.app)

    # What a method says of itself

    def example(self, config: Config) -> Play:
        """The draft that one sees first. BadInput where a setting of the user's cannot be used."""
        raise NotImplementedError

    def engine(self) -> Engine:
        """Makes the next event of the session that is open."""
        raise NotImplementedError

    def builtins(self) -> Mapping[str, Model]:
        """The built-ins that may be asked here, by name."""
        raise NotImplementedError

    def upcoming(self, session: Session) -> Coming | None:
        raise NotImplementedError

    def asked(self, session: Session, number: int) -> list[Message] | None:
        """The messages that event `number` answers; None where they are not known."""
        raise NotImplementedError

    def seat_for(self, model: str) -> Seat:
        """The seat of a model as the user wrote it. BadInput."""
        raise NotImplementedError

    def roles(self, session: Session) -> list[str]:
        """The roles that are asked, in order."""
        raise NotImplementedError

    def ends_part(self, event: Event) -> bool:
        """Whether a round or an iteration ends with it."""
        raise NotImplementedError

    def wants_person(self) -> bool:
        """Whether the session cannot go on before the user has said something; asked after a run, and before one."""
        return False

    def ask_user(self) -> None:
        """Asks what `wants_person` waits for."""

    async def stage(self) -> Stage:
        raise NotImplementedError

    async def show(self, play: Play) -> None:
        """Brings what is read to the cursor."""
        raise NotImplementedError

    def show_beside(self, play: Play) -> None:
        """The same for what stands beside it, once that is painted: a key is answered the sooner."""

    async def prepare(self) -> None:
        """Before each new event: what must be there and may take time."""

    def told(self, key: str, **values: object) -> str:
        """A sentence of this method's texts."""
        return t(f"{self.method}.{key}", **values)

    # What is shown

    async def open(self, play: Play) -> None:
        """Shows another session; a run of the former is stopped first."""
        await self.halt()
        if self.play is not None and self.play is not play:
            self.play.close()
        self.play, self.desk, self._stage = play, None, None
        await self.refresh_view()
        make_room(len(play.session.events))
        self.tui.warm_models()
        if play.journal.why_read_only and not play.replaying:
            self.tui.say(clean(play.journal.why_read_only), "warning")
        if play.journal.torn:
            self.tui.say(t("app.torn"), "warning")

    def on_resize(self) -> None:
        """Topic and folded side are cut to the width."""
        self.call_after_refresh(self.refresh_view)

    def _new_desk(self, play: Play) -> Desk:
        """Who is asked: loaded with the first step, not with the first paint."""
        from ...engines.models.desk import Desk

        return Desk(lambda: play.session, self.tui.config, builtins=self.builtins())

    async def refresh_view(self) -> None:
        """Brings everything on screen to the cursor."""
        play = self.play
        if play is None:
            return
        with self.app.batch_update():  # one painting, not one for each part
            await self.show(play)
        self.call_after_refresh(self._show_rest)

    def _show_rest(self) -> None:
        if self.play is not None and self.is_attached:
            with self.app.batch_update():
                self.show_beside(self.play)
                self.tui.say_place()

    def _show_topic(self, topic: str) -> None:
        line = fit_lines(topic, max(self.tui.size.width - 4, 20), 3)
        if line != self._topic:
            self._topic = line
            self.query_one("#topic", Static).update(Content.styled(line, "bold"))

    # Stepping and running

    @property
    def running(self) -> bool:
        return self._worker is not None and not self._worker.is_finished

    async def halt(self) -> None:
        """Stops what runs; what it cost is stored."""
        if self.running and self._worker is not None:
            self._worker.cancel()
            with suppress(WorkerCancelled, WorkerFailed):
                await self._worker.wait()
        self._keep_wishes()

    async def close(self) -> None:
        """Before leaving."""
        self._leaving = True
        await self.halt()
        if self._stage is not None:
            await self._stage.end_live()
        if self.play is not None:
            self.play.close()

    def start(self, until: str) -> None:
        """Goes on: one `step`, to the end of the `round`, or to the `end`. Recorded events first, then new ones.

        While something runs already, it is told how far to go.
        """
        if self.play is None:
            return
        if self.running and until == self._until == "step" and not self.play.at_end:
            self._queued += 1  # a recording: keys may come faster than it is drawn
        self._until = until
        self._pausing = False
        if self.running:
            return
        self._queued = 0
        if self.play.at_end and not self.play.can_go_on():
            why = "finished" if self.play.finished else "replayed" if self.play.replaying else "read_only"
            self.tui.say(self.told(why), "warning")
            return
        if self.play.at_end and self.wants_person():
            self.ask_user()
            return
        self._worker = self._go()

    @work(group="run", exclusive=True, exit_on_error=False)
    async def _go(self) -> None:
        assert self.play is not None
        try:
            while True:
                await asyncio.sleep(0)  # a built-in answers at once: keys and paintings have their turn between two steps
                event = await (self._replayed() if not self.play.at_end else self._live())
                if event is None or self._pausing or isinstance(event, Failure) or is_result(event):
                    return
                if self.play.can_go_on() and self.wants_person():
                    return
                if self._until == "step":
                    if not self._queued:
                        return
                    self._queued -= 1
                if self._until == "round" and self.ends_part(event):
                    return
        except SessionError as error:
            self.tui.say(clean(str(error)), "error")
        finally:
            self._speaking = None
            self._keep_wishes()
            self.call_later(self._settled)

    async def _settled(self) -> None:
        """After a run, however it ended."""
        if self.play is None or self.running or self._leaving:
            return
        if not self.play.at_end and isinstance(self.play.session.events[-1], Failure):
            self.play.cursor = len(self.play.session.events)
        if self._stage is not None:
            await self._stage.end_live()
        await self.refresh_view()
        failed = self.play.failed if self.play.at_end else None
        if failed is not None and failed.kind in words.NEEDS_OTHER_MODEL and failed.role not in ("", "retriever"):
            self.do_lineup(failed.role, said(failed))
        elif self.play.can_go_on() and self.wants_person():
            self.ask_user()

    async def _replayed(self) -> Event | None:
        """The next recorded event, after a pause like the recorded one when playing in time."""
        play = self.play
        assert play is not None
        event = play.session.events[play.cursor]
        factor = SPEEDS[self.speed]
        if self._until == "end" and factor:
            await asyncio.sleep(min(LONGEST_PAUSE, max(getattr(event, "seconds", 0.0), 0.6) / factor))
        play.cursor += 1
        await self.refresh_view()
        return event if not play.at_end else None

    async def _live(self) -> Event | None:
        """One new event from whoever's turn it is."""
        from ...engines.models.port import Delta, Remark, Waiting
        from ...engines.run import step

        play = self.play
        assert play is not None
        if not play.can_go_on():
            return None
        play.keep(self.tui.library)
        stage = self._stage = await self.stage()
        play.settle()
        await self._announce(stage)
        while play.settle():
            await self._announce(stage)
        kept: Event | None = None
        if self.desk is None:
            self.desk = self._new_desk(play)
        await self.prepare()
        async with aclosing(step(play.journal, self.engine(), self.desk)) as parts:
            async for part in parts:
                match part:
                    case Delta():
                        stage.feed(part.text, part.reasoning)
                    case Waiting():
                        await stage.begin(part.role, words.model_name(play.session.seat(part.role)), _countdown(part))
                    case Remark():
                        self.tui.say(said(part), "information")
                    case Event():
                        kept = part
        if kept is not None:
            play.settle()
            play.cursor = len(play.session.events)
            self._speaking = None
            await self.refresh_view()
        return kept

    async def _announce(self, stage: Stage) -> None:
        assert self.play is not None
        coming = self.upcoming(self.play.session)
        if coming is None:
            return
        self._speaking = coming.role
        seated = self.play.session.seated([coming.role])
        if seated:
            seat = seated[0][1]
            await stage.begin(coming.role, words.model_name(seat), lambda: _at_work(seat))

    # What keys do here; `Changes` and `Looking` have the rest

    def do_next(self) -> None:
        self.start("step")

    def do_round(self) -> None:
        self.start("round")

    def do_run(self) -> None:
        self.start("end")

    def do_pause(self) -> None:
        if self.running:
            self._pausing = True
            self.tui.say(self.told("pausing"), "information")

    async def do_stop(self) -> None:
        if self.running:
            live = self._speaking is not None
            await self.halt()
            if live:
                self.tui.say(self.told("stopped"), "information")


def _at_work(seat: Seat) -> str:
    """What a seat is doing before its reply is whole: LiteLLM takes seconds to load, once."""
    from ...engines.models.litellm_loading import loaded

    return t("entry.speaking" if seat.model in words.BUILT_IN or loaded() else "entry.loading")


def _countdown(part: Waiting) -> Callable[[], str]:
    """Why an attempt failed, and in how many seconds the next one starts."""
    until = time.monotonic() + part.seconds
    why = said(part)
    return lambda: t("entry.waiting", seconds=f"{max(until - time.monotonic(), 0):.0f}", n=part.attempt, why=why)
