"""A list of any length: only the rows that are seen are made, and only those that have
changed are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.events import Click, Resize
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

Row = Sequence[tuple[str, str]]
"""A row as drawn: texts, each with the name of its style; together as wide as the list.
"""


CURSOR = ("", "cursor")
"""At the end of the row with the cursor."""


class LongList(ScrollView, can_focus=True):
    """A cursor on a list of rows.

    Styles of a row are `""`, `quiet`, `good`, `bad`, `doubtful`, `live`.
    """

    DEFAULT_CSS = """
    LongList {
        height: 1fr;
        background: $surface;
        scrollbar-size-vertical: 1;
        scrollbar-background: $surface;
        scrollbar-color: $primary 40%;
        overflow-x: hidden;
        scrollbar-gutter: stable;
        & > .long-list--quiet { color: $quiet; }
        & > .long-list--good { color: $text-success; }
        & > .long-list--bad { color: $text-error; }
        & > .long-list--doubtful { color: $text-warning; }
        & > .long-list--live { color: $text-primary; text-style: bold; }
        & > .long-list--cursor { background: $primary 12%; }
        &:focus > .long-list--cursor { background: $primary 30%; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"long-list--{name}"
        for name in ("quiet", "good", "bad", "doubtful", "live", "cursor")
    }
    BINDINGS = [
        ("up,k", "move(-1)"),
        ("down,j", "move(1)"),
        ("pageup", "page(-1)"),
        ("pagedown,space", "page(1)"),
        ("home", "go(0)"),
        ("end", "go(-1)"),
        ("enter", "choose"),
    ]

    class Of(Message):
        """Something about a list, which is its `control`."""

        def __init__(self, of: LongList) -> None:
            super().__init__()
            self.of = of

        @property
        def control(self) -> LongList:
            return self.of

    class Moved(Of):
        """The cursor is on another row."""

    class Chosen(Of):
        """Enter, or a click on the cursor."""

    def __init__(
        self,
        draw: Callable[[int, int], Row],
        id: str | None = None,  # noqa: A002
    ) -> None:
        """`draw` gets the number of a row and the width in cells."""
        super().__init__(id=id)
        self._draw = draw
        self._drawn: dict[int, Row] = {}
        """What was made of the rows that are seen."""
        self.count = 0
        self.cursor = 0

    def show(self, count: int, cursor: int) -> None:
        """Another list, or the same one with other rows."""
        moved = cursor - self.cursor
        keeps = self.scroll_offset.y > 0 and count
        self.cursor = max(min(cursor, count - 1), 0)
        if count != self.count:
            self.count = count
            self.virtual_size = Size(self._width, count)
            self.refresh()
        if moved and keeps:  # rows came in above: what is read stays where it is
            self.scroll_to(
                y=max(self.scroll_offset.y + moved, 0), animate=False, immediate=True
            )
        self._reveal()
        self._redraw()

    @property
    def _width(self) -> int:
        return self.scrollable_content_region.width

    def _redraw(self) -> None:
        """Draws the rows again that look different now."""
        top = self.scroll_offset.y
        for y in range(self.size.height):
            if self._drawn.get(top + y) != self._made(top + y):
                self.refresh_line(top + y)

    def _made(self, number: int) -> Row:
        row = [*self._draw(number, self._width)] if number < self.count else []
        if number == self.cursor and row:
            return [*row, CURSOR]
        return row

    def render_line(self, y: int) -> Strip:
        number = self.scroll_offset.y + y
        row = self._made(number)
        if len(self._drawn) > 4 * (self.size.height + 1):
            self._drawn.clear()
        self._drawn[number] = row
        pieces = [Segment(text, self._style(style)) for text, style in row if text]
        ground = (
            self.get_component_rich_style("long-list--cursor")
            if row and row[-1] == CURSOR
            else self.rich_style
        )
        return Strip(pieces).adjust_cell_length(self._width).apply_style(ground)

    def _style(self, name: str) -> Style | None:
        """A style of a row, which leaves the ground as it is."""
        if name:
            return self.get_component_rich_style(f"long-list--{name}", partial=True)
        return None

    def on_resize(self, event: Resize) -> None:
        self.virtual_size = Size(self._width, self.count)
        self._drawn.clear()
        self._reveal()
        self.refresh()

    # The cursor

    def _reveal(self) -> None:
        if self.size.height:
            self.scroll_to_region(
                Region(0, self.cursor, 1, 1), animate=False, immediate=True
            )

    def action_go(self, number: int) -> None:
        """Goes to a row; -1: the last one."""
        wanted = self.count - 1 if number < 0 else min(number, self.count - 1)
        if self.count and wanted != self.cursor:
            self.cursor = wanted
            self._reveal()
            self._redraw()
            self.post_message(self.Moved(self))

    def action_move(self, by: int) -> None:
        self.action_go(max(self.cursor + by, 0))

    def action_page(self, by: int) -> None:
        self.action_move(by * max(self.size.height - 1, 1))

    def action_choose(self) -> None:
        if self.count:
            self.post_message(self.Chosen(self))

    def on_click(self, event: Click) -> None:
        number = self.scroll_offset.y + event.y
        if number < self.count:
            if number == self.cursor:
                self.action_choose()
            else:
                self.action_go(number)
