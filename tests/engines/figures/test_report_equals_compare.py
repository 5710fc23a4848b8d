"""A figure has one value, one interval and one n, in report.json and in a comparison.

To add a kind of batch, add it to `RUNS`.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.api import batch
from verifytui.engines.figures.compare import CompareOptions, compare, measures_of
from verifytui.engines.figures.runs import read_run
from verifytui.engines.method import method
from verifytui.engines.reports.batch import PER_ITEM
from verifytui.tests.support.solo_runs import solo_run, write_lines

HELD = ["Beorn is a man who turns into a bear.", "Bilbo has a small sword."]
QUESTIONS: list[dict[str, Any]] = [
    {
        "id": "bear",
        "question": "Who turns into a bear?",
        "answers": ["Beorn"],
        "references": HELD,
        "gold": [HELD[0]],
        "nuggets": ["Beorn turns into a bear"],
    },
    {
        "id": "sword",
        "question": "What does Bilbo have?",
        "answers": ["a ring"],
        "references": HELD,
        "gold": [HELD[1]],
        "cluster": "bilbo",
    },
    {
        "id": "pipe",
        "question": "What does Bilbo smoke?",
        "answers": ["a pipe"],
        "references": [HELD[1]],
        "gold": [HELD[1]],
        "cluster": "bilbo",
    },
    {"id": "none", "question": "Who?", "answers": ["Beorn"], "references": []},
    {"id": "open", "question": "What turns?", "references": HELD},
]
ANSWERS: list[dict[str, Any]] = [
    {**QUESTIONS[0], "answer": "Beorn, the skin-changer [1]."},
    {**QUESTIONS[1], "answer": "Bilbo has a sword [3]. He has [] no ring [2]."},
    {**QUESTIONS[2], "answer": ""},
    {**QUESTIONS[3], "answer": "Beorn."},
    {**QUESTIONS[4], "answer": "The references do not hold the answer."},
]


async def of_script(folder: Path, name: str, **options: Any) -> None:
    await solo_run(folder, method=name, **options)


async def of_lexical(
    folder: Path, lines_are: str, lines: list[dict[str, Any]], **options: Any
) -> None:
    path = write_lines(folder.with_suffix(".jsonl"), lines)
    await batch("rag", path, into=folder, lines=lines_are, models="lexical", **options)


RUNS: Mapping[tuple[str, str], Callable[[Path], Awaitable[None]]] = {
    ("debate", "topics"): lambda folder: of_script(folder, "debate"),
    ("solo", "topics"): lambda folder: of_script(folder, "solo", strategy="reflect"),
    ("rag", "questions"): lambda folder: of_lexical(
        folder, "questions", QUESTIONS, claims=True
    ),
    ("rag", "answers"): lambda folder: of_lexical(
        folder, "answers", ANSWERS, claims=True
    ),
}
ENDS = ("value", "low", "high", "n", "clusters")


@pytest.mark.parametrize("kind", RUNS, ids=".".join)
async def test_every_figure_of_a_report_is_that_of_a_comparison(
    kind: tuple[str, str], tmp_path: Path
) -> None:
    folder, other = tmp_path / "run", tmp_path / "other"
    await RUNS[kind](folder)
    shutil.copytree(folder, other)
    report = json.loads((folder / "report.json").read_text("utf-8"))
    reported = {**report, **report[PER_ITEM]}
    runs = [read_run(folder), read_run(other)]
    available = measures_of(runs, lambda name: method(name).measures)
    assert set(available) == set(method(kind[0]).batches[kind[1]].measures)
    names = [name for name in available if "low" in reported.get(name, ())]
    assert len(names) >= 20
    found = compare(runs, available, CompareOptions(measures=names))
    (versus,) = found.versus
    compared = {each.measure.name: each.a.as_json() for each in versus.differences}
    assert set(names) <= set(compared)
    for name in names:
        expected = {end: reported[name].get(end) for end in ENDS}
        assert {end: compared[name].get(end) for end in ENDS} == expected, name
