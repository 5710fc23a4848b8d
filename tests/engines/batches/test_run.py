"""A batch is run by a program: no command line, no terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from verifytui.engines.batches.batch import Batch
from verifytui.engines.batches.lines import Line
from verifytui.engines.batches.run import Runner, run_batch
from verifytui.engines.batches.state import Limits, State
from verifytui.engines.debate.new import new_debate
from verifytui.engines.debate.script import example_topics
from verifytui.engines.method import method
from verifytui.engines.models.config import Config
from verifytui.engines.tools import Tools
from verifytui.prompts import load
from verifytui.sessions.errors import BadInput
from verifytui.sessions.paths import paths


class Told:
    """Records the progress that a batch reports."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def begin(self, state: State) -> None:
        self.state = state
        self.parts.append("begin")

    def say(self, message: str) -> None:
        self.parts.append(message)

    def end(self) -> None:
        self.parts.append("end")


def batch(*ids: str, options: dict[str, object] | None = None) -> Batch:
    """Script debates of the first example, one for each id."""
    topic = next(one.topic for one in example_topics() if one.kind == "question")
    debate = method("debate")
    headers = [new_debate(topic=topic, prompts=load("en")) for _ in ids]
    lines = [Line(name, (), f"line {n}") for n, name in enumerate(ids, 1)]
    return Batch(debate.batches["topics"], lines, headers, options or {}, debate, Tools(Config(), paths()))


async def test_a_program_runs_a_batch_and_gets_its_outcome(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = Told()
    outcome = await run_batch(batch("a", "b"), tmp_path / "out", Limits(2), told)
    assert outcome.status == "done"
    assert outcome.report == json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))
    assert [(row["id"], row["status"]) for row in outcome.summary] == [("a", "done"), ("b", "done")]
    assert told.parts == ["begin", "end"]
    assert (told.state.done, told.state.failed) == (2, 0)
    assert capsys.readouterr() == ("", "")
    again = await run_batch(batch("a", "b"), tmp_path / "out")
    assert again.summary == outcome.summary


async def test_a_program_gets_an_estimate_and_nothing_is_written(tmp_path: Path) -> None:
    estimate = await Runner(batch("a"), tmp_path / "out", Limits()).estimate()
    assert (estimate.sessions, estimate.spent.calls) == (1, 0)
    assert not (tmp_path / "out").exists()


async def test_another_batch_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    await run_batch(batch("a"), tmp_path / "out")
    with pytest.raises(BadInput, match="other options"):
        await run_batch(batch("a", options={"level": 3}), tmp_path / "out")
