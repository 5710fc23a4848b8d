"""Who sits where when cases are judged: the user's configuration below, what was asked for on top."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ...sessions.errors import BadInput
from ...sessions.session import Seat
from ..models.config import Config
from ..models.lineup import BUILTINS, parse_params, seat
from .plan import ROLES

ALL = "*"
"""In a configured line-up: every role that is not named."""

DEFAULT = "lexical"


def seats(config: Config, needed: Sequence[str], models: Sequence[str] = (), params: Sequence[str] = ()) -> dict[str, Seat]:
    """Role to seat: `lexical` for all, then the configured line-up, then `X` of `models`, then its `ROLE=X`, then `params`.

    An annotator that nobody named is left out where there is an extractor: it uses its model, whatever it becomes. BadInput for a role, a
    model or a parameter that does not exist.
    """
    names = dict(config.lineup.get("relevance", {}))
    for role in names:
        if role not in (*ROLES, ALL):
            raise BadInput(f"The config names a role “{role}” for relevance; the roles are {', '.join(ROLES)}.")
    for given in models:
        if "=" not in given:
            names = {ALL: given}
    for given in models:
        role, equals, name = given.partition("=")
        if equals:
            if role not in ROLES:
                raise BadInput(f"There is no role “{role}” in relevance; the roles are {', '.join(ROLES)}.")
            names[role] = name
    everybody = names.pop(ALL, None) or config.model or DEFAULT
    asked = parse_params(params, ROLES)
    seated = ("extractor",) if "extractor" in needed else needed
    made = {role: seat_for(names.get(role, everybody), config) for role in dict.fromkeys((*seated, *names, *asked))}
    return {role: msgspec.structs.replace(one, params={**one.params, **asked.get(role, {})}) for role, one in made.items()}


def seat_for(model: str, config: Config) -> Seat:
    """The seat for a model as the user wrote it. Language models answer at temperature 0 unless something else is said."""
    made = seat(model, config)
    if made.model in BUILTINS:
        return made
    named = config.models[made.name].params if made.name else {}
    return made if "temperature" in named else msgspec.structs.replace(made, params={"temperature": 0})
