"""Splits queries into training, validation and test, 8:1:1 (the relevance paper,
section 4.4).
"""

from __future__ import annotations

import random
from collections.abc import Mapping

from ....engines.cases.importers.cases import CaseFile
from ....sessions.errors import bad_input
from .judged_pairs import Split
from .words import NearDuplicates, WordNumbers

HELD_OUT: tuple[Split, ...] = ("validation", "test")
TENTH = 10


def split_queries(
    queries: Mapping[str, CaseFile], words: WordNumbers, seed: int
) -> dict[str, Split]:
    """Assigns each query to a split. Near-duplicate queries share a split. A tenth of
    the queries, rounded, and at least one, is held out for validation, and as many for
    test.

    Raises: BadInput if there are too few queries.
    """
    groups = _alike(queries, words)
    random.Random(f"{seed}/split").shuffle(groups)  # noqa: S311
    want = max(1, round(len(queries) / TENTH))
    room = dict.fromkeys(HELD_OUT, want)
    found: dict[str, Split] = {}
    for group in groups:
        name: Split = next(
            (one for one in HELD_OUT if len(group) <= room[one]), "train"
        )
        if name != "train":
            room[name] -= len(group)
        found |= dict.fromkeys(group, name)
    if len(set(found.values())) < 1 + len(HELD_OUT):
        raise bad_input(
            "wrong.synth_cases.few_queries", n=len(queries), groups=len(groups)
        )
    return dict(sorted(found.items()))


def _alike(queries: Mapping[str, CaseFile], words: WordNumbers) -> list[list[str]]:
    """Groups of near-duplicate queries, by id."""
    known = NearDuplicates(words)
    groups = {name: [name] for name in sorted(queries)}
    for name in groups:
        known.add(name, queries[name].text)
    for one, other in known.doubles():
        if groups[one] is not groups[other]:
            groups[one] += groups[other]
            groups |= dict.fromkeys(groups[other], groups[one])
    return sorted(map(sorted, {id(group): group for group in groups.values()}.values()))
