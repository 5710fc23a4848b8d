"""`compare` of two files of outputs, and of two runs of debates, beside pandas.

The peer reads the same answers, compares whole numbers, and takes McNemar's test from
statsmodels. Both must agree on shares and p. A peer that reads sessions has only
PyYAML; it does not check them.

Run: python benchmarks/figures.py [LINES [SESSIONS]]. Exit 1 if a bound is missed.
"""

from __future__ import annotations

import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from studies import sessions

LINES, SESSIONS, TURNS = 100_000, 1_000, 3
BOUNDS = {"lines": 10.0, "sessions": 2.0}
"""CPU seconds for that many of each, on the quiet machine of docs/performance.md."""
AGAIN = 1.0
"""CPU seconds for sessions that were measured before, up to 10,000 of each."""
Turn = tuple[tuple[float, str], tuple[float, str]]
"""Seconds and output, ours and the peer's."""
PEER = """
import json, sys
import pandas
from statsmodels.stats.contingency_tables import mcnemar
kind, first, second = sys.argv[1:]
def lines(path):
    frame = pandas.read_json(path, lines=True, dtype={"answer": str}).set_index("id")
    return frame["answer"] == frame["answers"].str[0]
def sessions(folder):
    import pathlib, yaml
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    right = {}
    for path in sorted(pathlib.Path(folder).glob("*.yaml")):
        header, *events = yaml.load_all(path.read_bytes(), loader)
        right[path.stem] = str(events[-1]["answer"]) in header["task"]["answers"]
    return pandas.Series(right)
one, other = map({"lines": lines, "sessions": sessions}[kind], (first, second))
other = other.reindex(one.index)
table = pandas.crosstab(one, other).reindex(
    index=[False, True], columns=[False, True], fill_value=0)
print(json.dumps([one.mean(), other.mean(), mcnemar(table, exact=True).pvalue]))
"""


def main() -> int:
    """Makes the runs, compares them, and prints seconds and ratios."""
    given = [int(number) for number in sys.argv[1:]]
    count, folders = (*given, *(LINES, SESSIONS)[len(given) :])
    missed = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [
            {"id": f"q{n}", "topic": f"What is {n} and {n}?", "answers": [str(2 * n)]}
            for n in range(folders)
        ]
        for level in (0, 1):
            outputs(folder / f"{level}.jsonl", count, level)
            sessions(folder / f"run{level}", rows, level)
        files = [str(folder / f"{level}.jsonl") for level in (0, 1)]
        runs = [str(folder / f"run{level}") for level in (0, 1)]
        for kind, size, pair in (("lines", count, files), ("sessions", folders, runs)):
            missed |= told(kind, size, pair, folder)
    return int(missed)


def outputs(path: Path, count: int, seed: int) -> None:
    """A file of outputs: right ones, wrong ones, and a tenth that are None."""
    chance = random.Random(seed)
    with path.open("w") as file:
        for number in range(count):
            right = str(number % 5000)
            drawn = chance.random()
            answer = right if drawn < 0.6 + seed / 100 else str(number % 5000 + 1)
            row = {"id": f"g{number}", "question": f"Item {number}: how many eggs?"}
            row |= {"answers": [right], "answer": None if drawn > 0.9 else answer}
            file.write(json.dumps(row) + "\n")


def told(kind: str, size: int, pair: Sequence[str], folder: Path) -> bool:
    """Prints what one kind of run took, and whether it missed its bound."""
    env = {**os.environ, "VERIFYTUI_HOME": str(folder / "home")}
    ours = [sys.executable, "-m", "verifytui", "compare", *pair, "--output", "json"]
    theirs = [sys.executable, "-c", PEER, kind, *pair]
    turns = [(timed(ours, env), timed(theirs, env)) for _ in range(TURNS)]
    mine, peer = turns[0][0][1], json.loads(turns[0][1][1])
    accuracy = next(
        row
        for row in map(json.loads, mine.splitlines())
        if row["measure"] == "accuracy"
    )
    figures = [accuracy["a"]["value"], accuracy["b"]["value"], accuracy["p"]]
    for own, other in zip(figures, peer, strict=True):
        assert abs(own - other) < 1e-9, (kind, figures, peer)
    bound = BOUNDS[kind] * size / {"lines": LINES, "sessions": SESSIONS}[kind]
    # The first turn reads every session, the later ones what it kept of them.
    read, later = turns[:1], turns[1:]
    if kind == "lines":
        read, later = turns, []
    seconds = _report(f"compare 2 x {size:,} {kind}", read, bound)
    missed = seconds > max(bound, BOUNDS["sessions"])
    if later:
        missed |= _report("    measured before", later, AGAIN) > AGAIN
    return missed


def _report(what: str, turns: Sequence[Turn], bound: float) -> float:
    """Prints the medians of these turns; returns ours in seconds."""
    seconds = statistics.median(own[0] for own, _ in turns)
    ratio = statistics.median(own[0] / other[0] for own, other in turns)
    print(
        f"{what}: {seconds:.2f} s CPU; bound {bound:.1f} s; "
        f"pandas and statsmodels: ratio {ratio:.2f}; same shares and p",
        flush=True,
    )
    return seconds


def timed(command: Sequence[str], env: dict[str, str]) -> tuple[float, str]:
    """User seconds of a command, and what it prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return used, done.stdout


if __name__ == "__main__":
    sys.exit(main())
