"""Checks what `load_config` leaves open: sections, roles, settings and prompts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ...prompts import load
from ...sessions.errors import BadInput
from ...sessions.paths import Paths
from ...texts import t
from ...texts.closest import with_closest
from ..settings import Settings, sections
from .config import Config, unknown_entry
from .environment import Environment
from .seating import ALL, check_builtins, check_panel, seat

Roles = Callable[[str], Sequence[str]]
"""The roles of a method, by its name."""


def config_problems(
    config: Config, places: Paths, env: Environment, roles: Roles
) -> list[str]:
    """List the faults in a loaded configuration, one sentence each."""
    file = places.config_file
    found = [f"{file}: {one}" for one in _of_sections(config, roles)]
    for name, declared in sections().items():
        for setting, value in config.settings.get(name, {}).items():
            try:
                _check_setting(declared, setting, value, places)
            except BadInput as error:
                why = with_closest(
                    str(error), setting, _unless_known(declared, setting)
                )
                found.append(f"{place_of(name, setting, places, env)}: {why}")
    return found


def place_of(method: str, setting: str, places: Paths, env: Environment) -> str:
    """The place of a user's setting: a variable, or the file."""
    for variable in (f"VERIFYTUI_{method}_{setting}", f"VERIFYTUI_{setting}"):
        if variable.upper() in env:
            return t("wrong.config.in_variable", variable=variable.upper())
    return f"{places.config_file}: settings.{method}"


def _unless_known(declared: Settings, setting: str) -> list[str]:
    known = [*declared.names, "prompts"]
    if setting in known:
        return []
    return known


def _check_setting(
    declared: Settings, setting: str, value: object, places: Paths
) -> None:
    if setting == "prompts":
        load(str(value), places.prompts, workspace=declared.method)
    else:
        declared.check(setting, value)


def _of_sections(config: Config, roles: Roles) -> Iterator[str]:
    methods = sections()
    for section in ("settings", "lineup"):
        for name in getattr(config, section):
            if name not in methods:
                yield unknown_entry(name, section, methods)
    if config.model is not None:
        yield from _model("model", config.model, config)
    for name, seats in config.lineup.items():
        if name in methods:
            known = [*roles(name), ALL]
            for role, model in seats.items():
                place = f"lineup.{name}"
                if role not in known:
                    yield unknown_entry(role, place, known)
                else:
                    place = f"{place}.{role}"
                    yield from _model(place, model, config, methods[name], role)


def _model(
    place: str,
    model: str,
    config: Config,
    declared: Settings | None = None,
    role: str = ALL,
) -> Iterator[str]:
    try:
        taken = seat(model, config)
        if declared is not None:
            check_builtins(declared, {one.model for one in taken.members})
            if role != ALL:
                check_panel(declared, role, taken)
    except BadInput as error:
        yield t("wrong.preflight.seat", who=place, why=str(error))
