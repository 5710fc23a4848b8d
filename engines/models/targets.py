"""Finds where the calls of a seat go, from the seat, the config and the environment."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ...sessions.errors import BadInput
from ...sessions.session import Seat
from ...texts import english
from . import litellm_door, litellm_loading
from .calls import Target
from .commands import find_command
from .config import Config, NamedModel
from .faults import missing_key
from .limits import Pace
from .lineup import LOCAL, OURS, PARAMS, check_id, check_params, is_command
from .port import ModelError
from .providers import (
    PROVIDERS,
    Provider,
    address_problem,
    base_of,
    endpoint_of,
    host_of,
    key_of,
    no_address,
    on_this_machine,
    variable_of,
)

DEFAULTS: dict[str, Any] = {"temperature": 0}
"""Parameters of a call, unless the seat or the named model sets others."""


async def find(seat: Seat, config: Config, env: Mapping[str, str]) -> Target:
    """Everything that LiteLLM needs for a call. Loads LiteLLM first.

    Raises: ModelError if the call is impossible or not allowed.
    """
    if seat.model.startswith(LOCAL):
        raise ModelError(
            "unknown-model",
            f"{seat.model} is an encoder, which embeds and ranks texts and does not answer: choose a language model.",
        )
    if is_command(seat.model):
        return find_command(seat, config, env)
    named = _named(seat, config)
    _check_seat(seat, named)
    await litellm_loading.ready()
    base = named.api_base if named is not None else None
    route = litellm_door.route(seat.model, at_own_server=base is not None)
    if route is None:
        raise ModelError(
            "unknown-model",
            f"LiteLLM knows no provider for {seat.model}: write openai/{seat.model} or the like, or name it in config.yaml.",
        )
    provider, base = route.provider, base or base_of(route.provider, env)
    if base and (problem := address_problem(base)):
        raise ModelError(
            "address", no_address(variable_of(provider, env) or seat.model, problem)
        )
    host = host_of(provider, base or route.base)
    if config.local_only and not on_this_machine(host, config.private_hosts):
        raise ModelError(
            "not-local",
            f"{seat.model} is at {host}, and config.yaml says local_only: choose a local model, or add the host to private_hosts.",
        )
    keys = PROVIDERS.get(provider, Provider()).keys
    key = _key(seat, named, provider, base, keys, on_this_machine(host), env)
    params, extra = parameters(seat, config)
    limits = {**(named.params if named is not None else {}), **seat.params}
    return Target(
        model=seat.model,
        call_as=route.call_as,
        provider=provider,
        host=host,
        endpoint=endpoint_of(provider, base or route.base),
        api_base=base if named is not None or provider == "openai" else None,
        api_key=key,
        keys=keys,
        params=params,
        extra=extra,
        prices=(named.prices.input, named.prices.output)
        if named is not None and named.prices is not None
        else None,
        cached_price=named.prices.cached_input
        if named is not None and named.prices is not None
        else None,
        timeout=limits.get("timeout") or (named and named.timeout) or config.timeout,
        stall_timeout=limits.get("stall_timeout")
        or (named and named.stall_timeout)
        or config.stall_timeout,
        schema=named.schema if named is not None else None,
        called=seat.name or seat.model,
        paced_as=seat.name or f"{seat.model} {base or host}",
        pace=named.pace if named is not None else Pace(),
    )


def parameters(seat: Seat, config: Config) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters of a call: the checked ones, and those of a named model that are sent unchecked."""
    named = config.models.get(seat.name) if seat.name is not None else None
    own = named.params if named is not None else {}
    params = {**DEFAULTS, **own, **seat.params}
    return (
        {
            name: value
            for name, value in params.items()
            if name in PARAMS and name not in OURS
        },
        {name: value for name, value in own.items() if name not in PARAMS},
    )


def _named(seat: Seat, config: Config) -> NamedModel | None:
    if seat.name is None:
        return None
    named = config.models.get(seat.name)
    if named is None:
        raise ModelError(
            "unknown-model",
            f"config.yaml has no model named {seat.name} any longer: name it there again, or choose another model.",
        )
    return named


def _key(
    seat: Seat,
    named: NamedModel | None,
    provider: str,
    base: str | None,
    keys: Collection[str],
    local: bool,
    env: Mapping[str, str],
) -> str | None:
    """The key to send; None leaves the choice to LiteLLM."""
    if named is not None and named.api_key_env is not None:
        key = env.get(named.api_key_env)
        if not key:
            raise missing_key(seat.name or seat.model, (named.api_key_env,))
        return key
    if named is not None and named.api_base is not None:
        # A key in the environment belongs to the provider, not to the server at this address.
        return "none"
    found = key_of(provider, env)
    if found is None and local and base is not None:
        return "none"
    if found is None and keys:
        raise missing_key(seat.model, tuple(keys))
    return found if provider == "openai" else None


def _check_seat(seat: Seat, named: NamedModel | None) -> None:
    """Checks the seat of a session, which may come from anyone and must not send the user's keys to an address of its own.

    Raises: ModelError if it would.
    """
    if (
        named is not None
        and named.api_base is None
        and named.model.strip() != seat.model
    ):
        raise ModelError(
            "unknown-model",
            f"In config.yaml {seat.name} is no longer {seat.model}: choose a model for the seat again.",
        )
    try:
        if named is None:
            check_id(seat.model)
    except BadInput as error:
        raise ModelError("unknown-model", english(error)) from None
    try:
        check_params(seat.params)
    except BadInput as error:
        raise ModelError(
            "bad-request", f"The seat of {seat.model} cannot be used: {error}"
        ) from None
