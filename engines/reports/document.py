"""A report as data, independent of its format.

Each sibling module writes it in one format. Texts can come from outside; each writer
cleans and escapes them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from ...sessions.export.block import CitedPassage
from ...texts import t
from .plot import Plot

Shade = Literal["", "muted", "good", "bad", "warning"]
"""What a text means to the reader."""
Value = str | int | float | bool | None
PAGE = 200
"""Items that a form shows at once; further ones are folded, this many at a time."""


class Cell(NamedTuple):
    """One cell of a table."""

    text: str
    """As people read it."""
    value: Value = None
    """For programs. None: they get the text."""
    low: float | None = None
    high: float | None = None
    """The interval of `value`. Programs get both ends in columns of their own."""
    detail: str = ""
    """A second, smaller line: the interval in words."""
    shade: Shade = ""

    @property
    def line(self) -> str:
        """Text and detail in one line."""
        if not self.detail:
            return self.text
        bracketed = self.detail.startswith("[")
        return f"{self.text} {self.detail if bracketed else f'({self.detail})'}"

    @property
    def data(self) -> Value:
        """The value for programs; an infinite number or NaN is no value."""
        return finite(self.text if self.value is None else self.value)


class DataColumn(NamedTuple):
    """A column of a table."""

    title: str
    kind: Literal["text", "number"] = "text"
    """Numbers are at the right."""
    name: str = ""
    """For programs; without one they get the title."""
    data: bool = False
    """Only for programs."""


def text_column(key: str, name: str = "") -> DataColumn:
    """A column of words with the text `key` as its title."""
    return DataColumn(t(key), name=name)


def number_column(key: str, name: str = "") -> DataColumn:
    """A column of numbers with the text `key` as its title."""
    return DataColumn(t(key), "number", name)


@dataclass(frozen=True)
class TextBlock:
    """Paragraphs, or notes."""

    lines: Sequence[str]
    title: str = ""
    shade: Shade = ""


@dataclass(frozen=True)
class DataTable:
    """A table. A row may be shorter than the head."""

    title: str
    columns: Sequence[DataColumn]
    rows: Sequence[Sequence[Cell | str]]
    notes: Sequence[str] = ()
    """Sentences below: what is left out, how it was tested."""

    @property
    def visible(self) -> DataTable:
        """The table without the columns that are only for programs."""
        places = [n for n, column in enumerate(self.columns) if not column.data]
        columns = [self.columns[n] for n in places]
        rows = [[row[n] for n in places] for row in self.cells]
        return replace(self, columns=columns, rows=rows)

    @property
    def cells(self) -> list[list[Cell]]:
        """All rows, each as long as the head."""
        empty = [Cell("")] * len(self.columns)
        rows = [[as_cell(cell) for cell in row] for row in self.rows]
        return [[*row, *empty[len(row) :]] for row in rows]


@dataclass(frozen=True)
class SettingList:
    """Settings: names down; across, one value, or the value of each run."""

    title: str
    columns: Sequence[str] = ()
    """What the values are of; none where there is one value."""
    rows: Sequence[tuple[str, Sequence[str]]] = ()
    """What the reader should see: what differs."""
    folded: Sequence[tuple[str, Sequence[str]]] = ()
    """The rest."""
    notes: Sequence[str] = ()

    def table(self, rows: Sequence[tuple[str, Sequence[str]]]) -> DataTable:
        """Rows of this list as a table."""
        width = max((len(values) for _, values in rows), default=0)
        heads = list(self.columns) or [""] * width
        columns = [DataColumn(""), *map(DataColumn, heads)]
        return DataTable(self.title, columns, [(name, *vs) for name, vs in rows])


@dataclass(frozen=True)
class ReportItem:
    """One item of a run: its question and its result."""

    id: str
    group: str
    """What the list is filtered by, in words: `wrong`, `failed`."""
    text: str = ""
    facts: Sequence[tuple[str, str]] = ()
    """Names and values: the answer, what is accepted."""
    notes: Sequence[str] = ()
    links: Sequence[tuple[str, str]] = ()
    """Names of session files and their paths, relative to the report."""
    references: Sequence[CitedPassage] = ()
    shade: Shade = ""


@dataclass(frozen=True)
class ItemList:
    """Items, the most important ones first."""

    title: str
    items: Sequence[ReportItem] = ()
    empty: str = ""
    """Text to show for an empty list."""

    @property
    def groups(self) -> dict[str, int]:
        """How many items each group has, in the order in which they come."""
        counts: dict[str, int] = {}
        for item in self.items:
            counts[item.group] = counts.get(item.group, 0) + 1
        return counts

    @property
    def pages(self) -> list[tuple[int, Sequence[ReportItem]]]:
        """Return items in groups of `PAGE`, each with the number of its first item,
        from 1.
        """
        starts = range(0, len(self.items), PAGE)
        return [(start + 1, self.items[start : start + PAGE]) for start in starts]


Part = TextBlock | DataTable | SettingList | ItemList | Plot


@dataclass(frozen=True)
class ReportDocument:
    """A report: its conclusion, then the figures behind it."""

    title: str
    conclusion: str = ""
    """One sentence."""
    context: Sequence[str] = ()
    """Lines: date, command, models."""
    parts: Sequence[Part] = field(default_factory=tuple)


def as_cell(cell: Cell | str) -> Cell:
    """A text as a cell; a cell as it is."""
    if isinstance(cell, str):
        return Cell(cell)
    return cell


def finite(value: Value) -> Value:
    """Return the value; None for NaN and infinite numbers, which JSON does not have."""
    whole = not isinstance(value, float) or math.isfinite(value)
    if whole:
        return value
    return None


def values_of(plot: Plot) -> DataTable:
    """Return the values of a plot as a table, for formats that cannot draw."""
    if plot.kind == "scatter":
        return _scattered(plot)
    columns = [DataColumn(plot.x)]
    columns += [DataColumn(one.name, "number") for one in plot.series]
    rows: list[list[Cell | str]] = []
    for place, label in enumerate(plot.labels):
        points = [one.at(place) for one in plot.series]
        cells = [
            Cell(
                _short(p.value),
                p.value,
                p.low,
                p.high,
            )
            for p in points
        ]
        rows.append([label, *cells])
    return DataTable(
        plot.title,
        columns,
        rows,
        [plot.y] if plot.caption else [],
    )


def _scattered(plot: Plot) -> DataTable:
    """A row for each point of a scatter plot."""
    heads = DataColumn(""), DataColumn(plot.x, "number"), DataColumn(plot.y, "number")
    rows: list[list[Cell | str]] = []
    for one in plot.series:
        for point in plot.points_of(one):
            x = Cell(_short(point.x), point.x, point.x_low, point.x_high)
            y = Cell(_short(point.value), point.value, point.low, point.high)
            rows.append([one.name, x, y])
    return DataTable(plot.title, heads, rows)


def _short(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:g}"
