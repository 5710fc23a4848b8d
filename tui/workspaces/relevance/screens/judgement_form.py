"""A person judges one kind of facts: relevant or not, and why."""

from __future__ import annotations

from typing import Any

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static, TextArea

from .....texts import t
from ....screens.form import Choice, Form, area
from ....showing import clean


class RelevantForm(Form[dict[str, Any]]):
    """Dismissed with `{"reason", "relevant"}`, or None. `hint`: the facts of both cases."""

    DEFAULT_CSS = """
    RelevantForm {
        #hint { height: 1fr; margin-bottom: 1; color: $quiet; }
        #reason { height: 4; }
    }
    """
    AUTO_FOCUS = "#relevant"
    tall = True

    def __init__(self, title: str, hint: str) -> None:
        super().__init__()
        self._title = title
        self._hint = clean(hint)

    def heading(self) -> str:
        return self._title

    def body(self) -> ComposeResult:
        with VerticalScroll(id="hint"):
            yield Static(self._hint, markup=False)
        values = [(None, "-"), (True, t("relevance.relevant")), (False, t("relevance.irrelevant"))]
        yield Choice(t("relevance.verdict"), values, id="relevant")
        yield Static(t("relevance.reason"), classes="quiet", markup=False)
        yield area(id="reason")
        yield Static(id="note", markup=False)

    def changed(self) -> bool:
        return bool(self.query_one("#reason", TextArea).text.strip())

    def action_accept(self) -> None:
        relevant = self.query_one("#relevant", Choice).value
        if relevant is None:
            self.say(t("relevance.choose_verdict"))
            self.query_one("#relevant").focus()
            return
        self.dismiss({"reason": self.query_one("#reason", TextArea).text.strip(), "relevant": relevant})
