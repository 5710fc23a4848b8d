"""Models that judge for a measure of a study: audited, certified, and said to be so on
the line of the figure; also a panel, which is one judge.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from verifytui.cli.app import main
from verifytui.engines.studies.manifest import read_manifest
from verifytui.sessions.paths import paths
from verifytui.tests.support import audited
from verifytui.tests.support.commanding import debating
from verifytui.tests.support.loopback import Answer, Body, Loopback
from verifytui.tests.support.solo_runs import write_lines

pytestmark = pytest.mark.slow
PANEL = {"panel": ["openai/a", "openai/b", "openai/c"], "rule": "median"}
STUDY: dict[str, Any] = {
    "format": "verifytui-study/1",
    "name": "good",
    "title": "How good",
    "items": {"file": "items.jsonl"},
    "base": {"method": "debate", "model": "openai/lb", "rounds": 1},
    "grid": {"level": [0, 2]},
    "compare": {"to": "level=0"},
}


def replying(body: Body) -> Answer:
    """Debates are about Lisbon; `c` is a member of a panel that likes nothing."""
    system = str(body["messages"][0]["content"])
    if '"score"' not in system:
        return debating("Lisbon")(body)
    if body["model"].endswith("c"):
        return Answer('{"reason": "No.", "score": 2}')
    return audited.fair(body)


def many(rows: list[dict[str, Any]], times: int) -> list[dict[str, Any]]:
    """The same items about other archives, so that all are independent."""
    return [
        json.loads(json.dumps(row).replace("archive ", f"archive {place}."))
        | {"id": f"{row['id']}.{place}"}
        for place in range(times)
        for row in rows
    ]


def settings(panel: dict[str, Any]) -> None:
    file = paths().config / "config.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(yaml.safe_dump({"models": {"jury": panel}}))


def judged(tmp_path: Path, into: str, *more: str) -> int:
    """A study whose answers a panel rates."""
    write_lines(tmp_path / "items.jsonl", [{"id": "q", "topic": "Where is it?"}])
    measures = [{"judge": "quality", "model": "jury"}]
    (tmp_path / "good.yaml").write_text(yaml.safe_dump({**STUDY, "measures": measures}))
    return main(["study", str(tmp_path / "good.yaml"), "--into", into, *more])


def test_a_panel_that_rates_answers_is_audited_and_certified_as_one_judge(
    server: Loopback, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answer = replying
    settings(PANEL)
    items = write_lines(tmp_path / "rated.jsonl", many(audited.quality(), 15))
    audit = str(tmp_path / "audit")
    args = ["--items", str(items), "--only", "length", "--into", audit]
    assert main(["audit", "--judge", "judge-quality=jury", *args, "--dry-run"]) == 0
    assert "270 answers to run, 810 calls" in capsys.readouterr().out
    assert main(["audit", "--judge", "judge-quality=jury", *args]) == 0
    assert "Clean: none of 1 probes" in capsys.readouterr().out
    certify = ["calibrate", audit, "--certify", "jury", "--output", "json"]
    assert main(certify) == 0, capsys.readouterr().err
    made = json.loads(capsys.readouterr().out)["certification"]["certificate"]
    assert made["model"] == "jury: openai/a, openai/b, openai/c (median)"
    assert (made["role"], made["measure"]) == ("outside_judge", "judge-quality")

    into = str(tmp_path / "study")
    assert judged(tmp_path, into) == 0
    assert "certified (90 labels" in capsys.readouterr().out
    [one, _] = read_manifest(Path(into))["conditions"]
    [panel] = [each for each in one["panels"] if "score" in each["alpha"]]
    assert (panel["role"], panel["panel"]) == ("judge", made["model"])
    report = ["study", "report", into, "--require-certified", "--to", "json"]
    main(report)
    told = capsys.readouterr()
    assert "judge-quality" not in told.err
    figure = json.loads(told.out)["figures"]["judge-quality"]["level=2"]
    assert figure["certified"] is True
    main(["doctor"])
    words = " ".join(capsys.readouterr().out.split())
    assert "judging model, judge-quality" in words
    assert "not certified" not in words

    settings({**PANEL, "rule": "mean"})  # another judge
    into = str(tmp_path / "other")
    assert judged(tmp_path, into) == 0
    capsys.readouterr()
    assert main(["study", "report", into, "--require-certified"]) == 1
    assert "judge-quality: not certified (“jury” is for" in capsys.readouterr().err
