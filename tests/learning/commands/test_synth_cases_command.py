"""`verifytui synth cases`: from cases and people's levels to sets, gone on with where
it was broken off.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from verifytui.cli.app import main
from verifytui.tests.support.commanding import (
    Done,
    annotating,
    one_sentence,
    refused,
    rows,
)
from verifytui.tests.support.loopback import Loopback

pytestmark = pytest.mark.slow

CRIMES = (
    "盗窃：翻窗进入住宅，趁熟睡窃得现金",
    "抢劫：持刀拦住路人，以暴力相威胁抢走手机",
    "醉驾：酒后驾驶小型轿车，血液中乙醇含量超标",
)
PLACES = "东街西巷南门北桥中学医院车站市场公园码头仓库宾馆网吧超市银行"
WANTED = ["--pairs", "60", "--top", "6", "--sets", "4,3:random"]


def fact(number: int) -> str:
    """A case: its crime by the number, and the rest its own."""
    place = "".join(random.Random(number).choices(PLACES, k=60))
    return f"被告人{CRIMES[number % 3]}，案发地{place}，涉案{number * 137 + 211}元。"


@pytest.fixture
def given(tmp_path: Path) -> list[str | Path]:
    """Twelve queries with three candidates each, LeCaRD's way: a folder of candidates
    for each query.
    """
    labels: dict[str, dict[str, int]] = {}
    for query in range(12):
        folder = tmp_path / "cases" / f"q{query}"
        folder.mkdir(parents=True)
        for at in range(3):
            number = 100 + 3 * query + at
            (folder / f"{number}.json").write_text(
                json.dumps({"ajjbqk": fact(number)}), "utf-8"
            )
            labels.setdefault(f"q{query}", {})[str(number)] = (
                3 if number % 3 == query % 3 else 0
            )
    lines = (
        json.dumps({"qid": f"q{query}", "fact": fact(query)}) for query in range(12)
    )
    (tmp_path / "queries.jsonl").write_text("\n".join(lines), "utf-8")
    (tmp_path / "labels.json").write_text(json.dumps(labels), "utf-8")
    return [
        "--cases",
        tmp_path / "cases",
        "--queries",
        tmp_path / "queries.jsonl",
        "--labels",
        tmp_path / "labels.json",
    ]


Synth = Callable[..., Done]


@pytest.fixture
def synth(
    tmp_path: Path, given: list[str | Path], capsys: pytest.CaptureFixture[str]
) -> Synth:
    """The command in this process, on what is given."""

    def run(
        *more: str | Path, name: str = "made", wanted: Sequence[str] = WANTED
    ) -> Done:
        arguments = [
            *map(str, ("synth", "cases", *given, "--into", tmp_path / name)),
            *wanted,
            *map(str, more),
        ]
        try:
            code = main(arguments)
        finally:
            out, err = capsys.readouterr()
        return Done(arguments, code, out, err)

    return run


def made(folder: Path) -> dict[str, Any]:
    """Everything that was made, but for sessions and times."""
    names = ["choice.json", "drawn.csv", "pairs.jsonl", "report.json"]
    files = [folder / name for name in names] + sorted(
        path for path in (folder / "export").rglob("*") if path.is_file()
    )
    return {str(path.relative_to(folder)): path.read_text("utf-8") for path in files}


def test_facts_and_judgements_as_chat_lines(
    tmp_path: Path, synth: Synth, server: Loopback
) -> None:
    """Every line is what a seat was sent and said, each once; a query's lines are all
    in one part, and a check pair is in none.
    """
    server.answer = annotating(relevant=True)
    model = ["--model", "openai/lb", "--export", "facts", "--check", "2"]
    done = synth(*model)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "made" / "facts"
    parts = {
        path.stem: rows(path.read_text("utf-8"))
        for path in (folder / "chat").glob("*.jsonl")
    }
    lines = [one for part in parts.values() for one in part]
    assert {(one["task"], one["kind"]) for one in lines} == {
        (task, kind)
        for task in ("extraction", "annotation")
        for kind in ("material", "legal")
    }
    texts = [json.dumps(one["messages"]) for one in lines]
    assert len(texts) == len(set(texts))
    sent = [body["messages"] for body in server.requests]
    for one in lines:
        *asked, reply = one["messages"]
        assert [each["role"] for each in one["messages"]] == [
            "system",
            "user",
            "assistant",
        ]
        assert any(
            asked[0] == body[0] and body[1]["content"].startswith(asked[1]["content"])
            for body in sent
        )
        assert isinstance(json.loads(reply["content"]), dict)
    sessions = {
        name: {one["id"].partition("/")[0] for one in part}
        for name, part in parts.items()
    }
    assert not sessions["train"] & sessions["validation"]
    assert "openai/lb" in (folder / "README.md").read_text("utf-8")


def test_from_cases_to_sets(tmp_path: Path, synth: Synth) -> None:
    dry = synth("--dry-run", "--check", "2", "--output", "json")
    assert json.loads(dry.stdout)["pairs"] == 8
    assert not (tmp_path / "made").exists()
    done = synth("--check", "2", "--output", "json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert {name: one["queries"] for name, one in report["splits"].items()} == {
        "train": 10,
        "validation": 1,
        "test": 1,
    }
    assert report["pool"]["cases"] == 30
    assert report["judged"]["states"] == {"read": 6}
    assert report["judged"]["judged_by"]["built_in"] == ["lexical"]
    assert report["agreement"]["level_right"]["of"] == 2
    assert report["leaks"] == []
    pairs = rows((tmp_path / "made" / "pairs.jsonl").read_text("utf-8"))
    assert [one["presort"] for one in pairs] == sorted(
        (one["presort"] for one in pairs), reverse=True
    )
    assert all((tmp_path / "made" / one["session"]).is_file() for one in pairs)
    export = json.loads((tmp_path / "made" / "export" / "export.json").read_text())
    assert export["models"] == {f"train-{n}": {"lexical": n} for n in (3, 4)}
    before = made(tmp_path / "made")
    again = synth("--check", "2")
    assert again.returncode == 0
    assert "people, training" in again.stdout
    assert "Dividing" not in again.stderr
    assert made(tmp_path / "made") == before
    refused(synth("--check", "3"), "check", "2", "3")


@pytest.mark.slow
def test_broken_off_by_the_budget_it_goes_on_and_makes_the_same(
    tmp_path: Path, synth: Synth, server: Loopback
) -> None:
    server.answer = annotating()
    broken = synth(
        "--model", "openai/lb", "--budget-tokens", "300", "--concurrency", "1"
    )
    assert broken.returncode == 3, broken.stderr
    assert not (tmp_path / "made" / "export").exists()
    assert synth("--model", "openai/lb").returncode == 0
    assert synth("--model", "openai/lb", name="whole").returncode == 0
    assert made(tmp_path / "made") == made(tmp_path / "whole")


def test_a_gate_holds_everything_back(tmp_path: Path, synth: Synth) -> None:
    done = synth("--fail-under", "kappa_level=.5")
    assert done.returncode == 1
    assert "kappa_level" in done.stderr
    assert "Nothing was exported" in done.stderr
    assert not (tmp_path / "made" / "export").exists()


def test_pairs_are_drawn_for_others_to_score(tmp_path: Path, synth: Synth) -> None:
    drawn = synth(name="drawn", wanted=["--pairs", "60", "--top", "0"])
    assert drawn.returncode == 0, drawn.stderr
    table = (tmp_path / "drawn" / "drawn.csv").read_text("utf-8").splitlines()
    assert len(table) == 61
    worst = table[-1].rpartition(",")[0]
    (tmp_path / "scores.csv").write_text(f"query,case,score\n{worst},1\n", "utf-8")
    done = synth("--presort", tmp_path / "scores.csv", "--output", "json")
    assert json.loads(done.stdout)["drawn"]["without_score"] == 59
    pairs = rows((tmp_path / "made" / "pairs.jsonl").read_text("utf-8"))
    assert [f"{one['query']},{one['case']}" for one in pairs] == [worst]


def test_what_is_wrong_is_said(
    tmp_path: Path, synth: Synth, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["synth", "cases", "--into", str(tmp_path / "x")]) == 2
    told = capsys.readouterr().err.splitlines()
    for line, option in zip(told, ("--cases", "--queries", "--labels"), strict=True):
        one_sentence(line, option)
    refused(synth("--sets", "lots"), "--sets lots")
    refused(synth("--presort", tmp_path / "none.csv"), "none.csv")
    (tmp_path / "odd.csv").write_text("a,b\n1,2\n", "utf-8")
    refused(synth("--presort", tmp_path / "odd.csv"), "odd.csv", "query, case, score")
    refused(synth("--model", "human"), "extractor", "human")
    (tmp_path / "labels.json").write_text(json.dumps({"other": {"1": 2}}), "utf-8")
    refused(synth(), "labels.json")
    assert not (tmp_path / "made" / "synth.json").exists()
