"""A sheet with text to read, in which `/` searches."""

from __future__ import annotations

import re
from typing import ClassVar

from textual import on
from textual.widgets import Static

from ...texts import t
from ..widgets.hits import HitText, show_hit, wanted
from .export import ask_export
from .search import SearchBar
from .sheet import Pages, Sheet


class TextSheet(Sheet[None]):
    """`/` counts the hits, marks them and goes to the line of each; `s` writes the text
    to a file. The text is in `HitText`s.
    """

    BINDINGS = [("slash", "search"), ("s", "export")]
    AUTO_FOCUS = "Pages"
    NAME: ClassVar[str]
    """The file that is suggested for the text, without its ending."""
    _last = "", 0
    """What was searched for, and which hit is shown."""

    def _foot(self) -> dict[str, str]:
        return {
            **super()._foot(),
            "/": t("help.find"),
            "s": t("action.export"),
        }

    def text(self) -> str:
        """Returns what can be read here."""
        return "\n".join(
            str(one.content) for one in self.query_one(Pages).query(Static)
        )

    def action_export(self) -> None:
        ask_export(self, self.NAME, self.heading(), self.text())

    def count(self, pattern: re.Pattern[str]) -> int:
        """Returns how many hits there are."""
        return sum(_hits(text, pattern) for text in self.query(HitText))

    def mark(self, pattern: re.Pattern[str] | None, at: int) -> None:
        """Marks all hits, and brings the one with the number `at` into sight, from 0;
        None takes the marks away.
        """
        for text in self.query(HitText):
            text.light(pattern)
            found = 0 if pattern is None else _hits(text, pattern)
            if pattern is not None and 0 <= at < found:
                pages = self.query_one(Pages)
                if not text.size:  # its lines are known once it has been in sight
                    pages.scroll_to_widget(text, animate=False, immediate=True)
                self.call_after_refresh(show_hit, pages, [text], pattern, at)
            at -= found

    def action_search(self) -> None:
        bars = self.query(SearchBar)
        if bars:
            bars.first().action_type()
        else:
            self.query_one("#sheet").mount(SearchBar(), before="#hints")

    @on(SearchBar.Search)
    def _search(self, event: SearchBar.Search) -> None:
        pattern = wanted(event.text)
        if pattern is None:
            return
        total, (before, at) = self.count(pattern), self._last
        step = 1 if event.forward else -1
        first = 0 if event.forward else -1
        at = (at + step if event.text == before else first) % max(total, 1)
        self._last = event.text, at
        event.bar.found(at + 1, total)
        self.mark(pattern, at)

    @on(SearchBar.Closed)
    def _close(self, event: SearchBar.Closed) -> None:
        event.bar.remove()
        self._last = "", 0
        self.mark(None, 0)
        self.query_one(str(self.AUTO_FOCUS)).focus()

    def action_leave(self) -> None:
        """Leaves the search first, then the sheet."""
        bars = self.query(SearchBar)
        if bars:
            bars.first().action_close()
        else:
            self.dismiss(None)


def _hits(text: HitText, pattern: re.Pattern[str]) -> int:
    return len(pattern.findall(str(text.content)))
