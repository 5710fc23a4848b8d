"""Several runs in one table.

Each measure over the items that all of them have, and ranks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .aggregate import Aggregate, whole
from .compare import RunComparison
from .measure import Better, Measure, MeasuredValue

_Values = dict[str, tuple[str, MeasuredValue]]
"""By item, its cluster and what was measured."""


@dataclass(frozen=True)
class SystemTable:
    """The runs of a comparison under one measure."""

    measure: Measure
    figures: Mapping[str, Aggregate]
    """By the name of a run."""
    ranks: Mapping[str, float]
    """1 is best, ties are averaged; empty for a measure without a better side."""

    @property
    def items(self) -> int:
        """The items that every run has a value for."""
        return max((figure.n for figure in self.figures.values()), default=0)


def systems(comparison: RunComparison) -> list[SystemTable]:
    """A table for each measure that every run was compared by."""
    values: dict[str, dict[str, _Values]] = {}
    measures: dict[str, Measure] = {}
    for versus, one in comparison.differences:
        name = one.measure.name
        measures.setdefault(name, one.measure)
        by_run = values.setdefault(name, {})
        for pair in one.pairs:
            for run, measured in (
                (versus.first.name, pair.first),
                (versus.second.name, pair.second),
            ):
                by_run.setdefault(run, {})[pair.id] = pair.cluster, measured
    runs = [run.name for run in comparison.runs]
    return [
        _table(measure, {run: values[name][run] for run in runs})
        for name, measure in measures.items()
        if all(run in values[name] for run in runs)
    ]


def average_ranks(
    values: Mapping[str, float | None], better: Better
) -> dict[str, float]:
    """Ranks from 1, the best; equal values share the mean of their places.

    Without a value: no rank.
    """
    known = {name: value for name, value in values.items() if value is not None}
    if better == "neither":
        return {}
    signed = {name: -v if better == "higher" else v for name, v in known.items()}
    ranks = {}
    for name, value in signed.items():
        before = sum(other < value for other in signed.values())
        equal = sum(other == value for other in signed.values())
        ranks[name] = before + (equal + 1) / 2
    return ranks


def _table(measure: Measure, values: Mapping[str, _Values]) -> SystemTable:
    """The figures over the items that every run has a value for."""
    known = [
        {id_ for id_, (_, one) in value.items() if one.value is not None}
        for value in values.values()
    ]
    shared = set.intersection(*known)
    figures = {
        run: whole(measure, [pair for id_, pair in value.items() if id_ in shared])
        for run, value in values.items()
    }
    ranks = average_ranks(
        {n: figure.value for n, figure in figures.items()}, measure.better
    )
    return SystemTable(measure, figures, ranks)
