"""The Debate workspace: topic, side, transcript. It shows sessions of other methods too, as a transcript of who spoke."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from ....engines.debate.plan import upcoming
from ....sessions.errors import BadInput
from ...play import Play
from ...showing import clean
from ...widgets.topic import Topic
from ..base import Workspace
from ..changes import Changes
from ..closer import CloserLook
from ..export import Export
from ..lineup import Lineup
from ..looking import Looking
from ..runner import Stage
from .settings import DebateSettings, editable_speech
from .widgets.side import Side, SideLine, debate_overview, overview

if TYPE_CHECKING:
    from ....engines.models.config import Config
    from ....engines.models.port import Call
    from ...host import Host
    from ...widgets.docked import Docked
    from .widgets.transcript import Transcript


class DebateWorkspace(Workspace):
    """What the user sees and does of one debate."""

    tab = "debate"

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        changes = Changes(self.bench, lambda: editable_speech(self.bench))
        self.lineup = Lineup(self.bench, changes)
        self.parts = [
            DebateSettings(self.bench, changes),
            changes,
            self.lineup,
            Looking(self.bench),
            CloserLook(self.bench),
            Export(self.bench),
        ]
        self._transcript: Transcript | None = None
        self._mounting = asyncio.Lock()

    def compose(self) -> ComposeResult:
        yield Topic(self.host.key("topic"))
        yield SideLine()
        with Horizontal(id="columns"):
            yield Side()
            with Vertical(id="words"):
                yield Static("", id="nothing", markup=False)

    def example(self, config: Config) -> Play:
        from .drafts import example_draft

        return example_draft(config)

    def form_for(self, call: Call) -> Docked:
        from .people import form_for

        return form_for(self.bench, call)

    # What is shown

    async def show(self, play: Play) -> None:
        self.show_topic(clean(str(play.session.header.task.get("topic", ""))))
        empty = self.query_one("#nothing", Static)
        empty.display = not play.cursor
        if not play.cursor:
            empty.update(self.invitation(self.query_one("#words").size.width - 4))
        if play.cursor or self._transcript is not None:
            await (await self.transcript()).show(play.session, play.cursor)

    def show_beside(self, play: Play) -> None:
        view, cursor, roles = play.view, play.cursor, self.bench.roles(play.view)
        totals, speaking = play.timeline.totals(cursor), self.runner.speaking
        if play.session.method == "debate":
            coming = upcoming(view)
            now = coming.round if coming is not None else play.timeline.round(cursor)
            speaking = speaking or (coming.role if coming else None)
            shown = debate_overview(view, roles, max(now, 1), speaking, play.timeline.disagreement(cursor), totals)
        else:
            shown = overview(view, roles, speaking, totals)
        self.query_one(Side).tell(shown)
        self.query_one(SideLine).tell(shown)

    async def transcript(self) -> Transcript:
        """Returns the transcript, which is mounted when first needed: its Markdown would delay the first paint."""
        async with self._mounting:
            if self._transcript is None:
                from .widgets.transcript import Transcript

                transcript = Transcript(self.host.stream_interval, unfold=self.host.config.reasoning == "shown")
                await self.query_one("#words").mount(transcript)
                self.call_after_refresh(transcript.focus)  # not before it has a place on the screen
                self._transcript = transcript
        return self._transcript

    async def stage(self) -> Stage:
        transcript = await self.transcript()
        self.query_one("#nothing").display = False
        return transcript

    def focus_words(self) -> None:
        if self._transcript is not None:
            self._transcript.focus()

    def scroll_to_end(self) -> None:
        if self._transcript is not None:
            self._transcript.anchor()

    # Keys

    def can_reasoning(self) -> bool:
        return bool(getattr(self.play.current, "reasoning", None)) if self.play is not None else False

    async def do_reasoning(self) -> None:
        transcript = await self.transcript()
        transcript.set_unfold(not transcript.unfold)

    def do_new(self) -> None:
        self.host.dialog(self._new())

    async def _new(self) -> None:
        from ....engines.debate.script import example_topics
        from ....engines.debate.settings import SETTINGS
        from ....engines.starting import usable
        from ..drafts import draft
        from .screens.new_debate import NewDebateScreen

        defaults, topic, message = usable(SETTINGS, self.host.config), "", ""
        while True:
            wanted = await self.host.ask(NewDebateScreen(example_topics(), defaults, topic, message))
            if wanted is None:
                return
            try:
                await self.open(draft(wanted, self.host.config))
                return
            except BadInput as error:
                defaults, topic, message = dict(wanted.options), wanted.task["topic"], clean(str(error))
