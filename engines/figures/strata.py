"""Differences by the value of a field of the items: by language, by pair type.

They explore and are not corrected.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ...sessions.errors import bad_input
from .common import OF_A_RUN
from .compare import PRICE, RunComparison, RunPairing
from .difference import Difference, ValuePair, differ
from .measure import Item


class Stratum(NamedTuple):
    """The items of one value under one measure."""

    versus: RunPairing
    value: str
    difference: Difference


def strata(comparison: RunComparison, field: str) -> list[Stratum]:
    """A stratum for each pair of runs, measure of quality and value of the field.

    Raises: BadInput where no item has the field.
    """
    found = []
    for versus, one in comparison.differences:
        if one.measure.name in PRICE:
            continue
        groups: dict[str, list[ValuePair]] = {}
        for pair in one.pairs:
            value = field_value(versus, pair.id, field)
            if value is not None:
                groups.setdefault(value, []).append(pair)
        for value, pairs in sorted(groups.items()):
            difference = differ(one.measure, pairs, comparison.margin)
            found.append(Stratum(versus, value, difference))
    if not found:
        names = ", ".join(_names(comparison))
        raise bad_input("wrong.compare.no_stratum", name=field, names=names)
    return found


def field_value(versus: RunPairing, id_: str, field: str) -> str | None:
    """The value that an item has in a field, of either run; None where it has none."""
    for item in versus.paired.items[id_]:
        value = _value(item, field)
        if value is not None:
            return value
    return None


def _value(item: Item, field: str) -> str | None:
    value = item.cluster if field == "cluster" else item.fields.get(field)
    if isinstance(value, Mapping):
        value = value.get("id")
    if isinstance(value, str | int | float | bool):
        return str(value)
    return None


def _names(comparison: RunComparison) -> list[str]:
    """The fields that some item has a value in."""
    names = dict.fromkeys(
        name
        for versus in comparison.versus
        for item, _ in versus.paired.items.values()
        for name in item.fields
        if name not in OF_A_RUN and _value(item, name) is not None
    )
    return ["cluster", *names]
