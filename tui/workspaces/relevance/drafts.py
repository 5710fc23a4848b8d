"""How the relevance of cases begins on screen: from the bundled example, or from
files.
"""

from __future__ import annotations

import getpass
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from ....engines.models.config import Config
from ....engines.relevance.settings import SWITCHES
from ....engines.relevance.starting import example
from ....engines.starting import Wishes, wishes
from ....prompts.demonstrations import DemonstrationSet, available, load
from ....sessions.errors import BadInput
from ....sessions.paths import paths
from ....texts import t
from ...play import Play
from .. import drafts


class NewRelevance(NamedTuple):
    """The values of the form. Without a query, the bundled example is judged."""

    query: str = ""
    candidates: str = ""
    """Files, folders and zips, with semicolons between."""
    demonstrations: str = ""
    """Empty: the bundled set in the language of the query."""
    settings: Mapping[str, Any] = dict.fromkeys(SWITCHES, True)

    def wishes(self) -> Wishes:
        """The same as wishes; the cases are read from their files. Raises: BadInput."""
        from ....engines.cases.importers.cases import read_candidates, read_query

        wanted = wishes(
            "relevance",
            {**self.settings, "demonstrations": self.demonstrations.strip() or None},
        )
        if not self.query.strip():
            return wanted
        places = [
            Path(name.strip()).expanduser()
            for name in self.candidates.split(";")
            if name.strip()
        ]
        if not places:
            raise BadInput(t("wrong.cases.candidates_form"))
        query = read_query(Path(self.query.strip()).expanduser())
        return wanted.about(
            query=query.as_json(),
            candidates=[case.as_json() for case in read_candidates(places, query.id)],
        )


def demonstration_set(name: str) -> DemonstrationSet:
    """BadInput."""
    return load(name, paths().demonstrations)


def sets() -> list[str]:
    """Names of the sets that there are."""
    return available(paths().demonstrations)


def sets_in(language: str | None) -> list[str]:
    """Return the names of the valid sets in a language; of all if it is unknown."""
    found = []
    for name in sets():
        with suppress(BadInput):
            if language is None or demonstration_set(name).about.language == language:
                found.append(name)
    return found


def annotator(config: Config, wanted: str | None = None) -> str:
    """Whose labels are given here: as asked for, else by the config, else the name of
    the login.
    """
    named = wanted or config.annotator
    if named:
        return named
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "user"


def example_draft(config: Config) -> Play:
    """The bundled query in the user's language with what was written for it by hand,
    without a key.
    """
    return drafts.example(example(), config, SWITCHES)
