"""Every figure of report.json is the one that `compare` gives: pairs of cases,
rankings.
"""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest
from verifytui.cli.app import main
from verifytui.tests.support.commanding import annotating
from verifytui.tests.support.loopback import Answer, Body, Loopback

WORDS = [
    "盗窃",
    "抢劫",
    "伤害",
    "现金",
    "手机",
    "夜间",
    "入室",
    "持刀",
    "醉酒",
    "自首",
    "赔偿",
    "公司",
    "合同",
    "诈骗",
]


def pairs(path: Path) -> Path:
    chance = random.Random(1)

    def text() -> str:
        return "被告人" + "".join(chance.choices(WORDS, k=30)) + "。"

    queries = [{"id": f"q{n}", "text": text()} for n in range(4)]
    rows = [
        {
            "id": f"p{n}",
            "query": queries[n % 4],
            "candidate": {"id": f"c{n}", "text": text()},
            **({"label": n % 4} if n < 12 else {}),
        }
        for n in range(14)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def check(run: Path, capsys: pytest.CaptureFixture[str]) -> set[str]:
    """The names of the figures, which are the same in both."""
    other = run.with_name("again")
    shutil.copytree(run, other)
    report = json.loads((run / "report.json").read_text("utf-8"))
    figures = {
        name: value
        for name, value in (report | report["per_item"]).items()
        if isinstance(value, dict) and "low" in value
    }
    measures = [part for name in figures for part in ("--measure", name)]
    capsys.readouterr()
    assert main(["compare", str(run), str(other), *measures, "--output", "json"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    compared = {
        one["measure"]: one["a"] for one in found if "measure" in one and "a" in one
    }
    keys = ("value", "low", "high", "n")
    assert {
        name: [figure[key] for key in keys] for name, figure in figures.items()
    } == {name: [compared[name][key] for key in keys] for name in figures}
    return set(figures)


def test_graded_pairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = pairs(tmp_path / "p.jsonl")
    assert main(["grade", "--pairs", str(file), "--into", str(tmp_path / "run")]) == 0
    names = check(tmp_path / "run", capsys)
    assert {"kappa_level", "raw_agreement_legal", "scored", "calls"} <= names


def test_repeats_of_judged_pairs(
    server: Loopback, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = random.Random(2)

    def reply(body: Body) -> Answer:
        answer: Answer = annotating(relevant=chance.random() < 0.5)(body)
        return answer

    server.answer = reply
    options = ["--model", "openai/lb", "--without", "extraction"]
    options += ["--repeats", "2", "--temperatures", "0,1"]
    file = pairs(tmp_path / "p.jsonl")
    into = ["--into", str(tmp_path / "run")]
    assert main(["relevance", "--pairs", str(file), *into, *options]) == 0
    names = check(tmp_path / "run", capsys)
    scales = ("level", "material", "legal", "level_linear", "level_quadratic")
    assert {
        f"{kind}_{name}" for kind in ("reliability", "validity") for name in scales
    } <= names
    assert {"ties_broken", "score_3", "tokens"} <= names
    report = json.loads((tmp_path / "run" / "report.json").read_text("utf-8"))
    by_temperature = report["temperatures"]
    assert list(by_temperature) == ["0", "1"]
    assert by_temperature["0"]["reliability_level"]["n"] == 14
    assert report["reliability_level"]["n"] == 28


def test_rankings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {
            "id": f"q{n}",
            "question": f"Why does it rain in {n}?",
            "accepted": ["Clouds cool."],
            "answers": {
                "ours": "Clouds cool." if n % 3 else "No idea at all.",
                "theirs": "It rains since the sun is out.",
            },
        }
        for n in range(8)
    ]
    file = tmp_path / "q.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    into = ["--into", str(tmp_path / "run"), "--both-orders"]
    assert main(["rank", "--questions", str(file), *into]) == 0
    names = check(tmp_path / "run", capsys)
    assert {"rank_correctness", "consistent", "consistent_correctness"} <= names
    report = json.loads((tmp_path / "run" / "report.json").read_text("utf-8"))
    first = report["criteria"]["correctness"]["ours"]
    for kind in ("rank", "place", "score", "high_quality"):
        own = report[f"{kind}_correctness"]
        beside = ("covered", "certified")
        assert first[kind] == {key: own[key] for key in own if key not in beside}
