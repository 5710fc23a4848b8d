"""How a query and its candidates begin, and their line-up."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...prompts import PromptSet, prompt_set_in
from ...prompts.demonstrations import DemonstrationSet, available, load
from ...sessions.errors import bad_input
from ...sessions.session import Header, Seat
from ...texts import language, t
from ..cases.case_task import checked_task, title_from
from ..cases.language import is_chinese
from ..models.config import Config
from ..models.seating import at_temperature, seated
from ..script import NAME
from ..starting import Starter, Wishes, check_roles, header_of, wishes
from .plan import ROLES
from .script import unscripted
from .settings import SETS, SETTINGS


def prompt_set_for(
    demonstrations: DemonstrationSet,
    wanted: str | Path | None = None,
    user_dir: Path | None = None,
) -> str:
    """The prompt set for the language of a set of demonstrations, as
    `prompts.prompt_set_for`.
    """
    return prompt_set_in(
        "zh" if demonstrations.about.language.casefold().startswith("zh") else "en",
        wanted,
        user_dir,
    )


def roles_needed(settings: Mapping[str, object]) -> list[str]:
    """Return the roles that will be called, in order.

    The annotator may stay empty: then the extractor's model answers.
    """
    if settings.get("extraction", True):
        return ["extractor", "annotator"]
    return ["annotator"]


def new_relevance(
    *,
    query: Mapping[str, object] | str,
    candidates: Sequence[Mapping[str, object] | str],
    demonstrations: DemonstrationSet,
    lineup: Mapping[str, Seat] | None = None,
    settings: Mapping[str, object] | None = None,
    prompts: PromptSet,
) -> Header:
    """Return the header of a new session. Raises: BadInput.

    The cases have the form that `case_task.checked_task` accepts. `demonstrations` is
    the loaded set; if it came from a folder or file, `settings["demonstrations"]` has
    the path. If there is no extractor, its role goes to `lexical`.
    """
    task = checked_task(query, candidates)
    given = dict(settings or {})
    checked = SETTINGS.over_defaults({"demonstrations": demonstrations.name} | given)
    checked |= {
        "demonstrations_digest": demonstrations.digest,
        "language": demonstrations.about.language,
    }
    _check_guidance(prompts, checked)
    return header_of(
        SETTINGS,
        title=title_from(task),
        task=task,
        lineup=_lineup(lineup or {}, checked),
        settings=checked,
        prompts=prompts,
    )


def _check_guidance(prompts: PromptSet, settings: Mapping[str, object]) -> None:
    """Raises: BadInput if a custom set would state the expert's criteria although they
    are to be omitted (section 4.6).
    """
    for name in ("judge_material_system", "judge_legal_system"):
        if not settings["annotation"] and "guided" not in str(
            prompts.templates.get(name)
        ):
            raise bad_input("wrong.cases.criteria", prompts=prompts.name, template=name)


def _lineup(
    given: Mapping[str, Seat], settings: Mapping[str, object]
) -> dict[str, Seat]:
    check_roles(SETTINGS, given, ROLES)
    first = roles_needed(settings)[0]
    if first in given or "extractor" in given:
        return dict(given)
    return {first: Seat(model=next(iter(SETTINGS.builtins))), **given}


def seats(
    config: Config,
    needed: Sequence[str],
    models: Sequence[str] = (),
    params: Sequence[str] = (),
    *,
    bundled: bool = False,
) -> dict[str, Seat]:
    """Return role to seat, as `models.seating` does, with `lexical` as the default, and
    `script` for the bundled cases.

    If there is an extractor and no annotator was chosen, the annotator uses the
    extractor's model, also after it changes.
    """
    first = ("extractor",) if "extractor" in needed else needed
    return seated(
        SETTINGS, config, ROLES, first, models, params, alone=NAME if bundled else None
    )


ORDER = (1, 3, 0, 2)
"""Order of the levels, not from best to worst."""
BEGINNING = 2000
"""Characters that tell the language of a case."""
OTHERS = 4
"""Candidates from other groups; nobody has given them a level."""


def example_of(
    demonstrations: DemonstrationSet,
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the query and its candidates from the first groups of a set, in the form
    that `new_relevance` accepts.
    """
    first, *others = demonstrations.groups
    query = {"id": first.id, "text": first.query.text, "title": first.query.charge}
    known = sorted(first.candidates, key=lambda one: ORDER.index(one.level))
    candidates: list[dict[str, Any]] = [
        {"text": one.text, "title": one.charge, "gold": one.level} for one in known
    ]
    for place, group in enumerate(others[:OTHERS]):
        candidates.insert(
            2 * place + 1, {"text": group.query.text, "title": group.query.charge}
        )
    return query, [
        {"id": f"c{number}", **one} for number, one in enumerate(candidates, 1)
    ]


@dataclass(frozen=True)
class Shape:
    """The part of a header that is the same for all cases under the same options."""

    demonstrations: DemonstrationSet
    settings: dict[str, Any]
    lineup: dict[str, Seat]
    prompts: str


def begin(wanted: Wishes, starter: Starter) -> Header:
    """Return the header for a query and its candidates.

    The task has query and candidates as `new_relevance` accepts them; without them, the
    example of the set of demonstrations is used. `bundled`: the given cases are that
    example; `temperature`: that of every language model; `repeat`: distinguishes equal
    runs.

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


def example() -> Wishes:
    """Return the options for the bundled query in the language of the interface, with
    its handwritten replies.
    """
    return wishes("relevance", {"demonstrations": SETS[language()], "model": NAME})


def shape_of(wanted: Wishes, starter: Starter) -> Shape:
    """Return the header that the options imply for any cases. Raises: BadInput."""
    temperature = wanted.task.get("temperature")
    bundled = not starter.many and (
        wanted.task.get("query") is None or bool(wanted.task.get("bundled"))
    )
    own = _set_for(wanted.task.get("query"))
    key = (repr(sorted(wanted.options.items())), temperature, bundled, own)
    return starter.once(
        "shape",
        key,
        lambda: _shape(wanted, starter, temperature, own, bundled=bundled),
    )


def _set_for(query: Mapping[str, object] | str | None) -> str:
    """Return the bundled set in the language of a query, detected from its beginning;
    without a query, in the language of the interface.
    """
    if query is None:
        return SETS[language()]
    text = query if isinstance(query, str) else str(query.get("text"))
    return SETS["zh" if is_chinese(text[:BEGINNING]) else "en"]


def _shape(
    wanted: Wishes,
    starter: Starter,
    temperature: float | None,
    own: str,
    *,
    bundled: bool,
) -> Shape:
    """`own`: the set to use if the options name none."""
    settings = starter.settings(wanted)
    name = str(settings.get("demonstrations") or own)
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


def _written(demonstrations: DemonstrationSet, settings: Mapping[str, object]) -> bool:
    """Return whether the script has replies for the example of a set, and its cases are
    read in full.
    """
    query, candidates = example_of(demonstrations)
    whole = "budget_tokens" not in settings and settings.get("long") != "pieces"
    return whole and unscripted({"query": query, "candidates": candidates}) is None


def remarks_on_language(text: str, wanted: Wishes, starter: Starter) -> list[str]:
    """Return a sentence if a query and the demonstrations are in different languages.
    Raises: BadInput.
    """
    demonstrations = shape_of(wanted.about(query=text), starter).demonstrations
    chinese = demonstrations.about.language.casefold().startswith("zh")
    if is_chinese(text) == chinese:
        return []
    kind, other = ("not_chinese", "en") if chinese else ("chinese", "zh")
    return [
        t(
            "wrong.demonstrations.language",
            kind=t(f"wrong.demonstrations.{kind}"),
            name=demonstrations.name,
            language=demonstrations.about.language,
            other=SETS[other],
        )
    ]
