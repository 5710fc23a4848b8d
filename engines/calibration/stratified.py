"""Shares of all that a machine has judged, from labels drawn by its verdict.

The labels of one verdict are a random sample of the things with that verdict. The
share t of right ones in each verdict h, weighted by the share w of things with it,
gives the others, as sensitivity = w·t of `right` / Σ w·t. Unweighted, a rare verdict
would count as much as a frequent one.

The intervals are quantiles of draws: t from Jeffreys' beta, with as many labels as the
clusters are worth; w from the counts of the verdicts. `benchmarks/strata.py` says how
often they hold the truth.

Sources: Begg and Greenes 1983 (verification bias); Brown, Cai and DasGupta 2001
(Jeffreys' interval).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ..metrics.agreement import cohen_kappa
from ..metrics.bootstrap import IntervalEstimate
from ..metrics.compare import NO_VARIATION
from ..metrics.intervals import spread_of
from ..metrics.shares import score_interval
from .judged_item import JudgedItem, Share, labelled

DRAWS = 4000
SEED = 0
OBSERVED = (0.85, 0.9, 0.95)
"""Shares that a plan gives the numbers of labels for."""
MOST_PLANNED = 100_000


def needed(observed: float, least: float = 0.8) -> int | None:
    """How many labels of one class give a lower bound (Wilson) of `least`, where so
    large a share is as it should be; None: no number does.
    """
    for n in range(1, MOST_PLANNED):
        if score_interval(round(observed * n) / n, n)[0] >= least:
            return n
        if observed <= least:
            break
    return None


class VerdictStratum(NamedTuple):
    """The things with one verdict."""

    size: int
    labels: int
    right: int
    """Labelled ones that people call right."""
    effect: float
    """The design effect of clusters."""


class _Cell(NamedTuple):
    weight: float
    right: float
    """The share of right ones."""


Cells = Mapping[bool | None, _Cell]
"""By the machine's verdict."""


def strata_of(things: Sequence[JudgedItem]) -> dict[bool | None, VerdictStratum]:
    """The strata of these things, by the machine's verdict."""
    found = {}
    for verdict in (True, False, None):
        own = [thing for thing in things if thing.holds is verdict]
        known = labelled(own)
        if own:
            values = [float(bool(one.truth)) for one in known]
            clusters = [one.cluster for one in known]
            found[verdict] = VerdictStratum(
                len(own),
                len(known),
                round(sum(values)),
                spread_of(values, clusters).effect if known else 1.0,
            )
    return found


def _sensitivity(cells: Cells) -> float | None:
    return _part(cells, True, lambda one: one.right)


def _specificity(cells: Cells) -> float | None:
    return _part(cells, False, lambda one: 1 - one.right)


def _part(cells: Cells, verdict: bool, of: Callable[[_Cell], float]) -> float | None:
    whole = sum(cell.weight * of(cell) for cell in cells.values())
    hit = cells.get(verdict)
    if not whole:
        return None
    return 0.0 if hit is None else hit.weight * of(hit) / whole


def _accuracy(cells: Cells) -> float:
    right, wrong = cells.get(True, _Cell(0, 0)), cells.get(False, _Cell(0, 0))
    return right.weight * right.right + wrong.weight * (1 - wrong.right)


def _people(cells: Cells) -> float:
    return sum(cell.weight * cell.right for cell in cells.values())


def _machine(cells: Cells) -> float:
    return cells[True].weight if True in cells else 0.0


def _kappa(cells: Cells) -> float | None:
    right, wrong = cells.get(True, _Cell(0, 0)), cells.get(False, _Cell(0, 0))
    table = [
        [right.weight * right.right, wrong.weight * wrong.right],
        [right.weight * (1 - right.right), wrong.weight * (1 - wrong.right)],
    ]
    return cohen_kappa(table)  # type: ignore[arg-type]


FIGURES: Mapping[str, Callable[[Cells], float | None]] = {
    "sensitivity": _sensitivity,
    "specificity": _specificity,
    "accuracy": _accuracy,
    "people": _people,
    "machine": _machine,
    "kappa": _kappa,
}


class Weighted(NamedTuple):
    """Figures with their intervals, by name as in `FIGURES`."""

    shares: dict[str, Share]
    kappa: IntervalEstimate


def weighted(things: Sequence[JudgedItem]) -> Weighted:
    """The figures of all these things; without a value where a verdict has no label."""
    strata = strata_of(things)
    count = sum(one.labels for one in strata.values())
    if not count or any(not one.labels for one in strata.values()):
        none = Share(None, None, None, 0, count)
        return Weighted(
            {name: none for name in FIGURES if name != "kappa"},
            IntervalEstimate(None, NO_VARIATION),
        )
    whole = sum(one.size for one in strata.values())
    cells = {
        verdict: _Cell(one.size / whole, one.right / one.labels)
        for verdict, one in strata.items()
    }
    chance = random.Random(SEED)  # noqa: S311
    drawn = [_drawn(strata, chance) for _ in range(DRAWS)]
    shares, kappa = {}, IntervalEstimate(None, NO_VARIATION)
    for name, figure in FIGURES.items():
        value = figure(cells)
        if value is None:
            shares[name] = Share(None, None, None, 0, count)
            continue
        told = sorted(one for each in drawn if (one := figure(each)) is not None)
        low = min(value, told[int(0.025 * len(told))])
        high = max(value, told[int(0.975 * len(told))])
        if name == "kappa":
            kappa = IntervalEstimate(value, None, low, high, len(told))
        else:
            shares[name] = Share(value, low, high, round(value * count), count)
    shares.pop("kappa", None)
    return Weighted(shares, kappa)


def _drawn(
    strata: Mapping[bool | None, VerdictStratum], chance: random.Random
) -> dict[bool | None, _Cell]:
    """One draw of the weights and of the shares of right ones."""
    sizes = {
        verdict: chance.gammavariate(one.size, 1) for verdict, one in strata.items()
    }
    whole = sum(sizes.values())
    return {
        verdict: _Cell(
            sizes[verdict] / whole,
            chance.betavariate(
                one.right / one.effect + 0.5,
                (one.labels - one.right) / one.effect + 0.5,
            ),
        )
        for verdict, one in strata.items()
    }
