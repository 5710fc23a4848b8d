"""`schema report|compare|study`: what the commands print for programs is valid."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from verifytui.cli.app import main
from verifytui.cli.commands.schema import FIGURES
from verifytui.engines.reports.json_schemas import SCHEMAS
from verifytui.tests.support.loopback import Loopback

STUDY = """
format: verifytui-study/1
name: small
title: Two levels
items: {file: topics.jsonl}
base: {method: debate, model: openai/lb, rounds: 1}
grid: {level: [0, 2]}
measures: [accuracy]
compare: {to: level=0}
"""


@pytest.fixture
def topics(server: Loopback, tmp_path: Path) -> Path:
    path = tmp_path / "topics.jsonl"
    lines = [
        {"id": f"q{n}", "topic": f"Why {n}?", "answers": ["1.5" if n % 2 else "2"]}
        for n in range(4)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def printed(capsys: pytest.CaptureFixture[str], *words: object) -> list[Any]:
    """The objects that a command prints."""
    capsys.readouterr()
    assert main([*map(str, words)]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def check(name: str, rows: list[Any], needed: str) -> None:
    """All rows fit, and a row without the field `needed` does not."""
    schema = SCHEMAS[name]()
    jsonschema.Draft202012Validator.check_schema(schema)
    valid = jsonschema.Draft202012Validator(schema)
    assert rows
    for row in rows:
        valid.validate(row)
        row.pop(needed)
        assert not valid.is_valid(row)


def run(topics: Path, into: Path, level: int) -> Path:
    given = ["--topics", str(topics), "--into", str(into), "--level", str(level)]
    assert main(["debate", *given, "--model", "openai/lb", "--quiet"]) == 0
    return into


def test_reports_and_comparisons_fit_their_schema(
    topics: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = (run(topics, tmp_path / f"run{n}", n) for n in (1, 2))
    check("report", [json.loads((one / "report.json").read_text())], "lines")
    check("report", printed(capsys, "gate", one, "--output", "json"), "done")
    compared = printed(capsys, "compare", one, two, "--output", "json")
    assert {row["measure"] for row in compared} >= {"accuracy", "tokens"}
    check("compare", compared, "verdict")


def test_studies_fit_their_schema(
    topics: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "small.yaml"
    path.write_text(STUDY)
    into = tmp_path / "out"
    check(
        "study",
        printed(capsys, "study", path, "--into", into, "--output", "json"),
        "figures",
    )
    check("study", printed(capsys, "study", "report", into, "--to", "json"), "items")
    check("report", printed(capsys, "gate", into, "--output", "json"), "conditions")


def test_frame_without_texts_holds_figures_only(topics: Path, tmp_path: Path) -> None:
    folder, out = run(topics, tmp_path / "run", 1), tmp_path / "rows.jsonl"
    assert main(["frame", str(folder), "-o", str(out), "--no-text"]) == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["id"] for row in rows] == ["q0", "q1", "q2", "q3"]
    assert all(row["accuracy"] in (0, 1) and row["tokens"] for row in rows)
    assert "Why" not in out.read_text()
    assert not {"asked", "accepted", "answer", "error"} & set(rows[0])


@pytest.mark.parametrize("name", FIGURES)
def test_every_schema_is_printed(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", name]) == 0
    assert json.loads(capsys.readouterr().out) == SCHEMAS[name]()
    assert tuple(SCHEMAS) == FIGURES
