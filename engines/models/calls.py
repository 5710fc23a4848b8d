"""A call that is ready to be made: its address, and what it has used so far."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from ...sessions.events import Usage


class Target(msgspec.Struct, kw_only=True):
    """The address and parameters of a call, from a seat, the config and the environment."""

    model: str
    """The model's id, as sessions and the screen show it."""
    call_as: str
    """The id that LiteLLM gets."""
    provider: str
    host: str
    api_base: str | None = None
    api_key: str | None = None
    keys: tuple[str, ...] = ()
    """Variables that may hold the key, for messages."""
    params: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    """A named model's further parameters, sent as they are."""
    prices: tuple[float, float] | None = None
    """US dollars per million tokens in and out, where the user gave them."""
    timeout: float = 600.0
    stall_timeout: float = 120.0
    schema: bool | Literal["json_object"] | None = None
    """As in config.NamedModel."""


class Meter(msgspec.Struct, kw_only=True):
    """What one attempt has used so far. It is read after a failure."""

    sent: bool = False
    received: list[str] = []
    usage: Usage | None = None
    cost: float | None = None


class Route(msgspec.Struct, kw_only=True):
    """How LiteLLM reaches a model."""

    provider: str
    call_as: str
    base: str | None = None
    """The provider's usual endpoint, where LiteLLM names one."""
