"""How good a ranking is: nDCG, precision, average precision, and their means over queries.

nDCG as LeCaRD has it (Ma et al. 2021; Järvelin and Kekäläinen 2002): the gain is the label itself, the discount log2(rank + 1), and the
ideal comes from all labels of the query. A candidate without a label counts 0, or, in condensed lists (Sakai 2007), is taken out first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

Labels = Mapping[str, int]
"""The levels of one query's candidates."""


class Ranked(NamedTuple):
    """One line of a run."""

    candidate: str
    score: float
    rank: float
    """As the file has it; smaller is better."""


class Query(NamedTuple):
    """The figures of one query."""

    ndcg: dict[int, float]
    """By cut-off."""
    precision: dict[int, float]
    average_precision: float


class Means(NamedTuple):
    """The figures of a run: means over queries, each in two ways.

    `ranked`: over the labelled queries that the run ranks. `all`: over all labelled queries, one that is not ranked counting 0.
    """

    queries: dict[str, Query]
    missing: list[str]
    """Labelled queries that the run does not rank."""
    unknown: list[str]
    """Queries of the run without labels, which are left out."""
    no_gain: list[str]
    """Ranked queries whose labels are all 0: their nDCG counts 0."""
    no_relevant: list[str]
    """Ranked queries without a relevant candidate: their precision and average precision count 0."""
    unlabelled: float | None
    """Share of candidates without a label among the first places, down to the deepest cut-off."""
    ranked: Query | None
    all: Query | None


def ordered(run: Sequence[Ranked]) -> list[str]:
    """Candidates best first: by score; equal scores by the rank in the file; equal ranks by id, as text."""
    return [one.candidate for one in sorted(run, key=lambda one: (-one.score, one.rank, one.candidate))]


def condensed(ranking: Sequence[str], labels: Labels) -> list[str]:
    """The ranking without the candidates that have no label."""
    return [one for one in ranking if one in labels]


def ndcg(ranking: Sequence[str], labels: Labels, k: int) -> float:
    """nDCG over the first k places, 0 to 1; 0 for a query whose labels are all 0."""
    ideal = _dcg(sorted(labels.values(), reverse=True)[:k])
    return _dcg([labels.get(one, 0) for one in ranking[:k]]) / ideal if ideal else 0.0


def precision(ranking: Sequence[str], labels: Labels, k: int, relevant: int = 3) -> float:
    """Relevant candidates among the first k places, divided by k also where the list is shorter. Relevant: labels from `relevant` up."""
    return sum(1 for one in ranking[:k] if labels.get(one, 0) >= relevant) / k


def average_precision(ranking: Sequence[str], labels: Labels, relevant: int = 3) -> float:
    """Mean of the precision at the place of every relevant candidate, one that is not ranked adding 0; 0 for a query without any."""
    wanted = sum(1 for label in labels.values() if label >= relevant)
    found, total = 0, 0.0
    for place, one in enumerate(ranking, 1):
        if labels.get(one, 0) >= relevant:
            found += 1
            total += found / place
    return total / wanted if wanted else 0.0


def means(
    rankings: Mapping[str, Sequence[str]], labels: Mapping[str, Labels], at: Sequence[int], *, relevant: int = 3, condense: bool = False
) -> Means:
    """The figures of a whole run. `rankings` and `labels` are by query; `condense`: over condensed lists."""
    queries: dict[str, Query] = {}
    places = labelled = 0
    for name, ranking in rankings.items():
        known = labels.get(name)
        if known is None:
            continue
        places += len(ranking[: max(at)])
        labelled += len(condensed(ranking[: max(at)], known))
        listed = condensed(ranking, known) if condense else ranking
        queries[name] = Query(
            {k: ndcg(listed, known, k) for k in at},
            {k: precision(listed, known, k, relevant) for k in at},
            average_precision(listed, known, relevant),
        )
    return Means(
        queries=queries,
        missing=[name for name in labels if name not in rankings],
        unknown=[name for name in rankings if name not in labels],
        no_gain=[name for name in queries if not any(labels[name].values())],
        no_relevant=[name for name in queries if max(labels[name].values(), default=0) < relevant],
        unlabelled=1 - labelled / places if places else None,
        ranked=_mean(queries, at, len(queries)),
        all=_mean(queries, at, len(labels)),
    )


def _mean(queries: Mapping[str, Query], at: Sequence[int], count: int) -> Query | None:
    if not count:
        return None
    each = queries.values()
    return Query(
        {k: math.fsum(one.ndcg[k] for one in each) / count for k in at},
        {k: math.fsum(one.precision[k] for one in each) / count for k in at},
        math.fsum(one.average_precision for one in each) / count,
    )


def _dcg(gains: Sequence[int]) -> float:
    return math.fsum(gain / math.log2(place + 1) for place, gain in enumerate(gains, 1))
