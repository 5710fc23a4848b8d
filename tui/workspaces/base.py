"""What every workspace is: one tab that shows a session, and the parts that answer its keys."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from ...sessions.errors import SessionError
from ...texts import t
from .. import wording
from ..fitting import fit_lines
from ..memory import make_room
from .attention import Attention
from .bench import Bench
from .looking import Search
from .method import SessionMethod
from .runner import Runner
from .state import QUIET

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel

    from ...engines.models.config import Config
    from ...engines.models.port import Call, Remark
    from ...engines.tools import Tools
    from ..host import Host
    from ..play import Play
    from ..screens.lineup import LineupScreen
    from ..screens.search import SearchBar
    from .lineup import Lineup
    from .runner import Reply, Stage


class Searching(Protocol):
    """What answers the line to search with."""

    async def find(self, text: str, forward: bool) -> tuple[int, int] | None: ...

    async def end(self) -> None: ...


class Workspace(Vertical):
    """One tab: a `Runner` with the session, and parts, each of which answers some keys by its methods `do_NAME`."""

    tab: ClassVar[str]
    """Its id, the section of its texts, and the `workspace` of its sessions."""

    def __init__(self, host: Host) -> None:
        super().__init__(id=self.tab)
        self.host = host
        self.runner = Runner(self, host.config, lambda: host.library)
        self.bench = Bench(self.tab, host, self.runner, self)
        self.attention = Attention(self.bench)
        self.searching: Searching = Search(self.bench)
        self.lineup: Lineup | None = None
        self.parts: list[object] = []
        """Who answers keys, the first that can."""
        self._leaving = False
        self._topic = ""

    @property
    def play(self) -> Play | None:
        return self.runner.play

    @property
    def running(self) -> bool:
        return self.runner.running

    def action(self, name: str) -> Callable[..., Any]:
        """Returns what a key does here. LookupError: nothing."""
        for part in (self, *self.parts):
            own = getattr(part, f"do_{name}", None)
            if own is not None:
                return own  # type: ignore[no-any-return]
        raise LookupError(name)

    def can(self, name: str) -> bool:
        """Whether an action can be done now: what `can_NAME` says beside `do_NAME`; without it, always."""
        for part in (self, *self.parts):
            if hasattr(part, f"do_{name}"):
                can = getattr(part, f"can_{name}", None)
                return can is None or bool(can())
        return False

    # What a workspace of one method says

    def example(self, config: Config) -> Play:
        """Returns the draft that is shown first.

        Raises:
            BadInput: a setting of the user's cannot be used.
        """
        raise NotImplementedError

    def method_of(self, play: Play) -> SessionMethod | None:
        """Returns the method at work on a session; None where this version does not know it, or shows it in another tab."""
        from ...engines.method import method_of
        from ...sessions.methods import METHODS

        if METHODS.get(play.session.method) != self.tab:
            return None
        return SessionMethod(method_of(play.session.header), play, self.tools(play))

    def tools(self, play: Play) -> Tools:
        """Returns what the method works with. A session that is not the user's own does not choose which folder is read."""
        from ...engines.tools import Tools
        from ...sessions.paths import paths

        return Tools(self.host.config, paths(), self.ask_person, foreign=not play.own)

    async def ask_person(self, call: Call) -> str:
        """Returns what the user says for a seat named human."""
        raise NotImplementedError

    async def stage(self) -> Stage:
        raise NotImplementedError

    async def show(self, play: Play) -> None:
        """Brings what is read to the cursor."""
        raise NotImplementedError

    def show_beside(self, play: Play) -> None:
        """Brings what stands beside it to the cursor, after what is read is painted: a key is answered the sooner."""

    def focus_words(self) -> None:
        raise NotImplementedError

    def scroll_to_end(self) -> None:
        """Shows the last lines of what is read."""

    def ask_user(self) -> None:
        """Asks for the decision that `SessionMethod.waits_for_person` is about."""

    # What is shown

    async def open(self, play: Play) -> None:
        """Shows another session; a run of the former one is stopped first."""
        await self.runner.halt()
        await self.runner.open(play, self.runner.method if play is self.play else self.method_of(play))
        await self.refresh_view()
        make_room(len(play.session.events))
        self.bench.warm_models()
        if play.journal.why_read_only and not play.replaying:
            self.host.say(play.journal.why_read_only, "warning")
        if play.journal.torn:
            self.host.say(t("app.torn"), "warning")

    async def close(self) -> None:
        """Stops what runs and closes the session, before the app is left."""
        self._leaving = True
        await self.runner.close()

    def on_unmount(self) -> None:
        self.runner.cancel()

    def on_resize(self) -> None:
        """The topic and a folded side are cut to the width."""
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
        """Shows what the session is about, in at most three lines."""
        line = fit_lines(topic, max(self.app.size.width - 4, 20), 3)
        if line != self._topic:
            self._topic = line
            self.query_one("#topic", Static).update(Content.styled(line, "bold"))

    def invitation(self, builtin: str = "lexical") -> str:
        """Returns what stands there before the first step. `builtin` sits on all seats of an example."""
        play = self.play
        if play is not None and play.session.events:
            return self.bench.phrase("replay_invitation")
        example = play is not None and all(seat.model == builtin for seat in play.session.header.lineup.values())
        return self.bench.phrase(f"invitation_{builtin}" if example else "invitation")

    async def follow(self) -> None:
        """Takes in what another process has appended to a session that is open there."""
        play = self.play
        if play is None or play.journal.writable or play.draft:
            return
        at_end = play.at_end
        try:
            fresh = play.journal.follow()
            taken = not play.replaying and play.journal.take_over()
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

    def at_work(self, reply: Reply) -> None:
        self.attention.at_work(reply.role, reply.seat)

    def grown(self) -> None:
        self.host.say_place()

    async def announce(self, stage: Stage, reply: Reply) -> None:
        await stage.begin(reply.role, wording.model_name(reply.seat), lambda: _at_work(reply), reply.since)

    def remark(self, part: Remark) -> None:
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
        await self.runner.clear_stage()
        await self.refresh_view()
        self.attention.over()
        failed = play.failed if play.at_end else None
        if failed is not None and failed.kind in wording.NEEDS_OTHER_MODEL and failed.role not in ("", "retriever"):
            if self.lineup is not None:
                self.lineup.do_lineup(failed.role, wording.said(failed))
        elif self.runner.waits_for_person():
            self.ask_user()

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

    def can_next(self) -> bool:
        return self.play is not None and not self.running and (not self.play.at_end or self.play.can_go_on())

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


def _at_work(reply: Reply) -> str:
    """Returns what a seat does before its reply is whole: why an attempt failed, and in how many seconds the next one starts; or that
    LiteLLM loads, which takes seconds, once."""
    from ...engines.models.litellm_loading import loaded

    waiting = reply.waiting
    if waiting is not None:
        left = max(reply.waits_until - time.monotonic(), 0)
        return t("entry.waiting", seconds=f"{left:.0f}", n=waiting.attempt, why=wording.said(waiting))
    return t("entry.speaking" if reply.seat.model in wording.BUILT_IN or loaded() else "entry.loading")
