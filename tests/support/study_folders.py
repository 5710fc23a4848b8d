"""Folders of finished debates, as batches and studies leave them: each item with what
it answered.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from verifytui.engines.method import method
from verifytui.engines.models.config import Config
from verifytui.engines.studies.manifest import freeze, read_manifest, write_manifest
from verifytui.engines.studies.measuring import score, sessions_of
from verifytui.engines.studies.opening import planned
from verifytui.engines.studies.scores import write_scores
from verifytui.engines.studies.study import read_study
from verifytui.sessions.events import Usage
from verifytui.sessions.events.debate import DebateResult, Speech, Verdict
from verifytui.sessions.journal import Journal
from verifytui.sessions.new import new_header
from verifytui.sessions.session import Prompts, Seat


def run_of(
    folder: Path,
    answers: Mapping[str, str | None],
    *,
    model: str = "gpt-4o",
    right: str = "42",
    **settings: object,
) -> Path:
    """A batch of debates. `answers`: by id what was answered; None: undecided."""
    folder.mkdir(parents=True)
    for number, (name, answer) in enumerate(answers.items(), 1):
        header = new_header(
            workspace="debate",
            title=f"Question {name}?",
            task={"kind": "question", "topic": f"Question {name}?", "answers": [right]},
            lineup={"affirmative": Seat(model=model), "judge": Seat(model="qwen3")},
            settings={"level": 2, **settings},
            prompts=Prompts(set="en", hash="sha256:00", templates={}),
        )
        with Journal.create(folder / f"{name}.yaml", header) as journal:
            usage = Usage(input=100 + number, output=10)
            said = f"I say {answer}."
            journal.append(
                Speech(
                    role="affirmative",
                    round=1,
                    model=model,
                    endpoint="models.example",
                    text=said,
                    answer=answer,
                    usage=usage,
                    cost=0.001,
                    seconds=2.0,
                )
            )
            if answer:
                verdict = Verdict(
                    role="judge",
                    round=1,
                    model="qwen3",
                    endpoint="models.example",
                    mode="extractive",
                    supported_side="affirmative",
                    answer=answer,
                    read="json",
                    usage=Usage(input=0, output=0),
                    cost=0.0,
                    attempts=0,
                )
                journal.append(verdict)
            journal.append(
                DebateResult(
                    answer=answer,
                    decided_by="extractive" if answer else "undecided",
                    supported_side="affirmative" if answer else None,
                    side_by="judge" if answer else None,
                    rounds=1,
                )
            )
    (folder / "batch.json").write_text(
        json.dumps(
            {
                "format": "verifytui-batch/1",
                "options": {},
                "lines": dict.fromkeys(answers, "x"),
            }
        )
    )
    return folder


STUDY = """format: verifytui-study/1
name: levels
title: Four levels
items: {adapter: jsonl, file: items.jsonl}
base: {method: debate, kind: question, rounds: 3, model: {"*": gpt-4o}}
grid: {level: [%s]}
measures: [accuracy, decided]
compare: {to: level=2}
plot: {kind: line, x: level, y: [accuracy]}
paper: {source: "Liang 2023, Fig. 4", values: {level=3: {accuracy: 0.41}}}
budget: {usd: 5}
"""


def study_of(
    folder: Path,
    answers: Mapping[int, Mapping[str, str | None]],
    *,
    measured: bool = True,
) -> Path:
    """A study of levels that has run.

    `answers`: level → id → what was answered; levels without any have not begun.
    """
    data = folder.with_name(folder.name + "-items")
    data.mkdir(parents=True)
    ids = dict.fromkeys(name for of in answers.values() for name in of)
    rows = (
        {"id": name, "topic": f"Question {name}?", "answers": ["42"]} for name in ids
    )
    (data / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (data / "study.yaml").write_text(STUDY % ", ".join(map(str, answers)))
    plan = planned(read_study(data / "study.yaml", data), method, Config())
    folder.mkdir()
    freeze(folder, plan, {})
    for level, of in answers.items():
        if of:
            run_of(folder / f"level={level}", of, level=level)
            summary = (
                {
                    "id": name,
                    "status": "done",
                    "cost_known": 0.001,
                    "usage": {"input": 1, "output": 1},
                    "unpriced": [],
                }
                for name in of
            )
            (folder / f"level={level}" / "summary.jsonl").write_text(
                "".join(json.dumps(row) + "\n" for row in summary)
            )
    if measured:
        write_scores(folder, score(plan, sessions_of(plan, folder)))
    write_manifest(folder, {**read_manifest(folder), "status": "done"})
    return folder
