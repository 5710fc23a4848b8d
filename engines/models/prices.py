"""Reads prices and context sizes from LiteLLM's table."""

from __future__ import annotations

from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import UNSET, MsgspecError, UnsetType, json

from ...sessions.events import Usage
from . import litellm_loading
from .calls import Target
from .providers import FREE

_shipped: dict[str, dict[str, Any]] = {}
"""The table in LiteLLM's package, as `read_table` found it."""


def read_table() -> None:
    """Reads LiteLLM's table from its package, which takes 0.05 s; LiteLLM itself takes
    seconds to load. Where that fails, prices are unknown until LiteLLM is loaded.
    """
    spec = find_spec("litellm")
    if spec is not None and spec.origin is not None and not _shipped:
        path = Path(spec.origin).with_name(
            "model_prices_and_context_window_backup.json"
        )
        with suppress(OSError, MsgspecError):
            _shipped.update(json.decode(path.read_bytes()))


def _entry(model: str) -> dict[str, Any] | None:
    """The model's row of LiteLLM's table.

    (Its own look-up asks a running Ollama over the network, so the table is read
    directly.)
    """
    loaded = litellm_loading.now()
    table: dict[str, dict[str, object]] = loaded.model_cost if loaded else _shipped
    if model in table:
        return table[model]
    provider, _, bare = model.partition("/")
    row = table.get(bare)
    if row is not None and row.get("litellm_provider") == provider:
        return row
    return None


def price(model: str) -> tuple[float, float] | None:
    """US dollars per million tokens (in, out); None: unknown, or nothing has read the
    table yet.
    """
    if model.partition("/")[0] in FREE:
        return 0.0, 0.0
    row = _entry(model)
    if (
        row is None
        or row.get("input_cost_per_token") is None
        or row.get("output_cost_per_token") is None
    ):
        return None
    return row["input_cost_per_token"] * 1e6, row["output_cost_per_token"] * 1e6


class BatchPrice(NamedTuple):
    """US dollars per million tokens of a request in a provider's batch."""

    input: float
    output: float
    assumed: bool
    """It is taken to be half of a call's: nothing says so."""


def batch_price(model: str, own: tuple[float, float] | None) -> BatchPrice | None:
    """Return the price of a request in a batch; None if the call price is unknown.

    `own`: the prices of calls that the user set.
    """
    row = _entry(model) or {}
    known = [
        one
        for name in ("input", "output")
        if isinstance(one := row.get(f"{name}_cost_per_token_batches"), int | float)
    ]
    if own is None and len(known) == 2:
        return BatchPrice(known[0] * 1e6, known[1] * 1e6, False)
    usual = own or price(model)
    if usual is None:
        return None
    return BatchPrice(usual[0] / 2, usual[1] / 2, usual != (0.0, 0.0))


def context(model: str) -> int | None:
    """Tokens that the model can read; None: unknown, or nothing has read the
    table yet.
    """
    row = _entry(model)
    size = row and (row.get("max_input_tokens") or row.get("max_tokens"))
    if isinstance(size, int):
        return size
    return None


def money(target: Target, usage: Usage, detailed: Any = None) -> float | None:
    """US dollars of a usage; `detailed` is LiteLLM's own usage object, which knows
    cached tokens.
    """
    if usage.input is None or usage.output is None:
        return None
    if (
        target.prices is None
        and detailed is not None
        and _entry(target.model) is not None
    ):
        try:
            return float(
                sum(
                    litellm_loading.now().cost_per_token(
                        model=target.model, usage_object=detailed
                    )
                )
            )
        except Exception:
            detailed = None
    prices = target.prices or price(target.model)
    if prices is None:
        return None
    cached = (
        0
        if usage.cached_input is UNSET or target.cached_price is None
        else usage.cached_input
    )
    return (
        (usage.input - cached) * prices[0]
        + cached * (target.cached_price or 0)
        + usage.output * prices[1]
    ) / 1e6


def saved(target: Target, usage: Usage, detailed: Any) -> float | UnsetType:
    """US dollars that the provider's cache made the input of a call cheaper, less what
    filling it cost. `detailed`: LiteLLM's usage object.

    Unset where the cache had no part in the call, or where nobody knows the price of
    what came from there.
    """
    cached = 0 if usage.cached_input is UNSET else usage.cached_input
    if cached and target.prices is None and price(target.model) == (0.0, 0.0):
        return 0.0
    if target.prices is not None:
        if target.cached_price is None or not cached:
            return UNSET
        return cached * (target.prices[0] - target.cached_price) / 1e6
    row = _entry(target.model)
    filled = getattr(
        getattr(detailed, "prompt_tokens_details", None), "cache_creation_tokens", None
    )
    if (
        not (cached or filled)
        or row is None
        or row.get("cache_read_input_token_cost") is None
        or not (litellm := litellm_loading.now())
    ):
        return UNSET
    without = litellm.Usage(
        prompt_tokens=usage.input, completion_tokens=0, total_tokens=usage.input
    )
    try:
        dear, cheap = (
            litellm.cost_per_token(model=target.model, usage_object=one)[0]
            for one in (without, detailed)
        )
    except Exception:
        return UNSET
    return round(float(dear - cheap), 12)
