"""A person answers or verifies: the answer comes from an editor, the verification from a form."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from ....engines.models.port import Call
from ....engines.rag.tasks import RagTask, Revise, Verify
from ....texts import t
from ... import wording
from ...showing import clean

if TYPE_CHECKING:
    from ...host import Host


async def ask_person(host: Host, call: Call) -> str:
    """Returns what the person at the keyboard says.

    Raises:
        asyncio.CancelledError: they left the editor or the form, so the run ends and nothing is stored.
    """
    from ...screens.edit import EditScreen
    from .screens.verify_form import VerifyForm

    task = call.task
    hint = _shown(task) if isinstance(task, RagTask) else ""
    text: str | None
    if isinstance(task, Verify | Revise):
        form = await host.ask(VerifyForm(hint=hint, scores=isinstance(task, Verify)))
        text = None if form is None else json.dumps(form, ensure_ascii=False)
    else:
        text = await host.ask(EditScreen(title=t("rag.your_answer", role=wording.role_name(call.role)), text="", hint=hint))
    if text is None:
        raise asyncio.CancelledError
    return text


def _shown(task: RagTask) -> str:
    """Returns the question, the answer if there is one, and the references."""
    answer = getattr(task, "answer", None)
    parts = [clean(task.question), *([clean(answer)] if answer else [])]
    return "\n\n".join([*parts, *(f"[{one.n}] {clean(one.title, newlines=False)}\n{clean(one.text)}" for one in task.references)])
