"""Measures against scikit-learn and ir-measures: kappas with intervals of 4,423 pairs,
figures of a run of 100 queries.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable

import ir_measures
import numpy as np
from ir_measures import AP, P, nDCG
from sklearn.metrics import cohen_kappa_score
from verifytui.engines.metrics.compare import RaterLevels, compare
from verifytui.engines.metrics.ranking import means

PAIRS, RESAMPLES, TURNS = 4423, 200, 5
CUTS = (10, 20, 30)


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def told(what: str, ours: Callable[[], object], theirs: Callable[[], object]) -> None:
    """CPU seconds of both, in turns, and their ratio; medians."""
    ours()
    theirs()
    turns = [(seconds(ours), seconds(theirs)) for _ in range(TURNS)]
    mine, peer = (statistics.median(column) for column in zip(*turns, strict=True))
    print(
        f"{what:<60} {mine:8.3f} s  peer {peer:8.3f} s  ratio "
        f"{statistics.median(a / b for a, b in turns):.3f}",
        flush=True,
    )


def kappas() -> None:
    chance = random.Random(1)
    levels = [[chance.randint(0, 3) for _ in range(PAIRS)] for _ in range(2)]
    raters = [
        RaterLevels(
            str(n), {("q", str(place)): level for place, level in enumerate(rated)}
        )
        for n, rated in enumerate(levels)
    ]
    first, second = map(np.array, levels)
    draw = np.random.default_rng(1)

    def peer() -> None:
        for _ in range(RESAMPLES):
            sample = draw.integers(0, PAIRS, PAIRS)
            one, other = first[sample], second[sample]
            cohen_kappa_score(one % 2, other % 2)
            cohen_kappa_score(one // 2, other // 2)
            for weights in (None, "linear", "quadratic"):
                cohen_kappa_score(one, other, weights=weights)

    told(
        f"five kappas of {PAIRS:,} pairs, {RESAMPLES} resamples",
        lambda: compare(*raters, resamples=RESAMPLES),
        peer,
    )


def rankings() -> None:
    chance = random.Random(2)
    labels = {
        str(q): {f"d{n}": chance.randint(0, 3) for n in range(30)} for q in range(100)
    }
    lists = {
        query: chance.sample([f"d{n}" for n in range(400)], 100) for query in labels
    }
    scored = {
        query: {one: -float(place) for place, one in enumerate(ranking)}
        for query, ranking in lists.items()
    }
    wanted = [AP(rel=3), *(nDCG @ k for k in CUTS), *(P(rel=3) @ k for k in CUTS)]
    told(
        "nDCG, P and MAP of 100 queries of 100",
        lambda: means(lists, labels, CUTS),
        lambda: ir_measures.calc_aggregate(wanted, labels, scored),
    )


if __name__ == "__main__":
    kappas()
    rankings()
