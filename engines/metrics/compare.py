"""Compares raters: pairwise, all together, and the pairs to adjudicate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from operator import mul
from typing import Literal, NamedTuple

from ...sessions.events.labels import Label
from ...sessions.events.relevance import LEAST_PAIRS as LEAST_PAIRS
from ...sessions.labels import are_at_odds, still_holds
from ...texts import t
from . import agreement
from .agreement import Ratings, Table, Weights
from .bootstrap import RESAMPLES, IntervalEstimate, figure, resampled
from .gwet import gwet_from, gwet_parts, gwet_table
from .levels import LEVELS, Bit, bit

Pair = tuple[str, str]
"""Ids of a query and of a candidate."""

ItemRatings = tuple[int | None, ...]
"""How all raters rated one pair."""

NO_PAIRS = "undefined (no pair that both have rated)"
NO_ITEMS = "undefined (no pair with enough ratings)"
NO_VARIATION = "undefined (no variation)"
DRAWN_BY_VERDICT = "undefined (labels drawn by verdict)"

FEW_QUERIES = 10
"""Queries below which an interval is too narrow, since the queries drawn are too much
alike.
"""

BITS: tuple[Bit, ...] = ("material", "legal")

KAPPAS = ("material", "legal", "levels", "levels_linear", "levels_quadratic")
"""Names of the figures."""


def figure_name(name: str) -> str:
    """A figure's name for readers, in their language."""
    return t(f"report.figure.{name}")


NOTE = (
    "Bits: material = level 1 or 3, legal = level 2 or 3. LeCaRD's levels come "
    "from the sum of three annotators' labels, so their bits are "
    "derived, not annotated: a sum can give a level that no annotator gave."
)


Kind = Literal["person", "machine", "gold", "file"]
"""An annotator of a session, the machine's scores, the levels that came with the data,
or a file or column of labels.
"""


@dataclass
class RaterLevels:
    """Pair -> level. None: seen, but unread or undecided."""

    name: str
    labels: dict[Pair, int | None] = field(default_factory=dict)
    seen_machine: int = 0
    """The labels that a person gave after seeing the machine's."""
    seen: set[Pair] = field(default_factory=set)
    """The pairs of these labels."""
    kind: Kind = "file"
    called: str = ""
    """Its name before equal names of raters were made different."""
    decisions: dict[Pair, Label] = field(default_factory=dict)
    """Of who has decided between people: the labels that say so."""
    scale: int = len(LEVELS)
    """How many levels there were to choose from, 0 to this less 1."""

    def levels(self) -> list[int]:
        """The levels that were given, in the order of the pairs."""
        return [level for level in self.labels.values() if level is not None]

    def rated(self) -> dict[Pair, int]:
        return {pair: level for pair, level in self.labels.items() if level is not None}


class Rates(NamedTuple):
    """How often one rater gave what: the base rates that every kappa depends on."""

    levels: list[float]
    """Share of each level."""
    bits: dict[str, float]
    """Share of positives."""


class Single(NamedTuple):
    """A rater who gave the same to all pairs."""

    rater: str
    what: str
    """`levels`, or the bit: `material`, `legal`."""
    value: int


class RaterComparison(NamedTuple):
    """Two raters on the pairs that both have rated."""

    first: str
    second: str
    pairs: int
    unread: int
    """Pairs that both know and at least one has left without a level."""
    only_first: int
    only_second: int
    queries: int
    """How many queries the pairs belong to: intervals are drawn from these."""
    levels: Table
    """The 4 x 4 table; the two of the bits follow from it (`agreement.bits`)."""
    raw: dict[str, float | None]
    """Raw agreement on `material`, `legal` and `levels`."""
    kappa: dict[str, IntervalEstimate]
    """Cohen's kappa on `material`, `legal`, `levels`, and on the levels with weights:
    `levels_linear`, `levels_quadratic`.
    """
    gwet: dict[str, IntervalEstimate]
    """Gwet's AC2 on the same; without weights, AC1."""
    higher: IntervalEstimate
    """The second's mean level less the first's."""

    def means(self) -> list[float]:
        """The mean level of both raters on these pairs; empty without a pair."""
        return [
            sum(map(mul, LEVELS, margin)) / self.pairs
            for margin in (margins(self.levels) if self.pairs else ())
        ]

    def rates(self) -> list[Rates]:
        """The base rates of both raters on these pairs; empty without a pair."""
        if self.pairs:
            return [rates(margin) for margin in margins(self.levels)]
        return []

    def single(self) -> list[Single]:
        """The raters who gave one level, or else one value of a bit, to all of these
        pairs.
        """
        return singles((self.first, self.second), self.levels)


class PooledAgreement(NamedTuple):
    """Several couples of raters taken together (`agreement.pooled_kappa`)."""

    couples: int
    undefined: dict[str, int]
    """Number of rater pairs without a kappa; they have no weight."""
    pairs: int
    """Different pairs that two raters or more have rated."""
    levels: Table
    """The tables of all couples, added up."""
    kappa: dict[str, IntervalEstimate]


class Overall(NamedTuple):
    """All raters together, each figure on `material`, `legal` and `levels`."""

    complete: int
    """Pairs that every rater has rated: those Fleiss' kappa rests on."""
    shared: int
    """Pairs with two ratings or more: those Krippendorff's alpha rests on."""
    fleiss: dict[str, IntervalEstimate]
    alpha: dict[str, IntervalEstimate]
    gwet: dict[str, IntervalEstimate]
    """Gwet's AC2 over the pairs with a rating; of the levels with quadratic weights."""


class RaterDispute(NamedTuple):
    """A pair on which raters differ, or on which a person is undecided."""

    query: str
    candidate: str
    labels: dict[str, int | None]
    """None: undecided."""
    spread: int
    """Highest level minus lowest."""
    bits: list[Bit]
    """The bits on which they differ."""
    decided: bool = False
    """Somebody has decided between the labels that people have now."""


def compare(
    first: RaterLevels, second: RaterLevels, *, resamples: int = RESAMPLES
) -> RaterComparison:
    """Everything about two raters, with intervals over resampled queries (`resamples`
    0: without).
    """
    common = [pair for pair in first.labels if pair in second.labels]
    by_query = _cells([(first, second)])
    table = _table([sum(column) for column in zip(*by_query.values(), strict=True)])
    pairs = sum(map(sum, table))
    return RaterComparison(
        first=first.name,
        second=second.name,
        pairs=pairs,
        unread=len(common) - pairs,
        only_first=len(first.labels) - len(common),
        only_second=len(second.labels) - len(common),
        queries=len(by_query),
        levels=table,
        raw={
            **{
                kind: agreement.raw_agreement(agreement.bits(table, kind))
                for kind in BITS
            },
            "levels": agreement.raw_agreement(table),
        },
        kappa=_figures(by_query, pairs, resamples, _pooled),
        gwet=_figures(
            by_query, pairs, resamples, partial(_gwet, scale=_scale([first, second]))
        ),
        higher=_figures(by_query, pairs, resamples, _higher)["levels"],
    )


def pooled(
    couples: Sequence[tuple[RaterLevels, RaterLevels]], *, resamples: int = RESAMPLES
) -> PooledAgreement:
    """Several couples of raters as one; whole queries are drawn, with what all couples
    say of them.
    """
    by_query = _cells(couples)
    summed = [sum(column) for column in zip(*by_query.values(), strict=True)] or [
        0
    ] * CELLS * len(couples)
    cells = [summed[place : place + CELLS] for place in range(0, len(summed), CELLS)]
    tables = list(map(_table, cells))
    rated = [one.rated().keys() & other.rated().keys() for one, other in couples]
    pairs = len(set().union(*rated))
    return PooledAgreement(
        couples=len(couples),
        undefined={
            name: sum(value is None for value in values)
            for name, values in _of_each(tables).items()
        },
        pairs=pairs,
        levels=_table([sum(column) for column in zip(*cells, strict=True)]),
        kappa=_figures(by_query, pairs, resamples, _pooled),
    )


def overall(raters: Sequence[RaterLevels], *, resamples: int = RESAMPLES) -> Overall:
    """Fleiss' kappa and Krippendorff's alpha over all raters; intervals over resampled
    queries (`resamples` 0: without).
    """
    items = ratings_by_query(raters)
    often = Counter(one for rated in items.values() for one in rated)
    complete = sum(n for one, n in often.items() if None not in one)
    shared = sum(n for one, n in often.items() if is_shared(one))
    fleiss = {}
    alpha = {}
    gwet = {}
    for name in (*BITS, "levels"):
        seen = {one: _as(one, name) for one in often}
        parts = {one: agreement.fleiss_parts(as_) for one, as_ in seen.items()}
        fleiss[name] = _of_sum(parts, agreement.fleiss_from, items, complete, resamples)
        parts = {one: agreement.alpha_parts(as_) for one, as_ in seen.items()}
        alpha[name] = _of_sum(parts, agreement.alpha_from, items, shared, resamples)
        size, weights = _SCALES[name]
        if name == "levels":
            size = _scale(raters)
        parts = {one: gwet_parts(as_, size, weights) for one, as_ in seen.items()}
        ac2 = partial(gwet_from, weights=weights)
        gwet[name] = _of_sum(parts, ac2, items, shared, resamples)
    return Overall(complete, shared, fleiss, alpha, gwet)


def by_seen(
    raters: Sequence[RaterLevels],
) -> Iterator[tuple[RaterLevels, RaterLevels]]:
    """Each person who has seen the machine's level of some pairs, beside each machine:
    by the labels given before, and by those given after.
    """
    for person in (rater for rater in raters if rater.kind == "person" and rater.seen):
        before, after = (
            RaterLevels(
                t(f"report.measures.{word}", name=person.name),
                {
                    pair: level
                    for pair, level in person.labels.items()
                    if (pair in person.seen) is seen
                },
            )
            for word, seen in (("blind", False), ("seen_first", True))
        )
        for machine in (rater for rater in raters if rater.kind == "machine"):
            yield from ((one, machine) for one in (before, after) if one.labels)


def pairs_of(raters: Sequence[RaterLevels]) -> Iterator[Pair]:
    """Every pair that a rater knows, once, in the order of the raters."""
    for place, rater in enumerate(raters):
        before = raters[:place]
        for pair in rater.labels:
            if not any(pair in other.labels for other in before):
                yield pair


def ratings_by_query(raters: Sequence[RaterLevels]) -> dict[str, list[ItemRatings]]:
    """By query how all raters rated each pair. Equal ratings are one object: of a
    million pairs few are rated differently."""
    items: dict[str, list[ItemRatings]] = {}
    known: dict[ItemRatings, ItemRatings] = {}
    for pair in pairs_of(raters):
        rated = tuple([rater.labels.get(pair) for rater in raters])
        items.setdefault(pair[0], []).append(known.setdefault(rated, rated))
    return items


def is_shared(ratings: Ratings) -> bool:
    """Whether two raters or more have rated an item."""
    return len(ratings) - ratings.count(None) > 1


def rates(counts: Sequence[int]) -> Rates:
    """Base rates of a rater who gave each level this many times; at least one."""
    shares = [count / sum(counts) for count in counts]
    return Rates(
        shares,
        {
            kind: sum(
                share
                for level, share in zip(LEVELS, shares, strict=True)
                if bit(level, kind)
            )
            for kind in BITS
        },
    )


def margins(table: Table) -> tuple[list[int], list[int]]:
    """How often the first and the second rater gave each level."""
    return [sum(row) for row in table], [
        sum(column) for column in zip(*table, strict=True)
    ]


def singles(names: tuple[str, str], table: Table) -> list[Single]:
    """The raters of a table who gave one level, or else one value of a bit, to
    everything.
    """
    found = []
    for name, margin in zip(names, margins(table), strict=True):
        given = [level for level, count in enumerate(margin) if count]
        if len(given) == 1:
            found.append(Single(name, "levels", given[0]))
        elif given:
            values = {kind: {bit(level, kind) for level in given} for kind in BITS}
            found += [
                Single(name, kind, next(iter(those)))
                for kind, those in values.items()
                if len(those) == 1
            ]
    return found


def too_few(pairs: int) -> str:
    """Why no coefficient of so few pairs is shown."""
    return (
        f"not shown: {pairs} pair{'s' * (pairs != 1)}; below {LEAST_PAIRS}, see the "
        f"table"
    )


def disputes(
    raters: Sequence[RaterLevels], everybody: Sequence[RaterLevels] = ()
) -> list[RaterDispute]:
    """The pairs that need a decision, most different first: by spread, then bits, then
    how many raters are out of step, then id.

    `everybody`: who else was read; whoever has decided between people is among them.
    """
    known = everybody or raters
    decisions = {
        pair: label for rater in known for pair, label in rater.decisions.items()
    }
    found = []
    for pair in pairs_of(raters):
        decision = decisions.get(pair)
        if decision is None and _is_unanimous(raters, pair):
            continue
        labels = {
            rater.name: rater.labels[pair] for rater in raters if _has_said(rater, pair)
        }
        if not are_at_odds(
            labels.values(), decision.value if decision is not None else None
        ):
            continue
        levels = Counter(level for level in labels.values() if level is not None)
        differing = [
            kind for kind in BITS if len({bit(level, kind) for level in levels}) > 1
        ]
        now = {
            rater.called or rater.name: rater.labels[pair]
            for rater in known
            if rater.kind == "person" and pair in rater.labels
        }
        decided = decision is not None and still_holds(decision, now)
        dispute = RaterDispute(
            *pair,
            labels,
            max(levels, default=0) - min(levels, default=0),
            differing,
            decided,
        )
        out_of_step = len(labels) - max(levels.values(), default=0)
        found.append(((-dispute.spread, -len(differing), -out_of_step, pair), dispute))
    return [one for _, one in sorted(found, key=lambda entry: entry[0])]


def _is_unanimous(raters: Sequence[RaterLevels], pair: Pair) -> bool:
    """Whether every rater has given a pair the same level."""
    level = raters[0].labels.get(pair)
    return level is not None and all(
        other.labels.get(pair) == level for other in raters[1:]
    )


def _has_said(rater: RaterLevels, pair: Pair) -> bool:
    """Whether a rater has a level for a pair, or is a person who is undecided: a
    machine's answer without a level says nothing.
    """
    return rater.labels.get(pair) is not None or (
        rater.kind == "person" and pair in rater.labels
    )


CELLS = len(LEVELS) ** 2

_WEIGHTS: dict[str, Weights] = {
    "levels": None,
    "levels_linear": "linear",
    "levels_quadratic": "quadratic",
}


_SCALES: dict[str, tuple[int, Weights]] = {
    "material": (2, None),
    "legal": (2, None),
    "levels": (len(LEVELS), "quadratic"),
}
"""Values and weights of Gwet's AC2 of all raters."""


def _cells(couples: Sequence[tuple[RaterLevels, RaterLevels]]) -> dict[str, list[int]]:
    """Query to the cells of its table of levels, row by row, those of all couples one
    after the other.
    """
    found: dict[str, list[int]] = {}
    for place, (first, second) in enumerate(couples):
        for pair, level in first.labels.items():
            other = second.labels.get(pair)
            if level is not None and other is not None:
                cells = found.setdefault(pair[0], [0] * CELLS * len(couples))
                cells[place * CELLS + level * len(LEVELS) + other] += 1
    return found


def _table(cells: Sequence[int]) -> Table:
    size = len(LEVELS)
    return [
        list(cells[place : place + size]) or [0] * size
        for place in range(0, CELLS, size)
    ]


def _figures(
    by_query: dict[str, list[int]],
    pairs: int,
    resamples: int,
    of_tables: Callable[[Sequence[Table]], dict[str, float | None]],
) -> dict[str, IntervalEstimate]:
    """Every figure of the tables that the queries add up to, with its interval;
    without a value where there are too few pairs.
    """

    def of(cells: Sequence[float]) -> dict[str, float | None]:
        return of_tables(
            [
                _table(cells[place : place + CELLS])  # type: ignore[arg-type]
                for place in range(0, len(cells), CELLS)
            ]
        )

    @cache
    def drawn() -> list[dict[str, float | None]]:
        return [of(cells) for cells in resampled(by_query.values(), resamples)]

    if pairs < LEAST_PAIRS:
        return dict.fromkeys(
            KAPPAS, IntervalEstimate(None, too_few(pairs) if pairs else NO_PAIRS)
        )
    whole = of([sum(column) for column in zip(*by_query.values(), strict=True)])
    return {
        name: figure(value, _member(drawn, name), NO_VARIATION, len(by_query))
        for name, value in whole.items()
    }


def _pooled(tables: Sequence[Table]) -> dict[str, float | None]:
    """Every kappa of several tables together."""
    of_bits: dict[str, float | None] = {
        kind: agreement.pooled_kappa([agreement.bits(table, kind) for table in tables])
        for kind in BITS
    }
    return {
        **of_bits,
        **{
            name: agreement.pooled_kappa(tables, weights)
            for name, weights in _WEIGHTS.items()
        },
    }


def _gwet(tables: Sequence[Table], scale: int) -> dict[str, float | None]:
    """Every AC2 of one table: unlike kappa and alpha it depends on how many levels
    there were to choose from.
    """
    (table,) = tables
    used = [n for n, row in enumerate(table) if any(row) or any(r[n] for r in table)]
    size = max(scale, *(n + 1 for n in used), 1)
    chosen = [row[:size] for row in table[:size]]
    return {
        **{kind: gwet_table(agreement.bits(table, kind)) for kind in BITS},
        **{name: gwet_table(chosen, weights) for name, weights in _WEIGHTS.items()},
    }


def _scale(raters: Sequence[RaterLevels]) -> int:
    """How many levels these raters had to choose from: one that all of them had."""
    return max((rater.scale for rater in raters), default=len(LEVELS))


def _higher(tables: Sequence[Table]) -> dict[str, float | None]:
    """How much higher the levels of the second are on average, in one table."""
    (table,) = tables
    pairs = sum(map(sum, table))
    first, second = (sum(map(mul, LEVELS, margin)) for margin in margins(table))
    return {"levels": (second - first) / pairs if pairs else None}


def _of_each(tables: Sequence[Table]) -> dict[str, list[float | None]]:
    found = [_pooled([table]) for table in tables]
    return {name: [one[name] for one in found] for name in KAPPAS}


def _member(
    drawn: Callable[[], Sequence[dict[str, float | None]]], name: str
) -> Callable[[], list[float | None]]:
    return lambda: [one[name] for one in drawn()]


def _as(item: Ratings, name: str) -> list[int | None]:
    if name == "levels":
        return list(item)
    kind: Bit = "material" if name == "material" else "legal"
    return [None if one is None else bit(one, kind) for one in item]


def _of_sum(
    parts: Mapping[ItemRatings, list[float] | None],
    value: Callable[[Sequence[float]], float | None],
    items: Mapping[str, Sequence[ItemRatings]],
    pairs: int,
    resamples: int,
) -> IntervalEstimate:
    """A figure of the sum of all items' parts, and of the sums over resampled queries;
    without a value where there are too few pairs.

    `parts`: what an item that is rated so adds.
    """
    if pairs < LEAST_PAIRS:
        return IntervalEstimate(None, too_few(pairs) if pairs else NO_ITEMS)
    found = (agreement.add(map(parts.get, rated)) for rated in items.values())
    clusters = [cluster for cluster in found if cluster]
    whole = value(agreement.add(clusters))
    return figure(
        whole,
        lambda: map(value, resampled(clusters, resamples)),
        NO_VARIATION,
        len(clusters),
    )
