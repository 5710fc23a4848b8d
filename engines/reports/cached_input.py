"""The share of the input found in providers' caches, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...texts import t


def in_words(used: Mapping[str, Any], calls: int) -> list[str]:
    """Return a line with the share of input from providers' caches, the number of calls
    that report it, and the savings; none if no call reports it.

    `used`: in the form of `report.usage`, of `calls` calls. A report of an earlier
    version may lack the number of calls and the savings.
    """
    if not used.get("cached_of"):
        return []
    share = used["cached_input"] / used["cached_of"]
    told = [
        t(
            "report.batch.cached_input",
            n=used["cached_input"],
            total=used["cached_of"],
            share=share,
        )
    ]
    if "cached_calls" in used:
        told += (
            [t("report.batch.cached_calls", n=used["cached_calls"], total=calls)]
            if used["cached_calls"] < calls
            else []
        )
        told.append(_saved(used["saved"], used["saved_known"]))
    return [t("report.batch.semicolon").join(told)]


def _saved(saved: float | None, known: float) -> str:
    """Return what the caches saved; a loss if filling them cost more."""
    if saved is None:
        if known > 0:
            return t("report.batch.saved_at_least", dollars=f"{known:.4f}")
        return t("report.batch.saved_unknown")
    return t(
        "report.batch.saved" if saved >= 0 else "report.batch.saved_nothing",
        dollars=f"{abs(saved):.4f}",
    )
