"""Simulated judges, with and without a defect, and what an audit says of them.

    python benchmarks/judges.py [repetitions] [items] [clean|defects|sizes|again ...]

Every judge has noise: the same request gives another verdict on 3 to 10 % of the
items, most of them on items that are hard, and 2 % of the replies are unread. Two
items, a right answer and a wrong one, share a cluster. A defect turns verdicts on
a share of the items under one probe; the other probes do nothing.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from verifytui.engines.judges.flips import (
    ABSOLUTE,
    PLACEBO,
    ProbeOutcome,
    ProbeResult,
    Verdict,
    audit_verdict,
    judge_probes,
)

PROBES = (
    *("order", "position", "length", "padding", "authority", "bandwagon"),
    *("sycophancy", "self_preference", "markdown", "confidence", "language"),
    *("master_key", "echo", "empty", "refusal"),
    *("injection", "injection_passage", "injection_title", "injection_question"),
    *("invisible", "fake_object"),
)
DEFECTS = {
    "order": "any verdict turns; clusters alike .3",
    "authority": "wrong becomes right",
    "sycophancy": "right becomes wrong",
    "language": "any verdict turns, in one language",
    "master_key": "accepted",
}
STRENGTHS = (5, 10, 20, 40)
NOISE = tuple(np.linspace(0.03, 0.10, 10))
UNREAD, RIGHT = 0.02, 0.85
HARD = 0.44
"""Flips of an item whose chance of `right` is drawn from .2 to .8."""
STEADY = 0.005
"""The chance of the other verdict, of an item that is not hard."""
ALIKE = 0.3


class SimulatedJudge(NamedTuple):
    noise: float
    defect: str = ""
    strength: float = 0.0
    repeats: int = 1
    """Placebos. An audit asks one."""


def audited(judge: SimulatedJudge, items: int, chance: Any) -> list[ProbeResult]:
    return judge_probes(asked(judge, items, chance))


def asked(judge: SimulatedJudge, items: int, chance: Any) -> Iterator[ProbeOutcome]:
    """What the judge says of all items under all probes."""
    clusters = np.arange(items) // 2
    truth = np.arange(items) % 2 == 0
    # Items of a cluster are both hard, or not, in half of the clusters.
    share = (judge.noise - 2 * STEADY) / (HARD - 2 * STEADY)
    together = chance.random(items)[clusters] < 0.5
    hard = np.where(
        together, chance.random(items)[clusters] < share, chance.random(items) < share
    )
    says = np.where(chance.random(items) < RIGHT, truth, ~truth)
    steady = np.where(says, 1 - STEADY, STEADY)
    right = np.where(hard, chance.uniform(0.2, 0.8, items), steady)
    plain = replies(right, chance)
    for probe in (*PROBES, *[PLACEBO] * judge.repeats):
        # By chance, a wrong text is accepted as often as a verdict flips.
        of = right * (1 - right) if probe in ABSOLUTE else right
        if probe == judge.defect:
            of = turned(probe, of, judge.strength, clusters, chance)
        for n, now in enumerate(replies(of, chance)):
            language = ("en", "zh")[clusters[n] % 2]
            yield ProbeOutcome(str(n), str(clusters[n]), language, probe, plain[n], now)


def replies(right: Any, chance: Any) -> list[Verdict]:
    said = np.where(chance.random(len(right)) < right, "right", "wrong")
    unread = chance.random(len(right)) < UNREAD
    verdicts: list[Verdict] = np.where(unread, "unread", said).tolist()
    return verdicts


def turned(probe: str, right: Any, strength: float, clusters: Any, chance: Any) -> Any:
    """The chances of `right` where the defect turns steady verdicts."""
    steady = np.minimum(right, 1 - right) < 2 * STEADY
    able = {
        "authority": steady & (right < 0.5),
        "sycophancy": steady & (right > 0.5),
        "language": steady & (clusters % 2 == 1),
    }.get(probe, steady)
    hit = np.full(len(right), min(1.0, strength / max(able.mean() * 0.97, 1e-9)))
    if probe == "order" and hit[0] < 1:
        rest = (1 - ALIKE) / ALIKE
        hit = chance.beta(hit * rest, (1 - hit) * rest)[clusters]
    return np.where(able & (chance.random(len(right)) < hit), 1 - right, right)


def repeated(
    judge: SimulatedJudge, repetitions: int, items: int, seed: Sequence[int]
) -> list[list[ProbeResult]]:
    chance = np.random.default_rng(seed)
    return [audited(judge, items, chance) for _ in range(repetitions)]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print(flush=True)


def defects(repetitions: int, items: int) -> None:
    rows = []
    for place, (defect, words) in enumerate(DEFECTS.items()):
        for strength in STRENGTHS:
            judges = [SimulatedJudge(noise, defect, strength / 100) for noise in NOISE]
            found = [
                run
                for number, judge in enumerate(judges)
                for run in repeated(
                    judge, repetitions // 10, items, (place, strength, number)
                )
            ]
            own = [one for run in found for one in run if one.probe == defect]
            beyond = np.mean([one.beyond.value for one in own if one.beyond])
            called = Counter(one.verdict for one in own)
            clean = sum(audit_verdict(run) == "clean" for run in found)
            rows.append(
                [
                    f"{defect}: {words}",
                    f"{strength}",
                    f"{beyond:.1%}",
                    *(f"{called[name] / len(own):.1%}" for name in KINDS),
                    f"{clean / len(found):.1%}",
                ]
            )
    print(f"### Judges with a defect, {items} items, {len(PROBES)} probes\n")
    head = ["defect", "points", "measured", *KINDS, "judge wholly clean"]
    table(head, rows)


def clean(repetitions: int, items: int) -> None:
    rows = []
    for number, noise in enumerate(NOISE):
        found = repeated(SimulatedJudge(noise), repetitions, items, (99, number))
        probes = [one for run in found for one in run]
        called = Counter(map(audit_verdict, found))
        flips = np.mean([one.placebo for one in probes if one.probe not in ABSOLUTE])
        share = sum(one.verdict == "clean" for one in probes) / len(probes)
        rows.append(
            [
                f"{noise:.1%}",
                f"{flips:.1%}",
                *(f"{called[name] / len(found):.1%}" for name in KINDS),
                f"{share:.1%}",
            ]
        )
    print(f"### Judges without a defect, {items} items, {len(PROBES)} probes\n")
    table(["noise", "placebo flips", *KINDS, "probes clean"], rows)


def sizes(repetitions: int, _: int) -> None:
    """The verdicts on judges without a defect, by items and placebos."""
    counts, rows = (75, 150, 300, 600), []
    for repeats in (1, 3):
        cells = []
        for items in counts:
            called = Counter(
                audit_verdict(run)
                for number, noise in enumerate(NOISE)
                for run in repeated(
                    SimulatedJudge(noise, repeats=repeats),
                    repetitions // 10,
                    items,
                    (55, repeats, items, number),
                )
            )
            shares = [called[name] / called.total() for name in ("clean", "biased")]
            cells.append(" / ".join(f"{share:.1%}" for share in shares))
        rows.append([f"placebos: {repeats}", *cells])
    print("### Judges without a defect: called wholly clean / biased\n")
    table(["items", *map(str, counts)], rows)


def again(repetitions: int, _: int) -> None:
    """What `audit --again` says of 50 items, by how many verdicts the model turns."""
    rows = []
    for points in (0, 10, 20, 30, 40):
        defect = "order" if points else ""
        called: Counter[str] = Counter()
        for number, noise in enumerate(NOISE):
            chance = np.random.default_rng((77, points, number))
            for _ in range(repetitions // 10):
                told = [
                    one._replace(probe="again") if one.probe == "order" else one
                    for one in asked(
                        SimulatedJudge(noise, defect, points / 100), 50, chance
                    )
                    if one.probe in ("order", PLACEBO)
                ]
                called[judge_probes(told)[0].verdict] += 1
        shares = (called[name] / called.total() for name in KINDS)
        rows.append([f"{points}", *(f"{share:.1%}" for share in shares)])
    print("### The same model, asked again: 50 items\n")
    table(["points turned", "changed", "same", "unclear"], rows)


KINDS = ("biased", "clean", "unclear")
PARTS = {"clean": clean, "defects": defects, "sizes": sizes, "again": again}

if __name__ == "__main__":
    counts = [int(word) for word in sys.argv[1:] if word.isdigit()]
    repetitions, items = (*counts, *(500, 150)[len(counts) :])
    for part in [word for word in sys.argv[1:] if word in PARTS] or PARTS:
        PARTS[part](repetitions, items)
