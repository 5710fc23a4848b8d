"""How a question begins on screen: from the bundled example, or from the form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ....engines.models.config import Config
from ....engines.rag.script import CORPUS
from ....engines.rag.settings import SETTINGS
from ....engines.rag.starting import example
from ....engines.starting import Wishes, usable, wishes
from ....texts import language
from ...play import Play
from .. import drafts


class NewQuestion(NamedTuple):
    """The values of the form.

    `source`: a corpus name, a path, `web:NAME` or `http:NAME`. `references`: a
    references file to use instead.
    """

    question: str
    settings: Mapping[str, Any]
    source: str = CORPUS
    references: str = ""
    pasted: str | None = None
    """References as text, instead; "" where they are still to be pasted."""

    def wishes(self) -> Wishes:
        """The same as wishes. Raises: BadInput."""
        if self.pasted is not None:
            from ....engines.retrieval.given_references import pasted_references

            return wishes(
                "rag",
                self.settings,
                question=self.question,
                references=pasted_references(self.pasted),
            )
        kind, _, name = self.source.partition(":")
        where = {"http": {"retriever": name}, "web": {"web": name}}.get(
            kind if "://" not in self.source else "", {"corpus": self.source}
        )
        if self.references:
            where = {"references": self.references}
        return wishes("rag", {**self.settings, **where}, question=self.question)


def blank(config: Config) -> NewQuestion:
    """Initial values of the form: the user's own settings, as far as they are valid."""
    settings = {**SETTINGS.defaults(), **usable(SETTINGS, config)}
    return NewQuestion("", {name: settings[name] for name in SETTINGS.asked})


def example_draft(config: Config) -> Play:
    """The first example question with what was written for it by hand, without a
    key.
    """
    return drafts.example(example(language()), config, ("k", "iterations"))
