"""Lets a person take a seat: an editor for speeches, a form for verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ....engines.debate.messages import (
    BaselineTask,
    Choose,
    JudgeAlone,
    OppositionTask,
    Speak,
    VerdictTask,
)
from ....engines.models.port import ModelCall
from ....engines.solo.messages import Solve
from ....sessions.events.debate import Speech
from ....texts import t
from ... import wording
from ...showing import clean_line

if TYPE_CHECKING:
    from ...screens.docked_form import DockedForm
    from ..session_context import SessionContext


def form_for(bench: SessionContext, call: ModelCall) -> DockedForm:
    """Returns the form for what a person is asked."""
    from ...screens.docked_form import ScoresForm, Writing
    from .screens.speech_form import SpeechForm
    from .screens.verdict_form import JudgeForm

    if isinstance(call.task, VerdictTask | Choose):
        mode: Literal["discriminative", "extractive"] = (
            "discriminative" if isinstance(call.task, VerdictTask) else "extractive"
        )
        return JudgeForm(mode, _debaters(bench), _last_answers(bench))
    if isinstance(call.task, JudgeAlone):
        return JudgeForm("blind", [])
    heading = t(
        "people.speak",
        letter=wording.letter(call.role),
        role=wording.role_name(call.role),
    )
    task = call.task
    if isinstance(task, OppositionTask):
        return ScoresForm(heading, {"stance": t("people.stance")})
    # a translation made alone is nothing but the answer
    if isinstance(task, Speak) or (
        isinstance(task, BaselineTask | Solve) and task.kind == "question"
    ):
        return SpeechForm(heading, task)
    return Writing(heading)


def _debaters(bench: SessionContext) -> list[str]:
    roles = bench.roles(bench.play.session) if bench.play is not None else []
    return [role for role in roles if role not in ("judge", "observer", "baseline")]


def _last_answers(bench: SessionContext) -> list[str]:
    """Returns the answers last stated by each debater, for the judge's form."""
    answers: dict[str, str] = {}
    for event in bench.play.session.events if bench.play is not None else []:
        if isinstance(event, Speech) and event.answer:
            answers[event.role] = clean_line(event.answer)
    return list(dict.fromkeys(answers.values()))
