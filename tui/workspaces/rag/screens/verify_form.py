"""A person verifies an answer: six scores, a judgement, a revised query."""

from __future__ import annotations

import json
from typing import Any

from textual.app import ComposeResult
from textual.widgets import Input

from .....engines.rag.plan import SCORES
from .....texts import t
from ....screens.docked_form import DockedForm
from ....screens.form import ChoiceField, field
from .rule import share


class VerifyForm(DockedForm):
    """Says what the verifier's reply holds, by the names of the paper's fields in the
    session.
    """

    DEFAULT_CSS = "VerifyForm .field > .label { width: 18; }"
    FIRST = "Input"

    def __init__(self, *, scores: bool) -> None:
        super().__init__()
        self._scores = SCORES if scores else ()

    def heading(self) -> str:
        return t("rag.verify_title" if self._scores else "rag.edit_query")

    def body(self) -> ComposeResult:
        for name in self._scores:
            yield field(t(f"rag.{name}"), id=name, placeholder="0 .. 1")
        if self._scores:
            judged = [
                (name, t(f"rag.judged_{name}")) for name in ("true", "false", "unclear")
            ]
            yield ChoiceField(t("rag.judgement"), judged, "unclear", id="judgement")
        yield field(t("rag.query"), id="query", placeholder=t("rag.query_empty"))

    def words(self) -> str | None:
        said: dict[str, Any] = {}
        for name in self._scores:
            value = share(self.query_one(f"#{name}", Input).value)
            if value is None:
                self.refuse(t("rag.bad_bound"), name)
                return None
            said[name] = value
        if self._scores:
            said["judgement"] = self.chosen("judgement")
        return json.dumps(
            {**said, "revised_query": self.typed("query")}, ensure_ascii=False
        )
