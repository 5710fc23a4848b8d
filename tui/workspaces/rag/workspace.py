"""The RAG workspace: question, references, answer, scores and decision; stepping from
iteration to iteration.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static

from ....engines.rag.plan import (
    RagIteration,
    latest,
    question,
    setting,
    turns,
    upcoming,
)
from ....engines.retrieval.citations import unmarked
from ....engines.threads import in_thread
from ....sessions.errors import BadInput
from ....sessions.events import Event, Failure, Reference, UnknownEvent
from ....sessions.events.rag import Claims, RagAnswer, RagResult, Retrieval
from ....texts import t
from ... import wording as words
from ...play import Play
from ...runner import PendingReply, Stage
from ...showing import clean, clean_line
from ...widgets.hits import HitText, show_hit
from ...widgets.topic import TopicPanel
from ..base import Workspace
from ..baseline import LexicalBaseline
from ..changes import Changes
from ..columns import ColumnLayout
from ..cursor_keys import CursorKeys
from ..event_details import CloserLook
from ..export import Export
from ..lineup import Lineup
from . import claims
from . import wording as rag_words
from .changes import RagSettings, ReferenceChanges, decide, decision, editable_turn
from .claim_walk import ClaimWalk
from .kinds import is_ranked
from .passages import query_words, reference_hit
from .reading import RagReading, show_document
from .scores import scores_line
from .widgets.answer import AnswerView
from .widgets.references import References

if TYPE_CHECKING:
    from ....engines.models.config import Config
    from ....engines.models.port import ModelCall
    from ....sessions.session import Session
    from ...host import Host
    from ...screens.docked_form import DockedForm


CLAIM_ROOM = 9
"""Lines that a claim takes with its passage, about."""


class RagWorkspace(Workspace):
    """The RAG workspace: view and actions of one question."""

    tab = "rag"
    DEFAULT_CSS = Path(__file__).with_name("rag.tcss").read_text(encoding="utf-8")
    SCOPED_CSS = False

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.columns = ColumnLayout(self, "references", "answer", "scores")
        self._references = References()
        self._hit: re.Pattern[str] | None = None
        """What is searched for."""
        self._query = ""
        self._words: frozenset[str] = frozenset()
        self._ranked_at = ("", 0)
        """The ranking on screen, and the event at which it stands."""
        self._last_shown: Event | None = None
        """The last event that was shown."""
        self._baseline = LexicalBaseline(self)
        changes = Changes(self.bench, lambda: editable_turn(self.bench))
        closer = CloserLook(self.bench)
        self._claims = ClaimWalk(self.bench, self._show_claim)
        self.lineup = Lineup(self.bench, changes)
        self.parts = [
            RagReading(self.bench, self.columns, self._references, closer),
            ReferenceChanges(self.bench, changes, lambda: self.reference),
            RagSettings(self.bench, changes),
            self._claims,
            changes,
            self.lineup,
            self.columns,
            CursorKeys(self.bench),
            closer,
            Export(self.bench),
        ]

    def compose(self) -> ComposeResult:
        yield TopicPanel(self.host.key("topic"))
        yield Static("", id="scores-line", markup=False)
        with Horizontal(id="one"):
            with VerticalScroll(id="left", classes="pane titled", can_focus=False):
                yield Static("", id="left-out", markup=False)
                yield self._references
                yield Static("", id="ranked-answers", markup=False)
            yield AnswerView(self.host.stream_interval)
            with VerticalScroll(id="scores", classes="pane titled"):
                yield HitText("", id="figures", markup=False)
                yield HitText("", id="claims", markup=False)
                yield HitText("", id="about", markup=False)
        yield Horizontal(id="beside")

    def on_mount(self) -> None:
        self.columns.show("answer")
        self.add_class("-invites")
        self.query_one("#beside").display = False
        self.query_one("#ranked-answers").display = False

    def example(self, config: Config) -> Play:
        from .drafts import example_draft

        return example_draft(config)

    def form_for(self, call: ModelCall) -> DockedForm:
        from .people import form_for

        return form_for(call)

    def decision(self) -> DockedForm | None:
        return decision(self.bench)

    async def decided(self, words: str) -> None:
        await decide(self.bench, words)

    @property
    def reference(self) -> Reference | None:
        """The reference under the cursor."""
        return self._references.chosen

    # What is shown

    async def show(self, play: Play) -> None:
        ranked = is_ranked(play.session)
        self._references.display, self.query_one("#ranked-answers").display = (
            not ranked,
            ranked,
        )
        self.show_topic(clean(question(play.view)))
        if ranked:
            await self._show_ranked(play)
        else:
            await self._show_question(play)

    def _show_about(
        self, play: Play, coming: str, line: Content, rows: list[tuple[str, str]]
    ) -> None:
        """Show the line-up and settings, with `coming` as the next role.

        `line` has the scores on a narrow screen.
        """
        about = rag_words.about(
            play.view.seated(self.bench.roles(play.view)),
            self.runner.speaking or coming,
            play.timeline.totals(play.cursor),
            rows,
        )
        self.query_one("#about", Static).update(about)
        self.query_one("#scores-line", Static).update(line)

    async def _show_ranked(self, play: Play) -> None:
        from . import ranked

        view, speaking, width = play.view, self.runner.speaking, self.app.size.width
        answer = self.query_one(AnswerView)
        self.remove_class("-invites")
        answer.border_title = self.query_one("#scores").border_title = t(
            "ranked.rankings"
        )
        self.query_one("#left").border_title = ranked.answers_head(view)
        self.query_one("#ranked-answers", Static).update(ranked.answers_of(view))
        last = play.current
        answer.conclude(ranked.concluded(last))
        begun = bool(play.session.events) or self._unscripted(play)
        builtin = ranked.builtin_note(view)
        invites = (
            self.invitation(answer.room)
            if begun
            else rag_words.plain(builtin + self.bench.phrase("ranked_invitation"))
        )
        waits = not play.cursor and speaking is None
        parts: rag_words.Parts = [invites, "\n\n"] if waits else []
        if isinstance(last, Failure | UnknownEvent):
            parts += [words.line_of(last), "\n\n"]
        answer.settle(Content.assemble(*parts, ranked.rankings_of(view, answer.room)))
        if speaking is None:
            await answer.end_live()
            at = play.session.header.id, play.cursor
            if self._ranked_at != at:  # the newest stands first
                answer.call_after_refresh(answer.scroll_home, animate=False)
            self._ranked_at = at
        self.query_one("#figures", Static).update(ranked.table(view))
        self.query_one("#claims").display = False
        line = ranked.table_line(view, width - 4)
        self._show_about(play, ranked.role_asked(view), line, [])

    async def _show_question(self, play: Play) -> None:
        view, speaking = play.view, self.runner.speaking
        every = turns(view)
        turn = every[-1] if every else None
        last = play.current
        asked = question(view)
        coming = upcoming(view)
        self._show_references(turn, view)
        self._load_words(turn)
        answer = self.query_one(AnswerView)
        self.set_class(not play.cursor, "-invites")
        if not play.cursor:
            answer.conclude(None)
            answer.settle(self.invitation(answer.scrollable_content_region.width))
        else:
            earlier = [one for one in every[:-1] if one.iteration or one.verification]
            ended = last if isinstance(last, RagResult) else None
            shown = rag_words.QuestionView(
                turn,
                earlier,
                ended,
                self._answer_of_baseline(play) if ended is not None else "",
            )
            settled = rag_words.middle(
                shown, asked, coming.what if coming is not None else None, answer.room
            )
            answer.conclude(
                rag_words.result(shown, ended, answer.room_in_box)
                if ended is not None
                else None
            )
            if isinstance(last, Failure | UnknownEvent):
                settled = words.line_of(last) + rag_words.plain("\n\n") + settled
            answer.settle(settled)
        if speaking is None:
            await answer.end_live()
        answer.border_title, self.query_one("#scores").border_title = rag_words.titles(
            turn
        )
        self.query_one("#figures", Static).update(
            rag_words.right(
                [one for one in every if one.iteration],
                setting(view, "indicator"),
                self._scores_width,
            )
        )
        self._show_claims(turn)
        if last is not self._last_shown and self._claims.place(turn) is None:
            if isinstance(last, Claims):  # they stand below the fold
                self.call_after_refresh(self._follow_claims)
            elif isinstance(self._last_shown, Claims):
                self.query_one("#scores").scroll_home(animate=False)
        self._last_shown = last
        line = scores_line(turn, self.app.size.width - 4)
        coming_role = coming.role if coming is not None else ""
        self._show_about(play, coming_role, line, rag_words.settings(view))
        if self.query_one("#beside").display:
            await self._show_iterations(every)

    @property
    def _scores_width(self) -> int:
        """Cells of a line in the column of the scores; before it is laid out, of the
        widest.
        """
        width = self.query_one("#scores").scrollable_content_region.width
        narrow = self.app.size.width < 100
        return width or (self.app.size.width - 2 if narrow else 38)

    def _show_claims(self, turn: RagIteration | None) -> int:
        """Shows the claims of an iteration; returns the line of the one that is looked
        at.
        """
        place = self._claims.place(turn)
        content, line = claims.shown(turn, place, self._scores_width)
        block = self.query_one("#claims", Static)
        block.display = bool(content.plain)
        block.update(content)
        return line

    async def _show_claim(self) -> None:
        """Shows the claim that is looked at: in its column, and in the passage that it
        rests on.
        """
        turn = latest(self.play.view) if self.play is not None else None
        claim = claims.claim_at(turn, self._claims.place(turn))
        if claim is None or self.play is None:
            return
        self._see("scores")
        every = turns(self.play.view)
        self._show_references(every[-1], self.play.view)
        if claim.n is not None:
            self._references.go(claim.n)
        self.call_after_refresh(self._scroll_to_claims, self._show_claims(turn))

    def _follow_claims(self) -> None:
        """Brings claims into view, unless the next event has come meanwhile."""
        if isinstance(self._last_shown, Claims):
            self._scroll_to_claims()

    def _scroll_to_claims(self, line: int = 0) -> None:
        """Brings the claims into view, from their first line on where the claim on
        `line` is seen then, too.
        """
        column, block = self.query_one("#scores"), self.query_one("#claims")
        below = line if line + CLAIM_ROOM > column.size.height else 0
        column.scroll_to(y=block.virtual_region.y + below, animate=False)

    def _answer_of_baseline(self, play: Play) -> str:
        """Return the baseline's answer without citations, which use other numbers."""
        session = self._baseline.session(play)
        ended = session.events[-1] if session is not None else None
        if isinstance(ended, RagResult):
            return unmarked(ended.answer or "")
        return ""

    def _show_references(self, turn: RagIteration | None, view: Session) -> None:
        self.query_one("#left").border_title = rag_words.references_title(
            turn,
            len(turns(view)),
            clean_line(str(view.header.task.get("corpus", ""))),
        )
        left_out = rag_words.left_out(turn)
        self.query_one("#left-out", Static).update(left_out)
        self.query_one("#left-out").display = bool(left_out)
        width = self.app.size.width
        space = self._references.scrollable_content_region
        room = (space.width or (width * 3 // 10 - 2 if width >= 100 else width - 2)) - 1
        self._references.tell(
            turn,
            max(room, 16),
            space.height,
            rag_words.PassageMarks(self._words, self._claims.place(turn), self._hit),
        )

    def _load_words(self, turn: RagIteration | None) -> None:
        """Find the query words to mark in the references.

        For Chinese queries, loads the dictionary in the background first.
        """
        query = (
            turn.retrieval.query
            if turn is not None and turn.retrieval is not None
            else ""
        )
        if query == self._query:
            return
        self._query, self._words = query, frozenset()
        if query:
            self.run_worker(  # not begun where the next one replaces it
                partial(self._mark, query),  # type: ignore[arg-type]
                group="words",
                exclusive=True,
                exit_on_error=False,
            )

    async def _mark(self, query: str) -> None:
        words = await in_thread(lambda: query_words(query))
        if query == self._query and words and self.play is not None:
            self._words = words
            every = turns(self.play.view)
            self._show_references(every[-1] if every else None, self.play.view)

    async def _show_iterations(self, every: list[RagIteration]) -> None:
        beside = self.query_one("#beside")
        contents = [rag_words.column(turn) for turn in every]
        with self.app.batch_update():
            # Nothing waits between the two: another call would mount a second set.
            removed = beside.remove_children()
            mounted = beside.mount(
                *(
                    VerticalScroll(Static(each, markup=False), classes="iteration")
                    for each in contents
                )
            )
            await removed
            await mounted

    async def announce(self, stage: Stage, reply: PendingReply) -> None:
        """Show the next role; to a person who answers, the full references."""
        from .people import passages, ranked_for_person

        self.query_one(AnswerView).follows = reply.seat.model != "human"
        await super().announce(stage, reply)
        turn = latest(self.play.session) if self.play is not None else None
        if (
            reply.seat.model == "human"
            and self.play is not None
            and is_ranked(self.play.session)
        ):
            stage.feed(ranked_for_person(self.play.session))
        elif (
            reply.seat.model == "human"
            and reply.role == "generator"
            and turn is not None
            and turn.retrieval is not None
        ):
            stage.feed(passages(turn.retrieval.references))

    async def stage(self) -> Stage:
        return self.query_one(AnswerView)

    def show_hit(self, wanted: re.Pattern[str] | None, number: int = 0) -> None:
        self._hit = wanted
        for lines in self.query(HitText):
            lines.light(wanted)
        if self.play is None or is_ranked(self.play.session):
            return
        self._show_references(latest(self.play.view), self.play.view)
        if wanted is not None:
            self.call_after_refresh(self._go_to_hit, self.play, wanted, number)

    def _go_to_hit(self, play: Play, wanted: re.Pattern[str], number: int) -> None:
        """Brings a hit of the event at the cursor into sight, in its column."""
        event = play.current
        if isinstance(event, Retrieval):
            place = reference_hit(event, play.session, wanted, number)
            if place is not None:
                self._see("references")
                self._references.go_to_hit(place[0], wanted, place[1])
                return
        answers = isinstance(event, RagAnswer | RagResult)
        columns = sorted(
            ("answer", "scores"), key=lambda name: (name == "answer") != answers
        )
        for name in columns:
            column = self.query_one(f"#{name}")
            if any(wanted.search(str(text.content)) for text in column.query(HitText)):
                self._see(name)
                texts = column.query(HitText)
                at = max(number, 0)
                self.call_after_refresh(show_hit, column, texts, wanted, at)
                return

    def _see(self, column: str) -> None:
        """Shows a column, where there is room for one only."""
        if self.app.size.width < 100:
            self.columns.show(column)

    def focus_words(self) -> None:
        self.screen.set_focus(
            self._references
            if self.columns.current == "references"
            else self.query_one(AnswerView)
        )

    @on(OptionList.OptionSelected, "#references")
    def _open_reference(self) -> None:
        turn = latest(self.play.view) if self.play is not None else None
        if self.reference is not None and turn is not None:
            marks = claims.marks_of(turn, self.reference.n, self._claims.place(turn))
            self.host.dialog(show_document(self.bench, self.reference, marks))

    # Keys

    def can_beside(self) -> bool:
        return self.play is not None and len(turns(self.play.view)) > 1

    async def do_beside(self) -> None:
        """Show the iterations side by side, or one at a time."""
        beside = self.query_one("#beside")
        beside.display = not beside.display
        self.query_one("#one").display = not beside.display
        await self.refresh_view()

    async def new(self) -> None:
        from ....engines.rag.starting import example_questions
        from ....texts import language
        from ...screens.edit import EditScreen
        from ..new_session import begin
        from .drafts import NewQuestion, blank
        from .screens.new_question import NewQuestionScreen, sources

        offered = await sources(self.host.config)

        async def complete(asked: NewQuestion) -> NewQuestion | None:
            if asked.pasted is None:
                return asked
            pasted = await self.host.ask(
                EditScreen(t("rag.paste_title"), asked.pasted, t("rag.paste_hint"))
            )
            return None if pasted is None else asked._replace(pasted=pasted)

        await begin(
            self,
            blank(self.host.config),
            lambda asked, message: NewQuestionScreen(
                example_questions(language()), offered, asked, message
            ),
            NewQuestion.wishes,
            complete,
        )

    def can_handover(self) -> bool:
        turn = latest(self.play.view) if self.play is not None else None
        return turn is not None and turn.answer is not None and bool(turn.answer.answer)

    async def do_handover(self) -> None:
        """Opens a debate of this answer."""
        from ..handover import handed_over

        play = self.play
        if play is None:
            return
        turn = latest(play.view)
        if turn is None or turn.answer is None or not turn.answer.answer:
            self.bench.say("nothing_to_debate")
            return
        try:
            debate = handed_over(play, turn, self.host.config)
        except BadInput as error:
            self.bench.refuse(error)
            return
        if await self.host.open_play(debate):
            self.bench.say("handed_over", "information")
