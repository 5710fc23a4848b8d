"""`debate --beside sc`: what is planted is found, paired item by item."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from verifytui.cli.app import main
from verifytui.engines.figures.runs import read_run
from verifytui.tests.support.loopback import Answer, Body, Loopback
from verifytui.tests.support.solo_runs import write_lines

TOPICS = 12


def planted(body: Body, *, alone: str, together: str) -> Answer:
    """Debaters are those that a judge is beside: their system message names a debate."""
    told = json.dumps(body["messages"])
    role = body["model"].rpartition("/")[2]
    if role == "judge":
        return Answer(
            json.dumps(
                {
                    "reason": "So.",
                    "preference": True,
                    "supported_side": "negative",
                    "answer": together,
                }
            )
        )
    answer = together if "debate" in told.lower() else alone
    return Answer(f"Because.\n\nAnswer: {answer}")


def beside(tmp_path: Path, *more: str) -> int:
    lines = [
        {"id": f"t{n}", "topic": f"What is item {n}?", "answers": ["10"]}
        for n in range(TOPICS)
    ]
    topics = write_lines(tmp_path / "topics.jsonl", lines)
    seats = ["--model", "openai/one", "--model", "judge=openai/judge"]
    args = ["--topics", str(topics), "--into", str(tmp_path / "run"), "--beside", "sc"]
    return main(["debate", *args, *seats, *more])


@pytest.mark.parametrize(
    ("alone", "together", "points", "verdict"),
    [("7", "10", 1, "better"), ("10", "7", -1, "worse"), ("10", "10", 0, "unclear")],
)
def test_planted_answers_decide_whether_debates_pay_off(
    alone: str,
    together: str,
    points: float,
    verdict: str,
    server: Loopback,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    server.answer = lambda body: planted(body, alone=alone, together=together)
    assert beside(tmp_path, "--output", "json") == 0
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    found: dict[str, Any] = last["beside"]
    for name in ("single", "sc"):
        difference = found[name]["difference"]
        assert difference["difference"]["value"] == points
        assert difference["verdict"] == verdict
        assert difference["wins"] == TOPICS * (points > 0)
        assert difference["losses"] == TOPICS * (points < 0)
    assert found["sc"]["times"] < found["single"]["times"]


def test_samples_stay_within_the_tokens_of_their_debate(
    server: Loopback, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answer = lambda body: planted(body, alone="7", together="10")
    assert beside(tmp_path) == 0
    assert "The debate pays off: +100.0 points" in " ".join(
        capsys.readouterr().out.split()
    )
    debates, samples = (read_run(tmp_path / name) for name in ("run", "run-sc"))
    assert [*debates.cases] == [*samples.cases]
    for id_, case in debates.cases.items():
        budget = case.session.totals().tokens
        spent = samples.cases[id_].session.totals().tokens
        assert budget is not None
        assert spent is not None
        assert 0 < spent <= budget
    asked = len(server.requests)
    assert beside(tmp_path) == 0
    assert len(server.requests) == asked


def test_what_cannot_run_beside_is_refused(
    server: Loopback, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert beside(tmp_path, "--dry-run") == 2
    assert main(["debate", "What is 2 + 2?", "--beside", "sc"]) == 2
    assert "--beside" in capsys.readouterr().err
    assert not server.requests
