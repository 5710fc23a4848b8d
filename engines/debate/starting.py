"""How a debate begins."""

from __future__ import annotations

from ...prompts import PromptSet, has_file, load, prompt_set_for, with_templates
from ...sessions.errors import BadInput
from ...sessions.session import Header, Seat
from ...texts import t
from ..script import NAME
from ..starting import Starter, Wishes, wishes
from .new import new_debate
from .script import example_topics
from .seats import seats
from .settings import SETTINGS


def begin(wanted: Wishes, starter: Starter) -> Header:
    """The header of a new debate.

    The task is what `new_debate` takes: topic, answers, wrong_answers, evidence,
    defended.

    Raises: BadInput.
    """
    topic, kind = wanted.task.get("topic", ""), wanted.get("kind") or "question"
    settings = starter.settings(wanted)
    control = str(settings.get("control", "none"))
    lineup = seats(
        starter.config, settings, kind, wanted.listed("model"), wanted.listed("param")
    )
    if wanted.get("swap"):
        raise BadInput(t("wrong.debate.swap_of_batch"))
    if wanted.get("swapped"):
        lineup = _swapped(lineup, control)
    return new_debate(
        **wanted.task,
        kind=kind,
        source_lang=wanted.get("source"),
        target_lang=wanted.get("target"),
        lineup=lineup,
        settings=settings,
        prompts=_prompts(topic, kind, control, starter, starter.wanted_prompts(wanted)),
        swapped=bool(wanted.get("swapped")),
    )


def _swapped(lineup: dict[str, Seat], control: str) -> dict[str, Seat]:
    """The seats with those of the two sides exchanged.

    Raises: BadInput where there are no two.
    """
    if control != "none":
        raise BadInput(t("wrong.debate.swap_of_two", control=control))
    return {
        **lineup,
        "affirmative": lineup["negative"],
        "negative": lineup["affirmative"],
    }


def _prompts(
    topic: str, kind: str, control: str, starter: Starter, wanted: str | None
) -> PromptSet:
    """The prompts of a debate; those of a control take the places of some.

    A set without them has those of the language.
    """
    places = starter.places.prompts
    chosen = prompt_set_for(topic, kind, wanted, places)
    base = starter.prompts(chosen, SETTINGS)
    if control == "none":
        return base
    own = (
        chosen
        if has_file(chosen, places, workspace="controls")
        else prompt_set_for(topic, kind)
    )
    return with_templates(
        base,
        load(own, places, workspace="controls").templates[control.replace("-", "_")],
    )


def example(number: int = 0) -> Wishes:
    """The wishes for a bundled example topic, spoken by the built-in script."""
    one = example_topics()[number]
    languages = (
        {"source": one.source_lang, "target": one.target_lang}
        if one.source_lang and one.target_lang
        else {}
    )
    return wishes(
        "debate", {"kind": one.kind, **languages, "model": NAME}, topic=one.topic
    )
