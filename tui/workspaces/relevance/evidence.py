"""A person's evidence: passages of the two cases, and a reason for each bit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....engines.cases.task import QUERY, text_of
from ....sessions.events.labels import Evidence as Fact
from ....texts import t
from .labeling.selection_bar import ChoosingBar
from .labeling.text_selection import TextSelection
from .labeling.wording import passages

if TYPE_CHECKING:
    from ..session_context import SessionContext
    from .cases import CasesView
    from .label_writer import LabelWriter
    from .labeling.selection_bar import Kind


class EvidenceKeys:
    """The keys that choose passages, take them away, and ask for reasons."""

    def __init__(
        self, bench: SessionContext, view: CasesView, giving: LabelWriter
    ) -> None:
        self._bench = bench
        self._view = view
        self._giving = giving

    def can_evidence(self) -> bool:
        return self._giving.can() and not self._decides

    def can_reasons(self) -> bool:
        return self._giving.can()

    def can_withdraw(self) -> bool:
        return (
            self._giving.can()
            and self._giving.said is not None
            and bool(self._giving.said.facts)
        )

    @property
    def _decides(self) -> bool:
        """Whether it is decided between people, who have their own evidence."""
        return self._view.pairs is not None and self._view.pairs.decides

    # Passages

    async def do_evidence(self) -> None:
        """Begins to choose in the case that is read: what the mouse has selected there,
        else the sentence in sight.
        """
        if not self.can_evidence():
            self._bench.host.say(
                t("labelling.no_own" if self._decides else "relevance.read_only"),
                "warning",
            )
            return
        if self._view.choosing is not None:
            self._view.choosing.take_keys()
        else:
            case, at, selected = self._view.reading()
            text = self._text(case)
            await self._view.choose(
                ChoosingBar(
                    case,
                    TextSelection.of(text, selected)
                    if selected
                    else TextSelection(text, at),
                )
            )

    def turn(self, bar: ChoosingBar) -> None:
        """Chooses in the other case."""
        cases = self._view.cases
        if cases is not None and cases.front is not None:
            case = cases.front if bar.case is None else None
            bar.turn_to(case, TextSelection(self._text(case), self._view.top_of(case)))

    async def take(self, bar: ChoosingBar, kind: Kind) -> None:
        """Makes the passage evidence."""
        said, chosen = self._giving.said, bar.passage
        case = QUERY if bar.case is None else bar.case
        fact = Fact(
            case=case, kind=kind, text=chosen.chosen, start=chosen.start, end=chosen.end
        )
        facts = [
            one
            for one in (said.facts if said is not None else [])
            if (one.case, one.start, one.end) != (case, fact.start, fact.end)
        ]
        if await self._giving.give(t("labelling.undo_evidence"), facts=[*facts, fact]):
            bar.taken(len(facts) + 1)

    def do_withdraw(self) -> None:
        self._bench.host.dialog(self._withdraw())

    async def _withdraw(self) -> None:
        """Takes one of the passages away."""
        from ...screens.pick import PickScreen

        said = self._giving.said
        if said is None or not said.facts:
            self._bench.host.say(t("labelling.no_evidence"), "information")
            return
        chosen: int | None = 0
        if len(said.facts) > 1:
            chosen = await self._bench.host.ask(
                PickScreen(t("labelling.withdraw_which"), passages(said))
            )
        if chosen is not None:
            left = [one for number, one in enumerate(said.facts) if number != chosen]
            await self._giving.give(t("labelling.undo_evidence"), facts=left)

    def _text(self, case: str | None) -> str:
        play = self._bench.play
        if play is not None:
            return text_of(play.session, case)
        return ""

    # Reasons

    def do_reasons(self) -> None:
        self._bench.host.dialog(self._ask_reasons())

    async def _ask_reasons(self) -> None:
        """Asks for a reason for each bit; of a decision, for one."""
        from ...screens.edit import EditScreen
        from .screens.reasons import ReasonsScreen

        said = self._giving.said
        if self._decides:
            reason = await self._bench.host.ask(
                EditScreen(
                    t("labelling.reason_title"), said.reason if said is not None else ""
                )
            )
            if reason is not None:
                await self._giving.give(
                    t("labelling.undo_reasons"), reason=reason.strip()
                )
            return
        reasons = await self._bench.host.ask(
            ReasonsScreen(said.reasons if said is not None else None)
        )
        if reasons is not None and reasons != (
            said.reasons if said is not None else None
        ):
            kept = reasons if reasons.material or reasons.legal else None
            await self._giving.give(t("labelling.undo_reasons"), reasons=kept)
