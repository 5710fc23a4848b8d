"""A person judges one kind of facts: relevant or not, and why."""

from __future__ import annotations

import json

from textual.app import ComposeResult
from textual.widgets import Static

from .....texts import t
from ....screens.docked_form import DockedForm
from ....screens.form import ChoiceField, area


class RelevantForm(DockedForm):
    """Says `{"reason", "relevant"}`."""

    DEFAULT_CSS = "RelevantForm #reason { height: 1fr; min-height: 3; }"
    FIRST = "#relevant"

    def body(self) -> ComposeResult:
        values = [
            (None, "-"),
            (True, t("relevance.relevant")),
            (False, t("relevance.irrelevant")),
        ]
        yield ChoiceField(t("relevance.verdict"), values, id="relevant")
        yield Static(t("relevance.reason"), classes="quiet", markup=False)
        yield area(id="reason")

    def words(self) -> str | None:
        relevant = self.chosen("relevant")
        if relevant is None:
            self.refuse(t("relevance.choose_verdict"), "relevant")
            return None
        return json.dumps(
            {"reason": self.typed("reason"), "relevant": relevant}, ensure_ascii=False
        )
