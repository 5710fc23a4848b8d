"""The candidates of a query, as a table to walk through: only the rows that are seen
are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual


class CandidateTable(ScrollView, can_focus=True):
    """Rows by id.

    `front` is the candidate under the cursor; it stays there when the order changes.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"candidates--front"}
    BINDINGS = [
        ("down,j", "move(1)"),
        ("up,k", "move(-1)"),
        ("pagedown", "page(1)"),
        ("pageup", "page(-1)"),
    ]

    class Moved(Message):
        """The user has gone to another candidate."""

    def __init__(self) -> None:
        super().__init__(id="candidates")
        self._order: list[str] = []
        self._places: dict[str, int] = {}
        self._draw: Callable[[str, int], Content] = lambda id_, width: Content(id_)
        self._at = 0

    @property
    def front(self) -> str | None:
        if self._order:
            return self._order[self._at]
        return None

    def tell(
        self,
        order: Sequence[str],
        draw: Callable[[str, int], Content],
        front: str | None,
    ) -> None:
        """Sets the rows, how one is drawn in a number of cells, and which is in
        front.
        """
        if list(order) != self._order:
            self._order = list(order)
            self._places = {id_: at for at, id_ in enumerate(self._order)}
        self._draw = draw
        self._at = self._places.get(front or "", 0)
        self._fit()
        self.refresh()

    def go(self, id_: str) -> None:
        """Puts a candidate in front."""
        if id_ in self._places:
            self._to(self._places[id_])

    def action_move(self, by: int) -> None:
        self._to(self._at + by)

    def action_page(self, by: int) -> None:
        self._to(self._at + by * max(self.scrollable_content_region.height - 1, 1))

    def _to(self, at: int) -> None:
        at = min(max(at, 0), max(len(self._order) - 1, 0))
        if at == self._at:
            return
        before, self._at = self._at, at
        self._reveal()
        for row in (before, at):
            self.refresh(
                Region(
                    0,
                    row - self.scroll_offset.y,
                    self.size.width,
                    1,
                )
            )
        self.post_message(self.Moved())

    def on_resize(self) -> None:
        self._fit()

    def _fit(self) -> None:
        self.virtual_size = Size(self.scrollable_content_region.width, len(self._order))
        self._reveal()

    def _reveal(self) -> None:
        """Scrolls as far as needed to show the row in front."""
        height = self.scrollable_content_region.height
        top = round(self.scroll_target_y)
        if self._at < top:
            self.scroll_to(y=self._at, animate=False, force=True)
        elif height and self._at >= top + height:
            self.scroll_to(y=self._at - height + 1, animate=False, force=True)

    def render_line(self, y: int) -> Strip:
        at, width = y + self.scroll_offset.y, self.scrollable_content_region.width
        if at >= len(self._order):
            return Strip.blank(width, self.rich_style)
        style = (
            self.get_visual_style("candidates--front")
            if at == self._at
            else self.visual_style
        )
        return Visual.to_strips(
            self, self._draw(self._order[at], width), width, 1, style, pad=True
        )[0]

    def on_click(self, event: events.Click) -> None:
        self._to(round(event.y + self.scroll_offset.y))
