"""Measures the quality of rankings: nDCG, precision, average precision, and their means
over queries.

nDCG as LeCaRD has it (Ma et al. 2021; Järvelin and Kekäläinen 2002): the gain is the
label itself, the discount log2(rank + 1), and the ideal comes from all labels of the
query. A candidate without a label counts 0, or, in condensed lists (Sakai 2007), is
taken out first.

Candidates with equal scores have no order among themselves. Every figure is therefore
its mean over all orders of equal scores, in closed form (McSherry and Najork 2008); the
best and the worst of these orders, the order of the file and a random order stand
beside it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, groupby, pairwise
from typing import Literal, NamedTuple

from .bootstrap import RESAMPLES, interval, resampled

Labels = Mapping[str, int]
"""The levels of one query's candidates."""

Tiers = Sequence[Sequence[str]]
"""Candidates best first; those of one tier have equal scores and are in the order of
the file.
"""

Order = Literal["file", "worst", "best", "random"]
"""The order of equal scores: as in the file, then by id; least relevant first; most
relevant first. Random: all candidates shuffled.
"""


class RunLine(NamedTuple):
    """One line of a run."""

    candidate: str
    score: float
    rank: float
    """As the file has it; smaller is better."""


class QueryFigures(NamedTuple):
    """The figures of one query."""

    ndcg: dict[int, float]
    """By cut-off."""
    precision: dict[int, float]
    average_precision: float


class Means(NamedTuple):
    """The figures of a run: means over queries.

    Each figure is the mean over all orders of equal scores.

    `ranked`: over the labelled queries that the run ranks. `all`: over all labelled
    queries, one that is not ranked counting 0.
    """

    queries: dict[str, QueryFigures]
    missing: list[str]
    """Labelled queries that the run does not rank."""
    unknown: list[str]
    """Queries of the run without labels, which are left out."""
    no_gain: list[str]
    """Ranked queries whose labels are all 0: their nDCG counts 0."""
    no_relevant: list[str]
    """Ranked queries without a relevant candidate: their precision and average
    precision count 0.
    """
    unlabelled: float | None
    """Share of candidates without a label among the first places, down to the deepest
    cut-off.
    """
    tied: float | None
    """Share of candidates that have the score of another one of their query."""
    ranked: QueryFigures | None
    all: QueryFigures | None
    orders: dict[Order, QueryFigures | None]
    """Means over the queries ranked, with equal scores in these orders."""
    by_order: dict[Order, dict[str, QueryFigures]]
    """The same by query."""
    intervals: Intervals
    """95 % intervals of `ranked`, over resampled queries."""
    turned: QueryFigures | None
    """What `ranked` would be if every list were read from its end."""


class Intervals(NamedTuple):
    """Low and high of each figure; None where there is only one query, or no
    resample.
    """

    ndcg: dict[int, tuple[float, float] | None]
    precision: dict[int, tuple[float, float] | None]
    average_precision: tuple[float, float] | None


def tiers(run: Sequence[RunLine]) -> list[list[str]]:
    """Candidates best first, those of equal scores together: in the order of their
    ranks in the file, equal ranks by id, as text.
    """
    ordered = sorted(run, key=lambda one: (-one.score, one.rank, one.candidate))
    return [
        [one.candidate for one in tier]
        for _, tier in groupby(ordered, key=lambda one: one.score)
    ]


def by_rank(run: Sequence[RunLine]) -> list[RunLine]:
    """The lines scored by their rank in the file, for a run whose scores say something
    else.
    """
    return [one._replace(score=-one.rank) for one in run]


def rising(run: Sequence[RunLine]) -> bool:
    """True if a list looks reversed: its scores rise with its ranks, in nine of ten
    steps or more.
    """
    ordered = sorted(run, key=lambda one: one.rank)
    steps = [
        after.score - one.score
        for one, after in pairwise(ordered)
        if after.rank > one.rank and after.score != one.score
    ]
    return bool(steps) and sum(step > 0 for step in steps) >= 0.9 * len(steps)


def condensed(ranking: Sequence[str], labels: Labels) -> list[str]:
    """The ranking without the candidates that have no label."""
    return [one for one in ranking if one in labels]


def flat(listed: Tiers) -> list[str]:
    """The candidates in the order of the file."""
    return list(chain.from_iterable(listed))


def expected_ndcg(listed: Tiers, labels: Labels, k: int) -> float:
    """The mean of nDCG@k, 0 to 1, over all orders of equal scores: each place has the
    mean gain of its tier. 0 for a query whose labels are all 0.
    """
    ideal = math.fsum(
        gain * _discount(place)
        for place, gain in enumerate(sorted(labels.values(), reverse=True)[:k], 1)
    )
    if not ideal:
        return 0.0
    gained = []
    before = 0
    for tier in listed:
        mean = sum(labels.get(one, 0) for one in tier) / len(tier) if tier else 0.0
        gained += [
            mean * _discount(place)
            for place in range(before + 1, min(before + len(tier), k) + 1)
        ]
        before += len(tier)
    return math.fsum(gained) / ideal


def expected_precision(
    listed: Tiers, labels: Labels, k: int, relevant: int = 3
) -> float:
    """The mean of P@k over all orders of equal scores: of a tier that the cut divides,
    its share of relevant ones counts. Divided by k also where the list is shorter.
    Relevant: labels from `relevant` up.
    """
    before, hits = 0, 0.0
    for tier in listed:
        found = sum(labels.get(one, 0) >= relevant for one in tier)
        room = min(len(tier), max(k - before, 0))
        hits += found * room / len(tier) if tier else 0.0
        before += len(tier)
    return hits / k


def expected_average_precision(
    listed: Tiers, labels: Labels, relevant: int = 3
) -> float:
    """The mean of average precision over all orders of equal scores.

    Of a tier of n candidates with r relevant ones, each place holds a relevant one with
    chance r / n; the j - 1 places of the tier before it then hold (j - 1)(r - 1) / (n -
    1) relevant ones on average.
    """
    wanted = sum(1 for label in labels.values() if label >= relevant)
    before, hits, total = 0, 0, 0.0
    for tier in listed:
        n, r = len(tier), sum(labels.get(one, 0) >= relevant for one in tier)
        beside = (r - 1) / (n - 1) if n > 1 else 0.0
        if r:
            total += (
                r
                / n
                * math.fsum(
                    (hits + 1 + j * beside) / (before + j + 1) for j in range(n)
                )
            )
        before, hits = before + n, hits + r
    if wanted:
        return total / wanted
    return 0.0


def _unlabelled(
    rankings: Mapping[str, Tiers], labels: Mapping[str, Labels], most: int
) -> float | None:
    """The share of the first places that nobody has labelled; None without places."""
    first = {query: flat(listed)[:most] for query, listed in rankings.items()}
    places = sum(map(len, first.values()))
    labelled = sum(
        len(condensed(listed, labels[query])) for query, listed in first.items()
    )
    return 1 - labelled / places if places else None


def means(
    rankings: Mapping[str, Tiers],
    labels: Mapping[str, Labels],
    at: Sequence[int],
    *,
    relevant: int = 3,
    condense: bool = False,
    resamples: int = RESAMPLES,
) -> Means:
    """The figures of a whole run.

    `rankings` and `labels` are by query; `condense`: over condensed lists.
    """
    known = {query: listed for query, listed in rankings.items() if query in labels}
    listed = {
        query: _condensed(found, labels[query]) if condense else found
        for query, found in known.items()
    }

    def of_all(order: Callable[[Tiers, Labels], Tiers]) -> dict[str, QueryFigures]:
        return {
            query: _query(order(found, labels[query]), labels[query], at, relevant)
            for query, found in listed.items()
        }

    queries = of_all(lambda found, _: found)
    by_order: dict[Order, dict[str, QueryFigures]] = {
        "file": of_all(lambda found, _: [[one] for one in flat(found)]),
        "worst": of_all(
            lambda found, gains: _sorted(found, lambda one: gains.get(one, 0))
        ),
        "best": of_all(
            lambda found, gains: _sorted(found, lambda one: -gains.get(one, 0))
        ),
        "random": of_all(lambda found, _: [flat(found)]),
    }
    sizes = [len(tier) for found in listed.values() for tier in found]
    return Means(
        queries=queries,
        missing=[name for name in labels if name not in rankings],
        unknown=[name for name in rankings if name not in labels],
        no_gain=[name for name in queries if not any(labels[name].values())],
        no_relevant=[
            name for name in queries if max(labels[name].values(), default=0) < relevant
        ],
        unlabelled=_unlabelled(known, labels, max(at)),
        tied=sum(size for size in sizes if size > 1) / sum(sizes)
        if sum(sizes)
        else None,
        ranked=_mean(queries, at, len(queries)),
        all=_mean(queries, at, len(labels)),
        orders={
            order: _mean(found, at, len(found)) for order, found in by_order.items()
        },
        by_order=by_order,
        intervals=_intervals(queries, at, resamples),
        turned=_mean(of_all(lambda found, _: found[::-1]), at, len(queries)),
    )


def _query(
    listed: Tiers, labels: Labels, at: Sequence[int], relevant: int
) -> QueryFigures:
    return QueryFigures(
        {k: expected_ndcg(listed, labels, k) for k in at},
        {k: expected_precision(listed, labels, k, relevant) for k in at},
        expected_average_precision(listed, labels, relevant),
    )


def _condensed(listed: Tiers, labels: Labels) -> Tiers:
    return [left for tier in listed if (left := condensed(tier, labels))]


def _sorted(listed: Tiers, key: Callable[[str], int]) -> Tiers:
    """One candidate a tier, each tier in the order of `key`."""
    return [[one] for tier in listed for one in sorted(tier, key=key)]


def _intervals(
    queries: Mapping[str, QueryFigures], at: Sequence[int], resamples: int
) -> Intervals:
    """Over resampled queries."""
    rows = [
        [
            *(query.ndcg[k] for k in at),
            *(query.precision[k] for k in at),
            query.average_precision,
        ]
        for query in queries.values()
    ]
    drawn = list(resampled(rows, resamples)) if len(rows) > 1 else []
    ends: list[tuple[float, float] | None] = [None] * (2 * len(at) + 1)
    if drawn:
        for place, column in enumerate(zip(*drawn, strict=True)):
            low, high, _ = interval([one / len(rows) for one in column], len(rows))
            ends[place] = None if low is None or high is None else (low, high)
    return Intervals(
        dict(zip(at, ends, strict=False)),
        dict(zip(at, ends[len(at) :], strict=False)),
        ends[-1],
    )


def _mean(
    queries: Mapping[str, QueryFigures], at: Sequence[int], count: int
) -> QueryFigures | None:
    if not count:
        return None
    each = queries.values()
    return QueryFigures(
        {k: math.fsum(one.ndcg[k] for one in each) / count for k in at},
        {k: math.fsum(one.precision[k] for one in each) / count for k in at},
        math.fsum(one.average_precision for one in each) / count,
    )


def _discount(place: int) -> float:
    return 1 / math.log2(place + 1)
