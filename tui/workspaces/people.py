"""A person takes a seat: the speech comes from an editor, the verdict from a form."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from ...engines.debate.tasks import Choose, DebateTask, Judge
from ...engines.models.port import Call, Task
from ...sessions.clean import clean
from .. import words
from ..texts import t

if TYPE_CHECKING:
    from .debate import DebateWorkspace


async def ask_person(workspace: DebateWorkspace, call: Call) -> str:
    """What the person at the keyboard says. Leaving the pane stops the debate; nothing is said then."""
    from ..screens.edit import EditScreen
    from ..screens.judge_form import JudgeForm

    task = call.task
    heard = _heard(task, call.role)
    said: str | None
    if isinstance(task, Judge | Choose):
        sides = [role for role in workspace.debaters() if role]
        form = await workspace.tui.push_screen_wait(
            JudgeForm(
                mode="discriminative" if isinstance(task, Judge) else "extractive", sides=sides, answer_suggestions=workspace.last_answers()
            )
        )
        said = None if form is None else json.dumps(form, ensure_ascii=False)
    else:
        title = t("people.speak", letter=words.letter(call.role), role=words.role_name(call.role))
        said = await workspace.tui.push_screen_wait(EditScreen(title=title, text="", hint=heard))
    if said is None:
        workspace.cancel_run()
        await asyncio.Event().wait()
    assert said is not None
    return said


def _heard(task: Task, role: str) -> str:
    """What this person has to answer or to judge: what the others have said since, the last first."""
    if not isinstance(task, DebateTask):
        return ""
    since: list[str] = []
    for said in reversed(task.history):
        if said.role == role:
            break
        since.append(f"{words.letter(said.role)} {words.role_name(said.role)}: {clean(said.text)}")
    return "\n\n".join(since) or clean(task.topic)
