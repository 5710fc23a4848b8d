"""One of a few things to choose."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import OptionList

from ..showing import clean_line
from .filtering import FilteredSheet
from .sheet import RowList


class PickScreen(FilteredSheet[int]):
    """Dismissed with the number of the row chosen, or None."""

    DEFAULT_CSS = """
    PickScreen {
        #sheet, &.-narrow #sheet, &.-low #sheet {
            width: 64; max-width: 100%; height: auto;
        }
        RowList, RowList:focus { height: auto; }
    }
    """

    AUTO_FOCUS = "RowList"
    KEYS = {"j k": "help.move", "enter": "level.take"}

    def __init__(self, question: str, rows: Sequence[str]) -> None:
        super().__init__()
        self._question = question
        self._rows = [clean_line(one) for one in rows]
        self._shown: list[int] = []

    def heading(self) -> str:
        return self._question

    def body(self) -> ComposeResult:
        yield RowList()

    def on_mount(self) -> None:
        self.narrow()

    def narrow(self) -> None:
        rows = enumerate(self._rows)
        self._shown = [number for number, row in rows if self.wanted(row)]
        self.query_one(RowList).show([Content(self._rows[at]) for at in self._shown])

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._shown[event.option_index])
