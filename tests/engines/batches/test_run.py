"""A batch is run by a program: no command line, no terminal."""

from __future__ import annotations

import asyncio
import json
import threading
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from verifytui.engines.batches.batch import Batch
from verifytui.engines.batches.estimate import SAMPLE
from verifytui.engines.batches.lines import BatchLine
from verifytui.engines.batches.results import document_of
from verifytui.engines.batches.run import BatchRunner, run_batch
from verifytui.engines.batches.state import BatchState, Limits
from verifytui.engines.debate.method import new_debate
from verifytui.engines.debate.script import example_topics
from verifytui.engines.method import method
from verifytui.engines.models.config import Config, NamedModel, TokenPrices
from verifytui.engines.reports.text import as_text
from verifytui.engines.tools import Tools
from verifytui.prompts import load
from verifytui.sessions.errors import BadInput
from verifytui.sessions.journal import Journal
from verifytui.sessions.paths import paths
from verifytui.sessions.session import Header, Seat, Session
from verifytui.tests.support.commanding import debating
from verifytui.tests.support.gated import passes
from verifytui.tests.support.loopback import Loopback


class Told:
    """Records the progress that a batch reports."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def begin(self, state: BatchState) -> None:
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
    lines = [BatchLine(name, (), f"line {n}") for n, name in enumerate(ids, 1)]
    return Batch(
        debate.batches["topics"],
        lines,
        headers,
        options or {},
        debate,
        Tools(Config(), paths()),
    )


async def test_a_program_runs_a_batch_and_gets_its_outcome(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = Told()
    outcome = await run_batch(batch("a", "b"), tmp_path / "out", Limits(2), told)
    assert outcome.status == "done"
    assert outcome.report.as_json() == json.loads(
        (tmp_path / "out" / "report.json").read_text("utf-8")
    )
    assert [(row["id"], row["status"]) for row in outcome.summary] == [
        ("a", "done"),
        ("b", "done"),
    ]
    assert told.parts == ["begin", "end"]
    assert (told.state.done, told.state.failed) == (2, 0)
    assert capsys.readouterr() == ("", "")
    again = await run_batch(batch("a", "b"), tmp_path / "out")
    assert again.summary == outcome.summary


async def test_a_program_gets_an_estimate_and_nothing_is_written(
    tmp_path: Path,
) -> None:
    estimate = await BatchRunner(batch("a"), tmp_path / "out", Limits()).estimate()
    assert (estimate.sessions, estimate.spent.calls) == (1, 0)
    assert not (tmp_path / "out").exists()


async def test_another_batch_is_refused_before_anything_is_asked(
    tmp_path: Path,
) -> None:
    await run_batch(batch("a"), tmp_path / "out")
    with pytest.raises(BadInput, match="other options"):
        await run_batch(batch("a", options={"level": 3}), tmp_path / "out")


async def test_the_report_says_how_long_calls_waited_for_the_limits_of_a_model(
    tmp_path: Path, home: Path, loopback: Loopback
) -> None:
    made = batch("a", "b", "c")
    mine = NamedModel(model="qwen", api_base=loopback.base_url, concurrency=1)
    loopback.answer = debating()
    headers = [
        msgspec.structs.replace(
            header, lineup=dict.fromkeys(header.lineup, Seat(model="qwen", name="mine"))
        )
        for header in made.headers
        if header is not None
    ]
    made = replace(
        made, headers=headers, tools=Tools(Config(models={"mine": mine}), paths())
    )
    outcome = await run_batch(made, tmp_path / "out")
    assert outcome.status == "done", outcome.summary
    held = outcome.report.limits["qwen"]
    assert (held.events >= 2, held.waited > 0, held.slowed) == (True, True, 0)
    text = as_text(document_of(outcome.report, made.kind, "out"))
    assert f"limits of qwen: {held.events} calls waited" in text
    again = await run_batch(made, tmp_path / "out")
    assert again.report.limits == outcome.report.limits, "it stands in the sessions"


async def test_a_run_that_is_cancelled_while_it_opens_a_session_leaves_none_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, goes_on, opened = threading.Event(), threading.Event(), []

    def slowly(path: Path, header: Header) -> Journal:
        begun.set()
        goes_on.wait(10)
        opened.append(real(path, header))
        return opened[0]

    real = Journal.create
    monkeypatch.setattr(Journal, "create", slowly)
    running = asyncio.create_task(
        run_batch(batch("a"), tmp_path / "out", Limits(1), Told())
    )
    await asyncio.to_thread(begun.wait, 10)
    running.cancel()
    await passes()
    goes_on.set()
    with pytest.raises(asyncio.CancelledError):
        await running
    with Journal.open(opened[0].path) as again:
        assert again.writable


async def test_what_calls_are_likely_to_cost_is_told_from_a_few_sessions_of_each_shape(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = batch(*(f"t{n}" for n in range(40)))
    known = NamedModel(model="qwen", prices=TokenPrices(input=1.0, output=2.0))
    tools = Tools(
        Config(models={"mine": known, "other": NamedModel(model="llama")}), paths()
    )
    seated = [
        msgspec.structs.replace(
            header, lineup=dict.fromkeys(header.lineup, Seat(model="qwen", name="mine"))
        )
        for header in made.headers
        if header is not None
    ]
    played: list[Session] = []
    ways = type(made.kind.stand_ins)
    engine = ways.engine
    monkeypatch.setattr(
        ways,
        "engine",
        lambda self, session: played.append(session) or engine(self, session),
    )
    priced = await BatchRunner(
        replace(made, headers=seated, tools=tools), tmp_path / "out", Limits()
    ).likely()
    assert priced.tokens > 100
    assert priced.usd > priced.tokens * 1e-6
    assert not priced.unknown_prices
    assert len(played) <= SAMPLE
    judge = {**seated[7].lineup, "judge": Seat(model="llama", name="other")}
    seated[7] = msgspec.structs.replace(seated[7], lineup=judge)
    odd = BatchRunner(
        replace(made, headers=seated, tools=tools), tmp_path / "odd", Limits(usd=1.0)
    )
    with pytest.raises(BadInput, match="llama"):
        await odd.run(Told())
