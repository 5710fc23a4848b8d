"""Intervals, verdicts and needed items by simulation, beside statsmodels and scipy.

    python benchmarks/inference.py [samples] [coverage|same|power|chrf|time ...]

Coverage is averaged over true values; each sample draws its own. The data
folder `../shared/data` is needed for chrF.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar
from statsmodels.stats.proportion import proportion_confint
from verifytui.engines.metrics.intervals import (
    Interval95,
    PairedChange,
    bounded_mean,
    mean_difference,
    pooled_difference,
    pooled_figure,
    unbounded_mean,
)
from verifytui.engines.metrics.paired import mcnemar, permutation, pooled_permutation
from verifytui.engines.metrics.power import (
    Design,
    PairedSteps,
    items_to_detect,
    smallest_detectable,
)
from verifytui.engines.metrics.translation import chrf_counts, chrf_of

NS = (5, 10, 20, 50, 100, 200)
DATA = Path(__file__).parents[2] / "shared" / "data"
CHANCE = np.random.default_rng(20261123)


class Sample(NamedTuple):
    truth: float
    values: list[float]
    clusters: list[int] | None = None


Draw = Callable[[int], Sample | None]
Rule = Callable[[Sample], Interval95 | PairedChange]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |", flush=True)
    print()


# ------------------------------------------------------------------ coverage


def shares(prior: tuple[float, float], size: int = 1, alike: float = 0.0) -> Draw:
    """A share of items in clusters of `size`, with intraclass correlation `alike`."""

    def draw(n: int) -> Sample | None:
        truth, groups = CHANCE.beta(*prior), n // size
        if size == 1:
            return Sample(truth, (CHANCE.random(n) < truth).astype(float).tolist())
        if groups < 3:
            return None
        rest = (1 - alike) / alike
        own = CHANCE.beta(truth * rest + 1e-9, (1 - truth) * rest + 1e-9, groups)
        values = CHANCE.random((groups, size)) < own[:, None]
        names = np.repeat(np.arange(groups), size)
        return Sample(truth, values.ravel().astype(float).tolist(), names.tolist())

    return draw


def steps(prior: tuple[float, float], size: int = 1, alike: float = 0.0) -> Draw:
    """Differences of right and wrong; the share of items that differ has the prior."""

    def draw(n: int) -> Sample | None:
        moving, won = CHANCE.beta(*prior), CHANCE.random()
        ways = np.array([moving * (1 - won), moving * won, 1 - moving])
        truth, groups = float(ways[1] - ways[0]), n // size
        if size == 1:
            values = CHANCE.choice([-1.0, 1.0, 0.0], n, p=ways)
            return Sample(truth, values.tolist())
        if groups < 3:
            return None
        own = CHANCE.dirichlet(ways * (1 - alike) / alike + 1e-9, groups)
        chance = CHANCE.random((groups, size))
        lost = chance < own[:, :1]
        rest = np.where(chance < own[:, :2].sum(1)[:, None], 1.0, 0.0)
        names = np.repeat(np.arange(groups), size)
        return Sample(
            truth, np.where(lost, -1.0, rest).ravel().tolist(), names.tolist()
        )

    return draw


def scores(n: int) -> Sample:
    """Values from 0 to 1, of which some are exactly 0 or 1."""
    full, none, rest = CHANCE.dirichlet([0.7, 0.7, 0.7])
    mean, strength = CHANCE.random(), CHANCE.choice([2.0, 5.0, 20.0])
    kind = CHANCE.random(n)
    values = CHANCE.beta(mean * strength + 1e-6, (1 - mean) * strength + 1e-6, n)
    values = np.where(kind < full, 1.0, np.where(kind < full + none, 0.0, values))
    return Sample(full + rest * mean, values.tolist())


def score_steps(n: int) -> Sample:
    """Differences of scores, of which most are 0."""
    moving, mean = CHANCE.beta(0.5, 1), CHANCE.normal(0, 0.3)
    values = CHANCE.normal(mean, CHANCE.choice([0.05, 0.2, 0.4]), n)
    kept = np.where(CHANCE.random(n) < moving, values, 0.0)
    return Sample(moving * mean, kept.tolist())


def amounts(n: int) -> Sample:
    """Lognormal values, as of tokens and seconds."""
    spread = CHANCE.uniform(0.05, 1.2)
    truth = float(np.exp(spread**2 / 2))
    return Sample(truth, CHANCE.lognormal(0, spread, n).tolist())


def of_score(sample: Sample) -> Interval95:
    return bounded_mean(sample.values, sample.clusters)


def of_step(sample: Sample) -> PairedChange:
    return mean_difference([0.0] * len(sample.values), sample.values, sample.clusters)


def of_amount(sample: Sample) -> Interval95:
    return unbounded_mean(sample.values)


def of_pooled(sample: Sample) -> Interval95:
    """Of a share whose counts are summed: each cluster is an item with its replies."""
    counts: dict[int, list[float]] = {}
    for value, cluster in zip(sample.values, sample.clusters or (), strict=True):
        item = counts.setdefault(cluster, [0.0, 0.0])
        item[0] += value
        item[1] += 1
    rows = list(counts.values())
    return pooled_figure(rows, None, lambda sums: sums[0] / sums[1], (0, 1))


def wilson(sample: Sample) -> Interval95:
    hits = int(sum(sample.values))
    low, high = proportion_confint(hits, len(sample.values), method="wilson")
    return Interval95(low, high)


def student(sample: Sample) -> Interval95:
    values = sample.values
    error = float(stats.sem(values)) if len(set(values)) > 1 else 0.0
    half = stats.t.ppf(0.975, len(values) - 1) * error
    middle = sum(values) / len(values)
    return Interval95(middle - half, middle + half)


CASES: tuple[tuple[str, Draw, Rule, Rule | None], ...] = (
    ("share, any", shares((1, 1)), of_score, wilson),
    ("share, near 1", shares((20, 1)), of_score, wilson),
    ("share, 5 a cluster, alike .1", shares((1, 1), 5, 0.1), of_score, wilson),
    ("share, 5 a cluster, alike .3", shares((5, 1), 5, 0.3), of_score, wilson),
    ("share, 5 a cluster, alike .8", shares((1, 1), 5, 0.8), of_score, wilson),
    ("share, 10 a cluster, near 1", shares((20, 1), 10, 0.3), of_score, wilson),
    ("pooled share, 2 an item, alike .5", shares((1, 1), 2, 0.5), of_pooled, wilson),
    ("pooled share, near 1, alike .8", shares((20, 1), 2, 0.8), of_pooled, wilson),
    ("difference of shares, any", steps((1, 1)), of_step, student),
    ("difference of shares, mostly ties", steps((1, 20)), of_step, student),
    ("the same, 5 a cluster, alike .3", steps((1, 5), 5, 0.3), of_step, student),
    ("the same, 5 a cluster, alike .8", steps((1, 1), 5, 0.8), of_step, student),
    ("mean of scores with 0s and 1s", scores, of_score, student),
    ("difference of scores, many ties", score_steps, of_step, student),
    ("mean of lognormal amounts", amounts, of_amount, student),
)


def covered(draw: Draw, rule: Rule, n: int, samples: int) -> str:
    """How many of the intervals hold the truth; in brackets how many there are."""
    held = shown = 0
    for _ in range(samples):
        sample = draw(n)
        if sample is None:
            return ""
        found = rule(sample)
        if found.low is None or found.high is None:
            continue
        shown += 1
        held += found.low - 1e-12 <= sample.truth <= found.high + 1e-12
    share = f"{held / shown:.3f}" if shown else "–"
    return share if shown == samples else f"{share} ({shown / samples:.0%})"


def coverage(samples: int) -> None:
    print("### Coverage of 95 % intervals; below each the peer that ignores clusters\n")
    rows = []
    for name, draw, rule, peer in CASES:
        rows.append([name, *(covered(draw, rule, n, samples) for n in NS)])
        if peer is not None:
            label = f"*{peer.__name__}*"
            rows.append([label, *(covered(draw, peer, n, samples) for n in NS)])
    table(["n", *map(str, NS)], rows)


# ------------------------------------------------------------------ translations


def chrf(samples: int) -> None:
    """Differences of six systems; the 101 recorded sentences are the population."""
    path = DATA / "mad-commonmt" / "lexical200_outputs.jsonl"
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    counts: dict[str, Any] = {
        name: np.array(
            [chrf_counts(one["outputs"][name], [one["reference"]]) for one in lines]
        )
        for name in lines[0]["outputs"]
    }
    base, rows = counts.pop("baseline"), []
    for name, of in counts.items():
        truth = chrf_of(of.sum(0).tolist()) - chrf_of(base.sum(0).tolist())
        cells = []
        for n in NS:
            held = 0
            for _ in range(samples):
                drawn = CHANCE.integers(0, len(lines), n)
                found = pooled_difference(
                    base[drawn].tolist(), of[drawn].tolist(), None, chrf_of, (0, 100)
                )
                assert found.low is not None
                assert found.high is not None
                held += found.low <= truth <= found.high
            cells.append(f"{held / samples:.3f}")
        ties = float((of == base).all(1).mean())
        rows.append([name, f"{ties:.0%}", *cells])
    print("### Coverage of differences in chrF\n")
    table(["system", "ties", *map(str, NS)], rows)


# ------------------------------------------------------------------ verdicts


def same(samples: int) -> None:
    """5 % of the items differ by 1, the margin is .02; the others by noise."""
    rows = []
    for noise in (0.0, 0.01, 0.05):
        cells = []
        for n in (10, 20, 40, 60, 100, 200):
            called = 0
            for _ in range(samples):
                drawn = (CHANCE.random(n) < 0.05) + noise * CHANCE.standard_normal(n)
                found = of_step(Sample(0.05, drawn.tolist()))
                assert found.low is not None
                assert found.high is not None
                called += found.low >= -0.02 and found.high <= 0.02
            cells.append(f"{called / samples:.1%}")
        rows.append([f"noise {noise}", *cells])
    print('### Called "the same" though the difference is .05 and the margin .02\n')
    table(["n", "10", "20", "40", "60", "100", "200"], rows)


def power(samples: int) -> None:
    print("### Power at the needed number of items (80 % is meant)\n")
    rows = []
    for lost, won in ((0.05, 0.15), (0.0, 0.1), (0.1, 0.15), (0.02, 0.05), (0.2, 0.5)):
        moving, apart = lost + won, won - lost
        of = PairedSteps(apart, moving - apart**2, moving, exact=True)
        cells = [shown(of, m, samples, right_or_wrong(lost, won)) for m in (1, 2, 10)]
        rows.append([f"lost {lost}, won {won}", *cells])
    for mean, spread, moving in ((0.1, 0.3, 1.0), (0.02, 0.05, 1.0), (0.4, 0.3, 0.1)):
        square = moving * (mean**2 + spread**2)
        of = PairedSteps(moving * mean, square - (moving * mean) ** 2, moving)
        draw = numbers(mean, spread, moving)
        cells = [shown(of, m, max(1, samples // 5), draw) for m in (1, 2, 10)]
        rows.append([f"{moving:.0%} differ by {mean} ± {spread}", *cells])
    table(["items", "1 measure", "2 measures", "10 measures"], rows)
    rows = []
    for n in (25, 50, 100, 200, 500):
        cells = [
            "–" if least is None else f"{least:.1%}"
            for least in (
                smallest_detectable(Design(n)),
                smallest_detectable(Design(n, tests=2)),
                smallest_detectable(Design(n, n // 5)),
                smallest_detectable(Design(n, repeats=3)),
                smallest_detectable(Design(n, kind="mean")),
            )
        ]
        rows.append([str(n), *cells])
    print("### Smallest detectable difference\n")
    table(["items", "share", "2 tests", "5 a cluster", "3 repeats", "mean"], rows)


def right_or_wrong(lost: float, won: float) -> Callable[[int], list[float]]:
    return lambda n: CHANCE.choice(
        [-1.0, 1.0, 0.0], n, p=[lost, won, 1 - lost - won]
    ).tolist()


def numbers(mean: float, spread: float, moving: float) -> Callable[[int], list[float]]:
    return lambda n: np.where(
        CHANCE.random(n) < moving, CHANCE.normal(mean, spread, n), 0.0
    ).tolist()


def shown(of: PairedSteps, tests: int, samples: int, draw: Callable[[int], Any]) -> str:
    """The number of items needed, and the share of samples of that size with a verdict."""
    needed = items_to_detect(of, tests)
    assert needed is not None
    better = 0
    for _ in range(samples):
        drawn = draw(needed)
        found = of_step(Sample(0.0, drawn))
        if of.exact:
            p: float | None = mcnemar(drawn.count(-1.0), drawn.count(1.0))
        else:
            p = permutation(drawn, resamples=4000)
        assert found.low is not None
        better += (p or 0.0) * tests < 0.05 and found.low > 0
    return f"{needed}: {better / samples:.2f}"


# ------------------------------------------------------------------ time


def timed(name: str, act: Callable[[], Any]) -> list[str]:
    act()
    start = time.perf_counter()
    act()
    return [name, f"{(time.perf_counter() - start) * 1000:.1f} ms"]


def speed(_: int) -> None:
    n = 10_000
    right = (CHANCE.random(n) < 0.7).astype(float).tolist()
    later = (CHANCE.random(n) < 0.72).astype(float).tolist()
    marks, marks_later = CHANCE.random(n).tolist(), CHANCE.random(n).tolist()
    gains = [b - a for a, b in zip(marks, marks_later, strict=True)]
    names = [k // 2 for k in range(n)]
    counts = CHANCE.integers(0, 50, (n, 18)).tolist()
    counts_later = CHANCE.integers(0, 50, (n, 18)).tolist()
    lost = sum(a > b for a, b in zip(right, later, strict=True))
    won = sum(a < b for a, b in zip(right, later, strict=True))
    cells = [[9, lost], [won, 9]]
    print("### Milliseconds for 10,000 pairs\n")
    rows = [
        timed(
            "share with interval, 5,000 clusters", lambda: bounded_mean(right, names)
        ),
        timed("difference of shares", lambda: mean_difference(right, later)),
        timed("exact McNemar", lambda: mcnemar(lost, won)),
        timed("*statsmodels' McNemar*", lambda: their_mcnemar(cells, exact=True)),
        timed("difference of scores", lambda: mean_difference(marks, marks_later)),
        timed("permutation test", lambda: permutation(gains)),
        timed("permutation test, 5,000 clusters", lambda: permutation(gains, names)),
        timed(
            "difference of chrF",
            lambda: pooled_difference(counts, counts_later, None, chrf_of, (0, 100)),
        ),
        timed(
            "permutation test of chrF",
            lambda: pooled_permutation(counts, counts_later, chrf_of),
        ),
    ]
    table(["what", "time"], rows)


PARTS = {
    "coverage": coverage,
    "same": same,
    "power": power,
    "chrf": chrf,
    "time": speed,
}

if __name__ == "__main__":
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    for part in sys.argv[2:] or PARTS:
        PARTS[part](samples)
