"""A person answers or verifies: the answer is written, the verification comes from a form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ....engines.models.port import Call
from ....engines.rag.tasks import Revise, Verify
from ....texts import t
from ... import wording
from ...showing import clean

if TYPE_CHECKING:
    from ....sessions.events import Reference
    from ...screens.docked import Docked


def form_for(call: Call) -> Docked:
    """Returns the form for what a person is asked."""
    from ...screens.docked import Writing
    from .screens.verify_form import VerifyForm

    if isinstance(call.task, Verify | Revise):
        return VerifyForm(scores=isinstance(call.task, Verify))
    return Writing(t("rag.your_answer", role=wording.role_name(call.role)))


def passages(references: Sequence[Reference]) -> str:
    """Returns references in full, for a person to answer from."""
    return "\n\n".join(f"[{one.n}] {clean(one.title, newlines=False)}\n{clean(one.text)}" for one in references)
