"""How two cases are read: at full height, fact by fact, scrolled together, with what
they share lit up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ....engines.cases.task import text_of
from ....engines.threads import in_thread
from .cases import CasesView
from .widgets.case_pane import CasePane, Side
from .widgets.stages import Stages

if TYPE_CHECKING:
    from ....engines.relevance.phrases import SharedPhrases
    from ..columns import ColumnLayout
    from ..session_context import SessionContext


class ReadView(CasesView, Protocol):
    """The workspace as reading uses it."""

    def pane(self, id_: str) -> CasePane:
        """Returns where the query or the candidate in front is read."""

    def stages(self) -> Stages:
        """Returns where the stages of the candidate in front are read."""

    def set_class(self, add: bool, *class_names: str) -> object: ...

    def focus_words(self) -> None: ...


PANES = ("query", "candidate")


class CaseKeys:
    """The keys for reading the two cases."""

    def __init__(
        self, bench: SessionContext, view: ReadView, columns: ColumnLayout
    ) -> None:
        self._bench = bench
        self._view = view
        self._columns = columns
        self.whole = False
        """Whether the two cases have the whole height."""
        self.together = False
        self._lit: tuple[str, SharedPhrases | None] | None = None
        """While shared phrases are lit: the candidate, and its phrases; None: they are
        still looked for.
        """
        self._last = "candidate"

    @property
    def _both(self) -> bool:
        """Whether both cases are in sight on any screen."""
        return self.whole or self._view.pairs is not None

    @property
    def last(self) -> str:
        """The pane that is read: with the keys, else the one that had them last; on a
        narrow screen the one that is seen.
        """
        focused = self._bench.host.screen.focused
        if isinstance(focused, CasePane) and focused.id in PANES:
            self._last = str(focused.id)
        elif (
            not self._both
            and self._columns.can_column()
            and self._columns.current in PANES
        ):
            self._last = self._columns.current
        return self._last

    def turn(self) -> None:
        """Gives the cases the whole height, or gives it back."""
        at = self.last
        self.whole = not self.whole
        self._view.set_class(self.whole, "-whole")
        if not self._both:
            self._columns.show("candidates")
        self._last = at
        self._view.focus_words()
        self._bench.host.say_place()  # other keys matter now

    @property
    def has_keys(self) -> bool:
        """Whether a case is read at full height: then the keys that scroll are its
        own.
        """
        return self.whole and isinstance(self._bench.host.screen.focused, CasePane)

    def scroll_text(self, *, to_end: bool) -> bool:
        """Scrolls the case that is read to its beginning or end; False where none has
        the keys.
        """
        if self.has_keys:
            self._pane().go(to_end=to_end)
        return self.has_keys

    def can_column(self) -> bool:
        return self._columns.can_column() or self._both

    def do_column(self) -> None:
        """Goes to the other case, where both are seen, else to the next column."""
        if self._both:
            self._view.pane(PANES[self.last == PANES[0]]).focus()
        else:
            self._columns.do_column()

    # Facts

    def can_fact_next(self) -> bool:
        return bool(self._pane().page.facts)

    can_fact_before = can_fact_jump = can_fact_next

    def do_fact_next(self) -> None:
        self._to_fact(1)

    def do_fact_before(self) -> None:
        self._to_fact(-1)

    def _pane(self) -> CasePane:
        return self._view.pane(self.last)

    def _to_fact(self, by: int) -> None:
        pane = self._pane()
        label = pane.next_fact(by)
        if label is None:
            self._bench.say(
                "no_fact_found" if pane.page.facts else "edit_what", "information"
            )
            return
        self.see(str(pane.id))
        pane.put_in_front(label, pane.side)

    def do_fact_jump(self) -> None:
        """Goes from a fact in the text to the list, or from the list to its place in
        the text.
        """
        pane = self._pane()
        label = pane.front or pane.next_fact(1)
        if label is None:  # none was found again in the text
            label = next((fact.label for fact in pane.page.facts), None)
            if label is None:
                self._bench.say("edit_what", "information")
                return
        other: Side = "list" if pane.side == "text" else "text"
        self.see(str(pane.id))
        if not pane.put_in_front(label, other):
            self._bench.say(
                "fact_legal" if label.startswith("L") else "fact_nowhere",
                "information",
                fact=label,
            )

    def see(self, id_: str) -> None:
        """Makes a pane the one that is seen, where there is room for one only."""
        if not self._both and self._columns.can_column():
            self._columns.show(id_)

    # Both at once

    def do_together(self) -> None:
        """Has both cases scroll together, or each by itself."""
        self.together = not self.together
        self._bench.say(
            "together_on" if self.together else "together_off", "information"
        )
        if self.together:
            self.scrolled(self._pane())

    def scrolled(self, pane: CasePane) -> None:
        """Brings the other case to where this one has been read to."""
        if self.together and pane.id in PANES:
            self._view.pane(PANES[pane.id == PANES[0]]).follow(pane.place)

    def do_shared(self) -> None:
        """Lights up the phrases that both cases share, or puts them out."""
        if self._lit is not None:
            self._lit = None
            for id_ in PANES:
                self._view.pane(id_).light("shared", ())
            return
        front = self._view.cases.front if self._view.cases is not None else None
        if front is not None:
            self._find_shared(front, say=True)

    def show(self, front: str) -> None:
        """Follows the candidate in front."""
        if self._lit is not None and self._lit[0] != front:
            for id_ in PANES:
                self._view.pane(id_).light("shared", ())
            self._find_shared(front)

    def _find_shared(self, front: str, *, say: bool = False) -> None:
        self._lit = front, None
        self._bench.host.dialog(self._light_shared(front, say))

    async def _light_shared(self, front: str, say: bool) -> None:
        """Looks for the phrases beside the loop: two long judgments take a good part of
        a second.
        """
        play = self._bench.play
        if play is None:
            return
        one, other = text_of(play.session, None), text_of(play.session, front)

        def found() -> SharedPhrases:
            from ....engines.relevance.phrases import shared

            return shared(one, other)

        phrases = await in_thread(found)
        if self._lit != (front, None) or play is not self._bench.play:
            return
        self._lit = front, phrases
        for id_, places in zip(PANES, phrases, strict=True):
            self._view.pane(id_).light("shared", places)
        if say:
            self._bench.say(
                "shared_found" if phrases.one else "shared_none",
                "information",
                n=len(phrases.one),
            )

    # What a search has found

    def reveal(self, id_: str, at: int, fact: str = "") -> None:
        """Scrolls a case to one of its characters, or to a fact in its list."""
        self._last = id_
        self.see(id_)
        pane = self._view.pane(id_)
        if fact:
            pane.put_in_front(fact, "list")
        else:
            pane.reveal(at)

    @property
    def shows_stages(self) -> bool:
        """Whether the stages have a place on the screen."""
        pairs = self._view.pairs
        return not self.whole and (pairs is None or pairs.machine)
