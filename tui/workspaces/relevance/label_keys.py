"""A person's own labels: levels by digits, bits by capitals, notes, blind mode, and
going from one candidate to the next.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ....sessions.events.labels import Bits
from ....texts import t
from ...showing import clean_line
from .cases import hidden_with_word
from .label_writer import label_name

if TYPE_CHECKING:
    from ..session_context import SessionContext
    from .cases import CasesView
    from .label_writer import LabelWriter


class Labels:
    """The keys that label.

    A label is given whenever the user likes, after the result too.
    """

    def __init__(
        self, bench: SessionContext, view: CasesView, giving: LabelWriter
    ) -> None:
        self._bench = bench
        self._view = view
        self._giving = giving

    def can_label(self) -> bool:
        return self._giving.can()

    can_material_bit = can_legal_bit = can_undecided = can_note = can_label

    async def do_label(self, level: int) -> None:
        if await self._giving.give(
            label_name(self._view, level), value=level, bits=None
        ):
            await self._view.labelled()

    async def do_undecided(self) -> None:
        """Gives no level, and says so: the list shows the same as before any label."""
        front = self._view.cases.front if self._view.cases is not None else None
        if front is not None and await self._giving.give(
            label_name(self._view, None), value=None, bits=None
        ):
            name = (
                self._view.pairs.name
                if self._view.pairs is not None
                else clean_line(front)
            )
            pairs = self._view.pairs
            said = (
                pairs.phrase("undecided", case=name)
                if pairs is not None
                else self._bench.phrase("undecided", case=name)
            )
            self._bench.host.say(said, "information")
            await self._view.labelled()

    async def do_material_bit(self) -> None:
        await self._turn(1)

    async def do_legal_bit(self) -> None:
        await self._turn(2)

    async def _turn(self, bit: int) -> None:
        """Turns a bit of the user's own level around; without a level both begin as not
        relevant.
        """
        said = self._giving.said
        value = ((said.value if said is not None else None) or 0) ^ bit
        await self._giving.give(
            label_name(self._view, value),
            value=value,
            bits=Bits(material=bool(value & 1), legal=bool(value & 2)),
        )

    def do_note(self) -> None:
        self._bench.host.dialog(self._note())

    async def _note(self) -> None:
        from ...screens.confirm import LinePrompt

        front, pairs = (
            self._view.cases.front if self._view.cases is not None else None,
            self._view.pairs,
        )
        if front is None:
            return
        said = (
            self._giving.said.note
            if pairs is not None and self._giving.said is not None
            else ""
        )
        name = pairs.name if pairs is not None else clean_line(front)
        text = await self._bench.host.ask(
            LinePrompt(t("relevance.note_title", case=name), said)
        )
        if text is None:
            return
        if pairs is not None:
            await self._giving.give(t("labelling.undo_note"), note=text)
        else:
            self._giving.note(text)

    # Blind, gold

    async def do_blind(self) -> None:
        """Hides the machine's and the data's word until all is labelled, or shows it
        again.
        """
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

    async def do_next_pair(self) -> None:
        await self._step(1)

    async def do_pair_before(self) -> None:
        await self._step(-1)

    async def _step(self, by: int) -> None:
        """Goes to the candidate this many rows further down."""
        cases = self._view.cases
        if cases is not None and cases.front in cases.order:
            at = cases.order.index(cases.front) + by
            await self._view.bring_front(
                cases.order[min(max(at, 0), len(cases.order) - 1)]
            )

    def do_advance(self) -> None:
        """Goes on by itself after a level from now on, or stays."""
        self._view.advance = not self._view.advance
        self._bench.host.say(
            t("labelling.goes_on" if self._view.advance else "labelling.stays"),
            "information",
        )

    async def do_unlabelled(self) -> None:
        """Goes to the next candidate without the user's own label."""
        cases = self._view.cases
        if cases is not None:
            fold = cases.fold()
            await self._to_next(
                lambda id_: cases.labelling.own(fold, id_) is None, "all_labelled"
            )

    async def do_disagreement(self) -> None:
        """Goes to the next candidate that the machine has scored otherwise than the
        user.
        """
        cases = self._view.cases
        if cases is None or hidden_with_word(self._bench, self._view):
            return
        fold = cases.fold()

        def differs(id_: str) -> bool:
            own, score = cases.labelling.own(fold, id_), fold.candidates[id_].score
            return (
                own is not None
                and score is not None
                and score.value is not None
                and score.value != own
            )

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
        """Shows the team's guideline, and what the four levels mean."""
        from .screens.levels_guide import LevelsGuide

        pairs = self._view.pairs
        self._bench.host.push_screen(
            LevelsGuide(pairs.guideline, pairs.scale) if pairs else LevelsGuide()
        )

    def do_heatmap(self) -> None:
        """Shows how raters agree: tables and shares of labels."""
        from .screens.agreement import AgreementScreen

        play, cases = self._bench.play, self._view.cases
        if (
            play is not None
            and cases is not None
            and not hidden_with_word(self._bench, self._view)
        ):
            fold, own = cases.fold(), cases.labelling.annotator
            self._bench.host.push_screen(
                AgreementScreen(
                    play.session,
                    fold,
                    own,
                    set(cases.by_id),
                    gold_shown=cases.gold_shown,
                )
            )
