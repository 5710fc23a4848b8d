"""How a debate begins on screen: from an example, from the new-debate form, from the command line."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ..engines.debate.new import check_settings, new_debate, roles_needed
from ..engines.debate.plan import allowed
from ..engines.debate.script import Example, example_of, example_topics
from ..engines.debate.seats import seats
from ..engines.models.config import Config
from ..engines.models.settings import check_own
from ..prompts import load
from ..sessions.journal import Journal
from ..sessions.paths import paths
from ..sessions.session import Header, Seat
from .play import Play
from .texts import language

if TYPE_CHECKING:
    from .screens.new import NewDebate


def draft(header: Header) -> Play:
    """A debate that has no file yet."""
    return Play(Journal.create(None, header))


def example_draft(config: Config, which: int = 0) -> Play:
    """A bundled example topic, with the hand-written script in all seats."""
    example = example_topics()[which]
    return draft(_header(example.topic, example.kind, example.source_lang, example.target_lang, {}, config, script=True))


def offered(config: Config) -> tuple[list[Example], dict[str, Any]]:
    """What the new-debate form begins with: the examples, and the user's own defaults as far as they can be used."""
    own = config.settings.get("debate", {})
    return example_topics(), {name: value for name, value in own.items() if allowed(name, value)}


def draft_from(wanted: NewDebate, config: Config) -> Play:
    """A draft from the filled-in form. BadInput where something does not fit."""
    settings = {
        "debaters": wanted.debaters,
        "level": wanted.level,
        "rounds": wanted.rounds,
        "opening": wanted.opening,
        "stop": wanted.stop,
    }
    if wanted.disagreement:
        settings["disagreement"] = wanted.disagreement
    script = example_of(wanted.topic) is not None and not config.model and not config.lineup.get("debate")
    return draft(_header(wanted.topic, wanted.kind, wanted.source_lang, wanted.target_lang, settings, config, script=script))


def _header(
    topic: str, kind: str, source: str | None, target: str | None, settings: dict[str, Any], config: Config, script: bool
) -> Header:

    def check(name: str, value: Any) -> None:
        if name == "prompts":
            load(str(value), paths().prompts)
        else:
            check_settings({name: value})

    own = {name: value for name, value in config.settings.get("debate", {}).items() if name not in settings}
    chosen = {**check_own("debate", own, check, paths().config_file, os.environ), **settings}
    prompts = load(str(chosen.pop("prompts", None) or language()), paths().prompts)
    needed = roles_needed(check_settings(chosen, kind), kind)
    if script:  # also in the seat that measures disagreement where answers cannot
        lineup = {"observer": Seat(model="script")} if kind == "translation" else {}
    else:
        lineup = seats(config, [role for role in needed if role != "baseline"])
    return new_debate(topic=topic, kind=kind, source_lang=source, target_lang=target, lineup=lineup, settings=chosen, prompts=prompts)
