"""The verification could not be read: keep the answer, or retrieve again with a query of the user's own."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.widgets import Input, Static

from .....texts import t
from ....screens.form import Choice, Form, field
from ....showing import clean


class DecideScreen(Form[str]):
    """Dismissed with the query to retrieve again with, "" to keep the answer, or None to leave it open."""

    DEFAULT_CSS = """
    DecideScreen {
        #why { height: auto; margin-bottom: 1; }
    }
    """
    AUTO_FOCUS = "#choice"

    def __init__(self, query: str) -> None:
        super().__init__()
        self._query = clean(query, newlines=False)

    def heading(self) -> str:
        return t("rag.decide_title")

    def body(self) -> ComposeResult:
        yield Static(t("rag.decide_why"), id="why", markup=False)
        yield Choice(t("rag.decision"), [("keep", t("rag.decide_keep")), ("again", t("rag.decide_again"))], "keep", id="choice")
        yield field(t("rag.query"), self._query, id="query")
        yield Static(id="note", markup=False)

    @property
    def _again(self) -> bool:
        return self.query_one("#choice", Choice).value == "again"

    def on_mount(self) -> None:
        self._choose()

    @on(Choice.Changed)
    def _choose(self) -> None:
        self.query_one("#query", Input).disabled = not self._again

    def action_accept(self) -> None:
        query = self.typed("query")
        if self._again and not query:
            self.say(t("rag.no_query"))
        else:
            self.dismiss(query if self._again else "")
