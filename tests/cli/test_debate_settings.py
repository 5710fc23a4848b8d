"""The negative side, the observer and the prompt set of a debate, as commands choose
them; and why something is not measured.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from verifytui.tests.support.commanding import (
    command,
    debating,
    documents,
    refused,
    rows,
)
from verifytui.tests.support.loopback import Answer, Loopback

pytestmark = pytest.mark.slow

TRANSLATION = ("吃掉敌人一个师。", "--kind", "translation")
SOME = (
    "--model",
    "affirmative=openai/lb",
    "--model",
    "negative=openai/lb",
    "--model",
    "judge=openai/lb",
)


def debate(*arguments: str) -> list[dict[str, Any]]:
    done = command("debate", *arguments, "--no-save", "--output", "json")
    assert done.returncode == 0, done.stderr
    return rows(done.stdout)


def batch(tmp_path: Path, lines: list[dict[str, Any]], *more: str) -> Any:
    (tmp_path / "topics.jsonl").write_text(
        "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    )
    return command(
        "debate",
        "--topics",
        tmp_path / "topics.jsonl",
        "--into",
        tmp_path / "out",
        *more,
    )


def report(tmp_path: Path) -> dict[str, Any]:
    return dict(json.loads((tmp_path / "out" / "report.json").read_text()))


@pytest.mark.parametrize(
    "arguments", [TRANSLATION, ("Why?", "--disagreement", "stance")]
)
def test_a_model_named_for_all_is_the_observer_where_one_is_asked_for(
    arguments: tuple[str, ...], server: Loopback
) -> None:
    header, *events = debate(*arguments, "--model", "openai/lb")
    assert header["lineup"]["observer"] == {
        "model": "openai/lb",
        "params": {"temperature": 0},
    }
    assert [event["value"] for event in events if event["event"] == "stance"] == [0.5]
    assert events[-1]["disagreement"]["mean"] == 0.5


def test_a_question_measured_by_answers_has_no_observer(server: Loopback) -> None:
    assert "observer" not in debate("Why?", "--model", "openai/lb")[0]["lineup"]


def test_an_observer_of_its_own_goes_before_the_model_for_all(server: Loopback) -> None:
    header = debate(
        *TRANSLATION, "--model", "openai/lb", "--model", "observer=openai/eye"
    )[0]
    assert header["lineup"]["observer"]["model"] == "openai/eye"


@pytest.mark.parametrize("models", [(), SOME])
def test_without_a_model_for_all_the_debate_says_that_no_observer_is_seated(
    models: tuple[str, ...], server: Loopback, tmp_path: Path
) -> None:
    kept = tmp_path / "kept.yaml"
    done = command("debate", *TRANSLATION, *models, "--save", kept)
    assert "disagreement not measured: no observer\n" in done.stdout
    assert "observer" not in documents(kept)[0]["lineup"]
    assert documents(kept)[-1]["disagreement"] == {
        "mode": "none",
        "per_round": [],
        "mean": None,
        "excluded": 0,
    }
    assert (
        "分歧未测量：没有人担任观察员"
        in command("replay", kept, "--plain", "--lang", "zh").stdout
    )
    for form in ("md", "html"):
        assert (
            "not measured: no observer" in command("export", kept, "--to", form).stdout
        )


def test_answers_that_cannot_be_compared_say_so(server: Loopback) -> None:
    debaters = debating()
    server.answer = lambda body: (
        debaters(body)
        if '"preference"' in body["messages"][-1]["content"]
        else Answer("I cannot say.")
    )
    assert (
        "disagreement not measured: no two debaters stated an answer in the same round"
        in command("debate", "Why?", "--model", "openai/lb", "--no-save").stdout
    )


def test_ratings_that_cannot_be_read_say_so(server: Loopback) -> None:
    debaters = debating()
    server.answer = lambda body: (
        Answer("About half.")
        if '"disagreement"' in body["messages"][1]["content"]
        else debaters(body)
    )
    told = command("debate", *TRANSLATION, "--model", "openai/lb", "--no-save").stdout
    assert "disagreement not measured: no rating by the observer could be read" in told


def test_a_dry_run_counts_the_observers_calls(server: Loopback, tmp_path: Path) -> None:
    lines = [
        {"id": "a", "topic": "吃了吗？", "kind": "translation"},
        {"id": "b", "topic": "Why?", "disagreement": "stance", "rounds": 2},
    ]
    told = json.loads(
        batch(
            tmp_path, lines, "--model", "openai/lb", "--dry-run", "--output", "json"
        ).stdout
    )
    server.answer = debating(decides=False)
    assert batch(tmp_path, lines, "--model", "openai/lb").returncode == 0
    assert told["calls"] == len(server.requests) == (3 * 4 + 2) + (2 * 4 + 2)
    assert told["least_calls"] == 4 + 4
    figure = report(tmp_path)["disagreement"]
    assert (figure["value"], figure["n"]) == (0.5, 2)


def test_debates_without_an_observer_are_in_no_figure_of_disagreement(
    server: Loopback, tmp_path: Path
) -> None:
    lines = [
        {"id": f"q{n}", "topic": "吃了吗？", "kind": "translation"} for n in range(2)
    ] + [{"id": "b", "topic": "Why?"}]
    done = batch(tmp_path, lines, *SOME)
    assert done.returncode == 0, done.stderr
    figure = report(tmp_path)["disagreement"]
    assert figure["n"] == 1, "nobody rates the two translations"


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (("蜘蛛有几条腿？",), "zh"),
        (("How many legs has a spider?",), "en"),
        (TRANSLATION, "en"),
        (("蜘蛛有几条腿？", "--prompts", "en"), "en"),
        (("蜘蛛有几条腿？", "--prompts", "small"), "small-zh"),
        (("How many legs has a spider?", "--prompts", "small"), "small-en"),
        ((*TRANSLATION, "--prompts", "small"), "small-en"),
    ],
)
def test_the_topic_chooses_the_prompt_set(
    arguments: tuple[str, ...], wanted: str, server: Loopback
) -> None:
    assert debate(*arguments, "--model", "openai/lb")[0]["prompts"]["set"] == wanted


def test_the_negative_side_is_a_setting_like_the_others(
    server: Loopback, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def negative(*arguments: str) -> str:
        header = debate("Why?", "--model", "openai/lb", *arguments)[0]
        heard = [
            body["messages"]
            for body in server.requests
            if "You are Negative" in body["messages"][0]["content"]
        ][-1]
        assert ("You disagree" in heard[1]["content"]) == (
            header["settings"]["negative"] == "differs"
        )
        return str(header["settings"]["negative"])

    assert negative() == "differs"
    assert negative("--negative", "unprompted") == "unprompted"
    assert negative("--level", "0", "--negative", "differs") == "unprompted"
    lines = [
        {"id": "a", "topic": "Why?", "negative": "unprompted"},
        {"id": "b", "topic": "Why?", "level": 0},
        {"id": "c", "topic": "Why?"},
    ]
    assert batch(tmp_path, lines, "--model", "openai/lb").returncode == 0
    held = [
        documents(tmp_path / "out" / f"{name}.yaml")[0]["settings"]["negative"]
        for name in "abc"
    ]
    assert held == ["unprompted", "unprompted", "differs"]
    monkeypatch.setenv("VERIFYTUI_DEBATE_NEGATIVE", "unprompted")
    assert negative() == "unprompted"
    assert negative("--negative", "differs") == "differs"
    monkeypatch.setenv("VERIFYTUI_DEBATE_NEGATIVE", "agrees")
    refused(
        command("debate", "Why?", "--model", "openai/lb"),
        "VERIFYTUI_DEBATE_NEGATIVE",
        "differs or unprompted",
    )
