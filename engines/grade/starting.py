"""How a grading begins."""

from __future__ import annotations

from ...prompts import prompt_set_in
from ...sessions.session import Header
from ..cases.language import is_chinese
from ..models.seating import at_temperature, seated
from ..starting import Starter, Wishes
from .new import new_grade
from .plan import ROLES
from .settings import SETTINGS


def begin(wanted: Wishes, starter: Starter) -> Header:
    """The header for a query and its candidates.

    The task is what `new_grade` takes, and `temperature` and `repeat` of a batch.

    Raises: BadInput.
    """
    query, repeat, temperature = (
        wanted.task.get("query", ""),
        wanted.task.get("repeat"),
        wanted.task.get("temperature"),
    )
    settings = starter.settings(wanted)
    text = query if isinstance(query, str) else str(query.get("text", ""))
    chosen = prompt_set_in(
        "zh" if is_chinese(text) else "en",
        starter.wanted_prompts(wanted),
        starter.places.prompts,
    )
    lineup = seated(
        SETTINGS,
        starter.config,
        ROLES,
        ROLES,
        wanted.listed("model"),
        wanted.listed("param"),
    )
    return new_grade(
        query=query,
        candidates=wanted.task.get("candidates") or [],
        lineup=lineup if temperature is None else at_temperature(lineup, temperature),
        settings=settings if repeat is None else settings | {"repeat": repeat},
        prompts=starter.prompts(chosen, SETTINGS),
    )
