"""The relevance workspace: candidates in a table, two cases with their facts, the
stages of one; the user's own labels.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, WeakSet

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from ....engines.cases.task import text_of
from ....engines.relevance.engine import RelevanceEngine
from ....engines.relevance.plan import RelevanceState, machine
from ....sessions.errors import BadInput
from ...play import Play
from ...runner import PendingReply, SessionRunner, Stage
from ..base import Workspace
from ..baseline import LexicalBaseline
from ..columns import ColumnLayout
from ..cursor_keys import CursorKeys
from ..event_details import CloserLook
from ..export import Export
from ..lineup import Lineup
from . import wording as relevance_words
from .candidate_drawing import CandidateDrawing
from .case_keys import CaseKeys
from .cases import Cases, hidden_with_word
from .changes import CaseChanges, CaseSettings, raw_event
from .drafts import annotator, demonstration_set, example_draft
from .evidence import EvidenceKeys
from .graded import is_graded
from .label_keys import Labels
from .label_writer import LabelWriter
from .labeling.keys import PairKeys
from .labeling.selection_bar import ChoosingBar
from .labeling.wording import own_words
from .labeling_state import LabelingState
from .search import CaseSearch
from .side_labels import SideLabels
from .widgets.candidates import CandidateTable
from .widgets.case_pane import CasePane
from .widgets.people import RaterColumns
from .widgets.stages import Stages

if TYPE_CHECKING:
    from ....engines.models.config import Config
    from ....engines.models.port import ModelCall
    from ....engines.tools import Tools
    from ...host import Host
    from ...screens.docked_form import DockedForm
    from .labeling.labelers import PairQueue

PAUSE = 0.3
"""Seconds between two refreshes while all candidates are judged."""
BESIDE = 72
"""Cells from which on two whole texts are beside each other."""


class RelevanceWorkspace(Workspace):
    """The Relevance workspace: view and actions of a query and its candidates."""

    tab = "relevance"
    DEFAULT_CSS = Path(__file__).with_name("relevance.tcss").read_text(encoding="utf-8")
    SCOPED_CSS = False

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.cases: Cases | None = None
        """Those of the session that is open."""
        self._open_cases: WeakKeyDictionary[SessionRunner, Cases] = WeakKeyDictionary()
        self._engine = RelevanceEngine(demonstration_set)
        self._columns = ColumnLayout(self, "candidates", "query", "candidate", "stages")
        self._reading = CaseKeys(self.bench, self, self._columns)
        self.searching = search = CaseSearch(self.bench, self, self._reading)
        self._drawing = CandidateDrawing(self, self, self._reading, search)
        self._baseline = LexicalBaseline(self)
        self.pairs: PairKeys | None = None
        self._advance = False
        self.choosing: ChoosingBar | None = None
        changes = CaseChanges(self.bench, self)
        giving = LabelWriter(self.bench, self)
        self._evidence = EvidenceKeys(self.bench, self, giving)
        closer = CloserLook(
            self.bench,
            lambda: raw_event(self.bench, self.cases),
            lambda: hidden_with_word(self.bench, self),
        )
        self.lineup = Lineup(self.bench, changes)
        self.parts = [
            Labels(self.bench, self, giving),
            self._evidence,
            CaseSettings(self.bench, changes),
            changes,
            self.lineup,
            self._reading,
            self._columns,
            CursorKeys(self.bench),
            closer,
            Export(self.bench),
        ]
        self._shown_at = -1
        self._refreshed = 0.0
        self._late = False
        """Whether what was left out will be shown later."""

    def compose(self) -> ComposeResult:
        yield Static("", id="pair-line", markup=False)
        yield Static("", id="judged-line", markup=False)
        with Horizontal(id="both"):
            with Vertical(id="candidates-side"):
                yield Static("", id="candidates-head", markup=False)
                yield CandidateTable()
                yield Static("", id="agreement", markup=False)
            with Vertical(id="cases-side"):
                with Horizontal(id="cases"):
                    yield CasePane("query")
                    yield CasePane("candidate")
                yield RaterColumns()
                yield Stages(
                    self.host.stream_interval,
                    lambda: self.cases is not None and self.cases.labelling.blind,
                )

    @property
    def title(self) -> str:
        """Nothing while the machine's word is hidden: a title may name the charge."""
        if self.cases is not None and self.cases.hides():
            return ""
        return super().title

    def withholds(self) -> bool:
        return hidden_with_word(self.bench, self)

    def on_mount(self) -> None:
        self._columns.show("candidates")
        self.query_one(CandidateTable).focus()

    def example(self, config: Config) -> Play:
        return example_draft(config)

    def tools(self, play: Play) -> Tools:
        tools = super().tools(play)
        cases = self.cases
        if cases is not None:
            tools.shared(self.tab, lambda: cases.engine)
        return tools

    def form_for(self, call: ModelCall) -> DockedForm:
        from .people import form_for

        text, play = getattr(call.task, "text", ""), self.play
        of_query = (
            bool(text) and play is not None and text in text_of(play.session, None)
        )
        # on a narrow screen: what is asked about
        self._columns.show("query" if of_query else "candidate")
        return form_for(call)

    def meet_session(self, play: Play) -> None:
        cases = self._open_cases.get(self.runner)
        if cases is None:
            shown = self.cases is not None and self.cases.gold_shown
            labelling = self._labelling(play)
            # the engine asks the cases, which hold it: a circle would outlive the
            # session
            looked_at = WeakSet[Cases]()
            engine = self._engine.beside(
                lambda: next((each.front for each in looked_at), None)
            )
            cases = self._open_cases[self.runner] = Cases(
                play, engine, labelling, gold_shown=shown
            )
            cases.nameless = self.pairs is not None and not self.pairs.machine
            cases.aside = self._aside(play, labelling.annotator)
            looked_at.add(cases)
        self.cases = cases
        self._stop_choosing()
        self._drawing.begin(cases)
        self._shown_at = -1

    def _labelling(self, play: Play) -> LabelingState:
        """Return the labelling state of a session.

        Blind if the session before was, so that a fork reveals nothing.
        """
        if self.pairs is not None:
            return LabelingState(self.pairs.annotator)
        return LabelingState(
            annotator(self.host.config),
            blind=self.cases is not None and self.cases.labelling.blind,
            listed=lambda: self.host.result_listed(play.journal.path),
        )

    def _aside(self, play: Play, name: str) -> SideLabels | None:
        """Returns the labels of a session; None, after a message, where they cannot be
        read, and where none can be given.
        """
        known = play.draft or play.journal.path is not None
        if self.pairs is not None or play.replaying or not known:
            return None
        try:
            return SideLabels(play, name)
        except BadInput as error:
            self.bench.refuse(error)
            return None

    async def take_up(self, sitting: PairQueue) -> None:
        """Shows the first pair without a label of a person's queue; from now on, there
        are pairs here and nothing else.
        """
        self.pairs = PairKeys(self.bench, sitting)
        self.parts.insert(0, self.pairs)
        self.add_class("-pairs")
        await self.pairs.begin()
        self._columns.show("candidate")
        self.focus_words()
        if sitting.warnings:
            self.host.say("\n".join(sitting.warnings), "warning")

    @property
    def front(self) -> str | None:
        """The candidate that is looked at, and that goes first."""
        if self.cases is not None:
            return self.cases.front
        return None

    # What is shown

    async def refresh_view(self) -> None:
        """Shows, while all candidates are judged, not every event: a built-in makes
        hundreds of them in a second.
        """
        rest = PAUSE + self._refreshed - time.monotonic()
        if rest > 0 and self.running and self.runner.until == "end":
            if not self._late:
                self._late = True
                self.set_timer(rest, self.refresh_view)
            return
        self._late = False
        await super().refresh_view()
        self._refreshed = time.monotonic()

    async def announce(self, stage: Stage, reply: PendingReply) -> None:
        """Show the next role, except for a built-in, which answers at once."""
        if not (
            self.runner.until == "end" and reply.seat.model in ("lexical", "script")
        ):
            await super().announce(stage, reply)

    async def show(self, play: Play) -> None:
        cases = self.cases
        if cases is None:
            return
        fold = cases.fold_in_view()
        self._follow_cursor(play, cases)
        cases.labelling.in_front(cases.front)
        cases.labelling.shown(fold, cases.labels_fold())
        if self.pairs is not None:
            self.pairs.tell(
                self.query_one("#pair-line", Static), self.query_one(RaterColumns)
            )
            self.set_class(self.pairs.machine, "-machine")
        else:
            words = (
                own_words(*cases.own(cases.front)) if cases.front is not None else None
            )
            self.query_one(RaterColumns).tell([words] if words is not None else [])
        self._take_baseline(play, cases, fold)
        self._drawing.table(cases, fold)
        self._drawing.agreement(play, cases)
        self._drawing.front(play, cases, fold)
        if self.runner.speaking is None:
            await self.query_one(Stages).end_live()

    def _take_baseline(self, play: Play, cases: Cases, fold: RelevanceState) -> None:
        """Create an example's baseline with its first score, and add its levels when
        done.
        """
        if cases.baseline or fold.rated == 0:
            return
        session = self._baseline.session(play)
        cases.baseline = {} if session is None else machine(RelevanceState(session))

    def _follow_cursor(self, play: Play, cases: Cases) -> None:
        """Goes to the candidate that something has happened to, but not away from the
        one looked at while all are judged.
        """
        moved, self._shown_at = play.cursor != self._shown_at, play.cursor
        all_of_them = (
            self.running
            and self.runner.until == "end"
            and play.journal.writable
            and not play.replaying
        )
        happened = (
            relevance_words.candidate_of(play.current)
            if play.current is not None
            else None
        )
        if moved and not all_of_them and happened in cases.by_id:
            cases.front = happened
        if cases.front is None or cases.front not in cases.by_id:
            cases.front = cases.ordered()[0] if cases.by_id else None

    @property
    def reads(self) -> bool:
        return self._reading.has_keys

    def scroll_text(self, *, to_end: bool) -> bool:
        return self._reading.scroll_text(to_end=to_end)

    async def stage(self) -> Stage:
        return self.query_one(Stages)

    def focus_words(self) -> None:
        read = self._reading.whole or self.pairs is not None
        self.screen.set_focus(
            self.pane(self._reading.last) if read else self.query_one(CandidateTable)
        )

    def pane(self, id_: str) -> CasePane:
        """Returns where the query or the candidate in front is read."""
        return self.query_one(f"#{id_}", CasePane)

    def stages(self) -> Stages:
        """Returns where the stages of the candidate in front are read."""
        return self.query_one(Stages)

    def on_resize(self) -> None:
        self.set_class(self.size.width < BESIDE, "-stacked")

    @on(CasePane.Scrolled)
    def _scrolled(self, event: CasePane.Scrolled) -> None:
        self._reading.scrolled(event.pane)

    @on(CasePane.Jumped)
    def _jumped(self) -> None:
        self._reading.do_fact_jump()

    # Looking

    @on(CandidateTable.Moved)
    def _moved(self) -> None:
        self.call_later(self.bring_front, self.query_one(CandidateTable).front)

    async def bring_front(self, id_: str | None) -> None:
        play, cases = self.play, self.cases
        if play is None or cases is None or id_ is None or id_ == cases.front:
            return
        cases.front = id_
        self._stop_choosing()
        cases.labelling.in_front(id_)
        with self.app.batch_update():
            self.query_one(CandidateTable).go(id_)
            self._drawing.agreement(play, cases)
            self._drawing.front(play, cases, cases.fold_in_view())

    @property
    def advance(self) -> bool:
        """Whether a level leads on to the next by itself."""
        if self.pairs is not None:
            return self.pairs.advance
        return self._advance

    @advance.setter
    def advance(self, wanted: bool) -> None:
        self._advance = wanted

    def where(self) -> object:
        if self.pairs is not None:
            return self.pairs.pair
        return self.front

    async def go_to(self, where: object) -> bool:
        if self.pairs is not None:
            return await self.pairs.go_to(where)
        await self.bring_front(where if isinstance(where, str) else None)
        return True

    async def labelled(self) -> None:
        if self.pairs is not None:
            await self.pairs.labelled()
        elif self._advance:
            await self.action("unlabelled")()

    # Choosing a passage

    @property
    def has_keys(self) -> bool:
        return self.choosing is not None and self.choosing.has_keys

    def on_descendant_focus(self) -> None:
        # a click leads from the line of a passage to a case, and a key back
        self.host.say_place()

    def reading(self) -> tuple[str | None, int, tuple[int, int] | None]:
        pane = self.pane(self._reading.last)
        return None if pane.id == "query" else self.front, pane.top, pane.selected

    def top_of(self, case: str | None) -> int:
        return self.pane("query" if case is None else "candidate").top

    async def choose(self, bar: ChoosingBar) -> None:
        self.choosing = bar
        await self.mount(bar)
        await self._show_choice()

    @on(ChoosingBar.Moved)
    async def _show_choice(self) -> None:
        bar = self.choosing
        if bar is None:
            return
        await self.refresh_view()
        self.reveal(
            bar.case, bar.passage.end if bar.passage.held else bar.passage.start
        )

    @on(ChoosingBar.Taken)
    async def _take_passage(self, event: ChoosingBar.Taken) -> None:
        if self.choosing is not None:
            await self._evidence.take(self.choosing, event.kind)

    @on(ChoosingBar.Withdrawn)
    def _withdraw_passage(self) -> None:
        self._evidence.do_withdraw()

    @on(ChoosingBar.Turned)
    async def _turn_passage(self) -> None:
        if self.choosing is not None:
            self._evidence.turn(self.choosing)
            await self._show_choice()

    def _stop_choosing(self) -> None:
        """Remove the selection bar when the cases change."""
        if self.choosing is not None:
            self.choosing.remove()
            self.choosing = None

    @on(ChoosingBar.Left)
    async def _leave_choosing(self) -> None:
        bar, self.choosing = self.choosing, None
        if bar is not None:
            case = bar.case
            await bar.remove()
            self.query_one("#query" if case is None else "#candidate", CasePane).focus()
            await self.refresh_view()

    def show_label(self) -> None:
        if self.play is not None:
            # a label leads nowhere: by the time it is shown, the user may be at the
            # next candidate
            self._shown_at = self.play.cursor
        self.query_one(CandidateTable).refresh()
        self.call_after_refresh(self.refresh_view)

    def reveal(self, case: str | None, at: int) -> None:
        self._reading.reveal("query" if case is None else "candidate", at)

    # Keys

    def can_topic(self) -> bool:
        return self.cases is not None and (self.pairs is None or self.pairs.machine)

    def do_topic(self) -> None:
        """Gives the two cases the whole height, or the list and the stages their places
        back.
        """
        self._reading.turn()

    async def do_reasoning(self) -> None:
        self.action("raw")()

    async def new(self) -> None:
        from ..new_session import begin
        from .drafts import NewRelevance, sets
        from .screens.new_cases import JudgeCasesScreen

        await begin(
            self,
            NewRelevance(),
            lambda asked, message: JudgeCasesScreen(sets(), asked, message),
            NewRelevance.wishes,
        )

    async def do_handover(self) -> None:
        """Opens a debate of the pair."""
        from ..handover import pair_handed_over

        play, front = self.play, self.front
        if play is None or front is None or self.withholds():
            return
        try:
            debate = pair_handed_over(play, front, self.host.config)
        except BadInput as error:
            self.bench.refuse(error)
            return
        if await self.host.open_play(debate):
            self.bench.say("handed_over", "information")

    def can_demonstrations(self) -> bool:
        return self.play is not None and not is_graded(self.play.session)

    def do_demonstrations(self) -> None:
        from .screens.demonstrations import DemonstrationsScreen

        play, cases = self.play, self.cases
        if play is None:
            return
        if is_graded(play.session):
            self.bench.say("graded_without", "information")
            return
        if (
            cases is not None
            and cases.front is not None
            and not hidden_with_word(self.bench, self)
        ):
            self.host.push_screen(
                DemonstrationsScreen(
                    play.session,
                    cases.fold(),
                    cases.front,
                    cases.labelling.annotator,
                    cases.engine,
                )
            )
