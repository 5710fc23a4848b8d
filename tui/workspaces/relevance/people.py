"""A person extracts or judges: facts come from an editor, a fact a line; a judgement from a form."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from ....engines.models.port import Call
from ....engines.relevance.tasks import ExtractFacts, Judge
from ....texts import t
from ...showing import clean

if TYPE_CHECKING:
    from ...host import Host


async def ask_person(host: Host, call: Call) -> str:
    """Returns what the person at the keyboard says.

    Raises:
        asyncio.CancelledError: they left the editor or the form, so the run ends and nothing is stored.
    """
    from ...screens.edit import EditScreen
    from .screens.judgement_form import RelevantForm

    task = call.task
    if isinstance(task, Judge):
        form = await host.ask(RelevantForm(t(f"relevance.your_{task.kind}_judgement"), _sides(task)))
        if form is None:
            raise asyncio.CancelledError
        return json.dumps(form, ensure_ascii=False)
    kind = task.kind if isinstance(task, ExtractFacts) else "material"
    hint = (task.text or "\n".join(task.material)) if isinstance(task, ExtractFacts) else ""
    text = await host.ask(EditScreen(title=t(f"relevance.your_{kind}_facts"), text="", hint=clean(hint)))
    if text is None:
        raise asyncio.CancelledError
    return json.dumps({"facts": [line.strip() for line in text.splitlines() if line.strip()]}, ensure_ascii=False)


def _sides(task: Judge) -> str:
    """Returns the facts of both cases."""
    sides = (
        (t("relevance.query"), task.query, task.query_material),
        (t("relevance.candidate"), task.candidate, task.candidate_material),
    )
    return "\n\n".join("\n".join([name, *(f"- {clean(fact)}" for fact in [*facts, *material])]) for name, facts, material in sides)
