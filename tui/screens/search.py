"""A line to search with, at the foot of the transcript."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from ...texts import t


class SearchBar(Horizontal):
    """Posts `Search` for enter, down and n (forward), up and N (back), `Closed` for
    escape. The owner answers with `found`.

    Once something was searched for, the line has the keys; `/` is for other words.
    """

    can_focus = True

    DEFAULT_CSS = """
    SearchBar {
        height: 1; width: 1fr; background: $panel;
        #mark {
            width: auto; padding: 0 1; color: $footer-key-foreground; text-style: bold;
        }
        Input, Input:focus {
            width: 1fr; min-width: 10; border: none; height: 1; padding: 0;
            background: $panel;
        }
        #count { width: auto; padding: 0 1; color: $quiet; }
    }
    """
    BINDINGS = [
        ("down,n,enter", "go(True)"),
        ("up,N", "go(False)"),
        ("slash", "type"),
        ("escape", "close"),
    ]

    class Search(Message):
        """Look for `text` after the cursor, or before it."""

        def __init__(self, bar: SearchBar, text: str, forward: bool) -> None:
            super().__init__()
            self.bar = bar
            self.text = text
            self.forward = forward

    class Closed(Message):
        """The line is not needed any more."""

        def __init__(self, bar: SearchBar) -> None:
            super().__init__()
            self.bar = bar

    def compose(self) -> ComposeResult:
        yield Static("/", id="mark", markup=False)
        yield Input(
            id="search",
            placeholder=t("search.placeholder"),
            select_on_focus=True,
        )
        yield Static(Content(t("search.keys")), id="count")

    def on_mount(self) -> None:
        self.query_one(Input).focus()

    def found(self, number: int, total: int) -> None:
        """Shows which of how many places is shown; a total of 0: there is none."""
        text = (
            t("search.found", number=number, total=total) if total else t("search.none")
        )
        self.query_one("#count", Static).update(Content(text))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_go(True)

    def action_type(self) -> None:
        """Gives the keys to the words that are searched for."""
        self.query_one(Input).focus()

    def action_go(self, forward: bool) -> None:
        text = self.query_one(Input).value
        if text:
            self.focus()
            self.post_message(self.Search(self, text, forward))

    def action_close(self) -> None:
        self.post_message(self.Closed(self))
