"""The Debate workspace: topic, side, transcript; level and rounds, twins, speeches edited and verdicts given by a person."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from ...engines.debate.new import roles_needed
from ...engines.debate.plan import BOUNDS, Step, defended, observed, setting, upcoming
from ...sessions.clean import clean
from ...sessions.errors import BadInput
from ...sessions.events import Event, Speech, Usage, Verdict
from .. import words
from ..play import Play
from ..texts import t
from ..widgets.side import Fold, Side, facts
from .base import Stage, Workspace
from .changes import Edit

if TYPE_CHECKING:
    from ...engines.models.config import Config
    from ...engines.models.port import Message, Model
    from ...engines.run import Engine
    from ...sessions.session import Seat, Session
    from ..widgets.transcript import Transcript


class DebateWorkspace(Workspace):
    """What the user sees and does of one debate."""

    method = "debate"

    def __init__(self) -> None:
        super().__init__()
        self._transcript: Transcript | None = None
        self._mounting = asyncio.Lock()

    def compose(self) -> ComposeResult:
        yield Static("", id="topic", markup=False)
        yield Fold()
        with Horizontal(id="columns"):
            yield Side()
            with Vertical(id="words"):
                yield Static("", id="nothing", markup=False)

    # What a debate is

    def example(self, config: Config) -> Play:
        from ..begin import example_draft

        return example_draft(config)

    def engine(self) -> Engine:
        from ...engines.debate.engine import DebateEngine

        return DebateEngine()

    def builtins(self) -> Mapping[str, Model]:
        from ...engines.debate.script import Script
        from ...engines.models.human import Human
        from .people import ask_person

        return {"script": Script(), "human": Human(lambda call: ask_person(self, call))}

    def upcoming(self, session: Session) -> Step | None:
        return upcoming(session)

    def asked(self, session: Session, number: int) -> list[Message] | None:
        from ...engines.debate.engine import asked

        return asked(session, number)

    def seat_for(self, model: str) -> Seat:
        from ...engines.models.seating import seat_for

        return seat_for(model, self.tui.config)

    def roles(self, session: Session) -> list[str]:
        needed = roles_needed({name: setting(session, name) for name in ("debaters", "opening")})
        return [role for role in needed if role != "baseline" or defended(session) is None]

    def ends_part(self, event: Event) -> bool:
        return isinstance(event, Verdict)

    def debaters(self) -> list[str]:
        if self.play is None:
            return []
        return [role for role in self.roles(self.play.session) if role not in ("judge", "observer", "baseline")]

    def last_answers(self) -> list[str]:
        """The answers last stated by each debater, for the judge's form."""
        found: dict[str, str] = {}
        for event in self.play.view.events if self.play else []:
            if isinstance(event, Speech) and event.answer:
                found[event.role] = clean(event.answer, newlines=False)
        return list(dict.fromkeys(found.values()))

    # What is shown

    async def show(self, play: Play) -> None:
        self._show_topic(clean(str(play.session.header.task.get("topic", ""))))
        await self._show_transcript(play)

    def show_beside(self, play: Play) -> None:
        view, cursor = play.view, play.cursor
        coming = upcoming(view)
        now = coming.round if coming is not None else play.timeline.round(cursor)
        roles = [*self.roles(view), *(["observer"] if observed(view) else [])]
        speaking = self._speaking or (coming.role if coming else None)
        shown = facts(view, roles, max(now, 1), speaking, play.timeline.disagreement(cursor), play.timeline.totals(cursor))
        self.query_one(Side).tell(shown)
        self.query_one(Fold).tell(shown)

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

    async def stage(self) -> Stage:
        transcript = await self.transcript()
        self.query_one("#nothing").display = False
        return transcript

    def focus_words(self) -> None:
        if self._transcript is not None:
            self._transcript.focus()

    async def do_reasoning(self) -> None:
        transcript = await self.transcript()
        transcript.set_unfold(not transcript.unfold)

    # What can be changed

    async def do_twin(self) -> None:
        """The same debate with the models of the two sides exchanged: the control for a judge's bias by position."""
        if self.busy() or self.play is None:
            return
        lineup = {role: self.play.session.seat(role) for role in self.play.session.header.lineup}
        lineup["affirmative"], lineup["negative"] = lineup["negative"], lineup["affirmative"]
        settings = {name: self.play.session.setting(name) for name in self.play.session.header.settings}
        await self._fork(0, "swap", lineup=lineup, settings=settings)

    def do_level(self) -> None:
        if not self._fixed():
            self.tui.run_worker(self._level(), group="dialog", exit_on_error=False)

    async def _level(self) -> None:
        from ..screens.level import LevelScreen

        assert self.play is not None
        now = self.play.wished("settings.level", setting(self.play.view, "level"))
        level = await self.tui.push_screen_wait(LevelScreen(now))
        if level is not None:
            await self._set("settings.level", now, level)

    async def do_rounds(self) -> None:
        await self._rounds(1)

    async def do_fewer(self) -> None:
        await self._rounds(-1)

    async def _rounds(self, by: int) -> None:
        """Moves the limit of rounds; not below the round that has begun."""
        if self._fixed() or self.play is None:
            return
        now = self.play.wished("settings.rounds", setting(self.play.view, "rounds"))
        coming = upcoming(self.play.view) if self.running else None
        least = max(coming.round if coming else self.play.timeline.round(self.play.cursor), 1)
        await self._set("settings.rounds", now, min(max(now + by, least), BOUNDS["rounds"][1]))

    def editable(self) -> Edit | None:
        from ...engines.debate.answers import closing

        speech = self.play.current if self.play is not None else None
        if not isinstance(speech, Speech):
            return None

        def make(text: str) -> Event:
            used = Usage(input=0, output=0)
            return Speech(role=speech.role, round=speech.round, model="human", text=text, answer=closing(text), usage=used, cost=0.0)

        title = t("edit.speech_title", letter=words.letter(speech.role), role=words.role_name(speech.role))
        return Edit(speech.number, title, speech.text, t("edit.speech_hint"), make)

    async def new(self) -> None:
        from ..begin import draft_from, offered
        from ..screens.new import NewDebateScreen

        examples, defaults = offered(self.tui.config)
        topic, message = "", ""
        while True:
            wanted = await self.tui.push_screen_wait(NewDebateScreen(examples, defaults, topic, message))
            if wanted is None:
                return
            try:
                await self.open(draft_from(wanted, self.tui.config))
                return
            except BadInput as error:
                topic, message = wanted.topic, clean(str(error))
