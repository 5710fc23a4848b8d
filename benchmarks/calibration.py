"""`verifytui calibrate` on real labels (docs/calibration.md): what a machine's word is
worth, and rates corrected from few labels.

Reads ../shared/data (HaluEval QA, RAGChecker's pairs, LLMJudge); says so where a set is
not there. No language model is called: `lexical` verifies, and the 33 judges of
LLMJudge are recorded.

    python benchmarks/calibration.py [halueval|ragchecker|llmjudge]
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from verifytui.engines.api import batch
from verifytui.engines.calibration.answers import RunAnswers, read_answers
from verifytui.engines.calibration.judged_item import JudgedItem
from verifytui.engines.calibration.levels import read_levels
from verifytui.engines.calibration.machine import of_answers
from verifytui.engines.calibration.ppi import LabeledItem, UnlabeledItem, corrected
from verifytui.engines.calibration.report import calibration_report
from verifytui.engines.calibration.roc import ScoredItem, roc
from verifytui.engines.figures.compare import measures_of
from verifytui.engines.figures.runs import read_run
from verifytui.engines.method import method
from verifytui.engines.metrics.shares import score_interval
from verifytui.engines.reports.text import as_text

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
LABELS, TIMES, SEED = 200, 400, 20261122
NO_LEVEL = "RMITIR-llama70B"
"""A judge with a label that is no level."""


def rows(name: str) -> list[dict[str, Any]]:
    path = DATA / name
    if not path.exists():
        print(f"skipped: {name} of ../shared/data is not on this machine")
        return []
    return [
        json.loads(line)
        for line in path.read_text("utf-8").splitlines()
        if line.strip()
    ]


def verified(
    lines: Sequence[dict[str, Any]], folder: Path, labels: Path | None = None
) -> RunAnswers:
    """The lines as `verifytui verify --model lexical` judges them."""
    file = folder / "lines.jsonl"
    file.write_text(
        "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "utf-8"
    )
    asyncio.run(
        batch("rag", file, into=folder / "run", lines="answers", models="lexical")
    )
    run = read_run(folder / "run")
    accuracy = measures_of([run], lambda name: method(name).measures)["accuracy"]
    return read_answers(
        run, lambda name: method(name).verdicts, accuracy, labels=labels
    )


def few(things: Sequence[JudgedItem], says: Callable[[JudgedItem], float]) -> str:
    """Rates corrected from so many labels, drawn again and again: how often the
    interval holds the rate of all, and how wide it is.
    """
    truth = sum(bool(one.truth) for one in things) / len(things)
    machine = sum(map(says, things)) / len(things)
    chance = random.Random(SEED)
    held = wide = worth = alone = 0.0
    for _ in range(TIMES):
        drawn = set(chance.sample(range(len(things)), LABELS))
        known = [
            LabeledItem(one.cluster, float(bool(one.truth)), says(one))
            for place, one in enumerate(things)
            if place in drawn
        ]
        others = [
            UnlabeledItem(one.cluster, says(one))
            for place, one in enumerate(things)
            if place not in drawn
        ]
        found = corrected(known, others)
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        held += found.low <= truth <= found.high
        wide += found.high - found.low
        worth += found.worth or LABELS
        low, high = score_interval(found.labels_alone, LABELS)
        alone += high - low
    told = (
        f"truth {truth:.1%}, machine alone {machine:.1%}; of {TIMES} intervals from "
        f"{LABELS} labels {held / TIMES:.1%} hold the truth"
    )
    return (
        f"{told}; width {wide / TIMES:.3f}, of the labels alone {alone / TIMES:.3f}; "
        f"worth {worth / TIMES:.0f} labels"
    )


def halueval(folder: Path) -> None:
    """Right and hallucinated answers, each with the passage it is about; labelled by
    how they were made.
    """
    lines, labels = [], []
    for row in rows("halueval-qa/qa.jsonl"):
        for kind in ("right", "hallucinated"):
            asked = {
                "question": row["question"],
                "references": [{"text": row["knowledge"]}],
                "cluster": row["id"],
            }
            lines.append(
                {"id": f"{row['id']}-{kind}", "answer": row[f"{kind}_answer"], **asked}
            )
            labels.append({"id": f"{row['id']}-{kind}", "correct": kind == "right"})
    if not lines:
        return
    file = folder / "labels.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in labels), "utf-8")
    found = verified(lines, folder, file)
    run = of_answers("HaluEval QA", found, "youden")
    print(as_text(calibration_report([run], full=True)))
    print(
        "corrected by the judgement:",
        few(found.things, lambda one: float(one.holds is True)),
    )
    for score in ("correctness", "truthfulness"):
        print(
            f"corrected by {score}:",
            few(found.things, lambda one, score=score: one.scores.get(score) or 0.0),
        )


def ragchecker(folder: Path) -> None:
    """Pairs of answers that two people preferred one of: whether a higher score, beside
    the reference answer, goes with that.
    """
    pairs = rows("ragchecker-human/pairs.jsonl")
    lines = []
    for pair in pairs:
        asked = {
            "question": pair["query"],
            "references": [{"text": pair["gt_answer"]}],
            "cluster": pair["id"],
            "answers": ["-"],
        }
        lines += [
            {
                "id": f"{pair['id']}-{which}",
                "answer": pair[f"model{which}"]["response"],
                **asked,
            }
            for which in (1, 2)
        ]
    if not lines:
        return
    by_id = {one.id: one for one in verified(lines, folder).things}
    print(
        f"RAGChecker: {len(pairs)} pairs; pairs that both people call equal on "
        f"average are left out"
    )
    for asked_for in ("correctness", "overall"):
        for score in (
            "correctness",
            "truthfulness",
            "reference_correctness",
            "citation_accuracy",
            "conciseness",
        ):
            scored = []
            for pair in pairs:
                preference = sum(
                    label[f"{asked_for}_label"] for label in pair["labels"]
                )
                first, second = (by_id.get(f"{pair['id']}-{which}") for which in (1, 2))
                if (
                    preference
                    and first is not None
                    and second is not None
                    and None not in (first.scores[score], second.scores[score])
                ):
                    scored.append(
                        ScoredItem(
                            f"{pair['dataset']} {pair['query_id']}",
                            second.scores[score] - first.scores[score],
                            preference > 0,
                        )
                    )
            area = roc(scored)
            if area.area is not None:
                within = (
                    "" if area.low is None else f" [{area.low:.3f}, {area.high:.3f}]"
                )
                print(
                    f"  {asked_for:<12} {score:<22} area {area.area:.3f}{within} "
                    f"({len(scored)} pairs)"
                )


def llmjudge(folder: Path) -> None:
    """33 judges beside people: corrected rates of level 2 or above, from 200 labels of
    2,297.
    """
    table = DATA / "llmjudge" / "labels.tsv"
    if not table.exists():
        print("skipped: llmjudge/labels.tsv of ../shared/data is not on this machine")
        return
    columns = [
        name
        for name in table.read_text("utf-8").split("\n", 1)[0].split("\t")
        if name != NO_LEVEL
    ]
    for one in read_levels([table], columns, names=["human"]):
        things = [
            thing for thing in one.things("at_least_2") if thing.truth is not None
        ]
        print(
            f"{one.machine.name:<26}",
            few(things, lambda thing: float(thing.holds is True)),
            flush=True,
        )


TRIALS = {"halueval": halueval, "ragchecker": ragchecker, "llmjudge": llmjudge}

if __name__ == "__main__":
    for name in sys.argv[1:] or TRIALS:
        with tempfile.TemporaryDirectory() as made:
            TRIALS[name](Path(made))
