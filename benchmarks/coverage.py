"""How often a 95 % interval holds the truth, with clusters drawn as a whole and as if their items were independent: by simulation."""

from __future__ import annotations

import random
import sys

from verifytui.engines.metrics.agreement import cohen_kappa
from verifytui.engines.metrics.bootstrap import interval, resampled
from verifytui.engines.metrics.shares import clustered_share, score_interval

TRUTH = 0.5
RESAMPLES = 400


def shares(clusters: int, items: int, times: int, seed: int) -> tuple[float, float]:
    """Topics that are debated `items` times; every topic has its own chance, .5 on average."""
    chance = random.Random(seed)
    ours = ignoring = 0
    for _ in range(times):
        topics = [chance.betavariate(1.2, 1.2) for _ in range(clusters)]
        told = [(str(n), chance.random() < topic) for n, topic in enumerate(topics) for _ in range(items)]
        found = clustered_share(told)
        assert found is not None
        ours += found.low <= TRUTH <= found.high
        low, high = score_interval(sum(right for _, right in told) / len(told), len(told))
        ignoring += low <= TRUTH <= high
    return ours / times, ignoring / times


def kappas(clusters: int, items: int, times: int, seed: int) -> tuple[float, float]:
    """Queries of `items` pairs; in each the raters agree in its own share of the pairs, half on average, else by chance."""
    chance = random.Random(seed)
    held = [0, 0]
    for _ in range(times):
        tables = []
        for _ in range(clusters):
            agreeing, cells = chance.betavariate(2, 2), [0, 0, 0, 0]
            for _ in range(items):
                first = chance.randint(0, 1)
                cells[2 * first + (first if chance.random() < agreeing else chance.randint(0, 1))] += 1
            tables.append(cells)
        pairs = [[int(place == cell) for place in range(4)] for cells in tables for cell, n in enumerate(cells) for _ in range(n)]
        for place, drawn in enumerate((tables, pairs)):
            values = [cohen_kappa([sample[:2], sample[2:]]) for sample in resampled(drawn, RESAMPLES)]  # type: ignore[list-item]
            low, high, _ = interval(values, len(drawn))
            held[place] += (low or 0.0) <= TRUTH <= (high or 0.0)
    return held[0] / times, held[1] / times


if __name__ == "__main__":
    rounds, seed = (int(sys.argv[place]) if len(sys.argv) > place else default for place, default in ((1, 1000), (2, 1)))
    for what, found, items in (("share, score interval", shares, 8), ("Cohen's kappa, bootstrap", kappas, 30)):
        for clusters in (5, 10, 20, 50, 100):
            ours, ignoring = found(clusters, items, rounds if found is kappas else 4 * rounds, seed)
            print(f"{what:<26} {clusters:>4} clusters of {items:>2}: clustered {ours:6.1%}  as if independent {ignoring:6.1%}", flush=True)
