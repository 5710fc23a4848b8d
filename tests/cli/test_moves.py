"""Who changed an answer, to whose, and what came of it: of debaters with planted
behaviour, exactly what was planted.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from verifytui.cli.app import main
from verifytui.tests.support.loopback import Answer, Body, Loopback
from verifytui.tests.support.solo_runs import write_lines

TOPICS = 4
PLANTED = {
    # gives up its wrong answer, and repeats itself in the last round
    "affirmative": [
        ("India, juliet, kilo.", "7"),
        ("Lima, mike, november.", "10"),
        ("Lima, mike, november.", "10"),
    ],
    # right from the beginning, and repeats itself in the last round
    "negative": [
        ("Alpha, bravo, charlie.", "10"),
        ("Echo, foxtrot, golf.", "10"),
        ("Alpha, bravo, charlie.", "10"),
    ],
    # noisy
    "debater3": [
        ("Oscar, papa, quebec.", "10"),
        ("Romeo, sierra, tango.", "5"),
        ("Uniform, victor, whiskey.", "10"),
    ],
}


def planted(body: Body) -> Answer:
    role = body["model"].rpartition("/")[2]
    messages = body["messages"]
    if role in PLANTED:
        spoken = sum(one["role"] == "assistant" for one in messages)
        text, answer = PLANTED[role][spoken]
        return Answer(f"{text}\n\nAnswer: {answer}")
    if '"candidates"' in messages[-1]["content"]:
        return Answer('{"candidates": ["7", "10"]}')
    decision = {"reason": "So.", "preference": False, "supported_side": "affirmative"}
    extraction = "preference" not in messages[-1]["content"]
    return Answer(json.dumps(decision | {"answer": "7" if extraction else ""}))


@pytest.fixture
def report(server: Loopback, tmp_path: Path) -> dict[str, Any]:
    server.answer = planted
    topics = write_lines(
        tmp_path / "topics.jsonl",
        [
            {"id": f"t{n}", "topic": f"What is {n}?", "answers": ["10"]}
            for n in range(TOPICS)
        ],
    )
    seats = [
        option
        for role in (*PLANTED, "judge")
        for option in ("--model", f"{role}=openai/{role}")
    ]
    into = tmp_path / "run"
    args = ["--topics", str(topics), "--into", str(into), "--debaters", "3"]
    assert main(["debate", *args, "--rounds", "3", *seats]) == 0
    found: dict[str, Any] = json.loads((into / "report.json").read_text())
    return found | {"page": (into / "report.html").read_text()}


def counted(figure: dict[str, Any]) -> tuple[int, int]:
    return figure["count"], figure["of"]


def test_flips_are_those_that_were_planted(report: dict[str, Any]) -> None:
    flips = report["flips"]
    assert counted(flips["right_to_wrong"]) == (TOPICS, 4 * TOPICS)
    assert counted(flips["wrong_to_right"]) == (2 * TOPICS, 2 * TOPICS)
    by_round = {
        number: {name: counted(one) for name, one in of.items() if one["of"]}
        for number, of in flips["by_round"].items()
    }
    assert by_round == {
        "2": {"right_to_wrong": (4, 8), "wrong_to_right": (4, 4)},
        "3": {"right_to_wrong": (0, 8), "wrong_to_right": (4, 4)},
    }
    by_side = {
        role: {name: counted(one) for name, one in of.items() if one["of"]}
        for role, of in flips["by_side"].items()
    }
    assert by_side == {
        "affirmative": {"right_to_wrong": (0, 4), "wrong_to_right": (4, 4)},
        "negative": {"right_to_wrong": (0, 8)},
        "debater3": {"right_to_wrong": (4, 4), "wrong_to_right": (4, 4)},
    }


def test_conformity_says_who_moved_to_whom_and_with_what(
    report: dict[str, Any],
) -> None:
    assert counted(report["conformity"]) == (2 * TOPICS, 4 * TOPICS)
    assert counted(report["conformity_unargued"]) == (TOPICS, 2 * TOPICS)
    assert report["moved"] == {
        "affirmative>negative": TOPICS,
        "affirmative>debater3": TOPICS,
        "debater3>affirmative": TOPICS,
        "debater3>negative": TOPICS,
    }


def test_the_oracle_stands_beside_the_judge(report: dict[str, Any]) -> None:
    assert report["accuracy"]["value"] == 0
    assert counted(report["oracle"]) == counted(report["overlooked"]) == (4, 4)
    assert report["times_one_answer"]["value"] > 1


def test_the_report_shows_them(report: dict[str, Any]) -> None:
    assert "right answer given, but not chosen" in report["page"]
    assert "Who took over whose answer" in report["page"]
    assert "4 of 16 (25.0%)" in report["page"]


def test_other_rules_decide_the_same_debates_without_a_call(
    report: dict[str, Any],
) -> None:
    rules = ("opening", "majority", "trajectory")
    right = {name: counted(report[f"accuracy_{name}"]) for name in rules}
    assert right == {
        "opening": (0, TOPICS),
        "majority": (TOPICS, TOPICS),
        "trajectory": (TOPICS, TOPICS),
    }
    gains = [report[f"gain_{name}"]["value"] for name in rules]
    assert gains == [0, -1, -1]
    assert "Inconclusive: +0.0 points against the first answer" in report["page"]
