"""A new grading: everything given is checked, what is not given gets its default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...prompts import PromptSet
from ...sessions.errors import BadInput
from ...sessions.new import new_header
from ...sessions.session import Header, Prompts, Seat
from ...texts import t
from ..cases.given import checked_task, title_from
from .plan import GRADER, ROLES
from .settings import SETTINGS


def new_grade(
    *,
    query: Mapping[str, Any] | str,
    candidates: Sequence[Mapping[str, Any] | str],
    lineup: Mapping[str, Seat] | None = None,
    settings: Mapping[str, Any] | None = None,
    prompts: PromptSet,
    title: str | None = None,
) -> Header:
    """The header of a new session; the cases are as `cases.given.checked_task` takes
    them. A seat that is not given goes to `lexical`.

    Raises: BadInput.
    """
    task = checked_task(query, candidates)
    seats = dict(lineup or {})
    unknown = [role for role in seats if role not in ROLES]
    if unknown:
        raise BadInput(t("wrong.cases.no_role", unknown=unknown[0], names=GRADER))
    return new_header(
        workspace="relevance",
        method="grade",
        title=title_from(task, title),
        task=task,
        lineup={GRADER: seats.get(GRADER) or Seat(model="lexical")},
        settings=SETTINGS.over_defaults(settings or {}),
        prompts=Prompts(
            set=prompts.name, hash=prompts.hash, templates=prompts.templates
        ),
    )
