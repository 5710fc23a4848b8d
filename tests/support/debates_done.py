"""Folders of finished debates, as a batch leaves them: each item with what it answered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from verifytui.sessions.events import Usage
from verifytui.sessions.events.debate import DebateResult, Speech
from verifytui.sessions.journal import Journal
from verifytui.sessions.new import new_header
from verifytui.sessions.session import Prompts, Seat


def run_of(folder: Path, answers: Mapping[str, str | None], *, model: str = "gpt-4o", right: str = "42", **settings: object) -> Path:
    """A batch of debates. `answers`: by id what was answered; None: undecided."""
    folder.mkdir(parents=True)
    for number, (name, answer) in enumerate(answers.items(), 1):
        header = new_header(
            workspace="debate",
            title=f"Question {name}?",
            task={"kind": "question", "topic": f"Question {name}?", "answers": [right]},
            lineup={"affirmative": Seat(model=model), "judge": Seat(model="qwen3")},
            settings={"level": 2, **settings},
            prompts=Prompts(set="en", hash="", templates={}),
        )
        with Journal.create(folder / f"{name}.yaml", header) as journal:
            usage = Usage(input=100 + number, output=10)
            said = f"I say {answer}."
            journal.append(Speech(role="affirmative", round=1, model=model, text=said, answer=answer, usage=usage, cost=0.001, seconds=2.0))
            journal.append(DebateResult(answer=answer, decided_by="extractive" if answer else "undecided"))
    (folder / "batch.json").write_text(json.dumps({"format": "verifytui-batch/1", "options": {}, "lines": dict.fromkeys(answers, "x")}))
    return folder
