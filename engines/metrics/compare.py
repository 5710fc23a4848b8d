"""Raters against each other: pairwise, all together, and the pairs to adjudicate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from . import agreement
from .agreement import Ratings, Table
from .bootstrap import RESAMPLES, Figure, figure, samples
from .levels import LEVELS, Bit, bit

Pair = tuple[str, str]
"""Ids of a query and of a candidate."""

NO_PAIRS = "undefined (no pair that both have rated)"
NO_ITEMS = "undefined (no pair with ratings enough)"
NO_VARIATION = "undefined (no variation)"

BITS: tuple[Bit, ...] = ("material", "legal")

KAPPAS = {
    "material": "material bit",
    "legal": "legal bit",
    "levels": "four levels",
    "levels_linear": "four levels, linear weights",
    "levels_quadratic": "four levels, quadratic weights",
}
"""Figures by what people call them."""

NOTE = (
    "Bits: material = level 1 or 3, legal = level 2 or 3. LeCaRD's levels come from the sum of three annotators' labels, so their bits are "
    "derived, not annotated: a sum can fall on a level that nobody gave."
)


@dataclass
class Rater:
    """Who rated which pair how. None: looked at, and unread or undecided."""

    name: str
    labels: dict[Pair, int | None] = field(default_factory=dict)
    seen_machine: int = 0
    """Labels of a person who had seen the machine's before."""

    def rated(self) -> dict[Pair, int]:
        return {pair: level for pair, level in self.labels.items() if level is not None}


class Comparison(NamedTuple):
    """Two raters on the pairs that both have rated."""

    first: str
    second: str
    pairs: int
    unread: int
    """Pairs that both know and at least one has left without a level."""
    only_first: int
    only_second: int
    levels: Table
    """The 4 x 4 table; the two of the bits follow from it (`agreement.bits`)."""
    raw: dict[str, float | None]
    """Raw agreement on `material`, `legal` and `levels`."""
    kappa: dict[str, Figure]
    """Cohen's kappa on `material`, `legal`, `levels`, and on the levels with weights: `levels_linear`, `levels_quadratic`."""


class Overall(NamedTuple):
    """All raters together, each figure on `material`, `legal` and `levels`."""

    complete: int
    """Pairs that every rater has rated: those Fleiss' kappa rests on."""
    shared: int
    """Pairs with two ratings or more: those Krippendorff's alpha rests on."""
    fleiss: dict[str, Figure]
    alpha: dict[str, Figure]


class Dispute(NamedTuple):
    """A pair on which raters differ."""

    query: str
    candidate: str
    labels: dict[str, int]
    spread: int
    """Highest level minus lowest."""
    bits: list[Bit]
    """The bits on which they differ."""


def compare(first: Rater, second: Rater, *, resamples: int = RESAMPLES) -> Comparison:
    """Everything about two raters, with intervals over resampled pairs (`resamples` 0: without)."""
    common = [pair for pair in first.labels if pair in second.labels]
    table = agreement.confusion([first.labels[pair] for pair in common], [second.labels[pair] for pair in common])
    pairs = sum(map(sum, table))
    size = len(LEVELS)

    @cache
    def resampled() -> list[dict[str, float | None]]:
        cells = [count for row in table for count in row]
        drawn = samples(cells, resamples)
        return [_kappas([sample[place : place + size] for place in range(0, len(sample), size)]) for sample in drawn]

    kappa = {name: figure(value, _of(resampled, name), NO_VARIATION if pairs else NO_PAIRS) for name, value in _kappas(table).items()}
    return Comparison(
        first=first.name,
        second=second.name,
        pairs=pairs,
        unread=len(common) - pairs,
        only_first=len(first.labels) - len(common),
        only_second=len(second.labels) - len(common),
        levels=table,
        raw={**{kind: agreement.raw_agreement(agreement.bits(table, kind)) for kind in BITS}, "levels": agreement.raw_agreement(table)},
        kappa=kappa,
    )


def overall(raters: Sequence[Rater], *, resamples: int = RESAMPLES) -> Overall:
    """Fleiss' kappa and Krippendorff's alpha over all raters; intervals over resampled pairs (`resamples` 0: without)."""
    everything = dict.fromkeys(pair for rater in raters for pair in rater.labels)
    kinds = Counter(tuple(rater.labels.get(pair) for rater in raters) for pair in everything)
    complete = sum(count for item, count in kinds.items() if None not in item)
    shared = sum(count for item, count in kinds.items() if sum(one is not None for one in item) > 1)
    fleiss: dict[str, Figure] = {}
    alpha: dict[str, Figure] = {}
    for name in (*BITS, "levels"):
        seen = [(_as(item, name), count) for item, count in kinds.items()]
        fleiss[name] = _of_sum(agreement.fleiss_parts, agreement.fleiss_from, seen, resamples)
        alpha[name] = _of_sum(agreement.alpha_parts, agreement.alpha_from, seen, resamples)
    return Overall(complete, shared, fleiss, alpha)


def mean_kappas(compared: Iterable[Comparison]) -> dict[str, tuple[float | None, int]]:
    """Mean of Cohen's kappa over couples of raters, and the number of those it is defined for."""
    found: dict[str, list[float]] = {}
    for one in compared:
        for name, kappa in one.kappa.items():
            found.setdefault(name, []).extend([] if kappa.value is None else [kappa.value])
    return {name: (sum(values) / len(values) if values else None, len(values)) for name, values in found.items()}


def disputes(raters: Sequence[Rater]) -> list[Dispute]:
    """The pairs to adjudicate, most different first: by spread, then bits, then how many raters are out of step, then id.

    Levels that differ differ in a bit, so every pair that is not rated alike is here.
    """
    by_pair: dict[Pair, dict[str, int]] = {}
    for rater in raters:
        for pair, level in rater.rated().items():
            by_pair.setdefault(pair, {})[rater.name] = level
    found: list[tuple[tuple[int, int, int, Pair], Dispute]] = []
    for pair, labels in by_pair.items():
        levels = Counter(labels.values())
        if len(levels) > 1:
            differing = [kind for kind in BITS if len({bit(level, kind) for level in levels}) > 1]
            one = Dispute(*pair, labels, max(levels) - min(levels), differing)
            out_of_step = len(labels) - max(levels.values())
            found.append(((-one.spread, -len(differing), -out_of_step, pair), one))
    return [one for _, one in sorted(found, key=lambda entry: entry[0])]


def _kappas(table: Table) -> dict[str, float | None]:
    return {
        "material": agreement.cohen_kappa(agreement.bits(table, "material")),
        "legal": agreement.cohen_kappa(agreement.bits(table, "legal")),
        "levels": agreement.cohen_kappa(table),
        "levels_linear": agreement.cohen_kappa(table, "linear"),
        "levels_quadratic": agreement.cohen_kappa(table, "quadratic"),
    }


def _of(resampled: Callable[[], Sequence[Mapping[str, float | None]]], name: str) -> Callable[[], list[float | None]]:
    return lambda: [one[name] for one in resampled()]


def _as(item: Ratings, name: str) -> list[int | None]:
    if name == "levels":
        return list(item)
    kind: Bit = "material" if name == "material" else "legal"
    return [None if one is None else bit(one, kind) for one in item]


def _of_sum(
    parts: Callable[[Ratings], list[float] | None],
    value: Callable[[Sequence[float]], float | None],
    items: Iterable[tuple[Ratings, int]],
    resamples: int,
) -> Figure:
    """A figure of the sum of all items' parts, and of the sums over resampled items. Items that add alike are one kind."""
    kinds: Counter[tuple[float, ...]] = Counter()
    for ratings, count in items:
        part = parts(ratings)
        if part is not None:
            kinds[tuple(part)] += count

    def of(times: Iterable[int]) -> float | None:
        return value(agreement.add([n * one for one in kind] for kind, n in zip(kinds, times, strict=True) if n))

    counts = list(kinds.values())
    return figure(of(counts), lambda: [of(times) for times in samples(counts, resamples)], NO_VARIATION if counts else NO_ITEMS)
