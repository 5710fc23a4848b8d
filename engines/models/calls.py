"""A call that is ready to be made: its address, and what it has used so far."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Literal

import msgspec

from ...sessions.events import Usage
from .limits import RateLimits


class Target(msgspec.Struct, kw_only=True):
    """The address and parameters of a call, from a seat, the config and the
    environment.
    """

    model: str
    """The model's id, as sessions and the screen show it."""
    call_as: str
    """The id that LiteLLM gets."""
    provider: str
    host: str
    endpoint: str = ""
    """The host with its port, as sessions record it."""
    api_base: str | None = None
    api_key: str | None = None
    keys: tuple[str, ...] = ()
    """Variables that may hold the key, for messages."""
    params: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    """A named model's further parameters, sent as they are."""
    prices: tuple[float, float] | None = None
    """US dollars per million tokens in and out, where the user gave them."""
    cached_price: float | None = None
    """US dollars per million tokens of input from the provider's cache, where the user
    gave that.
    """
    timeout: float = 600.0
    stall_timeout: float = 120.0
    schema: bool | Literal["json_object"] | None = None
    """As in config.NamedModel."""
    called: str = ""
    """What the user calls it: a named model's name, else the id."""
    paced_as: str = ""
    """Stands for the model in `pacing.Pacing`: calls with the same text share its
    limits.
    """
    pace: RateLimits = RateLimits()
    command: list[str] = []
    """The words of a command that answers; empty for what LiteLLM reaches."""
    environment: dict[str, str] = {}
    """What the command sees of the environment."""

    @property
    def address(self) -> dict[str, str]:
        """Where it is and with which key, as LiteLLM takes it; empty by default."""
        given = {"api_base": self.api_base, "api_key": self.api_key}
        return {name: value for name, value in given.items() if value is not None}


class CallUsage(msgspec.Struct, kw_only=True):
    """The usage of one attempt so far. Read after a failure."""

    sent: bool = False
    received: list[str] = []
    usage: Usage | None = None
    cost: float | None = None
    again: Callable[[], Awaitable[None]] | None = None
    """Waits until the attempt may send another request, where the server refuses the
    form of the first one.
    """


class Route(msgspec.Struct, kw_only=True):
    """How LiteLLM reaches a model."""

    provider: str
    call_as: str
    base: str | None = None
    """The provider's usual endpoint, where LiteLLM names one."""
