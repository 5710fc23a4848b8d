"""How often a 95 % interval holds the truth, with clusters drawn as a whole and as if
their items were independent: by simulation.
"""

from __future__ import annotations

import math
import random
import sys

from verifytui.engines.calibration.ppi import (
    LabeledItem,
    UnlabeledItem,
    best_weight,
    corrected,
    of_like,
    of_these,
    variance,
)
from verifytui.engines.calibration.roc import ScoredItem, roc
from verifytui.engines.metrics.agreement import cohen_kappa
from verifytui.engines.metrics.bootstrap import interval, resampled
from verifytui.engines.metrics.intervals import clustered_share
from verifytui.engines.metrics.shares import score_interval, t95

TRUTH = 0.5
RESAMPLES = 400


def shares(clusters: int, items: int, times: int, seed: int) -> tuple[float, float]:
    """Topics that are debated `items` times; every topic has its own chance, .5 on
    average.
    """
    chance = random.Random(seed)
    ours = ignoring = 0
    for _ in range(times):
        topics = [chance.betavariate(1.2, 1.2) for _ in range(clusters)]
        told = [
            (str(n), chance.random() < topic)
            for n, topic in enumerate(topics)
            for _ in range(items)
        ]
        found = clustered_share(told)
        assert found is not None
        ours += found.low <= TRUTH <= found.high
        low, high = score_interval(
            sum(right for _, right in told) / len(told), len(told)
        )
        ignoring += low <= TRUTH <= high
    return ours / times, ignoring / times


def kappas(clusters: int, items: int, times: int, seed: int) -> tuple[float, float]:
    """Queries of `items` pairs; in each the raters agree in its own share of the pairs,
    half on average, else by chance.
    """
    chance = random.Random(seed)
    held = [0, 0]
    for _ in range(times):
        tables = []
        for _ in range(clusters):
            agreeing, cells = chance.betavariate(2, 2), [0, 0, 0, 0]
            for _ in range(items):
                first = chance.randint(0, 1)
                cells[
                    2 * first
                    + (first if chance.random() < agreeing else chance.randint(0, 1))
                ] += 1
            tables.append(cells)
        pairs = [
            [int(place == cell) for place in range(4)]
            for cells in tables
            for cell, n in enumerate(cells)
            for _ in range(n)
        ]
        for place, drawn in enumerate((tables, pairs)):
            values = [
                cohen_kappa([sample[:2], sample[2:]])
                for sample in resampled(drawn, RESAMPLES)
            ]  # type: ignore[list-item]
            low, high, _ = interval(values, len(drawn))
            held[place] += (low or 0.0) <= TRUTH <= (high or 0.0)
    return held[0] / times, held[1] / times


# ------------------------------------------------------------------ machine against labels (docs/calibration.md)

MACHINES = (
    (0.7, 0.9, 0.8, 1),
    (0.9, 0.97, 0.9, 1),
    (0.97, 0.99, 0.9, 1),
    (0.6, 0.85, 0.75, 4),
)
"""How many things are right, how often the machine finds them, how often it spares
wrong ones, things in a cluster.
"""


def judged(
    chance: random.Random,
    size: int,
    right: float,
    found: float,
    spared: float,
    a_cluster: int,
) -> list[LabeledItem]:
    """Things with labels and the machine's word; clusters differ in how many are right."""
    things = []
    share = right
    for n in range(size):
        if a_cluster > 1 and n % a_cluster == 0:
            share = chance.betavariate(3 * right, 3 * (1 - right))
        truth = chance.random() < share
        things.append(
            LabeledItem(
                f"c{n // a_cluster}",
                float(truth),
                float(chance.random() < (found if truth else 1 - spared)),
            )
        )
    return things


def rates(
    labels: int, machine: tuple[float, float, float, int], times: int, seed: int
) -> tuple[float, float, float]:
    """Corrected rates of these things, of things like these, and by the formula alone,
    without the two labels that are added.
    """
    chance = random.Random(seed)
    held = [0, 0, 0]
    for _ in range(times):
        things = judged(chance, 1000, *machine)
        first = [one for one in things if int(one.cluster[1:]) < labels // machine[3]]
        rest = [UnlabeledItem(one.cluster, one.machine) for one in things[len(first) :]]
        low, high = of_like(first, rest, best_weight(first, rest))
        held[1] += (low or 0.0) <= machine[0] <= (high or 0.0)
        one = corrected(first, rest)
        assert one is not None
        error = t95(one.clusters - 1) * math.sqrt(
            variance(first, rest, one.weight) or 0.0
        )
        held[2] += one.value - error <= machine[0] <= one.value + error
        chance.shuffle(things)
        first, rest = (
            things[:labels],
            [UnlabeledItem(one.cluster, one.machine) for one in things[labels:]],
        )
        low, high = of_these(first, rest, best_weight(first, rest))
        held[0] += (
            (low or 0.0)
            <= sum(one.label for one in things) / len(things)
            <= (high or 0.0)
        )
    return held[0] / times, held[1] / times, held[2] / times


def areas(clusters: int, items: int, apart: float, times: int, seed: int) -> float:
    """Areas under the ROC curve of normal scores; things of one cluster share a part of
    theirs.
    """
    chance = random.Random(seed)
    shared = 0.7 if items > 1 else 0.0
    truth = 0.5 * (1 + math.erf(apart / 2 / math.sqrt(1 + shared**2)))
    held = 0
    for _ in range(times):
        things = []
        for cluster in range(clusters):
            common = chance.gauss(0, shared)
            for _ in range(items):
                right = chance.random() < 0.4
                things.append(
                    ScoredItem(
                        str(cluster), common + chance.gauss(apart * right, 1), right
                    )
                )
        found = roc(things)
        held += (found.low or 0.0) <= truth <= (found.high or 0.0)
    return held / times


if __name__ == "__main__":
    rounds, seed = (
        int(sys.argv[place]) if len(sys.argv) > place else default
        for place, default in ((1, 1000), (2, 1))
    )
    for what, found, items in (
        ("share, score interval", shares, 8),
        ("Cohen's kappa, bootstrap", kappas, 30),
    ):
        for clusters in (5, 10, 20, 50, 100):
            ours, ignoring = found(
                clusters, items, rounds if found is kappas else 4 * rounds, seed
            )
            print(
                f"{what:<26} {clusters:>4} clusters of {items:>2}: clustered "
                f"{ours:6.1%}  as if independent {ignoring:6.1%}",
                flush=True,
            )
    for machine in MACHINES:
        for labels in (52, 100, 200):
            these, like, plain = rates(labels, machine, rounds, seed)
            what = "right {:.0%}, found {:.0%}, spared {:.0%}, {} a cluster".format(
                *machine
            )
            print(
                f"corrected rate, {labels:>3} labels: {what}: these {these:6.1%}  "
                f"like these {like:6.1%}  formula alone {plain:6.1%}",
                flush=True,
            )
    for clusters, items in ((40, 1), (100, 1), (300, 1), (20, 10), (100, 4)):
        told = "  ".join(
            f"{areas(clusters, items, apart, rounds, seed):6.1%}"
            for apart in (0.5, 1.2, 2.2)
        )
        print(
            f"ROC area, {clusters:>3} clusters of {items:>2}, scores 0.5, 1.2 and "
            f"2.2 apart: {told}",
            flush=True,
        )
