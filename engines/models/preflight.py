"""Checks every seat before the first call: model, provider, endpoint, key, parameters.

No model is called. LiteLLM is loaded only where nothing else can judge a model.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from ...sessions.errors import BadInput
from ...sessions.session import Header, Seat
from ...texts import t
from ...texts.closest import with_closest
from . import litellm_door, litellm_loading
from .calls import Target
from .config import Config
from .environment import Environment
from .lineup import BUILTINS, LOCAL, SHORTHANDS, is_command
from .port import ModelError
from .providers import PROVIDERS, WELL_KNOWN
from .seating import seat
from .targets import find_now

EMBEDDING = ("embed", "rerank")
"""Settings of a session that name a model."""


class SeatModel(NamedTuple):
    """A model that is going to be asked."""

    who: str
    """The role, or what else it is for."""
    seat: Seat
    keyed: bool = True
    """Whether its key must be in the environment of this process."""


def asked_in(header: Header, config: Config) -> list[SeatModel]:
    """The models that a session asks: its seats, and those that embed and rank.

    Raises: BadInput for a setting that names what cannot be a model.
    """
    made = [SeatModel(role, taken) for role, taken in header.lineup.items()]
    for setting in EMBEDDING:
        model = header.settings.get(setting)
        if isinstance(model, str) and not model.startswith(LOCAL):
            made.append(SeatModel(setting, seat(model, config)))
    return made


def check(
    asked: Iterable[SeatModel], config: Config, env: Environment = os.environ
) -> None:
    """Raises: BadInput, which names every seat that cannot be asked, a line each."""
    refuse(problems(asked, config, env))


def refuse(sentences: Sequence[str]) -> None:
    """Raises: BadInput of these sentences, a line each, where there are any."""
    if sentences:
        raise BadInput("\n".join(dict.fromkeys(sentences)))


def problems(
    asked: Iterable[SeatModel], config: Config, env: Environment = os.environ
) -> list[str]:
    """List the faults in these seats, one sentence per model with all its roles."""
    who: dict[bytes, dict[str, None]] = {}
    members = {}
    for one in asked:
        for member in one.seat.members:
            key = msgspec.json.encode([member, one.keyed])
            members[key] = member
            who.setdefault(key, {})[one.who] = None
    keyed = {key for key in members if msgspec.json.decode(key)[1]}
    found: dict[str, dict[str, None]] = {}
    for key, (kind, why) in _unready(members, config, env).items():
        if kind != "missing-key" or key in keyed:
            found.setdefault(why, {}).update(who[key])
    comma = t("wrong.preflight.comma")
    return [
        t("wrong.preflight.seat", who=comma.join(roles), why=why)
        for why, roles in found.items()
    ]


Fault = tuple[str, str]
"""The kind of what is wrong, and the sentence in the user's language."""


def _unready(
    members: Mapping[bytes, Seat], config: Config, env: Environment
) -> dict[bytes, Fault]:
    models = {
        key: one for key, one in members.items() if one.model not in (*BUILTINS, "")
    }
    found = {}
    open_ = []
    for key, one in models.items():
        judged, fault = _judged(one, config, env)
        if fault is not None:
            found[key] = fault
        elif not judged:
            open_.append(key)
    if open_:
        try:
            litellm_loading.wait()
        except ModelError as error:
            return {**found, **dict.fromkeys(open_, ("internal", str(error)))}
    for key in open_:
        _, fault = _judged(models[key], config, env)
        if fault is not None:
            found[key] = fault
    return {key: found[key] for key in models if key in found}


def _judged(one: Seat, config: Config, env: Environment) -> tuple[bool, Fault | None]:
    """Whether a seat could be judged now, and what is wrong with it."""
    try:
        target = find_now(one, config, env)
    except ModelError as error:
        why = error.said or str(error)
        if error.kind == "unknown-model" and not is_command(one.model):
            why = with_closest(why, one.model, _names(config))
        return True, (error.kind, why)
    if target is None:
        return False, None
    names = _lacking(one, config, target, env)
    if not names:
        return True, None
    why = t(
        "wrong.target.no_key",
        model=one.name or one.model,
        names=t("wrong.target.or").join(names),
    )
    return True, ("missing-key", why)


def _lacking(
    one: Seat, config: Config, target: Target, env: Environment
) -> tuple[str, ...]:
    """The variables for the key of a provider that only LiteLLM knows."""
    if target.provider in PROVIDERS or not litellm_loading.loaded():
        return ()
    named = config.models.get(one.name) if one.name is not None else None
    if named is not None and (named.api_key_env or named.api_base):
        return ()
    return litellm_door.lacking(target, env)


def _names(config: Config) -> list[str]:
    known = [model for models in WELL_KNOWN.values() for model in models]
    named = [*config.models, *config.panels, *config.commands]
    own = [*named, *SHORTHANDS, *BUILTINS]
    return [*own, *known]
