"""A table of a report as rows of a list, one line each.

A cell's detail is next to it where there is room.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from rich.cells import cell_len

from ...engines.reports.document import DataTable
from ..showing import clean, clean_line
from ..title_columns import at_right, fit
from ..widgets.long_list import Row

STYLES = {"good": "good", "bad": "bad", "muted": "quiet", "warning": "doubtful"}
TITLE = 12
"""Cells that the title of a column may take beyond what is below it."""


class Slot(NamedTuple):
    """Position of the texts, or the details, of a column."""

    column: int
    detail: bool
    size: int


class TableRows:
    """Rows as wide as the list; details are left out where there is no room."""

    def __init__(self, table: DataTable, details: Sequence[str] = ()) -> None:
        """`details`: names of columns, the one first whose details matter most."""
        self._table = table.visible
        self._cells = self._table.cells
        names = [column.name for column in self._table.columns]
        self._first = [names.index(name) for name in details if name in names]
        self._rest = [place for place in range(len(names)) if place not in self._first]
        self._slots = lru_cache(maxsize=4)(self._fitting)

    def head(self, width: int) -> str:
        """The titles of the columns."""
        return "".join(
            self._placed(
                "" if slot.detail else self._table.columns[slot.column].title, slot
            )
            for slot in self._slots(width)
        )

    def row(self, number: int, width: int) -> Row:
        """One row: texts, each with the name of its style."""
        row = self._cells[number]
        shown = []
        for slot in self._slots(width):
            cell = row[slot.column]
            text = cell.detail if slot.detail else cell.text
            style = "quiet" if slot.detail else STYLES.get(cell.shade, "")
            shown.append((self._placed(text, slot), style))
        return shown

    def _placed(self, text: str, slot: Slot) -> str:
        right = self._table.columns[slot.column].kind == "number"
        text = clean_line(text)
        return (at_right if right else fit)(text, slot.size) + " "

    def _fitting(self, width: int) -> list[Slot]:
        """The columns that fit: all texts first, the last column before the middle
        ones, then details.

        Details without a name are shown together or not at all.
        """
        last = len(self._table.columns) - 1
        texts = [self._slot(n, False) for n in (0, last, *range(1, last))]
        groups = [[slot] for slot in texts]
        groups += [[self._slot(n, True)] for n in self._first]
        groups.append([self._slot(n, True) for n in self._rest])
        chosen: list[Slot] = []
        for group in groups:
            slots = [slot for slot in group if slot.size]
            room = sum(slot.size + 1 for slot in slots)
            if room <= width + 1:
                chosen += slots
                width -= room
        return sorted(chosen)

    def _slot(self, column: int, detail: bool) -> Slot:
        return Slot(column, detail, self._size(column, detail))

    def _size(self, column: int, detail: bool) -> int:
        texts = [
            row[column].detail if detail else row[column].text for row in self._cells
        ]
        title = "" if detail else clean(self._table.columns[column].title)
        return max([min(cell_len(title), TITLE), *map(cell_len, texts)])
