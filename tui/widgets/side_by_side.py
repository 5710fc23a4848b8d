"""Rows of two texts beside each other, drawn line by line: only what is seen is laid
out, so thousands of rows open at once.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rich.segment import Segment
from textual.content import Content
from textual.events import Resize
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

from ..terminal.compat import Fixed
from .hits import FRONT, HIT

KEPT = 200
"""Rows whose lines are kept."""
GUTTER, BETWEEN = 2, 3
"""Cells before the text, for a mark; and between the two columns."""

Texts = tuple[Content, Content | None]
"""Texts on the left and right; None: the left one takes the whole width."""


class SideBySideRow(NamedTuple):
    """One row. `differs`: it is one to go to."""

    texts: Callable[[bool], Texts]
    """Returns the texts; the argument says whether the two columns are next to each
    other.
    """
    differs: bool = False
    marked: Callable[[Content, Content, bool], Texts] | None = None
    """Marks what differs in two texts, without changing how they are broken into lines.
    It is asked only for what is seen.
    """
    gap: int = 1
    """Empty lines after it."""


class SideHit(NamedTuple):
    """Where a hit of a search ends."""

    row: int
    column: int
    """0: left, 1: right."""
    end: int
    """The character after it, in its text."""


class SideBySide(Fixed, ScrollView, can_focus=True):
    """Two columns that scroll together, with the keys of vi beside the arrows.

    Where it is narrow, right is below left.
    """

    DEFAULT_CSS = """
    SideBySide {
        height: 1fr;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        scrollbar-background: $surface;
        scrollbar-color: $primary 40%;
    }
    """
    BINDINGS = [
        ("j", "scroll_down"),
        ("k", "scroll_up"),
        ("space", "page_down"),
    ]

    def __init__(self, rows: Sequence[SideBySideRow], narrow: int) -> None:
        """`narrow`: cells below which there is one column."""
        super().__init__()
        self._rows = rows
        self._narrow = narrow
        self._width = 0
        self._ends: list[int] = []
        """The line after each row that has been measured."""
        self._lines: dict[int, list[Strip]] = {}
        self._stops = [number for number, row in enumerate(rows) if row.differs]
        self._current = self._stops[0] if self._stops else None
        self._pattern: re.Pattern[str] | None = None
        self._hits: list[SideHit] = []
        self._front: SideHit | None = None
        """The hit that is shown."""

    def text(self) -> str:
        """Returns all rows, right below left."""
        texts = (text for row in self._rows for text in row.texts(False) if text)
        return "\n".join(text.plain for text in texts)

    # Search

    def count(self, pattern: re.Pattern[str]) -> int:
        """Looks for hits in all rows; returns how many there are."""
        self._hits = [
            SideHit(number, column, hit.end())
            for number, row in enumerate(self._rows)
            for column, text in enumerate(row.texts(self.beside))
            if text is not None
            for hit in pattern.finditer(text.plain)
        ]
        return len(self._hits)

    def mark(self, pattern: re.Pattern[str] | None, at: int) -> None:
        """Marks the hits that were counted, and goes to the line of one, from 0; None
        takes the marks away.
        """
        hits = self._hits if pattern is not None else []
        self._pattern, self._front = pattern, hits[at] if hits else None
        self._lines.clear()
        self.refresh()
        if self._front is not None:
            line = self._line(self._front)
            self._measure(line + 2 * self.size.height)
            self._set_height()
            self.scroll_to(y=line - self.size.height // 3, animate=False)

    def _line(self, hit: SideHit) -> int:
        """Returns the line of the whole in which a hit ends."""
        texts = self._rows[hit.row].texts(self.beside)
        width = self._width - GUTTER if texts[1] is None else self._column
        told = texts[hit.column]
        assert told is not None
        above = texts[0].get_height({}, width) if hit.column and not self.beside else 0
        return self._top(hit.row) + above + told[: hit.end].get_height({}, width) - 1

    def _lit(self, text: Content, row: int, column: int) -> Content:
        """Returns a text with its hits marked."""
        for hit in self._pattern.finditer(text.plain) if self._pattern else ():
            front = self._front == (row, column, hit.end())
            text = text.stylize(FRONT if front else HIT, *hit.span())
        return text

    # Differences

    @property
    def place(self) -> tuple[int, int]:
        """Which difference is marked, from 1, and how many there are."""
        return (
            self._stops.index(self._current) + 1 if self._current is not None else 0
        ), len(self._stops)

    def go(self, by: int) -> bool:
        """Marks the next or the previous difference, and scrolls to it; False without
        one.
        """
        at = self.place[0] - 1 + by
        if not 0 <= at < len(self._stops):
            return False
        self._current = self._stops[at]
        self._bring()
        return True

    def _bring(self) -> None:
        """Scrolls so that the marked row starts in the upper half."""
        if self._current is None or not self._width:
            return
        top = self._top(self._current)
        self._measure(top + 2 * self.size.height)
        self._set_height()
        if (
            not self.scroll_offset.y
            <= top
            <= self.scroll_offset.y + self.size.height // 2
        ):
            self.scroll_to(y=max(top - 1, 0), animate=False)
        self.refresh()

    # Measuring

    def on_resize(self, event: Resize) -> None:
        self._fit()

    def _fit(self) -> None:
        """Lays out again where the width has changed; a first painting may come before
        the first word of it.
        """
        width = self.scrollable_content_region.width
        if width != self._width:
            self._width = width
            self._ends.clear()
            self._lines.clear()
            self._measure(self.scroll_offset.y + 2 * self.size.height)
            self._set_height()
            self._bring()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if len(self._ends) < len(self._rows):
            self._measure(round(new_value) + 2 * self.size.height)
            self._set_height()

    @property
    def beside(self) -> bool:
        """Whether the two columns are next to each other."""
        return self._width >= self._narrow

    def _measure(self, line: int) -> None:
        """Finds how high rows are, down to a line of the whole."""
        while len(self._ends) < len(self._rows) and (
            not self._ends or self._ends[-1] <= line
        ):
            self._ends.append(
                (self._ends[-1] if self._ends else 0) + self._height(len(self._ends))
            )

    def _height(self, number: int) -> int:
        row = self._rows[number]
        left, right = row.texts(self.beside)
        if right is None:
            return left.get_height({}, self._width - GUTTER) + row.gap
        heights = [each.get_height({}, self._column) for each in (left, right)]
        return (max(heights) if self.beside else sum(heights)) + row.gap

    @property
    def _column(self) -> int:
        """Cells of one of the two columns."""
        room = self._width - GUTTER
        if self.beside:
            return (room - BETWEEN) // 2
        return room

    def _set_height(self) -> None:
        """Tells how long the whole is: as measured, and for the rest as high as the
        rows were on average.
        """
        known = len(self._ends)
        height = self._ends[-1] if known else 0
        if 0 < known < len(self._rows):
            height += height * (len(self._rows) - known) // known
        self.virtual_size = Size(self._width, height)

    def _top(self, number: int) -> int:
        while len(self._ends) < number:
            self._ends.append(
                (self._ends[-1] if self._ends else 0) + self._height(len(self._ends))
            )
        if number:
            return self._ends[number - 1]
        return 0

    def action_scroll_end(self) -> None:
        self._measure(1 << 40)
        self._set_height()
        super().action_scroll_end()

    # Drawing

    def render_line(self, y: int) -> Strip:
        self._fit()
        line = y + self.scroll_offset.y
        self._measure(line)
        number = bisect_right(self._ends, line)
        if number >= len(self._rows):
            return Strip.blank(self.size.width, self.rich_style)
        lines = self._drawn(number)
        at = line - self._top(number)
        strip = (
            lines[at]
            if at < len(lines)
            else Strip.blank(self._width - GUTTER, self.rich_style)
        )
        return Strip.join(
            [self._mark(number, blank=at >= len(lines)), strip]
        ).adjust_cell_length(self.size.width, self.rich_style)

    def _mark(self, number: int, *, blank: bool) -> Strip:
        if blank or not self._rows[number].differs:
            return Strip.blank(GUTTER, self.rich_style)
        mark = (
            Content.styled("▌ ", "$primary")
            if number == self._current
            else Content.styled("│ ", "$warning")
        )
        return Visual.to_strips(self, mark, GUTTER, 1, self.visual_style)[0]

    def _drawn(self, number: int) -> list[Strip]:
        """Returns the lines of a row, without its mark."""
        found = self._lines.get(number)
        if found is None:
            row = self._rows[number]
            left, right = row.texts(self.beside)
            if right is not None and row.marked is not None:
                left, right = row.marked(left, right, self.beside)
            found = self._strips(
                self._lit(left, number, 0),
                self._width - GUTTER if right is None else self._column,
            )
            if right is not None:
                other = self._strips(self._lit(right, number, 1), self._column)
                found = self._joined(found, other) if self.beside else found + other
            if len(self._lines) >= KEPT:
                self._lines.clear()
            self._lines[number] = found
        return found

    def _strips(self, text: Content, width: int) -> list[Strip]:
        return Visual.to_strips(self, text, width, None, self.visual_style, pad=True)

    def _joined(self, left: list[Strip], right: list[Strip]) -> list[Strip]:
        blank = Strip.blank(self._column, self.rich_style)
        between = Strip([Segment(" " * BETWEEN, self.rich_style)], BETWEEN)
        lines = max(len(left), len(right))
        columns = ([*each, *[blank] * (lines - len(each))] for each in (left, right))
        return [
            Strip.join([one, between, other])
            for one, other in zip(*columns, strict=True)
        ]
