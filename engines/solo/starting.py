"""How one model that answers alone begins."""

from __future__ import annotations

from ...prompts import prompt_set_for
from ...sessions.session import Header
from ..models.seating import seated
from ..starting import Starter, Wishes
from .new import new_solo
from .plan import ROLES
from .settings import SETTINGS


def begin(wanted: Wishes, starter: Starter) -> Header:
    """The header of a new session. The task is what `new_solo` takes: topic, answers, wrong_answers. Raises: BadInput."""
    topic, kind = wanted.task.get("topic", ""), wanted.get("kind") or "question"
    chosen = prompt_set_for(topic, kind, starter.wanted_prompts(wanted), starter.places.prompts)
    return new_solo(
        **wanted.task,
        kind=kind,
        source_lang=wanted.get("source"),
        target_lang=wanted.get("target"),
        lineup=seated(SETTINGS, starter.config, ROLES, ROLES, wanted.listed("model"), wanted.listed("param")),
        settings=starter.settings(wanted),
        prompts=starter.prompts(chosen, SETTINGS),
    )
