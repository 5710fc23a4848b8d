"""A person's own labels: levels by digits, bits by capitals, undo, notes, blind mode, and going from one candidate to the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ....sessions.errors import SessionError
from ....sessions.events import Note
from ....sessions.events.relevance import Label
from ....texts import t
from ...showing import clean
from .cases import hidden_with_word

if TYPE_CHECKING:
    from ..bench import Bench
    from .cases import CasesView


class Labels:
    """The keys that label. A label is appended whenever the user likes, after the result too."""

    def __init__(self, bench: Bench, view: CasesView) -> None:
        self._bench = bench
        self._view = view

    def can_label(self) -> bool:
        play = self._bench.play
        return play is not None and play.journal.writable and not play.replaying

    can_material_bit = can_legal_bit = can_undecided = can_note = can_label

    async def do_label(self, level: int) -> None:
        await self._label(level)

    async def do_undecided(self) -> None:
        """Gives no level, and says so: the list shows the same as before any label."""
        front = self._view.cases.front if self._view.cases is not None else None
        if front is not None and await self._label(None):
            self._bench.say("undecided", "information", case=clean(front, newlines=False))

    async def do_material_bit(self) -> None:
        await self._turn(1)

    async def do_legal_bit(self) -> None:
        await self._turn(2)

    async def _turn(self, bit: int) -> None:
        """Turns a bit of the user's own level around; without a level both begin as not relevant."""
        cases = self._view.cases
        if cases is not None and cases.front is not None:
            await self._label((cases.labelling.own(cases.fold(), cases.front) or 0) ^ bit)

    async def _label(self, value: int | None) -> bool:
        """Gives a level; False where nothing could be kept."""
        cases = self._view.cases
        if cases is None or cases.front is None:
            return False
        candidate, before = cases.front, cases.labelling.own(cases.fold(), cases.front)
        if not await self._keep(lambda front: cases.labelling.label(cases.fold(), front, value)):
            return False
        level = t("action.undecided") if value is None else str(value)
        what = t("undo.label", level=level, case=clean(candidate, newlines=False))
        self._bench.undo.did(what, lambda: self._relabel(candidate, before))
        return True

    async def _relabel(self, candidate: str, value: int | None) -> bool:
        """Goes back to the level before; the label taken back stays in the session."""
        cases = self._view.cases
        if cases is None:
            return False
        await self._view.bring_front(candidate)
        return await self._keep(lambda _: cases.labelling.label(cases.fold(), candidate, value))

    async def _keep(self, make: Callable[[str], Label | Note]) -> bool:
        """Appends what a person says, wherever the cursor stands and whatever runs."""
        play, cases = self._bench.play, self._view.cases
        if play is None or cases is None or cases.front is None:
            return False
        if not play.journal.writable or play.replaying:
            self._bench.say("read_only")
            return False
        at_end = play.at_end
        try:
            play.keep(self._bench.host.library)
            play.journal.append(make(cases.front))
        except SessionError as error:
            self._bench.refuse(error)
            return False
        if at_end:
            play.cursor = len(play.session.events)
        self._view.show_label()
        return True

    def do_note(self) -> None:
        self._bench.host.dialog(self._note())

    async def _note(self) -> None:
        from ...screens.confirm import AskScreen

        front = self._view.cases.front if self._view.cases is not None else None
        if front is None:
            return
        text = await self._bench.host.ask(AskScreen(t("relevance.note_title", case=clean(front, newlines=False))))
        if text is not None:
            await self._keep(lambda _: Note(text=text, about=front))

    # Blind, gold

    async def do_blind(self) -> None:
        """Hides the machine's and the data's word until the user's own is given, or shows it again."""
        if self._view.cases is None:
            return
        labelling = self._view.cases.labelling
        labelling.blind = not labelling.blind
        self._bench.say("blind_on" if labelling.blind else "blind_off", "information")
        await self._bench.view.refresh_view()

    async def do_gold(self) -> None:
        """Shows or hides the labels of the data."""
        if self._view.cases is not None:
            self._view.cases.gold_shown = not self._view.cases.gold_shown
            await self._bench.view.refresh_view()

    # From one candidate to another

    async def do_unlabelled(self) -> None:
        """Goes to the next candidate without the user's own label."""
        cases = self._view.cases
        if cases is not None:
            fold = cases.fold()
            await self._to_next(lambda id_: cases.labelling.own(fold, id_) is None, "all_labelled")

    async def do_disagreement(self) -> None:
        """Goes to the next candidate that the machine has scored otherwise than the user."""
        cases = self._view.cases
        if cases is None:
            return
        fold = cases.fold()

        def differs(id_: str) -> bool:
            own, score = cases.labelling.own(fold, id_), fold.candidates[id_].score
            return own is not None and score is not None and score.value is not None and score.value != own

        await self._to_next(differs, "no_disagreement")

    async def _to_next(self, holds: Callable[[str], bool], otherwise: str) -> None:
        cases = self._view.cases
        if cases is None or cases.front is None:
            return
        at = cases.order.index(cases.front) if cases.front in cases.order else -1
        for id_ in [*cases.order[at + 1 :], *cases.order[:at]]:
            if holds(id_):
                await self._view.bring_front(id_)
                return
        self._bench.say(otherwise)

    # Looking at the whole

    def do_guide(self) -> None:
        """Shows what the four levels mean."""
        from .screens.levels_guide import LevelsGuide

        self._bench.host.push_screen(LevelsGuide())

    def do_heatmap(self) -> None:
        """Shows how raters agree: tables and shares of labels."""
        from .screens.agreement import AgreementScreen

        play, cases = self._bench.play, self._view.cases
        if play is not None and cases is not None and not hidden_with_word(self._bench, self._view):
            fold, own = cases.fold(), cases.labelling.annotator
            seen = {id_ for id_ in cases.by_id if not cases.labelling.hidden(fold, id_)}
            self._bench.host.push_screen(AgreementScreen(play.session, fold, own, seen, gold_shown=cases.gold_shown))
