"""A budget as people write it."""

from __future__ import annotations

import math
import re

from ...engines.batches.control import Order

_DOLLARS = re.compile(
    r"[$\uff04]?\s*([\d.,\uff0c]+)\s*(?:usd|dollars?|美元|\$)?", re.IGNORECASE
)
_TOKENS = re.compile(r"([\d,\uff0c]+)\s*(k|m)?\s*(?:tokens?|词元)", re.IGNORECASE)
_NONE = ("none", "no", "-", "无", "不限")


def read_budget(text: str) -> Order | None:
    """The order for `$5`, `200000 tokens` or `none`; None for anything else."""
    text = text.strip()
    if text.casefold() in _NONE:
        return Order(budget_usd=None, budget_tokens=None)
    tokens, dollars = _TOKENS.fullmatch(text), _DOLLARS.fullmatch(text)
    if tokens is not None:
        number = _number(tokens[1]) * {"k": 1e3, "m": 1e6}.get(
            (tokens[2] or "").casefold(), 1
        )
        return Order(budget_tokens=int(number)) if 1 <= number <= 1 << 53 else None
    if dollars is not None:
        number = _number(dollars[1])
        return Order(budget_usd=number) if 0 < number < math.inf else None
    return None


def budget_in_words(usd: float | None, tokens: int | None) -> str:
    """A budget as `read_budget` takes it; "" where there is none."""
    return (
        f"${usd:g}"
        if usd is not None
        else f"{tokens} tokens"
        if tokens is not None
        else ""
    )


def _number(text: str) -> float:
    try:
        return float(re.sub("[,\uff0c]", "", text))
    except ValueError:
        return 0.0
