"""Checks before an export that no training query or case is held out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from ....engines.cases.importers.cases import CaseFile
from ....engines.retrieval.near import QuotedTexts
from .judged_pairs import PairSet
from .train_test_splits import HELD_OUT
from .words import NearDuplicates, WordNumbers


class Leak(NamedTuple):
    """A training text that is also held out."""

    text: str
    """`case ID` or `query ID`."""
    held: str
    """The held-out text, in the same form."""
    why: Literal["same", "near"]


def leaks(
    drawn: Iterable[PairSet],
    queries: Mapping[str, CaseFile],
    cases: Mapping[str, CaseFile],
    words: WordNumbers,
) -> list[Leak]:
    """Finds every training text that is also held out: under the same id, as a
    near-duplicate, or containing the text of a held-out query; training queries whose
    text a held-out case contains; and queries that are in both validation and test.
    Empty: no leak.
    """
    by_set = {one.name: _texts(one, queries, cases) for one in drawn}
    held = {name: by_set.pop(name, {}) for name in HELD_OUT}
    trained = {name: text for texts in by_set.values() for name, text in texts.items()}
    own = QuotedTexts(
        (name, words.shingles(text))
        for name, text in trained.items()
        if name.startswith("query ")
    )
    holders: dict[str, list[str]] = {}
    known = NearDuplicates(words)
    every = held["validation"] | held["test"]
    for name, text in every.items():
        shingles = words.shingles(text)
        known.add(name, text, shingles)
        for query in own.within(shingles):
            holders.setdefault(query, []).append(name)
    quoted = QuotedTexts(
        (name, words.shingles(text))
        for name, text in every.items()
        if name.startswith("query ")
    )
    asked = {name for name in held["test"] if name.startswith("query ")}
    found = []
    for name, text in held["validation"].items():
        if name.startswith("query "):
            found += [
                Leak(name, other, _why(name, other))
                for other in known.like(words.shingles(text))
                if other in asked
            ]
    for name, text in trained.items():
        if name in every:
            found.append(Leak(name, name, "same"))
        else:
            shingles = words.shingles(text)
            found += [
                Leak(name, other, "near")
                for other in dict.fromkeys(
                    [
                        *known.like(shingles),
                        *quoted.within(shingles),
                        *holders.get(name, ()),
                    ]
                )
            ]
    return found


def _why(one: str, other: str) -> Literal["same", "near"]:
    if one == other:
        return "same"
    return "near"


def _texts(
    pair_set: PairSet, queries: Mapping[str, CaseFile], cases: Mapping[str, CaseFile]
) -> dict[str, str]:
    """The texts of a set by `query ID` and `case ID`. A case in the place of a query
    counts as a case.
    """
    found = {}
    for pair in pair_set.pairs:
        person = pair.by == "people"
        asked = queries[pair.query] if person else cases[pair.query]
        found[f"{'query' if person else 'case'} {pair.query}"] = asked.text
        found[f"case {pair.case}"] = cases[pair.case].text
    return found
