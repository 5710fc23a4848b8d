"""Lets a person answer in an editor, or verify in a form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ....engines.models.port import ModelCall
from ....engines.rag.messages import CheckClaims, Revise, Verify
from ....engines.rank.blocks import criterion_name
from ....engines.rank.plan import upcoming
from ....engines.rank.reading import RankAnswers, numbers, wish
from ....texts import t
from ... import wording
from ...showing import clean, clean_line

if TYPE_CHECKING:
    from ....sessions.events import Reference
    from ....sessions.session import Session
    from ...screens.docked_form import DockedForm


def form_for(call: ModelCall) -> DockedForm:
    """Returns the form for what a person is asked."""
    from ...screens.docked_form import ScoresForm, Writing
    from .screens.claims_form import ClaimsForm
    from .screens.verify_form import VerifyForm

    if isinstance(call.task, RankAnswers):
        criterion = criterion_name(call.task.criterion)
        title = t(
            "ranked.your_scores",
            role=wording.role_name(call.role),
            criterion=criterion,
            n=len(call.task.answers),
        )
        return ScoresForm(
            title,
            {f"answer{n}": t("ranked.answer", n=n) for n in numbers(call.task)},
        )
    if isinstance(call.task, Verify | Revise):
        return VerifyForm(scores=isinstance(call.task, Verify))
    if isinstance(call.task, CheckClaims):
        of = call.task.of
        key = "claims" if of == "answer" else of
        title = t(f"rag.your_{key}", role=wording.role_name(call.role))
        return ClaimsForm(title, call.task.texts, nuggets=of == "nuggets")
    return Writing(t("rag.your_answer", role=wording.role_name(call.role)))


def passages(references: Sequence[Reference]) -> str:
    """Returns references in full, for a person to answer from."""
    return "\n\n".join(
        f"[{one.n}] {clean_line(one.title)}\n{clean(one.text)}" for one in references
    )


def ranked_for_person(session: Session) -> str:
    """Returns the answers that are ranked next, with the numbers that the scores go by,
    and without names.
    """
    step = upcoming(session)
    if step is None or not step.role:
        return ""
    task = wish(session, step).task
    told = [
        "\n".join(
            part
            for part in (
                f"{n}  {clean(one.text)}",
                clean(one.revised_query or ""),
                passages(one.references),
            )
            if part
        )
        for n, one in enumerate(task.answers, 1)
    ]
    return "\n\n".join([f"{criterion_name(task.criterion)}", *told])
