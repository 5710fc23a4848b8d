"""Draws a query and its candidates: the table, the agreement, the two cases and the
stages of the one in front.
"""

from __future__ import annotations

from rich.cells import cell_len
from textual.content import Content
from textual.widgets import Static

from ....engines.cases.rating import GOLD
from ....engines.cases.task import QUERY, text_of
from ....engines.relevance.plan import (
    CurrentStages,
    RelevanceState,
    agreements,
    setting,
)
from ....sessions.events import Failure, UnknownEvent
from ....sessions.events.relevance import RelevanceResult
from ....sessions.session import Session
from ....texts import t
from ... import wording as words
from ...play import Play
from ...showing import clean_line
from ..base import Workspace
from . import wording as relevance_words
from .case_keys import CaseKeys
from .cases import Cases, CasesView
from .graded import grade_of, is_graded
from .labeling_state import blind_labels
from .search import CaseSearch
from .widgets.candidates import CandidateTable
from .widgets.case_pane import CasePane
from .widgets.stages import Stages

LEFT = 42
"""Cells of the table on a wide screen."""


class CandidateDrawing:
    """What is in the widgets of a tab.

    With thousands of candidates not all is drawn at every event: only what has changed.
    """

    def __init__(
        self, tab: Workspace, view: CasesView, reading: CaseKeys, search: CaseSearch
    ) -> None:
        """`tab` has the widgets, `view` what is shown in them."""
        self._tab = tab
        self._view = view
        self._reading = reading
        self._search = search
        self._columns = relevance_words.CandidateColumns(4, False)
        self._longest = 2
        """Cells of the longest id."""
        self._labelled = 0
        self._drawn: dict[str, object] = {}

    def begin(self, cases: Cases) -> None:
        """Forgets what is drawn: another session comes."""
        self._longest = min(max((cell_len(id_) for id_ in cases.by_id), default=2), 10)
        self._drawn = {}

    def _pane(self, id_: str) -> CasePane:
        return self._tab.query_one(f"#{id_}", CasePane)

    def table(self, cases: Cases, fold: RelevanceState) -> None:
        """Shows a row for each candidate, and above them how many are labelled."""
        self._columns = relevance_words.CandidateColumns(
            self._longest, cases.gold_shown, bool(cases.baseline)
        )
        table, labelling, labels = (
            self._tab.query_one(CandidateTable),
            cases.labelling,
            cases.labels_fold(),
        )
        width = table.scrollable_content_region.width or LEFT
        if self._changed("labelled", (id(labels), labels.rated, labelling.annotator)):
            self._labelled = labelling.labelled(labels)
        self._tab.query_one("#candidates-head", Static).update(
            Content.assemble(
                relevance_words.progress(
                    self._labelled,
                    len(cases.by_id),
                    labelling.annotator,
                    labelling.blind,
                ),
                "\n",
                relevance_words.head_row(self._columns, width),
            ),
            layout=False,
        )
        if self._changed("order", (id(fold), fold.rated, labelling.blind)):
            cases.order = cases.ordered()
        table.tell(
            cases.order,
            lambda id_, cells: relevance_words.row(
                cases.row(id_), self._columns, cells
            ),
            cases.front,
        )

    def agreement(self, play: Play, cases: Cases) -> None:
        """Shows how far machine, people and gold agree; before the first step the
        invitation on a narrow screen.
        """
        shown = self._tab.query_one("#agreement", Static)
        self._tab.set_class(not play.cursor, "-invites")
        # the stages, which invite on a wide screen, are not to be seen
        if not play.cursor and self._tab.app.size.width < 100:
            shown.update(self._tab.invitation(shown.content_region.width))
            return
        if cases.hides():
            shown.update(relevance_words.plain(t("relevance.kappa_hidden")))
            return
        agreement = self._tables(play, cases)
        if self._tab.app.size.height < 30:
            shown.update(agreement)
            return
        coming = (
            self._tab.runner.method.upcoming(play.session)
            if play.at_end and self._tab.runner.method is not None
            else None
        )
        speaking = self._tab.runner.speaking or (
            coming.role if coming is not None else ""
        )
        name = (
            ""
            if is_graded(play.session)
            else str(setting(play.session, "demonstrations"))
        )
        seats = play.view.seated(self._tab.bench.roles(play.view))
        about = relevance_words.about(
            seats, speaking, play.timeline.totals(play.cursor), name
        )
        shown.update(Content.assemble(agreement, "\n", about))

    def _tables(self, play: Play, cases: Cases) -> Content:
        """Returns the tables of agreement.

        With thousands of candidates they take a while: they are made only after a score
        or a label.
        """
        fold, own, blind = (
            cases.labels_fold(),
            cases.labelling.annotator,
            cases.labelling.blind,
        )
        if self._changed(
            "agreement-key",
            (fold.rated, id(fold), cases.gold_shown, blind, bool(cases.baseline)),
        ):
            pairs = [
                pair
                for pair in agreements(play.session, fold)
                if cases.gold_shown or GOLD not in pair.raters
            ]
            # the others tell of candidates not labelled yet
            pairs = [pair for pair in pairs if not blind or own in pair.raters]
            compared = (0, 0) if blind else cases.beside_baseline()
            self._drawn["agreement"] = relevance_words.agreement(
                pairs, own, blind_labels(fold, own), LEFT - 2, compared
            )
        content = self._drawn["agreement"]
        assert isinstance(content, Content)
        return content

    def front(self, play: Play, cases: Cases, fold: RelevanceState) -> None:
        """Shows both cases and the stages of the one in front."""
        front = cases.front
        if front is None:
            return
        row, case, standing = cases.row(front), cases.case(front), cases.standing(front)
        self._query(play.session, cases)
        title = f"{t('relevance.candidate')} {relevance_words.case_name(case)}"
        drawn = self._draw(
            "candidate",
            (play.session.header.id, front),
            title,
            str(case.get("text", "")),
            standing,
        )
        if self._drawn.get("front") != front:
            self._reading.show(front)
            self._search.light()
        self._light(cases, None, "query")
        self._light(cases, front, "candidate")
        stages = self._tab.query_one(Stages)
        if drawn and self._drawn.get("front") != front:
            stages.scroll_home(animate=False)
        self._drawn["front"] = front
        self._tab.query_one("#judged-line", Static).update(
            Content.assemble(
                (clean_line(front) + "  ", "bold"),
                relevance_words.judged_line(row, bits=not is_graded(play.session)),
            ),
            layout=False,
        )
        invitation = (
            self._tab.invitation(stages.scrollable_content_region.width - 1)
            if not play.cursor
            else None
        )
        if is_graded(play.session):
            settled = grade_of(play.view, front, row, invitation)
        else:
            result = fold.result if isinstance(fold.result, RelevanceResult) else None
            settled = relevance_words.stages(
                fold, row, fold.upcoming(front), result, invitation
            )
        if isinstance(play.current, Failure | UnknownEvent):
            settled = words.line_of(play.current) + Content("\n\n") + settled
        stages.settle(settled)

    def _query(self, session: Session, cases: Cases) -> None:
        name = f"{t('relevance.query')} {relevance_words.case_name(cases.case(None))}"
        text = text_of(session, None)
        # the next pair is often of the same query: one reads on
        self._draw("query", text, name, text, cases.standing(None))

    def _light(self, cases: Cases, case: str | None, id_: str) -> None:
        """Lights up one's own evidence in a case (None: the query), and the passage
        that is being chosen.
        """
        said = (
            cases.labelling.said(cases.labels_fold(), cases.front)
            if cases.front is not None
            else None
        )
        facts = [
            one for one in (said.facts if said else []) if one.case == (case or QUERY)
        ]
        own = [
            (one.start, one.end)
            for one in facts
            if one.start is not None and one.end is not None
        ]
        passage = (
            self._view.choosing.passage
            if self._view.choosing is not None and self._view.choosing.case == case
            else None
        )
        chosen = [(passage.start, passage.end)] if passage is not None else []
        self._pane(id_).set_class(passage is not None, "-chosen-in")
        if self._changed(f"lit-{id_}", (case, own, chosen)):
            self._pane(id_).light("own", own)
            self._pane(id_).light("chosen", chosen)

    def _draw(
        self, id_: str, case: object, name: str, text: str, standing: CurrentStages
    ) -> bool:
        """Draws a case, which takes long to lay out, only if it has changed; returns
        whether it has.
        """
        changed = self._changed(
            id_, (case, name, standing.facts("material"), standing.facts("legal"))
        )
        if changed:
            self._pane(id_).tell(
                case,
                name,
                len(text),
                lambda upto: relevance_words.page(text, standing, upto),
            )
        return changed

    def _changed(self, what: str, key: object) -> bool:
        """Whether what something was drawn from has changed: with thousands of
        candidates not all is drawn at every event.
        """
        if self._drawn.get(what) == key:
            return False
        self._drawn[what] = key
        return True
