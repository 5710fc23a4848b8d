"""“Made alike” is said only where everything that answered is known and equal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.api import batch
from verifytui.engines.figures.common import measures
from verifytui.engines.figures.compare import CompareOptions, RunPairing, compare
from verifytui.engines.figures.runs import blank_session, names, read_run
from verifytui.engines.models.config import Config, NamedModel
from verifytui.engines.models.desk import Desk
from verifytui.engines.models.port import ModelReply, Task
from verifytui.engines.reports.comparison import comparison_report, records
from verifytui.engines.reports.text import as_text
from verifytui.engines.retrieval.corpus import Corpora
from verifytui.sessions.paths import paths
from verifytui.sessions.session import Seat
from verifytui.tests.support.loopback import Answer, Loopback
from verifytui.tests.support.solo_runs import LINES, solo_run, write_lines

ALIKE = "the same methods, models, settings and prompts"
MODEL = "openai/stand-in"


def versus(first: Path, second: Path) -> RunPairing:
    return compare(
        names(map(read_run, (first, second))), measures(), CompareOptions()
    ).versus[0]


def said(first: Path, second: Path) -> str:
    runs = names(map(read_run, (first, second)))
    return as_text(comparison_report(compare(runs, measures(), CompareOptions())))


def config(home: Path, server: Loopback, **models: str) -> None:
    named = {
        name: {"model": model, "api_base": server.base_url}
        for name, model in models.items()
    }
    write_config(home, named)


def write_config(home: Path, named: dict[str, Any]) -> None:
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text(json.dumps({"models": named, "cache": False}))


async def asked(folder: Path, model: str = "mine", **options: Any) -> Path:
    await batch(
        "solo",
        write_lines(folder.with_suffix(".jsonl"), LINES[:2]),
        into=folder,
        models=model,
        **options,
    )
    return folder


async def ask_rag(folder: Path, lines: list[dict[str, Any]], **options: Any) -> Path:
    file = write_lines(folder.with_suffix(".jsonl"), lines)
    await batch("rag", file, into=folder, models="lexical", **options)
    return folder


async def test_equal_runs_were_made_alike(
    home: Path, tmp_path: Path, loopback: Loopback
) -> None:
    config(home, loopback, mine=MODEL)
    loopback.answer = Answer(text="Answer: 2 m/s", fingerprint="fp_1")
    runs = [await asked(tmp_path / name) for name in ("a", "b")]
    found = versus(*runs)
    assert (found.differing, found.unknown, found.alike) == ((), (), True)
    assert ALIKE in said(*runs)


async def test_another_model_under_one_name_differs(
    home: Path, tmp_path: Path, loopback: Loopback
) -> None:
    config(home, loopback, mine="openai/one")
    first = await asked(tmp_path / "a")
    config(home, loopback, mine="openai/other")
    second = await asked(tmp_path / "b")
    assert versus(first, second).differing == (
        ("model.solver", (("mine (openai/one)",), ("mine (openai/other)",))),
    )
    assert ALIKE not in said(first, second)


async def test_another_endpoint_or_fingerprint_differs(
    home: Path, tmp_path: Path, loopback: Loopback
) -> None:
    config(home, loopback, mine=MODEL)
    loopback.answer = Answer(text="Answer: 2 m/s", fingerprint="fp_1")
    first = await asked(tmp_path / "a")
    loopback.answer = Answer(text="Answer: 2 m/s", fingerprint="fp_2")
    second = await asked(tmp_path / "b")
    assert versus(first, second).differing == (
        ("fingerprint.solver", (("fp_1",), ("fp_2",))),
    )
    with Loopback(Answer(text="Answer: 2 m/s", fingerprint="fp_1")) as other:
        config(home, other, mine=MODEL)
        third = await asked(tmp_path / "c")
    (found,) = versus(first, third).differing
    assert found.name == "endpoint.solver"
    assert all(value.startswith("127.0.0.1:") for (value,) in found.values)


async def test_a_key_or_path_of_an_address_is_not_recorded(
    home: Path, tmp_path: Path, loopback: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "hunter-22222-hunter"
    monkeypatch.setenv("MY_KEY", key)
    named = {"model": MODEL, "api_base": loopback.base_url, "api_key_env": "MY_KEY"}
    write_config(home, {"mine": named})
    loopback.answer = Answer(text="Answer: 2 m/s", fingerprint=f"{key} \ud800")
    stored = (await asked(tmp_path / "a") / "hill.yaml").read_text("utf-8")
    assert loopback.root.removeprefix("http://") in stored
    assert "fingerprint: " in stored
    assert key not in stored
    assert "/v1" not in stored


@pytest.mark.parametrize("stream", [True, False])
async def test_a_fingerprint_is_recorded_whether_or_not_a_reply_is_streamed(
    loopback: Loopback, stream: bool
) -> None:
    loopback.answer = Answer(fingerprint="fp_1")
    seat = Seat(model=MODEL, name="mine")
    named = {"mine": NamedModel(model=MODEL, api_base=loopback.base_url)}
    session = blank_session("a")
    session.header.lineup["judge"] = seat
    desk = Desk(session, Config(models=named), env={}, stream=stream)
    asked = desk.ask("judge", Task(), [{"role": "user", "content": "?"}])
    (reply,) = [part async for part in asked if isinstance(part, ModelReply)]
    place = loopback.root.removeprefix("http://")
    assert (reply.fingerprint, reply.endpoint) == ("fp_1", place)


async def test_another_corpus_under_one_name_differs(
    home: Path, tmp_path: Path
) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "bridge.txt").write_text("The bridge was opened in 1932.", "utf-8")
    lines = [
        {"id": "q", "question": "When was the bridge opened?", "answers": ["1932"]}
    ]
    Corpora(paths()).build("mine", [documents])
    first = await ask_rag(tmp_path / "a", lines, corpus="mine")
    again = await ask_rag(tmp_path / "again", lines, corpus="mine")
    assert versus(first, again).alike
    (documents / "more.txt").write_text("A tunnel was opened in 1992.", "utf-8")
    Corpora(paths()).build("mine", [documents])
    second = await ask_rag(tmp_path / "b", lines, corpus="mine")
    (found,) = versus(first, second).differing
    assert found.name == "index"
    assert ALIKE not in said(first, second)


async def test_contradicting_references_differ(home: Path, tmp_path: Path) -> None:
    def lines(year: int) -> list[dict[str, Any]]:
        passage = {"title": "Bridge", "text": f"The bridge was opened in {year}."}
        question = "When was the bridge opened?"
        return [
            {
                "id": "q",
                "question": question,
                "answers": ["1932"],
                "references": [passage],
            }
        ]

    first = await ask_rag(tmp_path / "a", lines(1932))
    second = await ask_rag(tmp_path / "b", lines(1492))
    again = await ask_rag(tmp_path / "c", lines(1932))
    assert [one.name for one in versus(first, second).differing] == ["references"]
    assert versus(first, again).alike
    assert "references supplied" in said(first, second)


async def test_what_an_old_session_lacks_is_unknown_and_never_alike(
    home: Path, tmp_path: Path, loopback: Loopback
) -> None:
    config(home, loopback, mine=MODEL)
    loopback.answer = Answer(text="Answer: 2 m/s")
    runs = [await asked(tmp_path / name) for name in ("a", "b")]
    for file in runs[0].glob("*.yaml"):
        kept = [
            line
            for line in file.read_text("utf-8").split("\n")
            if not line.startswith("endpoint:")
        ]
        file.write_text("\n".join(kept), "utf-8")
    found = versus(*runs)
    assert (found.differing, found.alike) == ((), False)
    assert found.unknown == (("endpoint.solver", (True, False)),)
    told = said(*runs)
    assert ALIKE not in told
    assert "Not recorded in a: endpoint of solver." in told
    comparison = compare(names(map(read_run, runs)), measures(), CompareOptions())
    row = records(comparison)[0]
    assert row["unknown"] == {"endpoint.solver": [str(runs[0])]}
    assert row["alike"] is False


async def test_another_version_of_the_program_differs(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await solo_run(tmp_path / "a")
    monkeypatch.setattr(
        "verifytui.sessions.new._versions", lambda: {"verifytui": "99.0"}
    )
    second = await solo_run(tmp_path / "b")
    (found,) = versus(first, second).differing
    assert (found.name, found.values[1]) == ("version", ("99.0",))
    assert "version of VerifyTUI" in said(first, second)
