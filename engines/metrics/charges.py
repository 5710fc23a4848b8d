"""Holds a ranking of cases against one that knows only their charges.

Ranking by the query's charge alone comes close to trained systems on LeCaRD
(2606.12993), so a gain counts where it remains among cases of one charge.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
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
    same = sharing(charges, [one for one in rankings if one in labels])
    ranked = {query: rankings[query] for query in same}
    asked = {query: labels[query] for query in same}
    only = {query: charge_only(ranked[query], ids) for query, ids in same.items()}
    inside = {
        query: within(ranked[query], asked[query], ids) for query, ids in same.items()
    }
    left = {query: one for query, one in inside.items() if any(one[1].values())}
    unknown = {one for listed in ranked.values() for one in flat(listed)} - set(charges)
    return ChargeMeans(
        measured(ranked, asked),
        measured(only, asked),
        measured(
            {query: listed for query, (listed, _) in left.items()},
            {query: gains for query, (_, gains) in left.items()},
        ),
        len(unknown),
    )


def sharing(charges: Charges, queries: Iterable[str]) -> dict[str, set[str]]:
    """For each query whose charge is known, the ids that share one with it."""
    ids: defaultdict[str, set[str]] = defaultdict(set)
    for id_, names in charges.items():
        for name in names:
            ids[name].add(id_)
    return {
        query: set().union(*(ids[name] for name in charges[query]))
        for query in queries
        if charges.get(query)
    }


def charge_only(listed: Tiers, same: Collection[str]) -> Tiers:
    """The candidates that share a charge before all others, without an order among
    themselves.
    """
    places = flat(listed)
    return [
        [one for one in places if (one in same) is first] for first in (True, False)
    ]


def within(
    listed: Tiers, labels: Labels, same: Collection[str]
) -> tuple[Tiers, Labels]:
    """The ranking and the labels of the candidates that share a charge."""
    return (
        [[one for one in tier if one in same] for tier in listed],
        {one: level for one, level in labels.items() if one in same},
    )


def _parts(charge: str) -> list[str]:
    """A charge without what became of it, joined charges taken apart."""
    plain = re.sub(r"[\uff08(].*?[\uff09)]|\s+", " ", charge).strip().casefold()
    return [
        part.strip().removesuffix("\u7f6a")
        for part in re.split("[;,\uff1b\uff0c\u3001]", plain)
        if part.strip()
    ]
