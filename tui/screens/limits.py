"""A budget as people write it."""

from __future__ import annotations

import math
import re

from ...engines.batches.orders import ControlOrder

_DOLLARS = re.compile(
    r"[$\uff04]?\s*([\d.,\uff0c]+)\s*(?:usd|dollars?|美元|\$)?", re.IGNORECASE
)
_TOKENS = re.compile(r"([\d,\uff0c]+)\s*(k|m)?\s*(?:tokens?|词元)", re.IGNORECASE)
_NONE = ("none", "no", "-", "无", "不限")


def read_budget(text: str) -> ControlOrder | None:
    """The order for `$5`, `200000 tokens` or `none`; None for anything else."""
    text = text.strip()
    if text.casefold() in _NONE:
        return ControlOrder(budget_usd=None, budget_tokens=None)
    tokens, dollars = _TOKENS.fullmatch(text), _DOLLARS.fullmatch(text)
    if tokens is not None:
        number = _number(tokens[1]) * {"k": 1e3, "m": 1e6}.get(
            (tokens[2] or "").casefold(), 1
        )
        if 1 <= number <= 1 << 53:
            return ControlOrder(budget_tokens=int(number))
        return None
    if dollars is not None:
        number = _number(dollars[1])
        if 0 < number < math.inf:
            return ControlOrder(budget_usd=number)
        return None
    return None


def budget_in_words(usd: float | None, tokens: int | None) -> str:
    """A budget as `read_budget` takes it; "" where there is none."""
    if usd is not None:
        return f"${usd:g}"
    if tokens is not None:
        return f"{tokens} tokens"
    return ""


def _number(text: str) -> float:
    try:
        return float(re.sub("[,\uff0c]", "", text))
    except ValueError:
        return 0.0
