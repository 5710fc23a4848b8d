"""Lets a person extract facts, one per line, or judge in a form."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ....engines.models.port import ModelCall
from ....engines.relevance.messages import ExtractFacts, JudgeFactsTask
from ....texts import t
from ...screens.docked_form import Writing
from .screens.judgement_form import RelevantForm

if TYPE_CHECKING:
    from ...screens.docked_form import DockedForm


def form_for(call: ModelCall) -> DockedForm:
    """Returns the form for what a person is asked."""
    task = call.task
    if isinstance(task, JudgeFactsTask):
        return RelevantForm(t(f"relevance.your_{task.kind}_judgement"))
    kind = task.kind if isinstance(task, ExtractFacts) else "material"
    return FactsForm(t(f"relevance.your_{kind}_facts"))


class FactsForm(Writing):
    """Facts, a line each."""

    def words(self) -> str | None:
        text = super().words()
        if text is None:
            return None
        return json.dumps(
            {"facts": [line.strip() for line in text.splitlines() if line.strip()]},
            ensure_ascii=False,
        )
