"""The screen's view of a query and its candidates.

Tracks current values, the selected candidate, and what is hidden.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from ....engines.cases.task import candidates, gold, query
from ....engines.relevance.plan import CurrentStages, RelevanceState, machine, setting
from ....sessions.events import Note
from .labeling_state import in_order, shuffled
from .wording import CandidateRow

if TYPE_CHECKING:
    from ....engines.relevance.engine import RelevanceEngine
    from ....sessions.events.labels import Label
    from ...play import Play
    from ..session_context import SessionContext
    from .labeling.keys import PairKeys
    from .labeling.selection_bar import ChoosingBar
    from .labeling_state import LabelingState
    from .side_labels import SideLabels

NOTHING = CurrentStages()
"""What is shown of a case while the machine's word is hidden."""


class Cases:
    """The cases of one session."""

    def __init__(
        self,
        play: Play,
        engine: RelevanceEngine,
        labelling: LabelingState,
        *,
        gold_shown: bool = False,
    ) -> None:
        self.labelling = labelling
        self.gold_shown = gold_shown
        """Whether the labels of the data are shown."""
        self.by_id = dict(candidates(play.session))
        """The candidates as the session's task has them."""
        self.front: str | None = None
        """The candidate that is looked at, and that goes first."""
        self.order: list[str] = []
        """Ids as the table has them."""
        self._play = play
        self.engine = engine
        self._gold = gold(play.session)
        self._past: tuple[int, RelevanceState] | None = None
        self.nameless = False
        """Whether the cases are shown without what they are called: names can tell how
        cases are to be judged.
        """
        self.aside: SideLabels | None = None
        """The labels that are in files beside the session."""
        self.baseline: dict[str, int | None] = {}
        """Candidate to its level in the baseline, where there is one."""

    @cached_property
    def _alike(self) -> Counter[str]:
        """Count the candidates with each title."""
        return Counter(str(case.get("title", "") or "") for case in self.by_id.values())

    @cached_property
    def _titles(self) -> Callable[[str], str]:
        """Candidate to the first clause that tells it from the others."""
        from ....engines.relevance.titles import titles

        return titles(
            {id_: str(case.get("text", "")) for id_, case in self.by_id.items()}
        )

    def fold(self) -> RelevanceState:
        """Return the state at the end of the session, with the labels from files."""
        fold = self.engine.folded(self._play.session)
        if self.aside is not None:
            self.aside.lay(fold)
        return fold

    def fold_in_view(self) -> RelevanceState:
        """Return the state at the cursor."""
        if self._play.at_end:
            return self.fold()
        if self._past is None or self._past[0] != self._play.cursor:
            self._past = self._play.cursor, RelevanceState(self._play.view)
        return self._past[1]

    def labels_fold(self) -> RelevanceState:
        """Returns the fold whose labels are shown.

        Labels are given at any time: only a recording shows them as they came.
        """
        if self._play.replaying:
            return self.fold_in_view()
        return self.fold()

    def own(self, candidate: str) -> tuple[Label | None, list[str]]:
        """Return the user's label of a candidate, with the notes in the session."""
        events = (
            self._play.view.events
            if self._play.replaying
            else self._play.session.events
        )
        notes = [
            event.text
            for event in events
            if isinstance(event, Note) and event.about == candidate
        ]
        return self.labelling.said(self.labels_fold(), candidate), notes

    def hides(self) -> bool:
        """Whether nothing of the machine or the data may be shown."""
        return self.labelling.hidden(self.labels_fold())

    def standing(self, candidate: str | None) -> CurrentStages:
        """Returns what may be shown of a candidate, or with None of the query, at the
        cursor.
        """
        if self.hides():
            return NOTHING
        return self.fold_in_view().standing(candidate) or NOTHING

    def case(self, candidate: str | None) -> Mapping[str, Any]:
        """Returns a case as it is named on screen: without its own title, which may be
        a charge, while the machine's word is hidden.
        """
        found = (
            query(self._play.session) if candidate is None else self.by_id[candidate]
        )
        if self.nameless:
            return {"text": found.get("text", "")}
        title = "" if self.hides() else str(found.get("title", "") or "")
        if candidate is not None and (
            not title or self._alike[title] > len(self.by_id) // 2 > 1
        ):
            title = self._titles(candidate)
        return {**found, "title": title}

    def row(self, candidate: str) -> CandidateRow:
        """Returns what is shown of a candidate."""
        labels, case, hidden = self.labels_fold(), self.case(candidate), self.hides()
        gold_level = (
            self._gold.get(candidate) if self.gold_shown and not hidden else None
        )
        title = str(case.get("title", ""))
        standing = self.standing(candidate)
        baseline = self.baseline.get(candidate) if standing.score is not None else None
        return CandidateRow(
            candidate,
            title,
            standing,
            self.labelling.own(labels, candidate),
            gold_level,
            hidden,
            baseline,
        )

    def beside_baseline(self) -> tuple[int, int]:
        """Count the candidates scored by machine and baseline, and the equal scores."""
        scored = {
            id_: level
            for id_, level in machine(self.fold_in_view()).items()
            if level is not None
        }
        both = [
            level == self.baseline[id_]
            for id_, level in scored.items()
            if self.baseline.get(id_) is not None
        ]
        return len(both), sum(both)

    def ordered(self) -> list[str]:
        """Returns the ids by the machine's score; in blind mode in an order that tells
        nothing.
        """
        if self.labelling.blind:
            return shuffled(
                list(self.by_id),
                f"{setting(self._play.session, 'seed')}|{self.labelling.annotator}",
            )
        return in_order(machine(self.fold_in_view()))


class CasesView(Protocol):
    """The workspace as its parts use it."""

    cases: Cases | None
    pairs: PairKeys | None
    """Where a person goes from pair to pair: what answers the keys of that."""
    advance: bool
    """Whether a level leads on to the next candidate, or pair, by itself."""
    choosing: ChoosingBar | None
    """The line in which a passage is being chosen."""

    async def bring_front(self, id_: str | None) -> None:
        """Looks at another candidate."""

    def where(self) -> object:
        """Returns what is looked at, for `go_to`."""
        ...

    async def go_to(self, where: object) -> bool:
        """Looks at that again; False, after a message, where it cannot be shown."""
        ...

    def show_label(self) -> None:
        """Shows a new label: its row at once, the rest after that."""

    async def labelled(self) -> None:
        """Goes on, after a level, where that is wished; says so where all is
        labelled.
        """

    def reveal(self, case: str | None, at: int) -> None:
        """Scrolls a case (None: the query) to one of its characters."""

    def reading(self) -> tuple[str | None, int, tuple[int, int] | None]:
        """Returns which case is read (None: the query), its first character in sight,
        and what the mouse has selected there.
        """
        ...

    def top_of(self, case: str | None) -> int:
        """Returns the first character of a case that is in sight."""
        ...

    async def choose(self, bar: ChoosingBar) -> None:
        """Shows the line in which a passage is chosen."""


def hidden_with_word(bench: SessionContext, view: CasesView) -> bool:
    """True, with a message, where the machine's word is hidden."""
    hidden = view.cases is not None and view.cases.hides()
    if hidden:
        bench.say("hidden_about")
    return hidden
