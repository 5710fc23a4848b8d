"""The relevance workspace: candidates in a table, two cases with their facts, the stages of one; labels of one's own."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from ...engines.models.seating import seat_for
from ...engines.relevance.engine import RelevanceEngine
from ...engines.relevance.new import roles_needed
from ...engines.relevance.plan import SWITCHES, Fold, Step, candidates, gold, query, setting, text_of
from ...engines.relevance.result import GOLD, agreements, machine
from ...sessions.clean import clean
from ...sessions.errors import BadInput
from ...sessions.events import Event, Facts, Failure, RelevanceResult, Score
from .. import relevance_words, words
from ..judging import annotator, demonstration_set, example_draft
from ..labelling import Labelling, blind_kappa, in_order, shuffled
from ..play import Play
from ..relevance_words import Columns, Row
from ..texts import t
from ..widgets.candidates import CandidateTable
from ..widgets.case_pane import CasePane
from ..widgets.stages import Stages
from .base import Stage
from .columns import InColumns
from .relevance_changes import RelevanceChanges
from .relevance_labels import RelevanceLabels

if TYPE_CHECKING:
    from ...engines.models.config import Config
    from ...engines.models.port import Message, Model
    from ...sessions.session import Seat, Session

PAUSE = 0.3
"""Seconds between two refreshes while all candidates are judged."""
LEFT = 42
"""Cells of the table on a wide screen."""


class RelevanceWorkspace(RelevanceLabels, RelevanceChanges, InColumns):
    """What the user sees and does of a query and its candidates."""

    method = "relevance"
    columns = ("candidates", "query", "candidate", "stages")
    DEFAULT_CSS = Path(__file__).with_name("relevance.tcss").read_text(encoding="utf-8")
    SCOPED_CSS = False

    def __init__(self) -> None:
        super().__init__()
        self._engine = RelevanceEngine(demonstration_set, focus=lambda: self.front)
        self._fold: Fold | None = None
        self._past: tuple[int, Fold] | None = None
        self._cases: dict[str, Mapping[str, object]] = {}
        self._gold: dict[str, int] = {}
        self._columns = Columns(4, False)
        self._shown_at = -1
        self._labelled = 0
        self._refreshed = 0.0
        self._late = False
        """Whether what was left out will be shown later."""
        self._front: str | None = None
        self._drawn: dict[str, object] = {}

    def compose(self) -> ComposeResult:
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
                yield Stages(self.tui.stream_interval, self._hides_stream)

    def on_mount(self) -> None:
        self.show_column("candidates")
        self.query_one(CandidateTable).focus()

    # What a query with candidates is

    def example(self, config: Config) -> Play:
        return example_draft(config)

    async def open(self, play: Play) -> None:
        await self.halt()
        if play is not self.play:
            self._cases = dict(candidates(play.session))
            self._gold = gold(play.session)
            self._longest = min(max((cell_len(id_) for id_ in self._cases), default=2), 10)
            self._fold = self._past = None
            self._engine.forget()
            self._front, self._shown_at, self._drawn = None, -1, {}
            self.labelling = Labelling(annotator(self.tui.config, self.tui.annotator), blind=self.tui.annotator is not None)
            self._order: list[str] = []
        await super().open(play)

    def engine(self) -> RelevanceEngine:
        return self._engine

    def builtins(self) -> Mapping[str, Model]:
        from ...engines.models.human import Human
        from ...engines.relevance.lexical import Lexical
        from .relevance_people import ask_person

        return {"lexical": Lexical(), "human": Human(lambda call: ask_person(self, call))}

    def upcoming(self, session: Session) -> Step | None:
        fold = self.fold() if self.play is not None and session is self.play.session else Fold(session)
        return fold.upcoming(self.front)

    def asked(self, session: Session, number: int) -> list[Message] | None:
        try:
            return self._engine.asked(session, number)
        except BadInput as error:
            self.tui.say(clean(str(error)), "warning")
            return None

    def seat_for(self, model: str) -> Seat:
        return seat_for(model, self.tui.config)

    def roles(self, session: Session) -> list[str]:
        return roles_needed({name: setting(session, name) for name in SWITCHES})

    def ends_part(self, event: Event) -> bool:
        return isinstance(event, Score)

    # What is in force

    def fold(self) -> Fold:
        """Of the whole session."""
        assert self.play is not None
        if self._fold is None or self._fold.session is not self.play.session:
            self._fold = Fold(self.play.session)
        self._fold.update()
        return self._fold

    def fold_in_view(self) -> Fold:
        """As it stood at the cursor."""
        assert self.play is not None
        if self.play.at_end:
            return self.fold()
        if self._past is None or self._past[0] != self.play.cursor:
            self._past = self.play.cursor, Fold(self.play.view)
        return self._past[1]

    @property
    def front(self) -> str | None:
        """The candidate that is looked at, and that goes first."""
        return self._front

    def row(self, id_: str) -> Row:
        """What is shown of a candidate."""
        fold = self.fold_in_view()
        hidden = self.labelling.hidden(self._labels_fold(), id_)
        shown_gold = self._gold.get(id_) if self._gold_shown and not hidden else None
        title = str(self._cases[id_].get("title", "") or self._cases[id_].get("text", ""))[:60]
        return Row(id_, title, fold.candidates[id_], self.labelling.own(self._labels_fold(), id_), shown_gold, hidden)

    def _labels_fold(self) -> Fold:
        """Labels are given at any time: only a recording shows them as they came."""
        assert self.play is not None
        return self.fold_in_view() if self.play.replaying else self.fold()

    # What is shown

    async def refresh_view(self) -> None:
        """While all candidates are judged, not at every event: a built-in makes hundreds of them in a second."""
        rest = PAUSE + self._refreshed - time.monotonic()
        if rest > 0 and self.running and self._until == "end":
            if not self._late:
                self._late = True
                self.set_timer(rest, self.refresh_view)
            return
        self._late = False
        await super().refresh_view()
        self._refreshed = time.monotonic()

    async def _announce(self, stage: Stage) -> None:
        play = self.play
        coming = self.upcoming(play.session) if play is not None and self._until == "end" else None
        seated = play.session.seated([coming.role]) if play is not None and coming is not None else []
        if coming is not None and seated and seated[0][1].model == "lexical":
            self._speaking = coming.role  # it has answered before one could read that it is asked
        else:
            await super()._announce(stage)

    async def show(self, play: Play) -> None:
        fold = self.fold_in_view()
        self._follow_cursor(play)
        self.labelling.in_front(self._front)
        self.labelling.shown(fold)
        self._show_table(fold)
        self._show_agreement(play)
        self._show_front(play, fold)
        if self._speaking is None:
            await self.query_one(Stages).end_live()

    def _follow_cursor(self, play: Play) -> None:
        """Goes to the candidate that something has happened to, but not away from the one looked at while all are judged."""
        moved, self._shown_at = play.cursor != self._shown_at, play.cursor
        all_of_them = self.running and self._until == "end" and play.journal.writable and not play.replaying
        happened = relevance_words.candidate_of(play.current) if play.current is not None else None
        if moved and not all_of_them and happened in self._cases:
            self._front = happened
        if self._front is None or self._front not in self._cases:
            self._front = self._ordered(self.fold_in_view())[0] if self._cases else None

    def _ordered(self, fold: Fold) -> list[str]:
        if self.labelling.blind:
            assert self.play is not None
            return shuffled(list(self._cases), f"{setting(self.play.session, 'seed')}|{self.labelling.annotator}")
        return in_order(machine(fold))

    def _show_table(self, fold: Fold) -> None:
        self._columns = Columns(self._longest, self._gold_shown)
        width = self.query_one(CandidateTable).scrollable_content_region.width or LEFT
        labels = self._labels_fold()
        if self._changed("labelled", (id(labels), labels.rated, self.labelling.annotator)):
            self._labelled = self.labelling.labelled(labels)
        self.query_one("#candidates-head", Static).update(
            Content.assemble(
                relevance_words.progress(self._labelled, len(self._cases), self.labelling.annotator, self.labelling.blind),
                "\n",
                relevance_words.head_row(self._columns, width),
            ),
            layout=False,
        )
        if self._changed("order", (id(fold), fold.rated, self.labelling.blind)):
            self._order = self._ordered(fold)
        self.query_one(CandidateTable).tell(self._order, self._draw_row, self._front)

    def show_label(self) -> None:
        self.query_one(CandidateTable).refresh()
        self.call_after_refresh(self.refresh_view)

    def _draw_row(self, id_: str, width: int) -> Content:
        return relevance_words.row(self.row(id_), self._columns, width)

    def _show_agreement(self, play: Play) -> None:
        shown = self.query_one("#agreement", Static)
        if not play.cursor and self.tui.size.width < 100:  # the stages, which invite on a wide screen, are not to be seen
            shown.update(relevance_words.plain(self._invitation()))
            return
        fold = self._labels_fold()
        if self._front is not None and self.labelling.hidden(fold, self._front):
            shown.update(relevance_words.plain(t("relevance.kappa_hidden")))
            return
        known = self._told_agreement(play, fold)
        seats = play.view.seated(self.roles(play.view))
        coming = self.upcoming(play.session) if play.at_end else None
        speaking = self._speaking or (coming.role if coming is not None else "")
        name = str(setting(play.session, "demonstrations"))
        about = relevance_words.about(seats, speaking, play.timeline.totals(play.cursor), name)
        shown.update(known if self.tui.size.height < 30 else Content.assemble(known, "\n", about))

    def _told_agreement(self, play: Play, fold: Fold) -> Content:
        """Kappa takes a while with thousands of candidates: it is reckoned anew only after a score or a label."""
        key = (fold.rated, id(fold), self._gold_shown, self.labelling.blind)
        if self._drawn.get("agreement-key") != key:
            own, blind_now = self.labelling.annotator, self.labelling.blind
            found = [one for one in agreements(play.session, fold) if self._gold_shown or GOLD not in one.raters]
            found = [one for one in found if not blind_now or own in one.raters]  # the others tell of candidates not labelled yet
            blind = blind_kappa(fold, self.labelling.annotator)
            self._drawn["agreement"] = relevance_words.agreement(found, self.labelling.annotator, blind, LEFT - 2)
            self._drawn["agreement-key"] = key
        told = self._drawn["agreement"]
        assert isinstance(told, Content)
        return told

    def _show_front(self, play: Play, fold: Fold) -> None:
        """Both cases and the stages of the one in front."""
        session, front = play.session, self._front
        if front is None:
            return
        shown = self.row(front)
        found = self._found
        name = f"{t('relevance.query')} {relevance_words.case_name(query(session))}"
        asked, places = text_of(session, None), self._places(None)
        self._draw(
            "query",
            (fold.query.facts("material"), fold.query.facts("legal"), found),
            lambda pane: pane.tell(session, len(asked), lambda upto: relevance_words.case_side(name, asked, fold.query, places, upto)),
        )
        case = self._cases[front]
        title = f"{t('relevance.candidate')} {relevance_words.case_name(case)}"
        standing = fold.candidates[front]
        key = (front, standing.facts("material"), standing.facts("legal"), found)
        text, marked = str(case.get("text", "")), self._places(front)
        if (
            self._draw(
                "candidate",
                key,
                lambda pane: pane.tell(front, len(text), lambda upto: relevance_words.case_side(title, text, standing, marked, upto)),
            )
            and self._drawn.get("front") != front
        ):
            self.query_one(Stages).scroll_home(animate=False)
        self._drawn["front"] = front
        self.query_one("#judged-line", Static).update(
            Content.assemble((clean(front, newlines=False) + "  ", "bold"), relevance_words.judged_line(shown)), layout=False
        )
        ends = play.current
        result = fold.result if isinstance(fold.result, RelevanceResult) else None
        told = relevance_words.stages(fold, shown, fold.upcoming(front), result, self._invitation() if not play.cursor else "")
        if isinstance(ends, Failure):
            told = words.line_of(ends) + Content("\n\n") + told
        self.query_one(Stages).settle(told)

    def _draw(self, id_: str, key: object, show: Callable[[CasePane], None]) -> bool:
        """Draws what is dear to lay out only when it has changed."""
        if self._changed(id_, key):
            show(self.query_one(f"#{id_}", CasePane))
            return True
        return False

    def _changed(self, what: str, key: object) -> bool:
        """Whether something is to be worked out anew, with thousands of candidates not at every event: what it rests on has changed."""
        if self._drawn.get(what) == key:
            return False
        self._drawn[what] = key
        return True

    async def stage(self) -> Stage:
        return self.query_one(Stages)

    def _hides_stream(self) -> bool:
        return self.labelling.blind

    def focus_words(self) -> None:
        self.screen.set_focus(self.query_one(CandidateTable))

    # Looking

    @on(CandidateTable.Moved)
    def _moved(self) -> None:
        self.call_later(self.bring_front, self.query_one(CandidateTable).front)

    async def bring_front(self, id_: str | None) -> None:
        """Looks at another candidate."""
        if self.play is None or id_ is None or id_ == self._front:
            return
        self._front = id_
        self.labelling.in_front(id_)
        with self.app.batch_update():
            self.query_one(CandidateTable).go(id_)
            self._show_agreement(self.play)
            self._show_front(self.play, self.fold_in_view())

    def reveal(self, case: str | None, at: int) -> None:
        """Scrolls a case to one of its characters."""
        assert self.play is not None
        name = "query" if case is None else "candidate"
        if self.tui.size.width < 100:
            self.show_column(name)
        pane = self.query_one(f"#{name}", CasePane)
        pane.show_upto(at)
        width = max(pane.scrollable_content_region.width, 1)
        line = 1 + Content(clean(text_of(self.play.session, case)[:at])).get_height({}, width)
        self.call_after_refresh(lambda: pane.scroll_to(y=max(line - pane.size.height // 3, 0), animate=False))

    async def do_reasoning(self) -> None:
        self.do_raw()

    def facts_of(self, id_: str | None) -> tuple[Facts | None, Facts | None]:
        """Material and legal facts in force of a case; None: the query."""
        standing = self.fold().standing(id_)
        assert standing is not None
        return standing.facts("material"), standing.facts("legal")
