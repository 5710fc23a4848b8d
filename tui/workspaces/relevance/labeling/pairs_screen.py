"""Lists the pairs of an annotator, with their labels."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import OptionList

from .....sessions.case_pairs import PairAt
from .....texts import t
from ....screens.filtering import FilteredSheet
from ....screens.sheet import LazyLine, RowList
from ....title_columns import fit
from .labelers import Adjudicator
from .wording import bits, of_label, pair_name, told

if TYPE_CHECKING:
    from .labelers import PairQueue


class PairsScreen(FilteredSheet[PairAt]):
    """Dismissed with the pair to go to, or None."""

    AUTO_FOCUS = "RowList"
    BINDINGS = [("K", "overview")]
    KEYS = {"j k": "help.move", "enter": "library.open"}
    tall = True

    def __init__(self, sitting: PairQueue, front: PairAt) -> None:
        super().__init__()
        self._sitting = sitting
        self._shown: list[PairAt] = []
        self._front = front

    def heading(self) -> str:
        return t(
            f"{self._sitting.scope}.pairs_title",
            done=self._sitting.progress().done,
            total=len(self._sitting.queue()),
        )

    def body(self) -> ComposeResult:
        yield RowList()

    def keys(self) -> dict[str, str]:
        more = {"K": t("report.overview.title")} if self._leads() is not None else {}
        return {**super().keys(), **more}

    def _leads(self) -> Adjudicator | None:
        """Who decides here and sees names; None for who labels."""
        one = self._sitting
        return one if isinstance(one, Adjudicator) and not one.anonymous else None

    def action_overview(self) -> None:
        """Shows who decides how people label and agree."""
        from .overview_screen import OverviewScreen

        lead = self._leads()
        if lead is not None:
            self.app.push_screen(OverviewScreen(lead))

    def on_mount(self) -> None:
        self.narrow()

    def narrow(self) -> None:
        sitting = self._sitting
        self._shown = [
            pair for pair in sitting.queue() if self.wanted(pair_name(sitting, pair))
        ]
        at = self._shown.index(self._front) if self._front in self._shown else 0
        lines = [LazyLine(partial(self._row, pair)) for pair in self._shown]
        self.query_one(RowList).show(lines, cursor=at)

    def _row(self, pair: PairAt, width: int) -> Content:
        label = self._sitting.label(pair)
        people = told(self._sitting.people(pair))
        named = bits(label.value, self._sitting.scale) if label is not None else ""
        said = f"{of_label(label)}  {named}"
        return Content.assemble(
            (
                fit(pair_name(self._sitting, pair), 16),
                "bold" if label is None else "$quiet",
            ),
            f" {fit(said, 18)}",
            fit(people, width - 36),
        )

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._shown[event.option_index])
