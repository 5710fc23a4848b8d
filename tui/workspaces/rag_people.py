"""A person answers or verifies: the answer comes from an editor, the verification from a form."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from ...engines.models.port import Call
from ...engines.rag.tasks import RagTask, Revise, Verify
from ...sessions.clean import clean
from .. import words
from ..texts import t

if TYPE_CHECKING:
    from .rag import RagWorkspace


async def ask_person(workspace: RagWorkspace, call: Call) -> str:
    """What the person at the keyboard says. Leaving the pane stops the run; nothing is said then."""
    from ..screens.edit import EditScreen
    from ..screens.verify_form import VerifyForm

    task = call.task
    hint = _shown(task) if isinstance(task, RagTask) else ""
    said: str | None
    if isinstance(task, Verify | Revise):
        form = await workspace.tui.push_screen_wait(VerifyForm(hint=hint, scores=isinstance(task, Verify)))
        said = None if form is None else json.dumps(form, ensure_ascii=False)
    else:
        title = t("rag.your_answer", role=words.role_name(call.role))
        said = await workspace.tui.push_screen_wait(EditScreen(title=title, text="", hint=hint))
    if said is None:
        workspace.cancel_run()
        await asyncio.Event().wait()
    assert said is not None
    return said


def _shown(task: RagTask) -> str:
    """The question, the answer if there is one, and the references."""
    answer = getattr(task, "answer", None)
    parts = [clean(task.question), *([clean(answer)] if answer else [])]
    return "\n\n".join([*parts, *(f"[{one.n}] {clean(one.title, newlines=False)}\n{clean(one.text)}" for one in task.references)])
