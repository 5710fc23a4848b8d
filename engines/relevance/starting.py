"""How the relevance of cases begins."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...prompts.demonstrations import DemonstrationSet, available, load
from ...sessions.session import Header, Seat
from ...texts import t
from ..models.seating import at_temperature
from ..script import NAME
from ..starting import Starter, Wishes, wishes
from .example import example_of
from .new import new_relevance, prompt_set_for, roles_needed
from .script import unscripted
from .seats import seats
from .settings import SETTINGS

EXAMPLES = {"zh": "zh-criminal", "en": "en-common-law"}
"""Language to the set of demonstrations whose first group is the example."""


@dataclass(frozen=True)
class Shape:
    """What of a header is the same for all cases under the same options."""

    demonstrations: DemonstrationSet
    settings: dict[str, Any]
    lineup: dict[str, Seat]
    prompts: str


def begin(wanted: Wishes, starter: Starter) -> Header:
    """The header for a query and its candidates.

    The task: query and candidates as `new_relevance` takes them, without them the
    example of the set of demonstrations (`bundled`: they are that, though given);
    `temperature`, that of every language model; `repeat`, which tells equal runs apart.

    Raises: BadInput.
    """
    shape = shape_of(wanted, starter)
    query, candidates = wanted.task.get("query"), wanted.task.get("candidates")
    if query is None:
        query, candidates = example_of(shape.demonstrations)
    repeat = wanted.task.get("repeat")
    return new_relevance(
        query=query,
        candidates=candidates or [],
        demonstrations=shape.demonstrations,
        lineup=shape.lineup,
        settings=shape.settings
        if repeat is None
        else shape.settings | {"repeat": repeat},
        prompts=starter.prompts(shape.prompts, SETTINGS),
    )


def example(language: str) -> Wishes:
    """The wishes for the bundled query in a language, with what was written for it by
    hand.
    """
    return wishes("relevance", {"demonstrations": EXAMPLES[language], "model": NAME})


def shape_of(wanted: Wishes, starter: Starter) -> Shape:
    """What the options come to, whatever the cases are. Raises: BadInput."""
    temperature = wanted.task.get("temperature")
    bundled = not starter.many and (
        wanted.task.get("query") is None or bool(wanted.task.get("bundled"))
    )
    key = (repr(sorted(wanted.options.items())), temperature, bundled)
    return starter.once(
        "shape", key, lambda: _shape(wanted, starter, temperature, bundled=bundled)
    )


def _shape(
    wanted: Wishes, starter: Starter, temperature: float | None, *, bundled: bool
) -> Shape:
    settings = starter.settings(wanted)
    name = str(settings.get("demonstrations") or SETTINGS["demonstrations"].default)
    folder = starter.places.demonstrations
    demonstrations = starter.once(
        "demonstrations", name, lambda: load(os.path.expanduser(name), folder)
    )
    settings["demonstrations"] = (
        name if name in available(folder) else os.path.abspath(os.path.expanduser(name))
    )
    needed = roles_needed(SETTINGS.over_defaults(settings))
    lineup = seats(
        starter.config,
        needed,
        wanted.listed("model"),
        wanted.listed("param"),
        bundled=bundled and _written(demonstrations, settings),
    )
    if temperature is not None:
        lineup = at_temperature(lineup, temperature)
    return Shape(
        demonstrations,
        settings,
        lineup,
        prompt_set_for(
            demonstrations, starter.wanted_prompts(wanted), starter.places.prompts
        ),
    )


def _written(demonstrations: DemonstrationSet, settings: Mapping[str, Any]) -> bool:
    """Whether there are lines for the example of a set, and its cases are read whole."""
    query, candidates = example_of(demonstrations)
    whole = "budget_tokens" not in settings and settings.get("long") != "pieces"
    return whole and unscripted({"query": query, "candidates": candidates}) is None


def remark_on_language(text: str, demonstrations: DemonstrationSet) -> str | None:
    """A sentence where a case is in another language than the demonstrations; None
    where it is in theirs.
    """
    from ..cases.language import is_chinese

    chinese = demonstrations.about.language.casefold().startswith("zh")
    if is_chinese(text) == chinese:
        return None
    kind, other = (
        (t("wrong.demonstrations.not_chinese"), "en-common-law")
        if chinese
        else (t("wrong.demonstrations.chinese"), "zh-criminal")
    )
    return t(
        "wrong.demonstrations.language",
        kind=kind,
        name=demonstrations.name,
        language=demonstrations.about.language,
        other=other,
    )
