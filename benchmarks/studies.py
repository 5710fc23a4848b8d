"""A study of 4 conditions × 1,000 items over stored sessions: the time of `study
measure` and of `study report`.

Run: python benchmarks/studies.py. Exit 1 if both together are over their bound.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from verifytui.engines.debate.method import new_debate
from verifytui.engines.method import method
from verifytui.engines.models.config import Config
from verifytui.engines.studies.manifest import freeze
from verifytui.engines.studies.opening import planned
from verifytui.engines.studies.study import study_of
from verifytui.prompts import load
from verifytui.sessions.events import Usage
from verifytui.sessions.events.debate import DebateResult, Speech, Verdict
from verifytui.sessions.journal import Journal

ITEMS = 1000
BOUND = 10.0
STUDY = """
format: verifytui-study/1
name: large
items: {file: items.jsonl}
base: {method: debate, rounds: 3, model: gpt-4}
grid: {level: [0, 1, 2, 3]}
measures: [accuracy, disagreement, rounds]
by: [condition, round]
compare: {to: level=2}
plot: {kind: line, x: level, y: [accuracy]}
"""
WORDS = (
    "the average speed of the way up and down a hill",
    "is the harmonic mean of both",
    "since each takes its own time",
)


def main() -> int:
    """Makes the sessions, measures, reports."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [
            {"id": f"q{n}", "topic": f"What is {n} and {n}?", "answers": [str(2 * n)]}
            for n in range(ITEMS)
        ]
        (folder / "items.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in rows)
        )
        plan = planned(study_of(STUDY, folder), method, Config())
        out = folder / "out"
        out.mkdir()
        freeze(out, plan, {})
        began = time.perf_counter()
        for condition in plan.conditions:
            sessions(out / condition.folder, rows, int(condition.cell["level"]))
        print(
            f"{ITEMS * len(plan.conditions)} sessions made in "
            f"{time.perf_counter() - began:.1f} s"
        )
        env = {**os.environ, "VERIFYTUI_HOME": str(folder / "home")}
        measured, reported = (
            timed([*each, str(out)], env)
            for each in (["measure"], ["report", "--to", "html"])
        )
    print(
        f"study measure: {measured:.1f} s; study report: {reported:.1f} s; "
        f"together {measured + reported:.1f} s"
    )
    print(f"bound: {BOUND:.0f} s together")
    return int(measured + reported > BOUND)


def sessions(folder: Path, rows: list[dict[str, object]], level: int) -> None:
    """A debate of three rounds for each item, as a batch leaves them."""
    folder.mkdir()
    chance, prompts = random.Random(level), load("en")
    for row in rows:
        header = new_debate(
            topic=str(row["topic"]), prompts=prompts, answers=row["answers"]
        )  # type: ignore[arg-type]
        right = str(row["answers"][0])  # type: ignore[index]
        with Journal.create(folder / f"{row['id']}.yaml", header) as journal:
            journal.sync_later = True
            for number in (1, 2, 3):
                for side in ("affirmative", "negative"):
                    said = right if chance.random() < 0.5 + level / 10 else "7"
                    text = " ".join(chance.choices(WORDS, k=25)) + f"\n\nAnswer: {said}"
                    used = Usage(input=400, output=200)
                    journal.append(
                        Speech(
                            role=side,
                            round=number,
                            text=text,
                            answer=said,
                            model="gpt-4",
                            usage=used,
                            cost=0.01,
                            seconds=2.0,
                        )
                    )
                told = {
                    "preference": number == 3,
                    "supported_side": "negative",
                    "reason": "It holds.",
                    "read": "json",
                }
                verdict = Verdict(
                    role="judge",
                    round=number,
                    mode="discriminative",
                    answer=said,
                    model="gpt-4",
                    text="{}",
                    **told,
                )
                journal.append(verdict)
            journal.append(
                DebateResult(
                    answer=said,
                    decided_by="discriminative",
                    supported_side="negative",
                    rounds=3,
                )
            )
    begun = {
        "format": "verifytui-batch/1",
        "options": {},
        "lines": {str(row["id"]): "x" for row in rows},
    }
    (folder / "batch.json").write_text(json.dumps(begun))


def timed(arguments: list[str], env: dict[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "verifytui", "study", *arguments],
        env=env,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(main())
