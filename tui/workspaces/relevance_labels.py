"""A person's own labels: levels by digits, bits by capitals, undo, notes, blind mode, and going from one candidate to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...engines.relevance.plan import Fold, text_of
from ...sessions.clean import clean
from ...sessions.errors import SessionError
from ...sessions.events import Label, Note
from ..texts import t

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..app import VerifyTui
    from ..labelling import Labelling
    from ..play import Play
    from ..screens.search import SearchBar


class RelevanceLabels:
    """The half of the relevance workspace where a person judges. Labels are appended whenever one likes, after the result too."""

    labelling: Labelling
    _gold_shown = False
    _found: tuple[str, int] | None = None
    """What was searched for in the cases, and which of its places is shown."""

    if TYPE_CHECKING:
        play: Play | None
        _cases: dict[str, Mapping[str, object]]
        _order: list[str]

        @property
        def tui(self) -> VerifyTui: ...
        @property
        def front(self) -> str | None: ...
        def told(self, key: str, **values: object) -> str: ...
        def fold(self) -> Fold: ...
        async def refresh_view(self) -> None: ...
        async def bring_front(self, id_: str | None) -> None: ...

    # Giving labels

    async def do_label(self, level: int) -> None:
        await self._label(level)

    async def do_undecided(self) -> None:
        await self._label(None)

    async def do_material_bit(self) -> None:
        await self._turn(1)

    async def do_legal_bit(self) -> None:
        await self._turn(2)

    async def _turn(self, bit: int) -> None:
        """Turns a bit of one's own level around; without a level both begin as not relevant."""
        if self.play is not None and self.front is not None:
            await self._label((self.labelling.own(self.fold(), self.front) or 0) ^ bit)

    async def _label(self, value: int | None) -> None:
        if self.play is not None and self.front is not None:
            await self._keep(lambda front: self.labelling.label(self.fold(), front, value))

    async def do_undo(self) -> None:
        """Goes back to the level before; the label taken back stays in the session."""
        last = self.labelling.undone()
        if last is None:
            self.tui.say(self.told("nothing_undone"), "warning")
            return
        candidate, value = last
        await self.bring_front(candidate)
        await self._keep(lambda _: self.labelling.label(self.fold(), candidate, value, undo=True))

    async def _keep(self, make: Callable[[str], Label | Note]) -> None:
        """Appends what a person says, wherever one looks and whatever runs."""
        play, front = self.play, self.front
        if play is None or front is None:
            return
        if not play.journal.writable or play.replaying:
            self.tui.say(self.told("read_only"), "warning")
            return
        at_end = play.at_end
        try:
            play.keep(self.tui.library)
            play.journal.append(make(front))
        except SessionError as error:
            self.tui.say(clean(str(error)), "error")
            return
        if at_end:
            play.cursor = len(play.session.events)
        self.show_label()

    def show_label(self) -> None:
        """Shows a new label: its row at once, the rest after that."""
        raise NotImplementedError

    def do_note(self) -> None:
        self.tui.run_worker(self._note(), group="dialog", exit_on_error=False)

    async def _note(self) -> None:
        from ..screens.confirm import AskScreen

        front = self.front
        if self.play is None or front is None:
            return
        asked = t("relevance.note_title", case=clean(front, newlines=False))
        text = await self.tui.push_screen_wait(AskScreen(asked))
        if text is not None:
            await self._keep(lambda _: Note(text=text, about=front))

    # Blind, gold

    async def do_blind(self) -> None:
        """Hides the machine's and the data's word until one's own is given, or shows it again."""
        self.labelling.blind = not self.labelling.blind
        self.tui.say(self.told("blind_on" if self.labelling.blind else "blind_off"), "information")
        await self.refresh_view()

    async def do_gold(self) -> None:
        """Shows or hides the labels of the data."""
        self._gold_shown = not self._gold_shown
        await self.refresh_view()

    # From one candidate to another

    async def do_unlabelled(self) -> None:
        """To the next candidate without one's own label."""
        fold = self.fold()
        await self._to_next(lambda id_: self.labelling.own(fold, id_) is None, "all_labelled")

    async def do_disagreement(self) -> None:
        """To the next candidate that the machine has scored otherwise than oneself."""
        fold = self.fold()

        def differs(id_: str) -> bool:
            own, score = self.labelling.own(fold, id_), fold.candidates[id_].score
            return own is not None and score is not None and score.value is not None and score.value != own

        await self._to_next(differs, "no_disagreement")

    async def _to_next(self, holds: Callable[[str], bool], otherwise: str) -> None:
        if self.play is None or self.front is None:
            return
        at = self._order.index(self.front) if self.front in self._order else -1
        for id_ in [*self._order[at + 1 :], *self._order[:at]]:
            if holds(id_):
                await self.bring_front(id_)
                return
        self.tui.say(self.told(otherwise), "warning")

    # Searching in the two cases

    async def on_search_bar_search(self, event: SearchBar.Search) -> None:
        """Marks the text in both cases and goes from place to place."""
        event.prevent_default()  # other workspaces search the events
        spots = self._spots(event.text)
        if not spots:
            self._found = None
            event.bar.found(0, 0)
        else:
            before = self._found[1] if self._found is not None and self._found[0] == event.text else -1 if event.forward else 0
            at = (before + (1 if event.forward else -1)) % len(spots)
            self._found = event.text, at
            event.bar.found(at + 1, len(spots))
        await self.refresh_view()
        if spots and self._found is not None:
            self.reveal(*spots[self._found[1]])

    async def on_search_bar_closed(self, event: SearchBar.Closed) -> None:
        event.prevent_default()
        self._found = None
        await event.bar.remove()
        self.focus_words()
        await self.refresh_view()

    def _spots(self, text: str) -> list[tuple[str | None, int]]:
        """(None for the query, or the candidate in front; place of the first character) of each place that has the text."""
        assert self.play is not None
        wanted = text.casefold()
        found: list[tuple[str | None, int]] = []
        for case in (None, self.front):
            said = text_of(self.play.session, case).casefold()
            at = said.find(wanted)
            while at >= 0:
                found.append((case, at))
                at = said.find(wanted, at + max(len(wanted), 1))
        return found

    def _places(self, case: str | None) -> list[tuple[int, int]]:
        """What a search has found in one of the cases."""
        if self._found is None:
            return []
        length = len(self._found[0])
        return [(at, at + length) for which, at in self._spots(self._found[0]) if which == case]

    def reveal(self, case: str | None, at: int) -> None:
        """Scrolls a case to one of its characters."""
        raise NotImplementedError

    def focus_words(self) -> None:
        raise NotImplementedError

    # What is known only while one has not judged oneself

    def _hides_front(self) -> bool:
        """True, with a word to the user, where the machine's word on the candidate in front is hidden."""
        hidden = self.play is not None and self.front is not None and self.labelling.hidden(self.fold(), self.front)
        if hidden:
            self.tui.say(self.told("hidden_about"), "warning")
        return hidden

    # Looking at the whole

    def do_guide(self) -> None:
        """What the four levels mean."""
        from ..screens.levels_guide import LevelsGuide

        self.tui.push_screen(LevelsGuide())

    def do_heatmap(self) -> None:
        """How raters agree: tables and shares of labels."""
        from ..screens.agreement import AgreementScreen

        if self.play is not None and not self._hides_front():
            fold, own = self.fold(), self.labelling.annotator
            seen = {id_ for id_ in self._cases if not self.labelling.hidden(fold, id_)}
            self.tui.push_screen(AgreementScreen(self.play.session, fold, own, seen, gold_shown=self._gold_shown))
