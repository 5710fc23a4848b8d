"""`verifytui grade`: one query, many pairs, and beside judgements in stages."""

from __future__ import annotations

import json
from pathlib import Path

from verifytui.tests.support.commanding import command, refused, rows


def test_the_example_is_graded_saved_and_exported(tmp_path: Path, home: Path) -> None:
    saved = tmp_path / "g.yaml"
    done = command(
        "grade", "--example", "--prompts", "en", "--save", saved, "--output", "json"
    )
    header, *events = rows(done.stdout)
    assert (header["workspace"], header["method"]) == ("relevance", "grade")
    assert {event["event"] for event in events} == {"grade", "score", "result"}
    assert len(command("export", saved, "--to", "qrels").stdout.splitlines()) == 8
    assert (
        "exical is not a language model"
        in command("export", saved, "--to", "md").stdout
    )
    assert "Grade: " in command("replay", saved, "--plain", "--speed", "max").stdout


def test_a_batch_of_pairs_has_the_report_of_judged_ones(
    tmp_path: Path, home: Path
) -> None:
    pairs = tmp_path / "pairs.jsonl"
    lines = [
        {
            "id": f"p{number}",
            "query": "He took a ring at night.",
            "candidate": "He took a ring by day.",
            "label": 3,
        }
        for number in range(3)
    ]
    pairs.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    done = command("grade", "--pairs", pairs, "--into", tmp_path / "out")
    assert "judged by lexical, not a language model" in " ".join(done.stdout.split())
    report = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))
    assert report["verified_by"]["grader"] == ["lexical"]
    assert report["kappa_level"]["n"] == 3
    assert report["scored"]["value"] == 1
    dry = command(
        "grade",
        "--pairs",
        pairs,
        "--into",
        tmp_path / "dry",
        "--model",
        "gpt-4o",
        "--dry-run",
        "--output",
        "json",
    )
    assert json.loads(dry.stdout)["calls"] == 3


def test_what_is_wrong_is_said(home: Path) -> None:
    refused(command("grade"), "--query")
    refused(command("grade", "--example", "--model", "script"), "script")
    refused(
        command("grade", "--example", "--model", "annotator=gpt-4"), "no role", "grader"
    )
