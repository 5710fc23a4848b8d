"""A person extracts or judges: facts come from an editor, a fact a line; a judgement from a form."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from ...engines.models.port import Call
from ...engines.relevance.tasks import ExtractFacts, Judge
from ...sessions.clean import clean
from ..texts import t

if TYPE_CHECKING:
    from .relevance import RelevanceWorkspace


async def ask_person(workspace: RelevanceWorkspace, call: Call) -> str:
    """What the person at the keyboard says. Leaving the pane stops the run; nothing is said then."""
    from ..screens.edit import EditScreen
    from ..screens.relevant_form import RelevantForm

    task = call.task
    said: str | None
    if isinstance(task, Judge):
        form = await workspace.tui.push_screen_wait(RelevantForm(t(f"relevance.your_{task.kind}_judgement"), _sides(task)))
        said = None if form is None else json.dumps(form, ensure_ascii=False)
    else:
        kind = task.kind if isinstance(task, ExtractFacts) else "material"
        shown = (task.text or "\n".join(task.material)) if isinstance(task, ExtractFacts) else ""
        text = await workspace.tui.push_screen_wait(EditScreen(title=t(f"relevance.your_{kind}_facts"), text="", hint=clean(shown)))
        lines = [line.strip() for line in text.splitlines() if line.strip()] if text is not None else None
        said = None if lines is None else json.dumps({"facts": lines}, ensure_ascii=False)
    if said is None:
        workspace.cancel_run()
        await asyncio.Event().wait()
    assert said is not None
    return said


def _sides(task: Judge) -> str:
    """The facts of both cases."""
    sides = (
        (t("relevance.query"), task.query, task.query_material),
        (t("relevance.candidate"), task.candidate, task.candidate_material),
    )
    return "\n\n".join("\n".join([name, *(f"- {clean(one)}" for one in [*facts, *material])]) for name, facts, material in sides)
