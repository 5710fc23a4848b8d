"""Money, tokens and costs in words."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

from . import t
from .roles import role_name

MOST_PLACES = 8
"""Decimal places of a sum, at most."""


class Spent(Protocol):
    """What `sessions.session.Totals` holds of money."""

    estimated: bool
    cost_known: float
    unpriced: tuple[str, ...]


def money(dollars: float | None, estimated: bool = False) -> str:
    """US dollars: two places, four below one dollar, more for less than a hundredth of
    a cent. None is unknown.
    """
    if dollars is None:
        return t("side.unknown")
    size = abs(dollars)
    places = 4 if 0 < size < 1 else 2
    if 0 < size < 0.0001:
        places = min(1 - math.floor(math.log10(size)), MOST_PLACES)
    return f"{'~' if estimated else ''}${dollars:,.{places}f}"


def tokens(count: int | None, estimated: bool = False) -> str:
    """A number of tokens; `~` is before an estimate. None is unknown."""
    if count is None:
        return t("side.unknown")
    return f"{'~' if estimated else ''}{count:,}"


def cost(totals: Spent, name: Callable[[str], str] = role_name) -> str:
    """What calls have cost as far as it is known, and the roles whose calls have no
    known price.
    """
    known = money(totals.cost_known, totals.estimated)
    if not totals.unpriced:
        return known
    if not totals.cost_known:
        return t("side.unknown")
    return t(
        "side.cost_known",
        known=known,
        roles=t("asked.comma").join(map(name, totals.unpriced)),
    )
