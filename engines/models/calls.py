"""A call made ready: where it goes, and what it has used up so far."""

from __future__ import annotations

from typing import Any

import msgspec

from ...sessions.events import Usage


class Target(msgspec.Struct, kw_only=True):
    """Where a call goes and how, resolved from a seat, the config and the environment."""

    model: str
    """The real id, as session and screen show it."""
    call_as: str
    """The same as LiteLLM is told it."""
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
    schema: bool | None = None


class Meter(msgspec.Struct, kw_only=True):
    """What one attempt has used up so far; read after a failure."""

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
