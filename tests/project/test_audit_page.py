"""The way from a fresh install to a gate in docs/audit.md, command by command."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from verifytui.cli.app import main
from verifytui.engines.figures.rated import CORRECT
from verifytui.engines.judges import audit as audits
from verifytui.engines.judges.items import bundled
from verifytui.engines.studies.rating import BlindRater
from verifytui.tests.support import audited
from verifytui.tests.support.loopback import Answer, Body, Loopback
from verifytui.tests.support.solo_runs import write_lines

pytestmark = pytest.mark.slow
PAGE = Path(__file__).resolve().parents[2] / "docs/audit.md"
HEAD = "## From a fresh install to a gate"
ITEMS = 90
"""Bundled items that are asked here: enough to call a judge clean under two probes."""


def commands() -> list[list[str]]:
    """All commands of the way, in order, as words."""
    way = PAGE.read_text("utf-8").partition(HEAD)[2].partition("\n## ")[0]
    blocks = re.findall(r"```sh\n(.*?)```", way, re.DOTALL)
    return [shlex.split(line) for line in "".join(blocks).splitlines()]


class KnowingJudge:
    """Knows which of the bundled answers are right; of others, those with Lisbon."""

    def __init__(self) -> None:
        lines = bundled("verifier").read_text("utf-8").splitlines()
        items = [json.loads(one) for one in lines]
        self._right = [one["answer"] for one in items if one["right"]]

    def __call__(self, body: Body) -> Answer:
        said = json.loads(audited.fair(body).text)
        text = str(body["messages"][-1]["content"])
        asked = re.split("The answer to check:|待核查的回答：", text)[-1]
        if any(one in asked for one in self._right):
            said["judgement"] = "true"
        return Answer(json.dumps(said))


def answers(count: int, wrong: int) -> list[dict[str, Any]]:
    """So many answers, the first ones wrong."""
    right, other = (one for one in audited.answers()[:2])
    return [
        {
            name: value
            for name, value in json.loads(
                json.dumps(other if n < wrong else right).replace("0", str(n))
            ).items()
            if name in ("question", "answer", "references")
        }
        | {"id": f"a{n}"}
        for n in range(count)
    ]


def rate(run: Path, name: str) -> None:
    """What a person does on the screen of `label`."""
    rater = BlindRater.open(run, name)
    for answer in rater.answers:
        rater.say(answer, CORRECT, int("Lisbon" in answer.answer), 1.0, seen=False)
    rater.close()


def test_every_command_does_what_the_page_says(
    loopback: Loopback,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    loopback.answer = KnowingJudge()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(audits, "NAMES", ("authority", "echo"))
    few = bundled("verifier").read_text("utf-8").splitlines()[:ITEMS]
    (tmp_path / "few.jsonl").write_text("\n".join(few), "utf-8")
    monkeypatch.setattr(audits, "bundled", lambda seat: tmp_path / "few.jsonl")
    write_lines(tmp_path / "answers.jsonl", answers(150, 75))
    write_lines(tmp_path / "more.jsonl", answers(60, 0))
    said: dict[str, str] = {}
    for words in commands():
        if words[0] == "export":
            given = dict(word.split("=", 1) for word in words[1:])
            assert given.keys() == {"OPENAI_API_BASE", "OPENAI_API_KEY"}
            monkeypatch.setenv("OPENAI_API_BASE", loopback.base_url)
            monkeypatch.setenv("OPENAI_API_KEY", given["OPENAI_API_KEY"])
        elif words[:2] == ["verifytui", "label"]:
            assert main([*words[1:], "--plan"]) == 0
            rate(tmp_path / words[2], words[words.index("--annotator") + 1])
        elif words == ["verifytui", "runs/audit"]:
            assert (
                tmp_path / "runs/audit/audit.jsonl"
            ).is_file()  # see test_audit_screen
        elif words[0] == "verifytui":
            if words[1] == "verify" and "--require-certified" in words:
                elsewhere(home, monkeypatch)
            capsys.readouterr()
            assert main(words[1:]) == 0, capsys.readouterr().err
            told = capsys.readouterr()
            said[" ".join(words)] = told.out + told.err
    check(said)
    report = json.loads((tmp_path / "runs/more/report.json").read_text("utf-8"))
    assert report["judged_true"]["certified"] is True
    assert "certified (150 labels" in (tmp_path / "runs/more/report.html").read_text()


def elsewhere(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In CI, there is nothing of the user's but what stands in the repository."""
    monkeypatch.setenv("VERIFYTUI_HOME", str(home / "ci"))


def check(said: Mapping[str, str]) -> None:
    dry, audit, verified, certified, gated, again = said.values()
    assert "calls" in dry
    assert "difference" not in dry
    assert "Clean: none of 2 probes" in audit
    assert "correctness" in verified
    assert "CERTIFIED: 150 labels" in certified
    assert "certified (150 labels" in gated
    assert "not changed. Of 50 items asked again" in again
