"""The Debate workspace: topic, side, transcript; stepping, running, looking back, replaying."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, cast

from textual import work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static
from textual.worker import Worker, WorkerCancelled, WorkerFailed

from ...engines.debate.new import roles_needed
from ...engines.debate.plan import observed, upcoming
from ...sessions.clean import clean
from ...sessions.errors import SessionError
from ...sessions.events import DebateResult, Event, Failure, Verdict
from .. import words
from ..fitting import fit_lines
from ..play import Play
from ..said import said
from ..texts import t
from ..widgets.side import Fold, Side, facts
from .changes import Changes

if TYPE_CHECKING:
    from ...engines.models.desk import Desk
    from ...engines.models.port import Waiting
    from ...sessions.session import Seat
    from ..app import VerifyTui
    from ..widgets.transcript import Transcript

SPEEDS = {"1": 1.0, "2": 2.0, "4": 4.0, "max": 0.0}
LONGEST_PAUSE = 5.0
"""Seconds that a replay waits at most between two events."""


class DebateWorkspace(Changes, Vertical):
    """What the user sees and does of one debate."""

    def __init__(self) -> None:
        super().__init__(id="debate")
        self.play: Play | None = None
        self.desk: Desk | None = None
        self._transcript: Transcript | None = None
        self._mounting = asyncio.Lock()
        self.speed = "1"
        self._worker: Worker[None] | None = None
        self._pausing = False
        self._leaving = False
        self._until = "step"
        self._queued = 0
        self._topic = ""
        self._speaking: str | None = None

    @property
    def tui(self) -> VerifyTui:
        return cast("VerifyTui", self.app)

    def compose(self) -> ComposeResult:
        yield Static("", id="topic", markup=False)
        yield Fold()
        with Horizontal(id="columns"):
            yield Side()
            with Vertical(id="words"):
                yield Static("", id="nothing", markup=False)

    # What is shown

    async def open(self, play: Play) -> None:
        """Shows another session; a run of the former is stopped first."""
        await self.halt()
        if self.play is not None and self.play is not play:
            self.play.close()
        self.play, self.desk = play, None
        await self.refresh_view()
        gc.freeze()  # collecting the garbage of a step need not look through thousands of events
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
        from ...engines.debate.script import Script
        from ...engines.models.desk import Desk
        from ...engines.models.human import Human
        from .people import ask_person

        people = Human(lambda call: ask_person(self, call))
        return Desk(lambda: play.session, self.tui.config, builtins={"script": Script(), "human": people})

    async def refresh_view(self) -> None:
        """Brings everything on screen to the cursor."""
        play = self.play
        if play is None:
            return
        with self.app.batch_update():  # one painting, not one for each part
            await self._show(play)

    async def _show(self, play: Play) -> None:
        view, cursor = play.view, play.cursor
        self._show_topic(clean(str(view.header.task.get("topic", ""))))
        await self._show_transcript(play)
        coming = upcoming(view)
        now = coming.round if coming is not None else play.timeline.round(cursor)
        roles = [*roles_needed(view.header.settings, view.header.task.get("kind", "question")), *(["observer"] if observed(view) else [])]
        speaking = self._speaking or (coming.role if coming else None)
        shown = facts(view, roles, max(now, 1), speaking, play.timeline.disagreement(cursor), play.timeline.totals(cursor))
        self.query_one(Side).tell(shown)
        self.query_one(Fold).tell(shown)
        self.tui.say_place()

    def _show_topic(self, topic: str) -> None:
        line = fit_lines(topic, max(self.tui.size.width - 4, 20), 3)
        if line != self._topic:
            self._topic = line
            self.query_one("#topic", Static).update(Content.styled(line, "bold"))

    async def _show_transcript(self, play: Play) -> None:
        empty = self.query_one("#nothing", Static)
        empty.display = not play.cursor
        if not play.cursor:
            empty.update(self._invitation())
        if play.cursor or self._transcript is not None:
            await (await self.transcript()).show(play.session, play.cursor)

    async def transcript(self) -> Transcript:
        """The transcript, mounted when first needed: its Markdown would delay the first paint."""
        async with self._mounting:
            if self._transcript is None:
                from ..widgets.transcript import Transcript

                made = Transcript(self.tui.stream_interval, unfold=self.tui.config.reasoning == "shown")
                await self.query_one("#words").mount(made)
                self.call_after_refresh(made.focus)  # not before it has a place on the screen
                self._transcript = made
        return self._transcript

    def _invitation(self) -> str:
        play = self.play
        if play is not None and play.session.events:
            return t("debate.replay_invitation")
        scripted = play is not None and all(seat.model == "script" for seat in play.session.header.lineup.values())
        return t("debate.invitation_script" if scripted else "debate.invitation")

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
            why = "debate.finished" if self.play.finished else "debate.replayed" if self.play.replaying else "debate.read_only"
            self.tui.say(t(why), "warning")
            return
        self._worker = self._go()

    @work(group="debate", exclusive=True, exit_on_error=False)
    async def _go(self) -> None:
        assert self.play is not None
        try:
            while True:
                event = await (self._replayed() if not self.play.at_end else self._live())
                if event is None or self._pausing or isinstance(event, Failure | DebateResult):
                    return
                if self._until == "step":
                    if not self._queued:
                        return
                    self._queued -= 1
                if self._until == "round" and isinstance(event, Verdict):
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
        if self._transcript is not None:
            await self._transcript.end_live()
        await self.refresh_view()
        failed = self.play.failed if self.play.at_end else None
        if failed is not None and failed.kind in words.NEEDS_OTHER_MODEL and failed.role:
            self.do_lineup(failed.role, said(failed))

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
        from ...engines.debate.engine import DebateEngine
        from ...engines.models.port import Delta, Remark, Waiting
        from ...engines.run import step

        play = self.play
        assert play is not None
        if not play.can_go_on():
            return None
        play.keep(self.tui.library)
        transcript = await self.transcript()
        self.query_one("#nothing").display = False
        play.settle()
        await self._announce(transcript)
        while play.settle():
            await self._announce(transcript)
        kept: Event | None = None
        if self.desk is None:
            self.desk = self._new_desk(play)
        async with aclosing(step(play.journal, DebateEngine(), self.desk)) as parts:
            async for part in parts:
                match part:
                    case Delta():
                        transcript.feed(part.text, part.reasoning)
                    case Waiting():
                        await transcript.begin(part.role, words.model_name(play.session.seat(part.role)), _countdown(part))
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

    async def _announce(self, transcript: Transcript) -> None:
        assert self.play is not None
        coming = upcoming(self.play.session)
        if coming is None or not coming.role:
            return
        self._speaking = coming.role
        seat = self.play.session.seat(coming.role)
        await transcript.begin(coming.role, words.model_name(seat), lambda: _at_work(seat))

    # What keys do here; `Changes` has the rest

    def do_next(self) -> None:
        self.start("step")

    def do_round(self) -> None:
        self.start("round")

    def do_run(self) -> None:
        self.start("end")

    def do_pause(self) -> None:
        if self.running:
            self._pausing = True
            self.tui.say(t("debate.pausing"), "information")

    async def do_stop(self) -> None:
        if self.running:
            live = self._speaking is not None
            await self.halt()
            if live:
                self.tui.say(t("debate.stopped"), "information")

    async def look(self, cursor: int) -> None:
        """Shows the session as it stood after event `cursor`. A recording that plays stops there; a live debate is not disturbed."""
        if self.play is None:
            return
        if self.running:
            if self._speaking is not None or self.play.at_end:
                self.tui.say(t("debate.running"), "warning")
                return
            await self.halt()
        self.play.cursor = min(max(cursor, 0), len(self.play.session.events))
        await self.refresh_view()

    async def do_back(self) -> None:
        if self.play is not None:
            await self.look(self.play.cursor - 1)

    async def do_forward(self) -> None:
        if self.play is not None:
            await self.look(self.play.cursor + 1)

    async def do_first(self) -> None:
        await self.look(0)

    async def do_last(self) -> None:
        if self.play is not None:
            await self.look(len(self.play.session.events))

    async def do_jump(self, number: int) -> None:
        place = self.play.round_at(number) if self.play is not None else None
        if place is None:
            self.tui.say(t("debate.no_round", n=number), "warning")
        else:
            await self.look(place)

    def do_slower(self) -> None:
        self._change_speed(-1)

    def do_faster(self) -> None:
        self._change_speed(1)

    def _change_speed(self, by: int) -> None:
        names = list(SPEEDS)
        self.speed = names[min(max(names.index(self.speed) + by, 0), len(names) - 1)]
        self.tui.say(t("debate.speed", speed=t("debate.at_once") if self.speed == "max" else f"{self.speed}×"), "information")

    async def do_reasoning(self) -> None:
        transcript = await self.transcript()
        transcript.set_unfold(not transcript.unfold)

    async def follow(self) -> None:
        """Takes in what another process has appended to a session that is open there."""
        if self.play is None or self.play.journal.writable or self.play.draft:
            return
        at_end = self.play.at_end
        if self.play.journal.follow() and at_end:
            await self.look(len(self.play.session.events))


def _at_work(seat: Seat) -> str:
    """What a seat is doing before its reply is whole: LiteLLM takes seconds to load, once."""
    from ...engines.models.litellm_door import loaded

    return t("entry.speaking" if seat.model in words.BUILT_IN or loaded() else "entry.loading")


def _countdown(part: Waiting) -> Callable[[], str]:
    """Why an attempt failed, and in how many seconds the next one starts."""
    until = time.monotonic() + part.seconds
    why = said(part)
    return lambda: t("entry.waiting", seconds=f"{max(until - time.monotonic(), 0):.0f}", n=part.attempt, why=why)
