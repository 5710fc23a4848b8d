"""A person verifies an answer: six scores, a judgement, a revised query."""

from __future__ import annotations

from typing import Any

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Input, Static

from .....engines.rag.plan import SCORES
from .....texts import t
from ....screens.form import Choice, Form, field
from ....showing import clean
from .rule import share


class VerifyForm(Form[dict[str, Any]]):
    """Dismissed with what the verifier's reply holds, by the names of the paper's fields in the session, or None."""

    DEFAULT_CSS = """
    VerifyForm {
        #hint { height: 1fr; margin-bottom: 1; color: $quiet; }
        .field > .label { width: 18; }
    }
    """
    tall = True

    def __init__(self, hint: str, *, scores: bool) -> None:
        super().__init__()
        self._hint = clean(hint)
        self._scores = SCORES if scores else ()

    def heading(self) -> str:
        return t("rag.verify_title" if self._scores else "rag.edit_query")

    def body(self) -> ComposeResult:
        with VerticalScroll(id="hint"):
            yield Static(self._hint, markup=False)
        for name in self._scores:
            yield field(t(f"rag.{name}"), id=name, placeholder="0 .. 1")
        if self._scores:
            judged = [(name, t(f"rag.judged_{name}")) for name in ("true", "false", "unclear")]
            yield Choice(t("rag.judgement"), judged, "unclear", id="judgement")
        yield field(t("rag.query"), id="query", placeholder=t("rag.query_empty"))
        yield Static(id="note", markup=False)

    def on_mount(self) -> None:
        self.query_one(f"#{self._scores[0] if self._scores else 'query'}").focus()

    def changed(self) -> bool:
        return any(each.value.strip() for each in self.query(Input))

    def action_accept(self) -> None:
        made: dict[str, Any] = {}
        for name in self._scores:
            value = share(self.query_one(f"#{name}", Input).value)
            if value is None:
                self.say(t("rag.bad_bound"))
                self.query_one(f"#{name}").focus()
                return
            made[name] = value
        if self._scores:
            made["judgement"] = self.query_one("#judgement", Choice).value
        self.dismiss({**made, "revised_query": self.query_one("#query", Input).value.strip()})
