"""Who sits where when a session begins: the user's configuration below, what was asked for on top."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from ...sessions.errors import BadInput
from ...sessions.session import Seat
from .config import Config
from .lineup import BUILTINS, parse_params, seat

ALL = "*"
"""In a configured line-up: every role that is not named."""


def seated(
    workspace: str,
    config: Config,
    roles: Sequence[str],
    needed: Sequence[str],
    models: Sequence[str],
    params: Sequence[str],
    *,
    default: str,
    spare: Collection[str] = (),
) -> dict[str, Seat]:
    """Role to seat: `default` for all that are `needed`, then the configured line-up, then `X` of `models`, then its `ROLE=X`, then
    `params`. `spare`: roles that are passed over where the configuration names them.

    BadInput for a role, a model or a parameter that does not exist.
    """
    names = dict(config.lineup.get(workspace, {}))
    for role in names:
        if role not in (*roles, ALL):
            raise BadInput(f"The config names a role “{role}” for {workspace}; the roles are {', '.join(roles)}.")
    names = {role: name for role, name in names.items() if role not in spare}
    for given in models:
        if "=" not in given:
            names = {ALL: given}
    for given in models:
        role, equals, name = given.partition("=")
        if equals:
            if role not in roles:
                raise BadInput(f"There is no role “{role}” in {workspace}; the roles are {', '.join(roles)}.")
            names[role] = name
    everybody = names.pop(ALL, None) or config.model or default
    asked = parse_params(params, roles)
    made = {role: seat_for(names.get(role, everybody), config) for role in dict.fromkeys((*needed, *names, *asked))}
    return {role: msgspec.structs.replace(one, params={**one.params, **asked.get(role, {})}) for role, one in made.items()}


def seat_for(model: str, config: Config) -> Seat:
    """The seat for a model as the user wrote it. Language models answer at temperature 0 unless something else is said."""
    made = seat(model, config)
    if made.model in BUILTINS:
        return made
    named = config.models[made.name].params if made.name else {}
    return made if "temperature" in named else msgspec.structs.replace(made, params={"temperature": 0})
