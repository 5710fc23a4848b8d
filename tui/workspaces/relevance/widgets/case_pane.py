"""A case to read. A very long one is shown as far as the user has read: laying out a megabyte takes seconds."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from ..wording import LONGEST


class CasePane(VerticalScroll):
    """`tell` gives it a case; scrolled to its end it shows more of the same case."""

    def __init__(self, id: str) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._key: object = None
        self._draw: Callable[[int], Content] = lambda upto: Content()
        self._length = 0
        self._upto = LONGEST

    def compose(self) -> ComposeResult:
        yield Static("", id=f"{self.id}-text", markup=False)

    def tell(self, case: object, length: int, draw: Callable[[int], Content]) -> None:
        """Shows a case with `length` characters; `draw` draws its first ones. Another `case` is scrolled to its beginning."""
        if case != self._key:
            self._key, self._upto = case, LONGEST
            self.scroll_home(animate=False)
        self._draw, self._length = draw, length
        self._show()

    def show_upto(self, at: int) -> None:
        """Shows the case at least up to one of its characters."""
        if self._upto <= at < self._length:
            self._upto = (at // LONGEST + 1) * LONGEST
            self._show()

    def _show(self) -> None:
        self.query_one(Static).update(self._draw(self._upto))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if new_value > old_value and self._upto < self._length and new_value >= self.max_scroll_y - 1:
            self.show_upto(self._upto)
