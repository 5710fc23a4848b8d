"""How the relevance of cases begins on screen: from the bundled example, or from files."""

from __future__ import annotations

import getpass
import os
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from ..engines.models.config import Config
from ..engines.models.settings import check_own
from ..engines.relevance.example import example_of
from ..engines.relevance.new import new_relevance, prompt_set_for, roles_needed
from ..engines.relevance.plan import DEFAULTS, SWITCHES, allowed, check_setting, check_settings
from ..engines.relevance.seats import seats
from ..prompts import load as load_prompts
from ..prompts.demonstrations import DemonstrationSet, available, load
from ..sessions.errors import BadInput
from ..sessions.paths import paths
from ..sessions.session import Seat
from .begin import draft
from .play import Play
from .texts import language

EXAMPLES = {"zh": "zh-criminal", "en": "en-common-law"}
"""Language to the set of demonstrations whose first group is the example."""


class NewRelevance(NamedTuple):
    """What was filled in. Without a query the bundled example is judged."""

    query: str = ""
    candidates: str = ""
    """Files, folders and zips, with semicolons between."""
    demonstrations: str = str(DEFAULTS["demonstrations"])
    matching: bool = True
    extraction: bool = True
    annotation: bool = True


def demonstration_set(name: str) -> DemonstrationSet:
    """BadInput."""
    return load(name, paths().demonstrations)


def sets() -> list[str]:
    """Names of the sets that there are."""
    return available(paths().demonstrations)


def sets_in(language: str | None) -> list[str]:
    """Names of the sets that are in a language; of all sets where it is not known. A set with mistakes is none."""
    found = []
    for name in sets():
        with suppress(BadInput):
            if language is None or demonstration_set(name).about.language == language:
                found.append(name)
    return found


def annotator(config: Config, wanted: str | None) -> str:
    """Whose labels are given here: as asked for, else by the config, else the name of the login."""
    named = wanted or config.annotator
    if named:
        return named
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "user"


def example_draft(config: Config) -> Play:
    """The bundled query in the user's language, judged by `lexical`, without a key."""
    own = {name: value for name, value in config.settings.get("relevance", {}).items() if name in SWITCHES and allowed(name, value)}
    return _draft(demonstration_set(EXAMPLES[language()]), own, {"extractor": Seat(model="lexical")}, None)


def draft_from(wanted: NewRelevance, config: Config) -> Play:
    """A draft from the filled-in form. BadInput where something does not fit."""
    name = wanted.demonstrations.strip()
    given: dict[str, Any] = {switch: getattr(wanted, switch) for switch in SWITCHES}

    def check(setting: str, value: Any) -> None:
        if setting == "prompts":
            load_prompts(str(value), paths().prompts, workspace="relevance")
        else:
            check_setting(setting, value)

    own = {one: value for one, value in config.settings.get("relevance", {}).items() if one not in (*given, "demonstrations")}
    settings = {**check_own("relevance", own, check, paths().config_file, os.environ), **given}
    prompts = settings.pop("prompts", None)
    if name not in sets():
        settings["demonstrations"] = os.path.abspath(os.path.expanduser(name))
    lineup = seats(config, roles_needed(check_settings(settings)))
    cases = _cases(wanted) if wanted.query.strip() else None
    return _draft(demonstration_set(settings.get("demonstrations", name)), settings, lineup, cases, prompts)


def _draft(
    demonstrations: DemonstrationSet,
    settings: dict[str, Any],
    lineup: dict[str, Seat],
    cases: tuple[dict[str, Any], list[dict[str, Any]]] | None,
    prompts: str | None = None,
) -> Play:
    asked, listed = cases or example_of(demonstrations)
    texts = load_prompts(prompts or prompt_set_for(demonstrations), paths().prompts, workspace="relevance")
    return draft(
        new_relevance(query=asked, candidates=listed, demonstrations=demonstrations, lineup=lineup, settings=settings, prompts=texts)
    )


def _cases(wanted: NewRelevance) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Query and candidates from their files. BadInput."""
    from ..engines.relevance.importers.cases import read_candidates, read_query

    places = [Path(one.strip()).expanduser() for one in wanted.candidates.split(";") if one.strip()]
    if not places:
        raise BadInput("There are no candidates; name files, folders or zips of cases.")
    query = read_query(Path(wanted.query.strip()).expanduser())
    return query.as_json(), [one.as_json() for one in read_candidates(places, query.id)]
