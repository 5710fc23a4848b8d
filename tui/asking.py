"""How a question begins on screen: from the bundled example, from the form, with other settings of the user's below."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

from ..engines.models.config import Config
from ..engines.models.settings import check_own
from ..engines.rag.new import new_question, prompt_set_for, roles_needed
from ..engines.rag.plan import allowed, check_setting, check_settings
from ..engines.rag.seats import seats
from ..prompts import load
from ..sessions.errors import BadInput
from ..sessions.paths import paths
from ..sessions.session import Seat
from .begin import draft
from .play import Play
from .texts import language

EXAMPLE = "example"
"""The corpus that is always there."""


class NewQuestion(NamedTuple):
    """What was filled in. `source` is a corpus' name, a path, `web:NAME` or `http:NAME`; `references` a file of references instead."""

    question: str
    source: str = EXAMPLE
    references: str = ""
    pasted: str | None = None
    """References as text, instead; "" where they are still to be pasted."""
    k: int = 5
    iterations: int = 1
    indicator: str = "nonempty"
    revise: str = "end"
    merge: bool = False


FIRST = ("tower", "python")
"""Ids of the example questions that the screen opens with, one for each language: what is found first is not enough."""


def example_questions() -> list[str]:
    """Those of the bundled corpus, in the user's language first."""
    import yaml

    from ..engines.retrieval import corpus

    listed = yaml.safe_load((Path(corpus.__file__).parent / EXAMPLE / "questions.yaml").read_bytes())
    asked = {str(one["id"]): str(one["question"]) for one in listed}
    ordered = sorted(asked, key=lambda name: (prompt_set_for(asked[name]) != language(), name not in FIRST))
    return [asked[name] for name in ordered]


def example_draft(config: Config) -> Play:
    """The first example question, answered and verified by `lexical`, without a key."""
    settings = {
        name: value for name, value in config.settings.get("rag", {}).items() if name in ("k", "iterations") and allowed(name, value)
    }
    asked = example_questions()[0]
    lineup = {"generator": Seat(model="lexical")}
    prompts = load(prompt_set_for(asked), paths().prompts, workspace="rag")
    return draft(new_question(question=asked, corpus=EXAMPLE, lineup=lineup, settings=settings, prompts=prompts))


def draft_from(wanted: NewQuestion, config: Config) -> Play:
    """A draft from the filled-in form. BadInput where something does not fit."""
    settings: dict[str, Any] = {name: getattr(wanted, name) for name in ("k", "iterations", "indicator", "revise", "merge")}

    def check(name: str, value: Any) -> None:
        if name == "prompts":
            load(str(value), paths().prompts, workspace="rag")
        else:
            check_setting(name, value)

    own = {name: value for name, value in config.settings.get("rag", {}).items() if name not in settings}
    chosen = {**check_own("rag", own, check, paths().config_file, os.environ), **settings}
    prompts = load(str(chosen.pop("prompts", None) or prompt_set_for(wanted.question)), paths().prompts, workspace="rag")
    lineup = seats(config, roles_needed(check_settings(chosen)))
    if wanted.pasted is not None or wanted.references.strip():
        from ..engines.retrieval.given import pasted_references, read_references

        file = Path(wanted.references.strip()).expanduser()
        listed = read_references(file) if wanted.pasted is None else pasted_references(wanted.pasted)
        header = new_question(question=wanted.question, references=listed, lineup=lineup, settings=chosen, prompts=prompts)
    else:
        header = new_question(question=wanted.question, corpus=_source(wanted.source), lineup=lineup, settings=chosen, prompts=prompts)
    return draft(header)


def _source(name: str) -> str:
    """A corpus as a session names it: its name, or the absolute path of a folder or file, since sessions are gone on with from anywhere."""
    from ..engines.retrieval.corpus import Corpora

    if name.partition(":")[0] in ("web", "http") or name in {one.name for one in Corpora(paths()).list()}:
        return name
    path = Path(os.path.abspath(os.path.expanduser(name)))
    if not name.strip() or not path.exists():
        raise BadInput(f"There is no corpus “{name[:200]}” and no such folder or file; choose one, or add it with C.")
    return str(path)
