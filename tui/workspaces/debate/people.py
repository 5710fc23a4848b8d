"""A person takes a seat in a debate: the speech is written, the verdict comes from a form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ....engines.debate.tasks import Choose, Judge, JudgeAlone
from ....engines.models.port import Call
from ....sessions.events.debate import Speech
from ....texts import t
from ... import wording
from ...showing import clean

if TYPE_CHECKING:
    from ...screens.docked import Docked
    from ..bench import Bench


def form_for(bench: Bench, call: Call) -> Docked:
    """Returns the form for what a person is asked."""
    from ...screens.docked import Writing
    from .screens.verdict_form import JudgeForm

    if isinstance(call.task, Judge | Choose):
        mode: Literal["discriminative", "extractive"] = (
            "discriminative" if isinstance(call.task, Judge) else "extractive"
        )
        return JudgeForm(mode, _debaters(bench), _last_answers(bench))
    if isinstance(call.task, JudgeAlone):
        return JudgeForm("blind", [])
    return Writing(
        t(
            "people.speak",
            letter=wording.letter(call.role),
            role=wording.role_name(call.role),
        )
    )


def _debaters(bench: Bench) -> list[str]:
    roles = bench.roles(bench.play.session) if bench.play is not None else []
    return [role for role in roles if role not in ("judge", "observer", "baseline")]


def _last_answers(bench: Bench) -> list[str]:
    """Returns the answers last stated by each debater, for the judge's form."""
    answers: dict[str, str] = {}
    for event in bench.play.session.events if bench.play is not None else []:
        if isinstance(event, Speech) and event.answer:
            answers[event.role] = clean(event.answer, newlines=False)
    return list(dict.fromkeys(answers.values()))
