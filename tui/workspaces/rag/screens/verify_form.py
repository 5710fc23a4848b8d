"""A person verifies an answer: six scores, a judgement, a revised query."""

from __future__ import annotations

import json

from textual.app import ComposeResult

from .....engines.rag.plan import SCORES
from .....texts import t
from ....screens.docked_form import ScoresForm
from ....screens.form import ChoiceField, field


class VerifyForm(ScoresForm):
    """Says what the verifier's reply holds, by the names of the paper's fields in the
    session.
    """

    DEFAULT_CSS = "VerifyForm .field > .label { width: 18; }"

    def __init__(self, *, scores: bool) -> None:
        title = t("rag.verify_title" if scores else "rag.edit_query")
        super().__init__(title, {name: t(f"rag.{name}") for name in SCORES if scores})

    def body(self) -> ComposeResult:
        yield from super().body()
        if self._names:
            judged = [
                (name, t(f"rag.judged_{name}")) for name in ("true", "false", "unclear")
            ]
            yield ChoiceField(t("rag.judgement"), judged, "unclear", id="judgement")
        yield field(t("rag.query"), id="query", placeholder=t("rag.query_empty"))

    def words(self) -> str | None:
        said = self.scores()
        if said is None:
            return None
        judged = {"judgement": self.chosen("judgement")} if self._names else {}
        return json.dumps(
            {**said, **judged, "revised_query": self.typed("query")},
            ensure_ascii=False,
        )
