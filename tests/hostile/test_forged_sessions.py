"""A session file may come from anyone: whatever stands in it, it is shown, exported and
gone on with, or refused in a sentence.
"""

from __future__ import annotations

import csv
import io
import json
from contextlib import aclosing, redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from verifytui.cli.printer import Printer
from verifytui.engines.blocks import export
from verifytui.engines.method import method_of
from verifytui.engines.models.config import Config
from verifytui.engines.models.desk import Desk
from verifytui.engines.step import step
from verifytui.engines.tools import Tools
from verifytui.sessions.emit import document
from verifytui.sessions.errors import BadInput, SessionError
from verifytui.sessions.events import Failure
from verifytui.sessions.export import FORMATS
from verifytui.sessions.journal import Journal
from verifytui.sessions.paths import paths
from verifytui.sessions.session import Session
from verifytui.sessions.summary import entry
from verifytui.tests.support import hostile_texts as hostile
from verifytui.tests.support.forged import (
    TIME,
    WORKSPACES,
    Forger,
    defaults,
    templates,
    writable,
)
from verifytui.tests.support.piloting import everything
from verifytui.texts import set_language
from verifytui.tui.app import VerifyTui
from verifytui.tui.play import Play

SEEDS = range(25)
LEFT = {"csv": "\r\n\t", "html": "\n\t", "md": "\n\t", "jsonl": "\n"}
"""The control characters that an export may have."""


@pytest.fixture(autouse=True)
def _english(home: Path) -> None:
    set_language("en")


def sessions(workspace: str) -> list[Session]:
    made = [
        Journal.from_bytes(Forger(seed).session(workspace)).session
        for seed in SEEDS
        if readable(Forger(seed).session(workspace))
    ]
    assert len(made) > len(SEEDS) // 2
    return made


def readable(data: bytes) -> bool:
    """Whether it is taken for a session.

    If it is refused, one sentence says why, or the test fails.
    """
    try:
        Journal.from_bytes(data)
    except SessionError as error:
        refusal = hostile.sentence(error)
    else:
        return True
    assert not hostile.control_characters(refusal, "")
    return False


@pytest.mark.parametrize("workspace", WORKSPACES)
def test_exports(workspace: str) -> None:
    for session in sessions(workspace):
        for form in FORMATS:
            made = export(session, form)
            assert not hostile.control_characters(made, LEFT[form]), form
            made.encode()
            if form == "jsonl":
                assert len([json.loads(line) for line in made.splitlines()]) == 1 + len(
                    session.events
                )
            if form == "csv":
                names, *rows = csv.reader(
                    io.StringIO(made.removeprefix("\ufeff"), newline="")
                )
                assert {len(row) for row in rows} <= {len(names)}
            if form == "html":
                assert "<script" not in made
                assert "<img" not in made


@pytest.mark.parametrize("workspace", WORKSPACES)
def test_as_text_and_in_a_list(workspace: str, tmp_path: Path) -> None:
    for number, session in enumerate(sessions(workspace)):
        with (
            redirect_stdout(io.StringIO()) as out,
            redirect_stderr(io.StringIO()) as err,
        ):
            shown = Printer()
            shown.header(session)
            for event in session.events:
                shown.event(event)
            shown.spent(session.totals())
        assert not hostile.control_characters(out.getvalue() + err.getvalue())
        path = tmp_path / f"{number}.yaml"
        path.write_bytes(Forger(SEEDS[number]).session(workspace))
        assert entry(path).path == path


@pytest.mark.slow
@pytest.mark.parametrize("workspace", WORKSPACES)
async def test_going_on(workspace: str) -> None:
    """With built-ins, as far as it goes: a step is an event, or a failure in a
    sentence.
    """
    tools = Tools(Config(), paths())
    for seed in SEEDS:
        data = Forger(seed).session(workspace)
        if not readable(data):
            continue
        journal = writable(data)
        header = journal.session.header
        method = method_of(header)
        engine, builtins = method.engine(header, tools), method.models(header, tools)
        desk = Desk(
            partial(getattr, journal, "session"),
            Config(retries=0),
            env={},
            builtins=builtins,
        )
        for _ in range(4):
            if engine.finished(journal.session) or (
                journal.session.events
                and isinstance(journal.session.events[-1], Failure)
            ):
                break
            try:
                async with aclosing(step(journal, engine, desk)) as parts:
                    async for _part in parts:
                        pass
            except BadInput as error:
                hostile.sentence(error)
                break
    tools.close()


@pytest.mark.slow
@pytest.mark.parametrize("workspace", WORKSPACES)
async def test_in_the_app(workspace: str) -> None:
    """Opened, looked at event by event, with the screens above it."""
    app = VerifyTui(Config())
    async with app.run_test(size=(110, 30), notifications=True) as pilot:
        await pilot.pause()
        for seed in range(2):
            data = Forger(seed).session(workspace, 5)
            if readable(data):
                await looked_at(pilot, data)
        await looked_at(pilot, broken(workspace))


async def looked_at(pilot: Pilot[None], data: bytes) -> None:
    app: VerifyTui = pilot.app  # type: ignore[assignment]
    journal = writable(data)
    assert await app.open_play(Play(journal))
    for number in range(len(journal.session.events) + 1):
        await app.workspace.bench.look(number)
        await pilot.pause()
        assert not hostile.control_characters(everything(app), "\n")
    for key in ("v", "m", "question_mark"):
        await pilot.press(key)
        await pilot.pause()
        assert not hostile.control_characters(everything(app), "\n")
        await pilot.press("escape")
        await pilot.pause()
    assert app.defects == []


NOBODY = {"debate": "affirmative", "rag": "generator", "relevance": "extractor"}


def broken(workspace: str) -> bytes:
    """Nobody on the seats, no figure that is one, a change that empties a seat, one
    rater who agrees with nobody.
    """
    header = {
        "format": "verifytui/1",
        "id": "x",
        "workspace": workspace,
        "created": TIME,
        "title": "x",
        "task": {
            "topic": 3,
            "question": [],
            "query": "x",
            "candidates": [{"id": "a", "text": "b"}, {"id": "\x1b[2J # x", "text": ""}],
        },
        "lineup": {"judge": {"model": "script"}},
        "settings": {**defaults(workspace), "debaters": "four", "k": float("nan")},
        "prompts": {"set": "en", "hash": "x", "templates": templates(workspace)},
    }
    made = {"role": "nobody", "text": "x", "model": "m"}
    scores = dict.fromkeys(
        ("correctness", "bias", "truthfulness", "conciseness"), float("inf")
    )
    events: dict[str, list[dict[str, Any]]] = {
        "debate": [{"event": "speech", "round": 10**30, **made}],
        "rag": [
            {
                "event": "retrieval",
                "iteration": 1,
                "query": "x",
                "references": [{"n": 1, "id": "x", "score": float("nan")}],
            },
            {"event": "answer", "iteration": 1, **made},
            {
                "event": "verification",
                "iteration": 1,
                **made,
                **scores,
                "citation_accuracy": float("nan"),
                "reference_correctness": -7.0,
            },
        ],
        "relevance": [
            {
                "event": "judgement",
                "kind": "material",
                "candidate": "\x1b[2J # x",
                **made,
            },
            {
                "event": "result",
                "ranking": ["a", "z"],
                "scores": [99],
                "agreement": [{"raters": ["one"], "pairs": -1}],
            },
        ],
    }
    change: dict[str, Any] = {
        "event": "change",
        "field": "lineup.judge",
        "old": None,
        "new": None,
    }
    listed = [
        {**one, "number": number, "time": TIME}
        for number, one in enumerate([change, *events[workspace]], 1)
    ]
    return document(header, first=True) + b"".join(map(document, listed))


@pytest.mark.parametrize("workspace", WORKSPACES)
def test_a_broken_one_is_exported_and_printed(workspace: str) -> None:
    session = Journal.from_bytes(broken(workspace)).session
    assert session.seat("judge").model == "script"
    assert session.seated([NOBODY[workspace], "judge"]) == [
        ("judge", session.seat("judge"))
    ]
    for form in FORMATS:
        assert not hostile.control_characters(export(session, form), LEFT[form])
    with redirect_stdout(io.StringIO()) as out:
        shown = Printer()
        shown.header(session)
        for event in session.events:
            shown.event(event)
    assert not hostile.control_characters(out.getvalue())
