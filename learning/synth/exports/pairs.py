"""Lines for sentence-transformers, which reads columns by position: scored pairs, and
triples with a hard negative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from .beir import LabeledPair

HIGHEST = 3
"""The highest level, with score 1."""


def scored(
    pairs: Sequence[LabeledPair],
    queries: Mapping[str, str],
    cases: Callable[[str], str],
) -> Iterator[dict[str, object]]:
    """Pairs of texts, with their levels as scores from 0 to 1."""
    for pair in pairs:
        yield {
            "sentence1": queries[pair.query],
            "sentence2": cases(pair.case),
            "score": round(pair.level / HIGHEST, 4),
        }


def hard(pairs: Sequence[LabeledPair], positive: int) -> list[tuple[str, str]]:
    """The pairs of level 0 whose case can be a negative because it is a positive of
    another query. `positive`: the lowest level of a positive.

    Cases that are never positives would teach a model which cases are relevant in
    general, without regard to the query.
    """
    near: dict[str, set[str]] = {}
    for pair in pairs:
        if pair.level >= positive:
            near.setdefault(pair.case, set()).add(pair.query)
    return [
        (pair.query, pair.case)
        for pair in pairs
        if pair.level == 0 and near.get(pair.case, set()) - {pair.query}
    ]


def triples(
    pairs: Sequence[LabeledPair],
    positive: int,
    similar: Mapping[tuple[str, str], float],
) -> tuple[list[tuple[str, str, str]], int]:
    """Returns query, positive and negative by id, and the number of positives without a
    negative.

    `similar`: the similarity of each hard pair. A query's positives get its negatives
    in turn, the most similar first.
    """
    negatives: dict[str, list[str]] = {}
    for query, case in sorted(hard(pairs, positive), key=lambda pair: -similar[pair]):
        negatives.setdefault(query, []).append(case)
    found, without, used = [], 0, dict.fromkeys(negatives, 0)
    for one in pairs:
        if one.level < positive:
            continue
        against = negatives.get(one.query)
        if not against:
            without += 1
            continue
        found.append((one.query, one.case, against[used[one.query] % len(against)]))
        used[one.query] += 1
    return found, without
