"""The Debate workspace: topic, side panel, transcript.

Also shows sessions of other methods, as transcripts.
"""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.events import Resize
from textual.message import Message
from textual.widgets import Static

from ....engines.debate.plan import debaters, setting, upcoming
from ....engines.debate.rounds import rounds
from ....texts import t
from ...play import Play
from ...runner import Stage
from ...showing import clean
from ...widgets.topic import TopicPanel
from ..base import Workspace
from ..changes import Changes
from ..columns import ColumnLayout
from ..cursor_keys import CursorKeys
from ..event_details import CloserLook
from ..export import Export
from ..lineup import Lineup
from .rounds import Rounds
from .settings import DebateSettings, editable_speech
from .widgets.side import Side, SideLine, debate_overview, other_overview, overview

if TYPE_CHECKING:
    from textual.content import Content

    from ....engines.models.config import Config
    from ....engines.models.port import ModelCall
    from ....sessions.session import Session
    from ...host import Host
    from ...screens.docked_form import DockedForm
    from .widgets.map import RoundsMap
    from .widgets.transcript import Transcript

BROAD = 180
"""Width, in cells, from which the rounds are shown next to the speeches."""

ROUNDS_READ = 40
"""Rounds that are shown, the newest: a debate of thousands stays quick."""


class Room(Horizontal):
    """The columns; it tells how wide they are together."""

    class Changed(Message):
        """The columns have another width."""

        def __init__(self, width: int) -> None:
            super().__init__()
            self.width = width

    def on_resize(self, event: Resize) -> None:
        self.post_message(self.Changed(event.size.width))


class DebateWorkspace(Workspace):
    """The view and actions of one debate."""

    tab = "debate"

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        changes = Changes(self.bench, lambda: editable_speech(self.bench))
        self.lineup = Lineup(self.bench, changes)
        self.parts = [
            DebateSettings(self.bench, changes),
            changes,
            self.lineup,
            CursorKeys(self.bench),
            CloserLook(self.bench),
            Export(self.bench),
        ]
        self.columns = ColumnLayout(self, "words", "rounds")
        self._transcript: Transcript | None = None
        self._map: RoundsMap | None = None
        self._pages: VerticalScroll | None = None
        self._mounting = asyncio.Lock()

    def compose(self) -> ComposeResult:
        yield TopicPanel(self.host.key("topic"))
        yield SideLine()
        with Room(id="columns"):
            yield Side()
            with Vertical(id="words") as words:
                words.border_title = f" {t('debate.transcript')} "
                yield Static("", id="nothing", markup=False)

    def on_mount(self) -> None:
        self.columns.show("words")

    def on_room_changed(self, event: Room.Changed) -> None:
        """Shows the rounds next to the speeches while there is room for both; a
        person's form can need it.
        """
        if self.has_class("-broad") != (event.width >= BROAD):
            self.set_class(event.width >= BROAD, "-broad")
            self.call_after_refresh(self.refresh_view)

    def example(self, config: Config) -> Play:
        from .drafts import example_draft

        return example_draft(config)

    def form_for(self, call: ModelCall) -> DockedForm:
        from .people import form_for

        return form_for(self.bench, call)

    # What is shown

    async def show(self, play: Play) -> None:
        self.show_topic(clean(str(play.session.header.task.get("topic", ""))))
        empty = self.query_one("#nothing", Static)
        empty.display = not play.cursor
        if not play.cursor:
            empty.update(self.invitation(self.query_one("#words").size.width - 4))
        self._show_given(play)
        if play.cursor or self._transcript is not None:
            await (await self.transcript()).show(play.session, play.cursor)

    def _show_given(self, play: Play) -> None:
        """Shows the texts that precede a debate until the first speech; then they are
        below the rounds.

        There is one widget for them, created once, because views can be rebuilt at the
        same time.
        """
        begins = _given(play.session) if not play.cursor else None
        if self._pages is None:
            if begins is None:
                return
            self._begins = Static("", markup=False)
            self._pages = VerticalScroll(self._begins, id="given")
            self._pages.display = False
            self.query_one("#words").mount(self._pages)
        pages, shown = self._pages, self._pages.display
        if begins is not None:
            self._begins.update(begins)
            pages.display = True
            if not shown:
                self.call_after_refresh(pages.focus)
        elif shown:
            if pages.has_focus:
                self.focus_words()
            pages.display = False

    def show_beside(self, play: Play) -> None:
        view, cursor, roles = play.view, play.cursor, self.bench.roles(play.view)
        totals, speaking = play.timeline.totals(cursor), self.runner.speaking
        rounded = play.session.method == "debate" and bool(debaters(view))
        self.set_class(rounded, "-rounded")
        if rounded:
            coming = upcoming(view)
            now = coming.round if coming is not None else play.timeline.round(cursor)
            speaking = speaking or (coming.role if coming else None)
            told = Rounds(
                debaters(view),
                rounds(view, ROUNDS_READ),
                play.timeline.disagreement(cursor),
                setting(view, "rounds"),
            )
            shown = debate_overview(view, roles, max(now, 1), speaking, told, totals)
            self._show_rounds(told, view)
        else:
            self.columns.show("words")
            method = self.runner.method  # None: this version does not know it
            shown = overview(view, roles, speaking, totals)
            if method is not None:
                shown = other_overview(
                    view,
                    roles,
                    speaking,
                    totals,
                    method.settings,
                    method.progress(view),
                )
        self.query_one(Side).tell(shown, rounds=not self._shows_rounds)
        self.query_one(SideLine).tell(shown)

    @property
    def _shows_rounds(self) -> bool:
        """Whether the rounds are in a column of their own."""
        return self.has_class("-broad", "-rounded") or self.columns.current == "rounds"

    def _show_rounds(self, told: Rounds, view: Session) -> None:
        """Draws the rounds where they are seen; their column is made when it is first
        needed.
        """
        if not self._shows_rounds:
            return
        if self._map is None:
            from .widgets.map import RoundsMap

            self._map = RoundsMap()
            self.query_one("#columns").mount(self._map)
        self._map.tell(told, _given(view) if view.events else None)

    async def transcript(self) -> Transcript:
        """Returns the transcript, which is mounted when first needed: its Markdown
        would delay the first paint.
        """
        async with self._mounting:
            if self._transcript is None:
                from .widgets.transcript import Transcript

                transcript = Transcript(
                    self.host.stream_interval,
                    unfold=self.host.config.reasoning == "shown",
                )
                await self.query_one("#words").mount(transcript)
                self._transcript = transcript
                # not before it has a place on the screen
                self.call_after_refresh(self._read_first)
        return self._transcript

    def _read_first(self) -> None:
        """Gives the keys to the transcript that has just come, unless a person is asked
        already.
        """
        if self.dock.form is None and self.is_attached:
            self.focus_words()

    async def stage(self) -> Stage:
        transcript = await self.transcript()
        self.query_one("#nothing").display = False
        return transcript

    def focus_words(self) -> None:
        shown = self._map if self.columns.current == "rounds" else self._transcript
        if shown is not None:
            self.screen.set_focus(shown)

    def scroll_to_end(self) -> None:
        if self._transcript is not None:
            self._transcript.anchor()

    def show_hit(self, wanted: re.Pattern[str] | None, number: int = 0) -> None:
        if self._transcript is not None:
            self._transcript.light(wanted, number)

    # Keys

    def can_reasoning(self) -> bool:
        if self.play is not None:
            return bool(getattr(self.play.current, "reasoning", None))
        return False

    def can_column(self) -> bool:
        return self.has_class("-rounded")

    async def do_column(self) -> None:
        """Shows the rounds in place of the speeches, and the speeches again; where both
        are there, goes to the other.
        """
        if not self.has_class("-rounded"):
            self.bench.say("no_rounds")
            return
        self.columns.show("rounds" if self.columns.current == "words" else "words")
        await self.refresh_view()
        self.call_after_refresh(self.focus_words)

    async def do_reasoning(self) -> None:
        transcript = await self.transcript()
        transcript.set_unfold(not transcript.unfold)

    async def new(self) -> None:
        from ....engines.debate.script import example_topics
        from ....engines.debate.settings import SETTINGS
        from ....engines.starting import Wishes, usable
        from ..new_session import begin
        from .screens.new_debate import NewDebateScreen

        def form(asked: Wishes, message: str) -> NewDebateScreen:
            topic = asked.task.get("topic", "")
            return NewDebateScreen(example_topics(), asked.options, topic, message)

        first = Wishes(SETTINGS, usable(SETTINGS, self.host.config))
        await begin(self, first, form, lambda asked: asked)


def _given(session: Session) -> Content | None:
    """The texts before a debate's first speech, if there are any: building their view
    would delay the first paint.
    """
    if not (session.header.task.get("evidence") or session.header.task.get("defended")):
        return None
    from .starting_answer import given

    return given(session)
