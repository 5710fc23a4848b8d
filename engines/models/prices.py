"""What LiteLLM's table says of a model: prices and the size of its context."""

from __future__ import annotations

from typing import Any

from ...sessions.events import Usage
from . import litellm_loading
from .calls import Target
from .providers import FREE


def _entry(model: str) -> dict[str, Any] | None:
    """The model's row of LiteLLM's table. (Its own look-up asks a running Ollama over the network, so the table is read directly.)"""
    if not litellm_loading.loaded():
        return None
    table: dict[str, dict[str, Any]] = litellm_loading.now().model_cost
    if model in table:
        return table[model]
    provider, _, bare = model.partition("/")
    row = table.get(bare)
    return row if row is not None and row.get("litellm_provider") == provider else None


def price(model: str) -> tuple[float, float] | None:
    """US dollars per million tokens (in, out); None: unknown, or LiteLLM is not loaded yet."""
    if model.partition("/")[0] in FREE:
        return 0.0, 0.0
    row = _entry(model)
    if row is None or row.get("input_cost_per_token") is None or row.get("output_cost_per_token") is None:
        return None
    return row["input_cost_per_token"] * 1e6, row["output_cost_per_token"] * 1e6


def context(model: str) -> int | None:
    """Tokens that the model can read; None: unknown, or LiteLLM is not loaded yet."""
    row = _entry(model)
    size = row and (row.get("max_input_tokens") or row.get("max_tokens"))
    return size if isinstance(size, int) else None


def money(target: Target, usage: Usage, detailed: Any = None) -> float | None:
    """US dollars of a usage; `detailed` is LiteLLM's own usage object, which knows cached tokens."""
    if usage.input is None or usage.output is None:
        return None
    if target.prices is None and detailed is not None and _entry(target.model) is not None:
        try:
            return float(sum(litellm_loading.now().cost_per_token(model=target.model, usage_object=detailed)))
        except Exception:
            detailed = None
    prices = target.prices or price(target.model)
    return None if prices is None else (usage.input * prices[0] + usage.output * prices[1]) / 1e6
