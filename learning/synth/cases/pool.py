"""The cases that pairs are drawn from: candidates of training queries, without anything
held out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from ....engines.retrieval.near import QuotedTexts, Shingles
from .judged_pairs import Split
from .sources import Pair, Sources
from .train_test_splits import HELD_OUT
from .words import NearDuplicates, WordNumbers

if TYPE_CHECKING:
    from ....engines.retrieval.store import Array

Why = Literal["held-out", "near-held-out", "id-of-a-query", "near-another"]
"""Why a case is not in the pool.

`held-out`: a candidate of a held-out query. `near-held-out`: a near-duplicate of one or
of the query, or a text that contains the query's. `id-of-a-query`: has the id of
another query, whose place it would take. `near-another`: a near-duplicate of a case in
the pool.
"""


@dataclass
class TrainingPool:
    """The data that training may use."""

    cases: list[str] = field(default_factory=list)
    """The cases to draw from, ordered by id."""
    left_out: dict[str, Why] = field(default_factory=dict)
    """By case."""
    barred_queries: list[str] = field(default_factory=list)
    """Training queries that are near-duplicates of held-out texts, or whose text a
    held-out case contains.
    """

    def labelled(
        self, labels: Mapping[Pair, int], splits: Mapping[str, Split], split: Split
    ) -> dict[Pair, int]:
        """People's levels of a split. For training, only pairs that share no text with
        held-out data.
        """
        own = {
            pair: level for pair, level in labels.items() if splits[pair[0]] == split
        }
        if split != "train":
            return own
        barred = {
            case
            for case, why in self.left_out.items()
            if why in ("held-out", "near-held-out")
        }
        queries = set(self.barred_queries)
        return {
            pair: level
            for pair, level in own.items()
            if pair[0] not in queries and pair[1] not in barred
        }

    def counts(self) -> dict[str, int]:
        """Number of left-out cases by reason."""
        reasons = list(self.left_out.values())
        return {
            why: reasons.count(why)
            for why in ("held-out", "near-held-out", "id-of-a-query", "near-another")
        }


def held_out(
    sources: Sources, splits: Mapping[str, Split]
) -> Iterator[tuple[str, str]]:
    """Names and texts of all held-out queries and cases. A name is not an id, because a
    query and a case may share an id.
    """
    cases: dict[str, None] = {}
    for query, split in splits.items():
        if split in HELD_OUT:
            yield f"query {query}", sources.queries[query].text
            cases |= dict.fromkeys(sources.candidates[query])
    for case in sorted(cases):
        yield f"case {case}", sources.cases[case].text


def pool_of(
    sources: Sources,
    splits: Mapping[str, Split],
    words: WordNumbers,
    take: Callable[[str, Array], None],
) -> TrainingPool:
    """Builds the pool of the training queries. Each case is tokenized once; `take`
    receives the words of candidates for the pool.
    """
    duplicates = NearDuplicates(words)
    names = set()
    training = [query for query, split in splits.items() if split == "train"]
    asked = QuotedTexts(
        (query, words.shingles(sources.queries[query].text)) for query in training
    )
    barred = set[str]()
    for name, text in held_out(sources, splits):
        shingles = words.shingles(text)
        duplicates.add(name, text, shingles)
        names.add(name)
        barred.update(asked.within(shingles))
    quoted = QuotedTexts(
        (name, words.shingles(text))
        for name, text in held_out(sources, splits)
        if name.startswith("query ")
    )
    pool = TrainingPool()
    pool.barred_queries = [
        query
        for query in training
        if query in barred
        or duplicates.like(words.shingles(sources.queries[query].text))
    ]
    seen = NearDuplicates(words)
    for case in sorted(
        {case for query in training for case in sources.candidates[query]}
    ):
        text = sources.cases[case].text
        numbers = words.of(text)
        shingles = Shingles(numbers, 0)
        query = sources.queries.get(case)
        if f"case {case}" in names:
            pool.left_out[case] = "held-out"
        elif duplicates.like(shingles) or quoted.within(shingles):
            pool.left_out[case] = "near-held-out"
        elif query is not None and query.text != text:
            pool.left_out[case] = "id-of-a-query"
        else:
            seen.add(case, text, shingles)
            take(case, numbers)
            pool.cases.append(case)
    for first, case in seen.doubles():
        if first not in pool.left_out:
            pool.left_out[case] = "near-another"
    pool.cases = [case for case in pool.cases if case not in pool.left_out]
    return pool
