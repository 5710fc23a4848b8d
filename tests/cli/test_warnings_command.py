"""Warnings on the line of a figure, and how they are silenced."""

from __future__ import annotations

import json
from pathlib import Path

from verifytui.tests.support.commanding import command
from verifytui.tests.support.loopback import Answer, Body, Loopback

SCORES = {
    "reason": "It is right.",
    "reference_correctness": 1,
    "correctness": 1,
    "citation_accuracy": 1,
    "truthfulness": 1,
    "bias": 0,
    "conciseness": 1,
    "judgement": "true",
    "revised_query": "",
}


def said(body: Body) -> Answer:
    """A wrong answer, and full marks for it from the same model."""
    if "response_format" in body:
        return Answer(text=json.dumps(SCORES))
    return Answer(text="Ptolemy built it [1].")


def line_of(name: str, text: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(name))


def test_a_judge_that_is_the_author_is_named_on_its_figure(
    server: Loopback, tmp_path: Path
) -> None:
    server.answer = said
    asked = {
        "id": "a",
        "question": "Who built the Pharos lighthouse?",
        "answers": ["Sostratus"],
        "references": [{"text": "Sostratus built the Pharos lighthouse."}],
    }
    questions, folder = tmp_path / "q.jsonl", tmp_path / "run"
    questions.write_text(json.dumps(asked) + "\n", "utf-8")
    done = command(
        *("ask", "--questions", questions, "--into", folder, "--model", "openai/x")
    )
    assert "judge = author" in line_of("truthfulness", done.stdout)
    assert "judge = author" not in line_of("accuracy", done.stdout)
    report = json.loads((folder / "report.json").read_text("utf-8"))
    assert [one["id"] for one in report["warnings"]] == ["judge-is-author", "small-n"]

    quiet = command("gate", folder, "--without-warning", "judge-is-author")
    assert "judge = author" not in quiet.stdout
    assert "few items" in quiet.stdout
    assert "hidden by your choice: judge-is-author" in quiet.stdout
    wrong = command("gate", folder, "--without-warning", "small")
    assert wrong.returncode == 2
    assert "small-n" in wrong.stderr


def test_a_configuration_silences_what_runs(server: Loopback, tmp_path: Path) -> None:
    server.answer = said
    questions, folder = tmp_path / "q.jsonl", tmp_path / "run"
    questions.write_text(
        json.dumps({"question": "Who?", "references": [{"text": "Sostratus."}]}) + "\n"
    )
    config = tmp_path / "home" / "config.yaml"
    config.parent.mkdir(exist_ok=True)
    config.write_text("silence: [small-n, judge-is-author]\n")
    done = command(
        *("ask", "--questions", questions, "--into", folder, "--model", "openai/x")
    )
    assert "few items" not in done.stdout
    report = json.loads((folder / "report.json").read_text("utf-8"))
    assert report["silenced"] == ["judge-is-author", "small-n"]
    assert "warnings" not in report


def test_a_run_leaves_warnings_out_by_its_option(
    server: Loopback, tmp_path: Path
) -> None:
    server.answer = said
    questions, folder = tmp_path / "q.jsonl", tmp_path / "run"
    asked = {"question": "Who?", "references": [{"text": "Sostratus."}]}
    questions.write_text(json.dumps(asked) + "\n")
    args = ("ask", "--questions", questions, "--into", folder, "--model", "openai/x")
    wrong = command(*args, "--without-warning", "few")
    assert (wrong.returncode, "small-n" in wrong.stderr) == (2, True)
    assert not folder.exists()
    done = command(*args, "--without-warning", "small-n")
    assert "few items" not in done.stdout
    assert "judge = author" in done.stdout
    report = json.loads((folder / "report.json").read_text("utf-8"))
    assert report["silenced"] == ["small-n"]
