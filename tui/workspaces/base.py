"""What every workspace is: one tab that shows a session, and the parts that answer its
keys.
"""

from __future__ import annotations

import re
import time
from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from textual.containers import Vertical
from textual.content import Content

from ...engines.script import NAME as SCRIPT
from ...sessions.errors import SessionError
from ...texts import has, t
from .. import wording
from ..memory import make_room
from ..method import SessionMethod
from ..runner import SessionRunner
from ..state import QUIET
from ..widgets.topic import TopicPanel
from .attention import SessionNotifier
from .cursor_keys import EventSearch
from .form_host import FormHost
from .seat_turn import SeatTurn
from .session_context import SessionContext

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel

    from ...engines.models.config import Config
    from ...engines.models.port import ModelCall, ModelRemark
    from ...engines.tools import Tools
    from ..host import Host
    from ..play import Play
    from ..runner import PendingReply, Stage
    from ..screens.docked_form import DockedForm
    from ..screens.lineup import LineupScreen
    from ..screens.search import SearchBar
    from .lineup import Lineup


class SearchTarget(Protocol):
    """What answers the line to search with."""

    async def find(self, text: str, forward: bool) -> tuple[int, int] | None: ...

    async def end(self) -> None: ...


class LabelingSession(Protocol):
    """What a person goes through, piece by piece, in one tab."""

    tab: str
    """Whose tab."""
    scale: dict[int, str]
    """A team's own levels with names; empty for the usual ones."""

    def close(self) -> None:
        """Closes what is open for it."""


class Workspace(Vertical):
    """One tab: a `SessionRunner` with the session, and parts, each of which answers
    some keys by its methods `do_NAME`.
    """

    tab: ClassVar[str]
    """Its id, the section of its texts, and the `workspace` of its sessions."""

    def __init__(self, host: Host) -> None:
        super().__init__(id=self.tab)
        self.host = host
        self.bench = SessionContext(self.tab, host, host.runs.new(self), self)
        self.dock = FormHost(self, host.runs.unsent)
        self.turn = SeatTurn(self.bench, self.dock, self, self)
        self.attention = SessionNotifier(self.bench)
        self.searching: SearchTarget = EventSearch(self.bench)
        self.lineup: Lineup | None = None
        self.parts: list[object] = []
        """Who answers keys, the first that can."""
        self._leaving = False
        self._greeting: tuple[Play, Callable[[int], Content]] | None = None

    @property
    def runner(self) -> SessionRunner:
        """Who plays the session that is on screen."""
        return self.bench.runner

    @property
    def play(self) -> Play | None:
        return self.runner.play

    @property
    def running(self) -> bool:
        return self.runner.running

    @property
    def title(self) -> str:
        """What is open, for the line above."""
        if self.play is not None:
            return self.play.session.title
        return ""

    def withholds(self) -> bool:
        """True, with a message, where the user is not to see yet how the session came
        out.
        """
        return False

    def action(self, name: str) -> Callable[..., Any]:
        """Returns what a key does here. LookupError: nothing."""
        for part in (self, self.turn, *self.parts, self.bench.undo):
            own = getattr(part, f"do_{name}", None)
            if own is not None:
                return own  # type: ignore[no-any-return]
        raise LookupError(name)

    @property
    def has_keys(self) -> bool:
        """Whether an input line of this tab takes all keys and lists its own; the app's
        keys are disabled meanwhile.
        """
        return False

    def can(self, name: str) -> bool:
        """Whether an action is possible now: the result of `can_NAME`, the counterpart
        of `do_NAME`; True without one.
        """
        for part in (self, self.turn, *self.parts, self.bench.undo):
            if hasattr(part, f"do_{name}"):
                can = getattr(part, f"can_{name}", None)
                return can is None or bool(can())
        return False

    def do_new(self) -> None:
        self.bench.warm_configured()
        self.host.dialog(self.new())

    # What a workspace of one method says

    @abstractmethod
    async def new(self) -> None:
        """Asks what a new session is about, and opens it."""

    @abstractmethod
    def example(self, config: Config) -> Play:
        """Returns the draft that is shown first.

        Raises:
            BadInput: a setting of the user's cannot be used.
        """

    def method_of(self, play: Play) -> SessionMethod | None:
        """Returns the method at work on a session; None where this version does not
        know it, or shows it in another tab.
        """
        from ...engines.method import method_of
        from ...sessions.methods import METHODS

        if METHODS.get(play.session.method) != self.tab:
            return None
        return SessionMethod(method_of(play.session.header), play, self.tools(play))

    def tools(self, play: Play) -> Tools:
        """Returns what the method works with.

        A session that is not the user's own does not choose which folder is read.
        """
        from ...engines.tools import Tools
        from ...sessions.paths import paths

        return Tools(
            self.host.config,
            paths(),
            self.runner.ask,
            foreign=not play.own,
        )

    @abstractmethod
    def form_for(self, call: ModelCall) -> DockedForm:
        """Returns the form in which the user answers for a seat named human."""

    @abstractmethod
    async def stage(self) -> Stage: ...

    @abstractmethod
    async def show(self, play: Play) -> None:
        """Brings what is read to the cursor."""

    def show_beside(self, play: Play) -> None:
        """Brings what is beside it to the cursor, after what is read is painted: a
        key is answered the sooner.
        """

    @abstractmethod
    def focus_words(self) -> None: ...

    @property
    def reads(self) -> bool:
        """Whether a text is read at full height, and has the keys."""
        return False

    def scroll_text(self, *, to_end: bool) -> bool:
        """Scrolls the text that is read to its beginning or end; False where none
        is.
        """
        return False

    def scroll_to_end(self) -> None:
        """Shows the last lines of what is read."""

    def show_hit(self, wanted: re.Pattern[str] | None, number: int = 0) -> None:
        """Marks what a search has found, and brings one hit into sight."""

    def decision(self) -> DockedForm | None:
        """Returns the form for the decision that `SessionMethod.waits_for_person` is
        about.
        """
        return None

    async def decided(self, words: str) -> None:
        """Takes the decision."""

    def meet_session(self, play: Play) -> None:
        """Gets ready to show another session, whose runner is in its place already."""

    # What is shown

    async def open(self, play: Play) -> None:
        """Shows another session; a run of the previous one continues."""
        if play is self.play:
            await self.runner.open(play, self.runner.method)
        else:
            await self._change_to(self.host.runs.new(self))
            self.meet_session(play)
            await self.runner.open(play, self.method_of(play))
        await self.refresh_view()
        make_room(len(play.session.events))
        self.bench.warm_models()
        if play.journal.why_read_only and not (play.replaying or play.scope):
            self.host.say(play.journal.why_read_only, "warning")
        if play.journal.torn:
            self.host.say(t("app.torn"), "warning")

    async def take_up(self, sitting: Any) -> None:
        """Goes through what this tab knows as a `LabelingSession`, from where the
        person has stopped.
        """

    async def attach(self, runner: SessionRunner) -> None:
        """Shows a session that was running in the background; the run on screen moves
        to the background.
        """
        assert runner.play is not None
        await self._change_to(runner)
        self.meet_session(runner.play)
        await self.host.runs.meet(runner, self)
        await self.refresh_view()
        await runner.show_reply()
        await self.turn.tend()
        if runner.waits_for_person() and not runner.running:
            self.ask_user()

    async def _change_to(self, runner: SessionRunner) -> None:
        former, self.bench.runner = self.runner, runner
        runner.speed = former.speed
        await self.dock.clear()
        await self.host.runs.leave(former)

    async def greet(self, play: Play, words: Callable[[int], Content]) -> None:
        """Opens an example that the user did not request; `words`, made for a width,
        are shown above it.
        """
        self._greeting = play, words
        await self.open(play)

    async def close(self) -> None:
        """Stops what runs and closes the session, before the app is left."""
        self._leaving = True
        await self.runner.close()

    def on_unmount(self) -> None:
        self.runner.cancel()

    def on_resize(self) -> None:
        """The topic and a folded side are cut to the width."""
        if self.dock.form is not None:
            self.dock.form.fit()
        self.call_after_refresh(self.refresh_view)

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
                self.host.say_place()

    def show_topic(self, topic: str) -> None:
        """Shows what the session is about."""
        self.query_one(TopicPanel).tell(topic)

    def invitation(self, width: int) -> Content:
        """Returns what is there before the first step; where one built-in has all
        seats, with what it is, in `width` cells.
        """
        play = self.play
        if play is not None and play.session.events:
            words = (
                self.bench.phrase("replay_invitation")
                if play.replaying
                else t("play.before_first")
            )
            return Content.styled(words, "$quiet")
        if play is not None and self._unscripted(play):
            return Content.styled(t("play.unscripted"), "$warning")
        seated = (
            {seat.model for seat in play.session.header.lineup.values()}
            if play is not None
            else set()
        )
        builtin = seated.pop() if len(seated) == 1 else ""
        key = (
            f"invitation_{builtin}"
            if has(f"{self.tab}.invitation_{builtin}")
            else "invitation"
        )
        invitation = Content.styled(self.bench.phrase(key), "$quiet")
        if self._greeting is not None and self._greeting[0] is play:
            return self._greeting[1](width) + invitation
        return invitation

    def _unscripted(self, play: Play) -> bool:
        """Whether the built-in script is seated, but has no lines for what the session
        is about: models are to be chosen first.
        """
        method, seats = self.runner.method, play.session.header.lineup.values()
        return (
            method is not None
            and any(seat.model == SCRIPT for seat in seats)
            and method.unscripted() is not None
        )

    async def follow(self) -> None:
        """Takes in what another process has appended to a session that is open
        there.
        """
        play = self.play
        if play is None or play.journal.writable or play.draft:
            return
        at_end = play.at_end
        try:
            fresh = play.journal.follow()
            # what was read is shown first: taking over reads the rest, and may fail
            taken = not fresh and not play.replaying and play.journal.take_over()
        except SessionError as error:
            self.bench.refuse(error)
            play.close()  # what it showed stays, and it is not asked again every second
            return
        if taken:
            self.host.say(t("play.taken_over"), "information")
        if (fresh or taken) and at_end:
            await self.bench.look_at_end()

    # What the runner tells

    def started(self) -> None:
        self.set_timer(QUIET, self.host.say_place)

    def at_work(self, reply: PendingReply) -> None:
        self.attention.at_work(reply.role, reply.seat)

    def grown(self) -> None:
        self.host.say_place()

    async def announce(self, stage: Stage, reply: PendingReply) -> None:
        await stage.begin(
            reply.role,
            wording.model_name(reply.seat),
            lambda: _at_work(reply),
            reply.since,
        )

    def remark(self, part: ModelRemark) -> None:
        self.host.say(wording.said(part), "information")

    def say(self, message: str, severity: SeverityLevel = "information") -> None:
        self.host.say(message, severity)

    def report(self, error: BaseException) -> None:
        self.host.report(error)

    def rested(self) -> None:
        self.call_later(self._rested)

    async def _rested(self) -> None:
        play = self.play
        if play is None or self.running or self._leaving:
            return
        await self.turn.tend()
        await self.runner.clear_stage()
        await self.refresh_view()
        self.attention.over()
        failed = play.failed if play.at_end else None
        if (
            failed is not None
            and failed.kind in wording.NEEDS_OTHER_MODEL
            and failed.role not in ("", "retriever")
        ):
            if self.lineup is not None:
                self.lineup.do_lineup(failed.role, wording.said(failed))
        elif self.runner.waits_for_person():
            self.ask_user()

    # A person's turn

    def asked(self) -> None:
        self.call_later(self.turn.tend)

    def ask_user(self) -> None:
        self.call_later(self.turn.decide)

    def take_keys(self) -> None:
        """Gives the keys to the form where there is one, else to what is read."""
        self.turn.take_keys()

    async def on_docked_form_sent(self, event: DockedForm.Sent) -> None:
        await self.turn.sent(event)

    async def on_docked_form_left(self, event: DockedForm.Left) -> None:
        await self.turn.left(event)

    # What dialogs and the search line tell

    async def on_lineup_screen_swapped(self, event: LineupScreen.Swapped) -> None:
        if self.lineup is not None:
            await self.lineup.swap(event)

    async def on_search_bar_search(self, event: SearchBar.Search) -> None:
        places = await self.searching.find(event.text, event.forward)
        if places is not None:
            event.bar.found(*places)

    async def on_search_bar_closed(self, event: SearchBar.Closed) -> None:
        await event.bar.remove()
        self.focus_words()
        await self.searching.end()

    # Keys

    def can_topic(self) -> bool:
        return any(topic.is_long for topic in self.query(TopicPanel))

    def do_topic(self) -> None:
        """Unfolds a long topic, or folds it."""
        for topic in self.query(TopicPanel):
            topic.toggle()

    def can_next(self) -> bool:
        return (
            self.play is not None
            and not self.running
            and (not self.play.at_end or self.play.can_go_on())
        )

    can_round = can_run = can_next

    def can_stop(self) -> bool:
        return self.running

    can_pause = can_stop

    async def do_next(self) -> None:
        play = self.play
        if play is not None and self.runner.live and not play.at_end:
            await self.bench.look(play.cursor + 1)
        else:
            self.bench.start("step")

    def do_round(self) -> None:
        self.bench.start("round")

    def do_run(self) -> None:
        self.bench.start("end")

    def do_pause(self) -> None:
        if self.running:
            self.runner.pause()
            self.bench.say("pausing", "information")

    async def do_stop(self) -> None:
        if self.running:
            live = self.runner.speaking is not None
            await self.runner.halt()
            if live:
                self.bench.say("stopped", "information")


def _at_work(reply: PendingReply) -> str:
    """Returns what a seat does before its reply is whole: why an attempt failed, and in
    how many seconds the next one starts; or that LiteLLM loads, which takes seconds,
    once.
    """
    from ...engines.models.litellm_loading import loaded

    if reply.seat.model == "human":
        return t("entry.your_turn")
    waiting = reply.waiting
    if waiting is not None:
        left = max(reply.waits_until - time.monotonic(), 0)
        if waiting.kind == "limit":
            return t(
                "entry.limit" if left else "entry.limit_open",
                seconds=f"{left:.0f}",
                why=wording.said(waiting),
            )
        return t(
            "entry.waiting",
            seconds=f"{left:.0f}",
            n=waiting.attempt,
            why=wording.said(waiting),
        )
    return t(
        "entry.speaking"
        if reply.seat.model in wording.BUILT_IN or loaded()
        else "entry.loading"
    )
