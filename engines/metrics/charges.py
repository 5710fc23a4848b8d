"""Holds a ranking of cases against one that knows only their charges.

Ranking by the query's charge alone comes close to trained systems on LeCaRD
(2606.12993), so a gain counts where it remains among cases of one charge.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from ...sessions.errors import bad_input
from .ranking import Labels, Means, Tiers, flat
from .values import read_json, read_text

Charges = Mapping[str, set[str]]
"""The charges of queries and candidates, by id."""
Measured = Callable[[dict[str, Tiers], dict[str, Labels]], Means]


class ChargeMeans(NamedTuple):
    """The figures of a run over the queries whose charges are known."""

    run: Means
    only: Means
    """Of the same candidates, those that share a charge with the query before all
    others, without an order among themselves.
    """
    within: Means
    """Of the run among those that share one, over the queries with a label above 0
    among them; its random order is what is left to chance there.
    """
    unknown: int
    """Candidates without a charge, which share none."""


def read_charges(path: Path) -> Charges:
    """A JSON object of id to charge, or to a list of charges.

    Raises: BadInput for anything else.
    """
    found = read_json(read_text(path), str(path))
    if not isinstance(found, dict):
        raise bad_input("wrong.ratings.charges", path=path)
    made = {}
    for id_, value in found.items():
        names = value if isinstance(value, list) else [value]
        if not all(isinstance(name, str) for name in names):
            raise bad_input("wrong.ratings.charges", path=path)
        made[id_] = {part for name in names for part in _parts(name)}
    return made


def charge_means(
    rankings: Mapping[str, Tiers],
    labels: Mapping[str, Labels],
    charges: Charges,
    measured: Measured,
) -> ChargeMeans:
    """The figures, as `measured` gives them for rankings and labels."""
    known = [one for one in rankings if one in labels and charges.get(one)]
    ranked = {query: rankings[query] for query in known}
    asked = {query: labels[query] for query in known}
    only: dict[str, Tiers] = {}
    within: dict[str, Tiers] = {}
    left: dict[str, Labels] = {}
    for query, listed in ranked.items():

        def shares(id_: str, own: set[str] = charges[query]) -> bool:
            return bool(own & charges.get(id_, set()))

        places = flat(listed)
        only[query] = [
            [one for one in places if shares(one) is same] for same in (True, False)
        ]
        gains = {one: level for one, level in asked[query].items() if shares(one)}
        if any(gains.values()):
            left[query] = gains
            within[query] = [[one for one in tier if shares(one)] for tier in listed]
    unknown = {one for listed in ranked.values() for one in flat(listed)} - set(charges)
    return ChargeMeans(
        measured(ranked, asked),
        measured(only, asked),
        measured(within, left),
        len(unknown),
    )


def _parts(charge: str) -> list[str]:
    """A charge without what became of it, joined charges taken apart."""
    plain = re.sub(r"[\uff08(].*?[\uff09)]|\s+", " ", charge).strip().casefold()
    return [
        part.strip().removesuffix("\u7f6a")
        for part in re.split("[;,\uff1b\uff0c\u3001]", plain)
        if part.strip()
    ]
