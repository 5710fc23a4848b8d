"""`verifytui debate` with one topic."""

from __future__ import annotations

import json
import resource
from pathlib import Path

import pytest
from verifytui.tests.support.commanding import (
    HILL,
    command,
    debating,
    documents,
    one_sentence,
    refused,
    rows,
)
from verifytui.tests.support.loopback import Answer, Loopback
from verifytui.texts import catalogue


def test_a_script_debate_as_json_is_header_and_events_and_nothing_else() -> None:
    done = command("debate", HILL, "--no-save", "--output", "json", fresh=True)
    assert done.returncode == 0
    header, *events = rows(done.stdout)
    assert header["format"] == "verifytui/1"
    assert [event["number"] for event in events] == list(range(1, len(events) + 1))
    assert events[-1]["event"] == "result"
    assert events[-1]["answer"] == "1.5 m/s"
    assert done.stderr == ""


def test_a_script_debate_as_text_says_who_said_what() -> None:
    text = command("debate", HILL, "--no-save").stdout
    assert HILL in text
    assert (
        text.index("Round 1")
        < text.index("[affirmative · script (handwritten)]")
        < text.index("[judge · script (handwritten)]")
        < text.index("Round 2")
    )
    assert "Result: 1.5 m/s" in text


def test_chinese_words_around_the_same_debate(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (
        "结果：1.5 m/s" in command("debate", HILL, "--no-save", "--lang", "zh").stdout
    )
    assert (
        "结果：1.5 m/s" in command("--lang", "zh", "debate", HILL, "--no-save").stdout
    )
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert "结果：1.5 m/s" in command("debate", HILL, "--no-save").stdout


def test_kept_in_the_library_unless_told_otherwise(home: Path, tmp_path: Path) -> None:
    done = command("debate", HILL)
    (kept,) = (home / "sessions").iterdir()
    assert str(kept) in done.stderr
    assert documents(kept)[-1]["event"] == "result"
    saved = tmp_path / "here.yaml"
    assert command("debate", HILL, "--save", saved).returncode == 0
    before = saved.read_bytes()
    refused(command("debate", HILL, "--save", saved), "already exists")
    assert saved.read_bytes() == before
    assert len(list((home / "sessions").iterdir())) == 1


def test_no_save_leaves_nothing(home: Path) -> None:
    command("debate", HILL, "--no-save")
    assert not (home / "sessions").exists()


LOCAL = ("--model", "ollama/x")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([""], ["topic is empty"]),
        (["  \n "], ["topic is empty"]),
        (["x" * 100_001], ["100,001"]),
        (["Why?"], ["script", "--model"]),
        (["吃掉敌人一个师。"], ["--kind translation"]),
        (["x", "--model", "king=gpt-4"], ["king", "affirmative"]),
        (["x", "--model", "a b"], ["a b"]),
        (
            ["x", "--model", "judge="],
            ["is not a model; write an id of LiteLLM, such as"],
        ),
        (["x", "--level", "4"], ["level", "0 to 3"]),
        (["x", "--level", "-1"], ["level"]),
        (["x", "--debaters", "1"], ["2 to 6"]),
        (["x", "--debaters", "7"], ["2 to 6"]),
        (["x", "--rounds", "0"], ["rounds"]),
        (["x", "--rounds", "99"], ["rounds"]),
        (["x", "--param", "judge.temperature=9"], ["temperature"]),
        (["x", "--param", "judge.api_key=sk-1"], ["named model"]),
        (["x", "--param", "judge.headers=a"], ["named model"]),
        (["x", "--param", "temperature=1"], ["ROLE.name=value"]),
        (["x", "--param", "king.seed=1"], ["king"]),
        (["x", "--param", "judge.cleverness=1"], ["cleverness"]),
        (["x", "--model", "debater3=ollama/x"], ["debater3"]),
        (["x", "--prompts", "klingon"], ["klingon", "en"]),
        (["x", "--from", "zh"], ["languages"]),
        (["x", "--kind", "translation", "--from", "en", "--to", "en"], ["different"]),
        (["x", *LOCAL, "--save", "a.yaml", "--no-save"], ["together"]),
        (
            ["x", "--save", "/nowhere/at/all.yaml", "--model", "ollama/x"],
            ["/nowhere/at/all.yaml"],
        ),
        (["x", *LOCAL, "--into", "d"], ["--topics"]),
        (["x", *LOCAL, "--dry-run"], ["--topics"]),
        ([], ["no topic"]),
    ],
)
def test_bad_input(arguments: list[str], words: list[str], home: Path) -> None:
    refused(command("debate", *arguments), *words)
    assert not (home / "sessions").exists()


def test_a_long_topic_that_just_fits_is_debated(server: Loopback) -> None:
    done = command(
        "debate", "x" * 100_000, "--model", "openai/lb", "--no-save", "--output", "json"
    )
    assert done.returncode == 0
    assert rows(done.stdout)[-1]["answer"] == "42"


def test_everything_asked_for_stands_in_the_header(server: Loopback) -> None:
    given = [
        "--debaters",
        "3",
        "--level",
        "1",
        "--rounds",
        "2",
        "--stop",
        "forced",
        "--extract",
        "always",
        "--judge-history",
        "first-round",
        "--prompts",
        "zh",
        "--opening",
        "seeded",
    ]
    models = [
        "--model",
        "openai/lb",
        "--model",
        "judge=openai/other",
        "--param",
        "judge.temperature=0.5",
    ]
    done = command("debate", "Why?", *given, *models, "--no-save", "--output", "json")
    assert done.returncode == 0, done.stderr
    header = rows(done.stdout)[0]
    wanted = {
        "debaters": 3,
        "level": 1,
        "rounds": 2,
        "stop": "forced",
        "extract": "always",
    }
    assert wanted.items() <= header["settings"].items()
    assert (header["settings"]["judge_history"], header["settings"]["opening"]) == (
        "first-round",
        "seeded",
    )
    assert header["lineup"]["judge"] == {
        "model": "openai/other",
        "params": {"temperature": 0.5},
    }
    assert header["lineup"]["debater3"]["model"] == "openai/lb"
    assert header["prompts"]["set"] == "zh"
    assert {body["model"] for body in server.requests} == {"lb", "other"}


FAULTS = {
    "401": Answer(status=401, error="bad key"),
    "404": Answer(status=404, error="no such model"),
    "429": Answer(status=429, error="slow down"),
    "429 and when": Answer(status=429, error="slow down", headers={"Retry-After": "0"}),
    "500": Answer(status=500, error="oops"),
    "dropped": Answer(drop=True),
    "context": Answer(
        status=400,
        error={
            "message": "maximum context length is 10 tokens",
            "code": "context_length_exceeded",
        },
    ),
    "empty": Answer(text=""),
    "blank": Answer(text=" \n "),
    "filtered": Answer(text="", finish="content_filter"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_one_sentence_and_the_session_goes_on_later(
    name: str, server: Loopback, tmp_path: Path
) -> None:
    kept = tmp_path / "kept.yaml"
    server.answer = lambda body: (
        FAULTS[name] if len(server.requests) > 1 else debating()(body)
    )
    done = command(
        "debate", "Why?", "--model", "openai/lb", "--save", kept, "--output", "json"
    )
    assert done.returncode == 1
    assert [row["event"] for row in rows(done.stdout)[1:]] == ["speech", "failure"]
    told = [
        line for line in done.stderr.splitlines() if not line.startswith("Saved in ")
    ]
    one_sentence(told[-1])
    assert [row.get("event") for row in documents(kept)] == [None, "speech", "failure"]
    server.answer = debating()
    again = command("resume", kept, "--output", "json")
    assert again.returncode == 0
    assert rows(again.stdout)[-1]["answer"] == "42"
    assert [row.get("event") for row in documents(kept)][:3] == [
        None,
        "speech",
        "failure",
    ]


def test_a_port_where_nobody_listens(
    server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_BASE", "http://127.0.0.1:9/v1")
    done = command("debate", "Why?", "--model", "openai/lb", "--no-save")
    assert done.returncode == 1
    assert "connect" in done.stderr.lower() or "reach" in done.stderr.lower()


def test_a_model_that_stalls(server: Loopback) -> None:
    server.answer = Answer(first_delay=60)
    done = command(
        "debate",
        "Why?",
        "--model",
        "openai/lb",
        "--no-save",
        "--param",
        "affirmative.timeout=0.5",
    )
    assert done.returncode == 1
    assert "0.5" in done.stderr


def test_a_model_that_there_is_not(server: Loopback) -> None:
    done = command(
        "debate", "Why?", "--model", "nonsense", "--no-save", "--output", "json"
    )
    assert done.returncode == 2
    one_sentence(done.stderr, "nonsense")


@pytest.mark.slow
def test_a_missing_key_is_said(
    server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_API_BASE")
    done = command("debate", "Why?", "--model", "gpt-4", "--no-save", fresh=True)
    refused(done, "judge", "gpt-4", "OPENAI_API_KEY")


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["no\n" * 300_000, "我不能回答。", "I refuse.", "{broken", "\x1b[2J\x07evil"],
    ids=["1 MB", "Chinese", "refusal", "broken", "controls"],
)
def test_whatever_a_model_says_is_kept_and_shown_harmless(
    text: str, server: Loopback, tmp_path: Path
) -> None:
    server.answer = Answer(text)
    kept = tmp_path / "kept.yaml"
    done = command(
        "debate", "Why?", "--model", "openai/lb", "--rounds", "1", "--save", kept
    )
    assert done.returncode == 0
    assert documents(kept)[1]["text"] == text
    assert "\x1b" not in done.stdout + done.stderr
    assert "\x07" not in done.stdout
    assert documents(kept)[-1]["decided_by"] == "undecided"
    assert done.stdout.count("undecided") == 1


def test_a_batch_that_is_refused_leaves_no_folder(tmp_path: Path) -> None:
    topics, into = tmp_path / "t.jsonl", tmp_path / "into"
    topics.write_text('{"topic": "Why?", "gold": "x"}\n')
    done = command("debate", "--topics", topics, "--into", into)
    assert done.returncode == 2
    assert "answers, cluster, id, topic, wrong_answers" in done.stderr
    assert not into.exists()


def test_failures_are_told_in_the_language_of_the_interface(
    server: Loopback, tmp_path: Path
) -> None:
    server.answer = Answer(status=401, error="Incorrect key, says the server")
    kept = tmp_path / "kept.yaml"
    done = command(
        "debate", "Why?", "--model", "openai/lb", "--save", kept, "--lang", "zh"
    )
    assert done.returncode == 1
    stored = documents(kept)[-1]["message"]
    assert stored.isascii()
    assert "says the server" in stored
    told, details, _saved = done.stderr.splitlines()[-3:]
    assert told == "\u6b63\u65b9\uff1a" + catalogue("zh")["failure.auth_say"].format(
        model="openai/lb", names="OPENAI_API_KEY"
    )
    assert details == stored
    again = command("resume", kept)
    assert again.stderr.count(stored) == 2
    assert "\u5bc6\u94a5" not in again.stderr


@pytest.mark.parametrize(
    ("config", "variables", "words"),
    [
        ("level: 9", {}, ["config.yaml: settings.debate: level", "not 9"]),
        ("lvl: 1", {}, ["config.yaml: settings.debate: ", "lvl"]),
        ("prompts: klingon", {}, ["config.yaml: settings.debate: ", "klingon"]),
        ("level: 1", {"VERIFYTUI_LEVEL": "9"}, ["variable VERIFYTUI_LEVEL", "not 9"]),
        (
            "level: 1",
            {"VERIFYTUI_DEBATE_ROUNDS": "no"},
            ["variable VERIFYTUI_DEBATE_ROUNDS", "rounds"],
        ),
    ],
)
def test_a_wrong_setting_names_the_place_where_it_stands(
    config: str,
    variables: dict[str, str],
    words: list[str],
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = Path(json.loads(command("locate", "--output", "json").stdout)["config_file"])
    file.parent.mkdir(parents=True)
    file.write_text(f"settings: {{debate: {{{config}}}}}\n")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    refused(command("debate", HILL, "--no-save"), *words)
    refused(command("debate", HILL, "--no-save", "--level", "2"), *words)


@pytest.mark.parametrize("finish", ["length", "content_filter"])
def test_a_speech_that_was_cut_short_is_marked(
    finish: str, server: Loopback, tmp_path: Path
) -> None:
    server.answer = lambda body: (
        Answer("Half of a", finish=finish)
        if len(server.requests) == 1
        else debating()(body)
    )
    kept = tmp_path / "kept.yaml"
    done = command("debate", "Why?", "--model", "openai/lb", "--save", kept)
    assert done.returncode == 0
    assert f" · stopped: {finish}]\nHalf of a\n" in done.stdout
    assert done.stdout.count("stopped: ") == 1
    assert documents(kept)[1]["finish"] == finish
    assert command("replay", kept).stdout.count(f"stopped: {finish}") == 1


@pytest.mark.slow
def test_a_full_disk_ends_it_and_keeps_what_was_written(
    server: Loopback, tmp_path: Path
) -> None:
    kept = tmp_path / "kept.yaml"
    server.answer = Answer("word " * 20_000)

    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))

    done = command(
        "debate", "Why?", "--model", "openai/lb", "--save", kept, preexec_fn=full
    )
    assert done.returncode == 1
    told = [
        line
        for line in done.stderr.splitlines()
        if not line.startswith(("Saved in ", "The models"))
    ]
    assert "could not be written" in told[-1]
    assert [row.get("event") for row in documents(kept)] == [None, "speech"]


def test_not_streamed_into_a_pipe(server: Loopback) -> None:
    command("debate", "Why?", "--model", "openai/lb", "--no-save")
    assert server.requests
    assert not any(body.get("stream") for body in server.requests)


def test_a_topic_that_is_not_text(server: Loopback, tmp_path: Path) -> None:
    kept = tmp_path / "kept.yaml"
    done = command(
        "debate",
        "why \udcff?",
        "--model",
        "openai/lb",
        "--save",
        kept,
        "--output",
        "json",
    )
    assert done.returncode == 0, done.stderr
    assert (
        rows(done.stdout)[0]["task"]["topic"]
        == documents(kept)[0]["task"]["topic"]
        == "why \ufffd?"
    )


def test_evidence_from_a_file_is_in_the_session_and_before_the_models(
    server: Loopback, tmp_path: Path
) -> None:
    file = tmp_path / "evidence.txt"
    file.write_text(
        "[1] A spider is no insect.\n[2] It has eight legs.\n", encoding="utf-8"
    )
    done = command(
        "debate",
        "How many legs has a spider?",
        "--evidence",
        file,
        "--model",
        "openai/lb",
        "--no-save",
        "--output",
        "json",
    )
    assert done.returncode == 0, done.stderr
    header, *_ = rows(done.stdout)
    assert [one["n"] for one in header["task"]["evidence"]] == [1, 2]
    systems = [body["messages"][0]["content"] for body in server.requests]
    assert len(systems) >= 3
    assert all("It has eight legs." in text for text in systems)


def test_evidence_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    refused(
        command("debate", HILL, "--evidence", tmp_path / "none.txt", "--no-save"),
        "none.txt",
    )
    refused(
        command(
            "debate",
            "--topics",
            tmp_path / "t.jsonl",
            "--evidence",
            tmp_path / "none.txt",
            "--into",
            tmp_path / "d",
        ),
        "--evidence",
    )
