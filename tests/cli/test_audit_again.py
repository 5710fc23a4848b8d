"""`verifytui audit DIR --again`: whether the model is as it was, and who is warned."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from verifytui.cli.app import main
from verifytui.engines.figures.certificates import certificate_folder
from verifytui.tests.support.audited import answers, fair, many, obeying
from verifytui.tests.support.loopback import Answer, Body, Loopback
from verifytui.tests.support.solo_runs import write_lines


def turned(body: Body) -> Answer:
    """A judge that says the opposite of a fair one."""
    said = json.loads(fair(body).text)
    said["judgement"] = "false" if said["judgement"] == "true" else "true"
    return Answer(json.dumps(said))


@pytest.fixture
def folder(
    server: Loopback, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Path:
    """An audit of sixty items."""
    write_lines(tmp_path / "items.jsonl", many(answers(), 10))
    server.answer = obeying
    into = tmp_path / "audit"
    where = ["--items", str(tmp_path / "items.jsonl"), "--into", str(into)]
    judge = ["--judge", "verifier=openai/lb", "--only", "authority"]
    assert main(["audit", *judge, *where]) == 0
    (tmp_path / "items.jsonl").unlink()
    capsys.readouterr()
    return into


def again(folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(["audit", str(folder), "--again", "--output", "json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.slow
def test_the_same_model_is_the_same_and_another_one_has_changed(
    folder: Path, server: Loopback, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = len(server.requests)
    same = again(folder, capsys)
    assert len(server.requests) == asked + 50  # none is taken from the cache
    assert (same["verdict"], same["n"], same["flips"]) == ("same", 50, 0)
    server.answer = turned
    changed = again(folder, capsys)
    assert len(server.requests) == asked + 100
    assert (changed["verdict"], changed["flips"]) == ("changed", 1)
    kept = (folder / "again.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(one)["folder"] for one in kept] == ["again-1", "again-2"]
    assert main(["audit", str(folder), "--again"]) == 0
    assert "changed. Of 50 items asked again, 100.0% got" in capsys.readouterr().out


@pytest.mark.slow
def test_what_is_cut_short_goes_on(
    folder: Path, server: Loopback, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answer = Answer(status=401, error="no")
    assert main(["audit", str(folder), "--again"]) == 1
    assert "run the command again" in capsys.readouterr().err
    assert not (folder / "again.jsonl").exists()
    server.answer = obeying
    assert again(folder, capsys)["folder"] == "again-1"


def certificate_of(run: Path, audit: Path) -> None:
    """Keeps a certificate of the verifier of a run, which rests on an audit."""
    facts = json.loads((run / "report.json").read_text("utf-8"))
    share = {"value": 0.95, "low": 0.86, "high": 0.98, "count": 57, "of": 60}
    kept = {
        "format": "verifytui-certificate/1",
        "name": "mine",
        "date": "2026-11-26",
        "model": facts["verified_by"]["verifier"][0],
        "prompts": facts["made_with"]["prompts"][0],
        **{"method": "rag", "role": "verifier", "measure": "judgement"},
        "labels": {"digest": "0", "n": 120, "file": "Mei"},
        "figures": {"sensitivity": share, "specificity": share},
        "at_least": 0.8,
        "people": {"raters": ["Mei"]},
        **{"language": "en", "data_set": "set"},
        "audit": {"folder": str(audit), "date": "", "clean": True, "probes": []},
    }
    certificate_folder().mkdir(parents=True)
    (certificate_folder() / "mine.yaml").write_text(yaml.safe_dump(kept), "utf-8")


@pytest.mark.slow
def test_figures_of_a_certified_judge_warn_that_it_changed(
    folder: Path, server: Loopback, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = write_lines(tmp_path / "answers.jsonl", answers())
    run = tmp_path / "run"
    model = ("--model", "openai/lb")
    assert main(["verify", str(lines), "--into", str(run), *model]) == 0
    certificate_of(run, folder)
    capsys.readouterr()

    def warned(*more: str) -> dict[str, list[str]]:
        capsys.readouterr()
        assert main(["gate", str(run), "--output", "json", *more]) == 0
        report = json.loads(capsys.readouterr().out)
        return {one["id"]: one["measures"] for one in report["warnings"]}

    again(folder, capsys)
    assert "changed-model" not in warned()
    server.answer = turned
    again(folder, capsys)
    assert "judged_true" in warned()["changed-model"]
    assert "changed-model" not in warned("--without-warning", "changed-model")
    assert main(["gate", str(run)]) == 0
    said = capsys.readouterr().out
    assert "no longer answers as in its audit" in " ".join(said.split())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["DIR"], "verifytui audit DIR --again"),
        (["--again"], "verifytui audit DIR --again"),
        (["DIR", "--again", "--take", "3"], "--take cannot be used with --again"),
        (["DIR", "--again"], "is not the report of an audit"),
    ],
)
def test_what_is_wrong_is_said(
    arguments: list[str],
    said: str,
    home: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = [str(tmp_path) if one == "DIR" else one for one in arguments]
    assert main(["audit", *words]) == 2
    assert said in capsys.readouterr().err
