"""Lines for sentence-transformers: pairs with a score, and triples with a hard
negative. It takes the columns by their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from .beir import LabeledPair

HIGHEST = 3
"""The highest level: its score is 1."""


def scored(
    pairs: Sequence[LabeledPair],
    queries: Mapping[str, str],
    cases: Callable[[str], str],
) -> Iterator[dict[str, object]]:
    """Pairs of texts with their level as a score from 0 to 1."""
    for one in pairs:
        yield {
            "sentence1": queries[one.query],
            "sentence2": cases(one.case),
            "score": round(one.level / HIGHEST, 4),
        }


def hard(pairs: Sequence[LabeledPair], positive: int) -> list[tuple[str, str]]:
    """The pairs of level 0 whose case can stand as a negative: it is a positive of
    another query.

    `positive`: the least level of one. Cases that are positives nowhere would teach a
    model which cases are ever near, and nothing of the query.
    """
    near: dict[str, set[str]] = {}
    for one in pairs:
        if one.level >= positive:
            near.setdefault(one.case, set()).add(one.query)
    return [
        (one.query, one.case)
        for one in pairs
        if one.level == 0 and near.get(one.case, set()) - {one.query}
    ]


def triples(
    pairs: Sequence[LabeledPair],
    positive: int,
    similar: Mapping[tuple[str, str], float],
) -> tuple[list[tuple[str, str, str]], int]:
    """Query, positive and negative by their ids, and how many positives have no
    negative.

    `similar`: how similar the two of each hard pair are. The positives of a query get
    its negatives in turn, the most similar first.
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
