"""A list that is narrowed to the rows with every word typed, in any order."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.events import Key
from textual.widgets import Input, OptionList

from ...texts import t
from .sheet import Result, Sheet


class FilteredSheet(Sheet[Result]):
    """A sheet around the list `AUTO_FOCUS`; `/` opens a line to type in."""

    DEFAULT_CSS = """
    FilteredSheet {
        #narrow { display: none; margin-bottom: 1; }
        #narrow.shown { display: block; }
        &.-low #narrow { margin-bottom: 0; }
    }
    """
    BINDINGS = [("slash", "search")]
    HINT = "help.search"
    """The text in the line while nothing is typed."""
    own_search = False
    """Whether `/` opens a search of the sheet's own instead."""
    typed = ""
    """What is typed in the line."""

    def above(self) -> ComposeResult:
        if not self.own_search:
            yield Input(id="narrow", placeholder=t(self.HINT))

    @property
    def searching(self) -> bool:
        """Whether the line is open."""
        return any(line.has_class("shown") for line in self.query("#narrow"))

    def wanted(self, *texts: str) -> bool:
        """Whether a row with these texts has every word typed."""
        row = " ".join(texts).casefold()
        return all(word in row for word in self.typed.casefold().split())

    def narrow(self) -> None:
        """Shows the rows that are wanted."""

    @on(Input.Changed, "#narrow")
    def _narrow(self, event: Input.Changed) -> None:
        self.typed = event.value
        self.narrow()

    def _foot(self) -> dict[str, str]:
        foot = super()._foot()
        return foot if self.own_search else {**foot, "/": t("help.find")}

    def action_search(self) -> None:
        line = self.query_one("#narrow", Input)
        line.add_class("shown")
        line.focus()

    def on_key(self, event: Key) -> None:
        if event.key == "down" and self.searching and isinstance(self.focused, Input):
            self.leave_line()

    @on(Input.Submitted, "#narrow")
    def _take_line(self) -> None:
        """Opens the only row that is left, else goes to the list."""
        self.leave_line()
        rows = self.query_one(str(self.AUTO_FOCUS))
        if not (self.typed.strip() and isinstance(rows, OptionList)):
            return
        if rows.option_count == 1 and not rows.get_option_at_index(0).disabled:
            rows.highlighted = 0
            rows.action_select()

    def leave_line(self) -> None:
        """Goes from the line to the list."""
        self.query_one(str(self.AUTO_FOCUS)).focus()

    def action_leave(self) -> None:
        """Leaves the search first, then the sheet."""
        if self.searching:
            line = self.query_one("#narrow", Input)
            line.remove_class("shown")
            line.value = ""
            self.leave_line()
        else:
            self.dismiss(None)
