"""`verifytui solo`: one topic and a file of them, replayed, forked from, exported."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from verifytui.tests.support.commanding import HILL, command, refused, rows


def test_a_topic_as_json_is_header_attempt_and_result() -> None:
    done = command("solo", HILL, "--strategy", "cot", "--no-save", "--output", "json")
    assert done.returncode == 0, done.stderr
    header, attempt, result = rows(done.stdout)
    assert (header["workspace"], header["method"], header["settings"]["strategy"]) == (
        "debate",
        "solo",
        "cot",
    )
    assert (attempt["event"], attempt["role"], attempt["answer"]) == (
        "attempt",
        "solver",
        "2 m/s",
    )
    assert (result["answer"], result["attempts"], result["decided_by"]) == (
        "2 m/s",
        1,
        "single",
    )


def test_a_kept_session_is_replayed_exported_and_has_nothing_left_to_do(
    tmp_path: Path,
) -> None:
    saved = tmp_path / "alone.yaml"
    assert command("solo", HILL, "--save", saved).returncode == 0
    before = saved.read_bytes()
    assert (
        "[solver · script (handwritten)]" in command("replay", "--plain", saved).stdout
    )
    assert "结果：2 m/s" in command("--lang", "zh", "replay", "--plain", saved).stdout
    assert command("resume", saved).returncode == 0
    assert saved.read_bytes() == before
    assert "Answer: **2 m/s**" in command("export", saved, "--to", "md").stdout
    assert [
        row.get("event")
        for row in rows(command("export", saved, "--to", "jsonl").stdout)
    ] == [None, "attempt", "result"]


def test_a_batch_counts_right_answers_and_traps(tmp_path: Path) -> None:
    topics = tmp_path / "topics.jsonl"
    lines = [
        {
            "id": "hill",
            "topic": HILL,
            "answers": ["1.5 m/s"],
            "wrong_answers": ["2 m/s"],
        },
        {"id": "same", "topic": HILL, "answers": ["2 m/s"], "strategy": "cot"},
        {
            "id": "text",
            "topic": "吃掉敌人一个师。",
            "kind": "translation",
            "answers": ["Destroy an enemy division."],
            "strategy": "cot",
        },
    ]
    topics.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    done = command("solo", "--topics", topics, "--into", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    words = " ".join(done.stdout.split())
    assert "answered by script, not a language model" in words
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert (report["done"], report["verified_by"]["solver"]) == (3, ["script"])
    assert (
        report["accuracy"]["count"],
        report["accuracy"]["of"],
        report["traps"]["count"],
    ) == (1, 2, 1)
    assert report["chrf"]["value"] == pytest.approx(100)
    assert (
        command(
            "solo",
            "--topics",
            topics,
            "--into",
            tmp_path / "out",
            "--fail-under",
            "accuracy=.9",
        ).returncode
        == 1
    )


def test_a_dry_run_counts_a_call_a_topic(tmp_path: Path) -> None:
    topics = tmp_path / "topics.jsonl"
    topics.write_text('{"id": "a", "topic": "Why?"}\n{"id": "b", "topic": "How?"}\n')
    done = command(
        "solo",
        "--topics",
        topics,
        "--into",
        tmp_path / "out",
        "--model",
        "gpt-4",
        "--dry-run",
        "--output",
        "json",
    )
    estimate = json.loads(done.stdout)
    assert (estimate["solo sessions"], estimate["calls"], estimate["least_calls"]) == (
        2,
        2,
        2,
    )
    assert not (tmp_path / "out").exists()


def test_its_variables_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIFYTUI_SOLO_STRATEGY", "cot")
    assert "The average of 1 and 3 is 2" in command("solo", HILL, "--no-save").stdout
    monkeypatch.setenv("VERIFYTUI_SOLO_STRATEGY", "tot")
    refused(
        command("solo", HILL, "--no-save"), "VERIFYTUI_SOLO_STRATEGY", "direct or cot"
    )


def test_what_cannot_be_is_one_sentence(tmp_path: Path) -> None:
    refused(
        command("solo", "Why is the sky blue?"),
        "knows only its example topics",
        "--model",
    )
    refused(command("solo", HILL, "--model", "judge=gpt-4"), "no role", "solver")
    refused(command("solo", HILL, "--model", "lexical"), "lexical")
    refused(command("solo"), "There is no topic")


def test_a_dry_run_counts_the_calls_of_each_strategy(tmp_path: Path) -> None:
    topics = tmp_path / "topics.jsonl"
    lines = [
        {"id": "sc", "topic": "Why?", "strategy": "sc"},
        {"id": "reflect", "topic": "Why?", "strategy": "reflect"},
        {"id": "rerank", "topic": "吃掉", "kind": "translation", "strategy": "rerank"},
        {"id": "maps", "topic": "吃掉", "kind": "translation", "strategy": "maps"},
    ]
    topics.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    limits = ["--param", "solver.max_tokens=100", "--param", "estimator.max_tokens=100"]
    options = [
        "--topics",
        topics,
        "--into",
        tmp_path / "out",
        "--model",
        "gpt-4",
        "--dry-run",
        "--output",
        "json",
    ]
    estimate = json.loads(command("solo", *options, *limits).stdout)
    assert (estimate["calls"], estimate["least_calls"]) == (
        5 + 5 + 8 + 11,
        5 + 2 + 8 + 11,
    )
    assert estimate["at_most"]["calls"] == 10 + 10 + (4 + 8) + (7 + 8)
    topics.write_text(json.dumps(lines[0] | {"token_budget": 3000}) + "\n")
    estimate = json.loads(command("solo", *options, *limits).stdout)
    assert 5 < estimate["calls"] < 20
    assert estimate["at_most"] is None
    assert "token budget" in estimate["no_bound"][0]


def test_a_command_of_ones_own_rates_and_the_session_does_not_hold_it(
    tmp_path: Path,
) -> None:
    rate = tmp_path / "rate.py"
    rate.write_text(
        "import json, sys\nfor n, line in enumerate(sys.stdin):\n    "
        "print(json.dumps({'id': json.loads(line)['id'], 'score': n}))\n"
    )
    saved = tmp_path / "one.yaml"
    topic = ["吃掉敌人一个师。", "--kind", "translation", "--strategy", "maps"]
    own = f"{sys.executable} -X utf8 {rate}"
    done = command("solo", *topic, "--save", saved, "--estimator-command", own)
    assert done.returncode == 0, done.stderr
    assert "Result: Annihilate an enemy division." in done.stdout
    assert "rate.py" not in saved.read_text("utf-8")
    refused(
        command("solo", *topic, "--no-save", "--estimator", "command"),
        "estimator_command",
        "--estimator-command",
    )
    topics = tmp_path / "topics.jsonl"
    topics.write_text('{"id": "a", "topic": "Why?", "estimator_command": "touch x"}\n')
    refused(
        command("solo", "--topics", topics, "--into", tmp_path / "out"),
        "estimator_command",
    )
