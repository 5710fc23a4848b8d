"""How a debate begins."""

from __future__ import annotations

from ...prompts import prompt_set_for
from ...sessions.session import Header
from ..script import NAME
from ..starting import Starter, Wishes, wishes
from .new import new_debate
from .script import example_topics
from .seats import seats
from .settings import SETTINGS


def begin(wanted: Wishes, starter: Starter) -> Header:
    """The header of a new debate. The task is what `new_debate` takes: topic, answers, wrong_answers, evidence, defended.

    Raises: BadInput.
    """
    topic, kind = wanted.task.get("topic", ""), wanted.get("kind") or "question"
    settings = starter.settings(wanted)
    chosen = prompt_set_for(topic, kind, starter.wanted_prompts(wanted), starter.places.prompts)
    return new_debate(
        **wanted.task,
        kind=kind,
        source_lang=wanted.get("source"),
        target_lang=wanted.get("target"),
        lineup=seats(starter.config, settings, kind, wanted.listed("model"), wanted.listed("param")),
        settings=settings,
        prompts=starter.prompts(chosen, SETTINGS),
    )


def example(number: int = 0) -> Wishes:
    """The wishes for a bundled example topic, spoken by the built-in script."""
    one = example_topics()[number]
    languages = {"source": one.source_lang, "target": one.target_lang} if one.source_lang and one.target_lang else {}
    return wishes("debate", {"kind": one.kind, **languages, "model": NAME}, topic=one.topic)
