"""Finds where the calls of a seat go, from the seat, the config and the environment."""

from __future__ import annotations

from importlib.util import find_spec

from ...sessions.errors import BadInput
from ...sessions.session import Seat
from ...texts import english, t
from . import litellm_door, litellm_loading
from .calls import Route, Target
from .commands import find_command
from .config import Config, NamedModel
from .environment import Environment
from .limits import RateLimits
from .lineup import LOCAL, OURS, PARAMS, check_id, check_params, is_command
from .port import Kind, ModelError
from .providers import (
    FREE,
    PROVIDERS,
    WELL_KNOWN,
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

RESPONSES = "/responses/"
"""In the id of a model that is called by the Responses API, for which LiteLLM imports
`mcp`.
"""
DEFAULTS: dict[str, object] = {"temperature": 0}
"""Parameters of a call, unless the seat or the named model sets others."""


async def find(seat: Seat, config: Config, env: Environment) -> Target:
    """Everything that LiteLLM needs for a call. Loads LiteLLM first.

    Raises: ModelError if the call is impossible or not allowed.
    """
    if is_command(seat.model):
        return find_command(seat, config, env)
    named = _checked(seat, config)
    await litellm_loading.ready()
    at_own_server = named is not None and named.api_base is not None
    route = litellm_door.route(seat.model, at_own_server=at_own_server)
    return _target(seat, named, route, config, env)


def find_now(seat: Seat, config: Config, env: Environment) -> Target | None:
    """As `find`, without waiting for LiteLLM.

    Returns: None where only LiteLLM can tell, which is not loaded yet.
    Raises: ModelError.
    """
    if is_command(seat.model):
        return find_command(seat, config, env)
    named = _checked(seat, config)
    at_own_server = named is not None and named.api_base is not None
    if litellm_loading.loaded():
        route = litellm_door.route(seat.model, at_own_server=at_own_server)
    else:
        route = _certain_route(seat.model, at_own_server=at_own_server)
        if route is None:
            return None
    return _target(seat, named, route, config, env)


def _certain_route(model: str, *, at_own_server: bool) -> Route | None:
    """How a model is reached; None where LiteLLM has to be asked."""
    provider, slash, _ = model.partition("/")
    if slash and provider in PROVIDERS:
        return Route(provider=provider, call_as=model)
    if model in WELL_KNOWN["openai"]:
        return Route(provider="openai", call_as=model)
    if at_own_server:
        return Route(provider="openai", call_as=f"openai/{model}")
    return None


def _checked(seat: Seat, config: Config) -> NamedModel | None:
    """The named model of a seat. Raises: ModelError for a seat that cannot be used."""
    if seat.model.startswith(LOCAL):
        raise _refused("unknown-model", "encoder", model=seat.model)
    named = _named(seat, config)
    _check_seat(seat, named)
    return named


def _refused(kind: Kind, key: str, **values: object) -> ModelError:
    return _translated(kind, t(f"wrong.target.{key}", **values))


def _translated(kind: Kind, said: str) -> ModelError:
    """The error in English, as sessions keep it; it has the user's words, too."""
    error = ModelError(kind, english(said))
    error.said = said
    return error


def _no_key(model: str, keys: tuple[str, ...]) -> ModelError:
    names = t("wrong.target.or").join(keys)
    return _refused("missing-key", "no_key", model=model, names=names)


def _target(
    seat: Seat,
    named: NamedModel | None,
    route: Route | None,
    config: Config,
    env: Environment,
) -> Target:
    base = named.api_base if named is not None else None
    if route is None:
        raise _refused("unknown-model", "no_provider", model=seat.model)
    if RESPONSES in route.call_as and find_spec("mcp") is None:
        raise _refused("unknown-model", "responses", model=seat.model)
    provider, base = route.provider, base or base_of(route.provider, env)
    if base and (problem := address_problem(base)):
        sentence = no_address(variable_of(provider, env) or seat.model, problem)
        raise _translated("address", sentence)
    host = host_of(provider, base or route.base)
    if config.local_only and not on_this_machine(host, config.private_hosts):
        raise _refused("not-local", "not_local", model=seat.model, host=host)
    keys = _variables(named, provider)
    key = _key(seat, named, provider, base, keys, on_this_machine(host), env)
    params, extra = parameters(seat, config)
    limits = {**(named.params if named is not None else {}), **seat.params}
    return Target(
        model=seat.model,
        call_as=route.call_as,
        provider=provider,
        host=host,
        endpoint=endpoint_of(provider, base or route.base),
        # LiteLLM reads neither OPENAI_BASE_URL nor OLLAMA_HOST.
        api_base=base if named or provider in {"openai", *FREE} else None,
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
        pace=named.pace if named is not None else RateLimits(),
    )


def parameters(
    seat: Seat, config: Config
) -> tuple[dict[str, object], dict[str, object]]:
    """The parameters of a call: the checked ones, and those of a named model that are
    sent unchecked.
    """
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
        raise _refused("unknown-model", "name_gone", name=seat.name)
    return named


def _variables(named: NamedModel | None, provider: str) -> tuple[str, ...]:
    """The variables that can hold the key; empty if no key is sent."""
    if named is not None and named.api_key_env is not None:
        return (named.api_key_env,)
    if named is not None and named.api_base is not None:
        # A key in the environment belongs to the provider, not to the server at this
        # address.
        return ()
    return PROVIDERS.get(provider, Provider()).keys


def _key(
    seat: Seat,
    named: NamedModel | None,
    provider: str,
    base: str | None,
    keys: tuple[str, ...],
    local: bool,
    env: Environment,
) -> str | None:
    """The key to send; None leaves the choice to LiteLLM."""
    if named is not None and named.api_key_env is not None:
        key = env.get(named.api_key_env)
        if not key:
            raise _no_key(seat.name or seat.model, keys)
        return key
    if named is not None and named.api_base is not None:
        return "none"
    found = key_of(provider, env)
    if found is None and local and base is not None:
        return "none"
    if found is None and keys:
        raise _no_key(seat.model, keys)
    if provider == "openai":
        return found
    return None


def _check_seat(seat: Seat, named: NamedModel | None) -> None:
    """Checks the seat of a session, which may come from anyone and must not send the
    user's keys to an address of its own.

    Raises: ModelError if it would.
    """
    if (
        named is not None
        and named.api_base is None
        and named.model.strip() != seat.model
    ):
        raise _refused("unknown-model", "name_moved", name=seat.name, model=seat.model)
    try:
        if named is None:
            check_id(seat.model)
    except BadInput as error:
        raise _translated("unknown-model", str(error)) from None
    try:
        check_params(seat.params)
    except BadInput as error:
        raise _refused(
            "bad-request", "params", model=seat.model, error=str(error)
        ) from None
