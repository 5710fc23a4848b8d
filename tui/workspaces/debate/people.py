"""A person takes a seat in a debate: the speech comes from an editor, the verdict from a form."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Literal

from ....engines.debate.tasks import Choose, DebateTask, Judge
from ....engines.models.port import Call, Task
from ....sessions.events.debate import Speech
from ....texts import t
from ... import wording
from ...showing import clean

if TYPE_CHECKING:
    from ..bench import Bench


async def ask_person(bench: Bench, call: Call) -> str:
    """Returns what the person at the keyboard says.

    Raises:
        asyncio.CancelledError: they left the editor or the form, so the run ends and nothing is stored.
    """
    from ...screens.edit import EditScreen
    from .screens.verdict_form import JudgeForm

    task = call.task
    text: str | None
    if isinstance(task, Judge | Choose):
        mode: Literal["discriminative", "extractive"] = "discriminative" if isinstance(task, Judge) else "extractive"
        form = await bench.host.ask(JudgeForm(mode=mode, sides=_debaters(bench), answer_suggestions=_last_answers(bench)))
        text = None if form is None else json.dumps(form, ensure_ascii=False)
    else:
        title = t("people.speak", letter=wording.letter(call.role), role=wording.role_name(call.role))
        text = await bench.host.ask(EditScreen(title=title, text="", hint=_heard(task, call.role)))
    if text is None:
        raise asyncio.CancelledError
    return text


def _debaters(bench: Bench) -> list[str]:
    roles = bench.roles(bench.play.session) if bench.play is not None else []
    return [role for role in roles if role not in ("judge", "observer", "baseline")]


def _last_answers(bench: Bench) -> list[str]:
    """Returns the answers last stated by each debater, for the judge's form."""
    answers: dict[str, str] = {}
    for event in bench.play.view.events if bench.play is not None else []:
        if isinstance(event, Speech) and event.answer:
            answers[event.role] = clean(event.answer, newlines=False)
    return list(dict.fromkeys(answers.values()))


def _heard(task: Task, role: str) -> str:
    """Returns what this person has to answer or to judge: what the others have said since their own last word, the last first."""
    if not isinstance(task, DebateTask):
        return ""
    since: list[str] = []
    for speech in reversed(task.history):
        if speech.role == role:
            break
        since.append(f"{wording.letter(speech.role)} {wording.role_name(speech.role)}: {clean(speech.text)}")
    return "\n\n".join(since) or clean(task.topic)
