"""The verification could not be read: keep the answer, or retrieve again with a query
of the user's own.
"""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.widgets import Input, Static

from .....texts import t
from ....screens.docked_form import DockedForm
from ....screens.form import ChoiceField, field
from ....showing import clean_line


class DecideForm(DockedForm):
    """Says the query to retrieve again with, or "" to keep the answer."""

    DEFAULT_CSS = "DecideForm { #why { height: auto; } }"
    FIRST = "#choice"

    def __init__(self, query: str) -> None:
        super().__init__(t("rag.decide_title"))
        self._query = clean_line(query)

    def body(self) -> ComposeResult:
        yield Static(t("rag.decide_why"), id="why", markup=False)
        yield ChoiceField(
            t("rag.decision"),
            [("keep", t("rag.decide_keep")), ("again", t("rag.decide_again"))],
            "keep",
            id="choice",
        )
        yield field(t("rag.query"), self._query, id="query")

    def filled_in(self) -> None:
        self._choose()

    @on(ChoiceField.Changed)
    def _choose(self) -> None:
        self.query_one("#query", Input).disabled = self.chosen("choice") != "again"

    def words(self) -> str | None:
        query = self.typed("query")
        if self.chosen("choice") != "again":
            return ""
        if not query:
            self.refuse(t("rag.no_query"), "query")
            return None
        return query
