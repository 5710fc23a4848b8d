"""Builds the line-up of a new session from the configuration and the options."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial

import msgspec

from ...sessions.errors import BadInput, Faults, bad_input
from ...sessions.session import Seat
from ...texts import t
from ...texts.closest import with_closest
from ..settings import Settings
from .config import Config
from .lineup import BUILTINS, COMMAND, SHORTHANDS, check_id, is_command, parse_params
from .panels import PANEL


class WrongSeats(BadInput):
    """All faults in the roles, models and parameters."""


ALL = "*"
"""In a configured line-up: every role that is not named."""


def seat(text: str, config: Config) -> Seat:
    """The seat for what the user wrote: a named model, a panel, a built-in, a shorthand
    or anything LiteLLM takes. Raises: BadInput.
    """
    text = text.strip()
    if text in config.panels:
        panel = config.panels[text]
        return Seat(
            model=PANEL,
            name=text,
            panel=[seat(one, config) for one in panel.panel],
            rule=panel.rule,
        )
    if text in config.commands:
        if config.refuses_commands:
            raise bad_input("wrong.lineup.command_many", name=text)
        return Seat(model=f"{COMMAND}{text}", name=text)
    if text in config.models:
        return Seat(model=config.models[text].model.strip(), name=text)
    check_id(text)
    return Seat(model=SHORTHANDS.get(text, text))


def seat_for(model: str, config: Config) -> Seat:
    """As `seat`.

    A language model answers at temperature 0 unless the configuration says otherwise.
    Raises: BadInput.
    """
    taken = seat(model, config)
    if taken.panel:
        return msgspec.structs.replace(
            taken, panel=[_cold(one, config) for one in taken.panel]
        )
    return _cold(taken, config)


def _cold(taken: Seat, config: Config) -> Seat:
    if taken.model in BUILTINS or is_command(taken.model):
        return taken
    named = config.models[taken.name].params if taken.name else {}
    if "temperature" in named:
        return taken
    return msgspec.structs.replace(taken, params={"temperature": 0})


def with_params(taken: Seat, params: Mapping[str, object]) -> Seat:
    """The seat with further parameters; of a panel, each member that is a language
    model has them.
    """
    if taken.panel:
        return msgspec.structs.replace(
            taken,
            panel=[
                one
                if one.model in BUILTINS or is_command(one.model)
                else with_params(one, params)
                for one in taken.panel
            ],
        )
    return msgspec.structs.replace(taken, params={**taken.params, **params})


def check_panel(declared: Settings, role: str, taken: Seat) -> None:
    """Raises BadInput if a panel is to take a role whose replies cannot be voted on."""
    if taken.panel and role not in declared.judging:
        names = ", ".join(declared.judging)
        key = "wrong.lineup.panel" if names else "wrong.lineup.panel_nowhere"
        raise bad_input(
            key,
            panel=taken.called,
            role=role,
            method=declared.method,
            names=names,
        )


def seated(
    declared: Settings,
    config: Config,
    roles: Sequence[str],
    needed: Sequence[str],
    models: Sequence[str],
    params: Sequence[str],
    *,
    spare: Collection[str] = (),
    optional: Sequence[str] = (),
    alone: str | None = None,
) -> dict[str, Seat]:
    """Role to seat: the method's own built-in for all that are `needed`, then the
    configured line-up, then `X` of `models`, then its `ROLE=X`, then `params`.

    `spare`: roles that are skipped where the configuration names them. `optional`:
    roles that can stay empty; they get a seat where a language model is named for all.
    `alone`: the built-in that has all seats where nobody at all is named, in place of
    the method's first.

    Raises: BadInput, which names every role, model and parameter that does not exist,
    and every built-in of another method.
    """
    faults = Faults()
    names = _names(declared, config, roles, models, spare, faults)
    everybody = (
        names.pop(ALL, None)
        or config.model
        or (alone if alone is not None and not names else declared.builtins[0])
    )
    wanted = faults.of(lambda: parse_params(params, roles)) or {}
    more = () if everybody in BUILTINS else optional
    chosen = {
        role: names.get(role, everybody)
        for role in dict.fromkeys((*needed, *more, *names, *wanted))
    }
    lineup = _lineup(declared, config, chosen, faults)
    if faults.told:
        raise WrongSeats("\n".join(faults.told))
    return {
        role: with_params(taken, wanted.get(role, {})) for role, taken in lineup.items()
    }


def named_seats(
    declared: Settings, config: Config, roles: Sequence[str], models: Sequence[str]
) -> tuple[dict[str, Seat], list[str]]:
    """The seats that models are named for, as far as they can be, and what is wrong
    with the others.

    The model of all other roles is under these words.
    """
    faults = Faults()
    names = _names(declared, config, roles, models, (), faults)
    everybody = names.pop(ALL, None) or config.model
    if everybody is not None:
        names[t("wrong.preflight.others")] = everybody
    return _lineup(declared, config, names, faults), [*faults.told]


def _names(
    declared: Settings,
    config: Config,
    roles: Sequence[str],
    models: Sequence[str],
    spare: Collection[str],
    faults: Faults,
) -> dict[str, str]:
    """Map each role to the name of its model, where named; `*`: all other roles."""
    names = {}
    for role, name in config.lineup.get(declared.method, {}).items():
        if role not in (*roles, ALL):
            faults.add(_no_role("config_role", role, declared, roles))
        elif role not in spare:
            names[role] = name
    for model in models:
        if "=" not in model:
            names = {ALL: model}
    for model in models:
        role, equals, name = model.partition("=")
        if equals and role not in roles:
            faults.add(
                with_closest(_no_role("no_role", role, declared, roles), role, roles)
            )
        elif equals:
            names[role] = name
    return names


def _no_role(key: str, role: str, declared: Settings, roles: Sequence[str]) -> str:
    method, names = declared.method, ", ".join(roles)
    return t(f"wrong.lineup.{key}", role=role, method=method, names=names)


def _lineup(
    declared: Settings, config: Config, chosen: Mapping[str, str], faults: Faults
) -> dict[str, Seat]:
    """Return the seats for these names. A fault in a name lists all its roles."""
    lineup = {}
    wrong: dict[str, list[str]] = {}
    for role, name in chosen.items():
        try:
            lineup[role] = seat_for(name, config)
        except BadInput as error:
            wrong.setdefault(str(error), []).append(role)
    comma = t("wrong.preflight.comma")
    for why, roles in wrong.items():
        faults.add(t("wrong.preflight.seat", who=comma.join(roles), why=why))
    models = {one.model for taken in lineup.values() for one in taken.members}
    faults.of(lambda: check_builtins(declared, models))
    for role, taken in lineup.items():
        faults.of(partial(check_panel, declared, role, taken))
    return lineup


def at_temperature(lineup: Mapping[str, Seat], temperature: float) -> dict[str, Seat]:
    """The same seats, each language model at this temperature."""
    return {
        role: taken
        if taken.model in BUILTINS or is_command(taken.model)
        else with_params(taken, {"temperature": temperature})
        for role, taken in lineup.items()
    }


def check_builtins(declared: Settings, models: Collection[str]) -> None:
    """Raises BadInput where built-ins are seated that are made for other methods."""
    faults = Faults()
    for model in BUILTINS:
        if model in models and model != "human" and model not in declared.builtins:
            why, after = t(f"wrong.builtin.{model}"), declared.builtins[0]
            faults.add(t("wrong.lineup.builtin", model=model, why=why, fallback=after))
    faults.refuse()
