"""`debate --topics`: names, resuming, budgets, summary and report."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from verifytui.tests.support.commanding import (
    Done,
    command,
    debating,
    documents,
    one_sentence,
    refused,
    rows,
)
from verifytui.tests.support.loopback import Answer, Loopback

pytestmark = pytest.mark.slow


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def batch(tmp_path: Path, lines: list[dict[str, Any]], *more: str) -> Done:
    """A batch of these lines with the model on the loopback."""
    (tmp_path / "topics.jsonl").write_text(
        "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    )
    return command(
        "debate",
        "--topics",
        tmp_path / "topics.jsonl",
        "--into",
        tmp_path / "out",
        "--model",
        "openai/lb",
        *more,
    )


def summary(out: Path) -> list[dict[str, Any]]:
    return rows((out / "summary.jsonl").read_text())


def test_a_batch_from_end_to_end(server: Loopback, tmp_path: Path, out: Path) -> None:
    server.answer = lambda body: debating(
        "4 m/s" if "trap" in str(body) else "3/2 m/s"
    )(body)
    lines = [
        {
            "id": f"q{n}",
            "topic": f"Why {n}?",
            "answers": ["1.5"],
            "wrong_answers": ["4"],
        }
        for n in range(3)
    ]
    lines.append(
        {
            "id": "a trap/1",
            "topic": "A trap?",
            "answers": "1.5 m/s",
            "wrong_answers": ["2", "4 m/s"],
            "rounds": 2,
        }
    )
    lines.append({"id": "没有", "topic": "Nobody knows?"})
    done = batch(tmp_path, lines)
    assert done.returncode == 0, done.stderr
    assert "5/5, 5 done, 0 failed" in done.stderr
    found = summary(out)
    assert [row["id"] for row in found] == [line["id"] for line in lines]
    names = [
        f"a-trap-1-{hashlib.sha256(b'a trap/1').hexdigest()[:8]}.yaml",
        f"没有-{hashlib.sha256('没有'.encode()).hexdigest()[:8]}.yaml",
    ]
    assert [row["file"] for row in found] == ["q0.yaml", "q1.yaml", "q2.yaml", *names]
    first = found[0]
    assert {
        "id",
        "file",
        "status",
        "result",
        "usage",
        "cost",
        "seconds",
        "error",
    } < set(first)
    told = [
        (row["measures"].get("accuracy"), row["measures"].get("traps")) for row in found
    ]
    assert told == [(True, False)] * 3 + [(False, True), (None, None)]
    assert [row["accepted_by"] for row in found] == ["value"] * 3 + [None] * 2
    assert (first["status"], first["error"], first["cost"]) == ("done", None, None)
    assert first["usage"] == {"input": 33, "output": 21, "estimated": False}
    assert first["result"]["answer"] == "3/2 m/s"
    assert "event" not in first["result"]
    assert documents(out / names[0])[0]["settings"]["rounds"] == 2
    report = json.loads((out / "report.json").read_text())
    assert (report["lines"], report["done"], report["failed"], report["calls"]) == (
        5,
        5,
        0,
        15,
    )
    assert report["wins"] == {"negative": 5}
    assert report["accepted_by"] == {"value": 3}
    accuracy = report["accuracy"]
    names = ("value", "n", "count", "of", "covered")
    assert [accuracy[name] for name in names] == [0.75, 4, 3, 4, 4]
    assert 0.2 < accuracy["low"] < 0.75 < accuracy["high"] < 1
    assert report["left_out"] == [
        {"id": "没有", "why": "unlabelled", "of": report["left_out"][0]["of"]}
    ]
    assert {"accuracy", "accuracy_decided", "traps"} < {*report["left_out"][0]["of"]}
    assert report["verified_by"] == {"judge": ["openai/lb"], "built_in": []}
    assert done.stdout.splitlines()[2].startswith("accuracy: 75.0% (95 % interval ")
    assert "Models: openai/lb (affirmative, negative, judge)" in done.stdout
    assert "judged by openai/lb" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert (report["traps"]["count"], report["traps"]["of"]) == (1, 4)
    assert not any(body.get("stream") for body in server.requests)


def test_an_undecided_debate_is_wrong(
    server: Loopback, tmp_path: Path, out: Path
) -> None:
    server.answer = Answer("I say nothing.")
    done = batch(
        tmp_path,
        [{"id": "a", "topic": "Why?", "answers": ["1"], "wrong_answers": ["2"]}],
        "--rounds",
        "1",
    )
    assert done.returncode == 0, done.stderr
    report = json.loads((out / "report.json").read_text())
    assert report["decided_by"] == {"undecided": 1}
    assert report["unread"]["value"] > 0.5
    accuracy = report["accuracy"]
    assert (accuracy["count"], accuracy["of"]) == (0, 1)
    assert accuracy["unanswered"] == {"undecided": 1}
    assert not {"accuracy_decided", "traps"} & report.keys()
    assert "accuracy: 0.0%" in done.stdout
    assert "counted as wrong: 1" in done.stdout
    assert "undecided" in done.stdout
    failed = rows((out / "failures.jsonl").read_text())
    assert {row["why"] for row in failed} >= {"undecided", "unread"}
    assert [row["left_out"] for row in summary(out)] == ["undecided"]


def test_debates_that_are_decided_are_counted_apart(
    server: Loopback, tmp_path: Path, out: Path
) -> None:
    server.answer = lambda body: (
        Answer("I say nothing.") if "nobody" in str(body) else debating("1.5")(body)
    )
    lines = [
        {"id": name, "topic": name, "answers": ["3/2"], "wrong_answers": ["2"]}
        for name in ("one", "two", "nobody")
    ]
    done = batch(tmp_path, lines, "--rounds", "1")
    assert done.returncode == 0, done.stderr
    report = json.loads((out / "report.json").read_text())
    names = ("accuracy", "accuracy_decided", "traps")
    counts = [(report[name]["count"], report[name]["of"]) for name in names]
    assert counts == [(2, 3), (2, 2), (0, 2)]
    assert report["accuracy_decided"]["missing"] == {"undecided": 1}
    assert "accuracy, decided only 100.0%" in " ".join(done.stdout.split())
    decided = ["--rounds", "1", "--max-unread", ".9"]
    gate = ["--fail-under", "accuracy_decided=1"]
    done = batch(tmp_path, lines, *decided, *gate, "--min-coverage", ".6")
    assert (done.returncode, done.stderr.count("accuracy_decided")) == (0, 0)
    done = batch(tmp_path, lines, *decided, *gate, "--fail-over", "traps=1")
    assert done.returncode == 1
    for name in ("accuracy_decided", "traps"):
        assert (
            f"“{name}” covers 2 of 3 input lines (66.7%), but --min-coverage requires"
            " 95.0%. Missing: 1 undecided." in done.stderr
        )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("gate", "code", "words"),
    [
        (["--fail-under", "accuracy=.75"], 0, []),
        (
            ["--fail-under", "accuracy=.76"],
            1,
            ["--fail-under accuracy: 0.7500 is below 0.76."],
        ),
        (
            ["--fail-under", "accuracy=.5", "--fail-under", "accuracy=.9"],
            1,
            ["is below 0.9"],
        ),
        (["--fail-over", "traps=.2"], 1, ["--fail-over traps: 0.2500 is above 0.2."]),
        (["--fail-over", "rounds=1", "--fail-under", "rounds=1"], 0, []),
        (
            ["--fail-under", "decided=1", "--fail-over", "unread=0"],
            0,
            [],
        ),
        (["--fail-over", "failed=0", "--fail-over", "stopped=0"], 0, []),
        (
            ["--fail-under", "wins_negative=1", "--fail-over", "wins_affirmative=0"],
            0,
            [],
        ),
        (["--fail-over", "disagreement=0"], 0, []),
        (
            ["--fail-under", "chrf=1"],
            1,
            ["“chrf” covers 0 of 4 input lines", "Missing: 4 not measured."],
        ),
        (
            ["--fail-over", "cost=1"],
            1,
            [
                "--fail-over cost cannot be checked: the price of affirmative, "
                "negative, judge is not known.",
            ],
        ),
        (["--max-unread", "0"], 0, []),
    ],
)
def test_every_figure_can_be_held_to_a_bound(
    gate: list[str], code: int, words: list[str], server: Loopback, tmp_path: Path
) -> None:
    server.answer = lambda body: debating("4" if "trap" in str(body) else "3/2")(body)
    lines = [
        {"id": name, "topic": name, "answers": ["1.5"], "wrong_answers": ["4"]}
        for name in ("a", "b", "c", "a-trap")
    ]
    done = batch(tmp_path, lines, *gate)
    assert done.returncode == code, done.stderr
    said = [words in done.stderr for words in ("--fail-", "--min-coverage")]
    assert any(said) == bool(code)
    for word in words:
        assert word in done.stderr


def test_traps_that_nobody_answered_pass_no_gate(
    server: Loopback, tmp_path: Path
) -> None:
    server.answer = Answer("I say nothing.")
    lines = [{"id": "a", "topic": "Why?", "wrong_answers": ["2"]}]
    done = batch(
        tmp_path, lines, "--rounds", "1", "--fail-over", "traps=1", "--max-unread", "1"
    )
    assert done.returncode == 1
    assert "“traps” covers 0 of 1 input lines" in done.stderr
    done = batch(
        tmp_path,
        lines,
        "--rounds",
        "1",
        "--fail-under",
        "accuracy=0",
        "--max-unread",
        "1",
    )
    assert done.returncode == 1
    assert "“accuracy” covers 0 of 1 input lines" in done.stderr


@pytest.mark.parametrize(
    ("gate", "words"),
    [
        (
            ["--fail-under", "beauty=1"],
            ["“beauty”", "--fail-under", "accuracy_decided"],
        ),
        (["--fail-over", "wins_king=1"], ["“wins_king”", "choose one of wins_"]),
        (["--fail-over", "wins.tie=1"], ["--fail-over wins.tie", "wins_tie now"]),
        (["--fail-over", "undecided=.1"], ["Use --fail-under decided"]),
        (["--min-coverage", "2"], ["--min-coverage", "from 0 to 1"]),
        (["--fail-under", "accuracy"], ["accuracy=NUMBER", "from 0 to 1"]),
        (["--fail-under", "accuracy=nan"], ["accuracy=NUMBER"]),
        (["--fail-under", "accuracy=8"], ["from 0 to 1"]),
        (["--fail-over", "rounds=inf"], ["rounds=NUMBER", "of at least 1"]),
        (["--max-unread", "nan"], ["--max-unread", "from 0 to 1"]),
        (["--max-unread", "2"], ["--max-unread", "from 0 to 1"]),
    ],
)
def test_gates_that_cannot_be_held_cost_nothing(
    gate: list[str], words: list[str], server: Loopback, tmp_path: Path, out: Path
) -> None:
    refused(batch(tmp_path, [{"id": "a", "topic": "Why?"}], *gate), *words)
    assert server.requests == []
    assert not out.exists()


@pytest.mark.parametrize(
    "gate",
    [
        ["--fail-under", "accuracy=1"],
        ["--fail-over", "unread=0"],
        ["--max-unread", "0"],
    ],
)
@pytest.mark.parametrize(
    "what",
    [
        ["debate", "Why?"],
        ["ask", "Why?", "--corpus", "example"],
        ["relevance", "--example"],
    ],
)
def test_gates_belong_to_a_batch(
    what: list[str], gate: list[str], server: Loopback
) -> None:
    done = command(*what, *gate, "--model", "openai/lb")
    refused(done, gate[0], "applies to a batch; name")
    assert server.requests == []


def test_run_again_it_asks_nobody_and_changes_nothing(
    server: Loopback, tmp_path: Path, out: Path
) -> None:
    lines = [{"id": "a", "topic": "Why?"}, {"id": "b", "topic": "Why not?"}]
    batch(tmp_path, lines)
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    asked = len(server.requests)
    assert batch(tmp_path, lines, "--concurrency", "1").returncode == 0
    assert len(server.requests) == asked
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    lines.append({"id": "c", "topic": "And this?"})
    assert batch(tmp_path, lines).returncode == 0
    assert len(server.requests) == asked + 3
    assert len(summary(out)) == 3


def test_lines_without_an_id_go_by_their_number(
    server: Loopback, tmp_path: Path, out: Path
) -> None:
    (tmp_path / "topics.jsonl").write_text(
        '\n{"topic": "Why?"}\n{"id": "b", "topic": "Why not?"}\n'
    )
    arguments = [
        "debate",
        "--topics",
        tmp_path / "topics.jsonl",
        "--into",
        out,
        "--model",
        "openai/lb",
    ]
    assert command(*arguments).returncode == 0
    assert [(row["id"], row["id_from"], row["file"]) for row in summary(out)] == [
        ("2", "line", "2.yaml"),
        ("b", "id", "b.yaml"),
    ]
    asked = len(server.requests)
    (tmp_path / "topics.jsonl").write_text(
        '\n{"topic": "Another one?"}\n{"id": "b", "topic": "Why not?"}\n'
    )
    refused(
        command(*arguments),
        "line 2",
        "another line under the number 2",
        "lines without an id go by their number",
        "Give every line an id, or name another folder",
    )
    (tmp_path / "topics.jsonl").write_text(
        '{"topic": "Why?"}\n{"id": 1, "topic": "Why not?"}\n'
    )
    refused(command(*arguments), "line 2", "“1” is already used", "line 1")
    assert len(server.requests) == asked


@pytest.mark.slow
def test_an_id_that_is_no_text_for_a_disk_is_a_line_as_any(
    server: Loopback, tmp_path: Path, out: Path
) -> None:
    lines = [
        {"id": "\ud800a", "topic": "Why \udfff?"},
        {"id": "\x1b[2J\x00", "topic": "Why?"},
    ]
    for _ in range(2):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (tmp_path / "topics.jsonl").write_text(text)
        assert (
            command(
                "debate",
                "--topics",
                tmp_path / "topics.jsonl",
                "--into",
                out,
                "--model",
                "openai/lb",
                fresh=True,
            ).returncode
            == 0
        )
    assert [row["id"] for row in summary(out)] == [line["id"] for line in lines]
    assert len(server.requests) == 6


def test_a_failed_line_is_told_and_tried_again(
    server: Loopback, tmp_path: Path, out: Path
) -> None:
    lines = [{"id": "good", "topic": "Why?"}, {"id": "bad", "topic": "Bad?"}]
    server.answer = lambda body: (
        Answer(status=401, error="no") if "Bad?" in str(body) else debating()(body)
    )
    done = batch(tmp_path, lines)
    assert done.returncode == 1
    assert "bad: " in done.stderr
    assert [row["status"] for row in summary(out)] == ["done", "failed"]
    assert summary(out)[1]["error"]
    begun = (out / "bad.yaml").read_bytes()
    server.answer = debating()
    assert batch(tmp_path, lines).returncode == 0
    assert (out / "bad.yaml").read_bytes().startswith(begun)
    assert [row["status"] for row in summary(out)] == ["done", "done"]
    assert summary(out)[1]["error"] is None


def test_a_wait_is_told(
    server: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIFYTUI_RETRIES", "3")
    monkeypatch.setenv("VERIFYTUI_RETRY_WAIT", "0.01")
    server.answer = lambda body: (
        Answer(status=500, error="oops")
        if len(server.requests) == 1
        else debating()(body)
    )
    done = batch(tmp_path, [{"id": "a", "topic": "Why?"}])
    assert done.returncode == 0
    assert "127.0.0.1" in done.stderr
    assert len(server.requests) == 4


def test_a_broken_session_fails_its_line_only_and_stays(
    server: Loopback, tmp_path: Path, out: Path
) -> None:
    lines = [
        {"id": "a", "topic": "Why?"},
        {"id": "b", "topic": "Why not?"},
        {"id": "c", "topic": "When?"},
    ]
    batch(tmp_path, lines)
    (out / "a.yaml").write_bytes(b"- no session\n...\n")
    (out / "c.yaml").write_bytes(b"format: verify")
    done = batch(tmp_path, lines)
    assert done.returncode == 1
    assert [row["status"] for row in summary(out)] == ["failed", "done", "done"]
    assert (out / "a.yaml").read_bytes() == b"- no session\n...\n"
    assert (out / "c.yaml.torn").read_bytes() == b"format: verify"


def test_other_options_than_it_was_begun_with(
    server: Loopback, tmp_path: Path, out: Path
) -> None:
    lines = [{"id": "a", "topic": "Why?"}, {"id": "b", "topic": "Why not?"}]
    batch(tmp_path, lines)
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    refused(batch(tmp_path, lines, "--level", "3"), "other options", "level")
    refused(batch(tmp_path, lines, "--model", "judge=openai/b"), "model")
    refused(batch(tmp_path, [{"id": "a", "topic": "Something else?"}, lines[1]]), "“a”")
    refused(
        batch(tmp_path, [{"id": "a", "topic": "Why?", "rounds": 1}, lines[1]]), "“a”"
    )
    refused(batch(tmp_path, lines[:1]), "“b”")
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_a_folder_with_somebody_elses_session(
    server: Loopback, tmp_path: Path, out: Path
) -> None:
    out.mkdir()
    (out / "a.yaml").write_text("mine")
    refused(batch(tmp_path, [{"id": "a", "topic": "Why?"}]), "a.yaml")
    assert (out / "a.yaml").read_text() == "mine"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["has no lines; each line is"]),
        ("{", ["line 1", "JSON"]),
        ("[1]\n", ["line 1", "object"]),
        ('{"id": null, "topic": "x"}\n', ["line 1", "“id”"]),
        ('{"id": "a"}\n', ["line 1", "topic"]),
        ('{"id": "a", "topic": " "}\n', ["line 1", "topic"]),
        (
            '{"id": "a", "topic": "x"}\n{"id": "a", "topic": "y"}\n',
            ["line 2", "“a”", "line 1"],
        ),
        (
            '{"id": "a", "topic": "x"}\n\n{"id": 1, "topic": "y", "level": 9}\n',
            ["line 3", "level"],
        ),
        ('{"id": "a", "topic": "x", "levle": 1}\n', ["levle"]),
        ('{"id": "a", "topic": "x", "level": "high"}\n', ["level", "whole number"]),
        ('{"id": "a", "topic": "x", "model": {"king": "gpt-4"}}\n', ["king"]),
        ('{"id": "a", "topic": "x", "answers": [true]}\n', ["answers"]),
        ('{"id": "a", "topic": "x", "model": 3}\n', ["model"]),
    ],
)
def test_topics_that_are_wrong_cost_nothing(
    text: str, words: list[str], server: Loopback, tmp_path: Path, out: Path
) -> None:
    (tmp_path / "t.jsonl").write_text(text)
    refused(
        command(
            "debate",
            "--topics",
            tmp_path / "t.jsonl",
            "--into",
            out,
            "--model",
            "openai/lb",
        ),
        *words,
    )
    assert not out.exists()
    assert server.requests == []


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["A topic"], ["not both"]),
        (["--save", "x"], ["--save"]),
        (["--no-save"], ["--no-save"]),
        (["--tui"], ["--tui"]),
        (["--budget-usd", "0"], ["more than 0"]),
        (["--budget-usd", "nan"], ["more than 0"]),
        (["--budget-usd", "5"], ["price", "openai/lb"]),
        (["--concurrency", "0"], ["--concurrency"]),
    ],
)
def test_options_that_do_not_go_together(
    more: list[str], words: list[str], server: Loopback, tmp_path: Path
) -> None:
    refused(batch(tmp_path, [{"id": "a", "topic": "Why?"}], *more), *words)


def test_topics_without_a_folder_and_missing_topics(
    server: Loopback, tmp_path: Path
) -> None:
    done = command("debate", "--topics", tmp_path / "no.jsonl")
    assert (done.returncode, done.stdout) == (2, "")
    folder, file = done.stderr.splitlines()
    one_sentence(folder, "--into")
    one_sentence(file, "no.jsonl")
    refused(
        command(
            "debate",
            "--topics",
            tmp_path / "no.jsonl",
            "--into",
            tmp_path / "o",
            "--model",
            "openai/lb",
        ),
        "no.jsonl",
    )
    (tmp_path / "t.jsonl").write_text('{"id": "a", "topic": "Why?"}\n')
    (tmp_path / "file").write_text("")
    refused(
        command(
            "debate",
            "--topics",
            tmp_path / "t.jsonl",
            "--into",
            tmp_path / "file",
            "--model",
            "openai/lb",
        ),
        "not a folder",
    )
    refused(
        command("debate", "--topics", tmp_path / "t.jsonl", "--into", tmp_path / "o"),
        "line 1",
        "script",
    )


def test_a_dry_run_counts_the_calls_that_would_be_made(
    server: Loopback, tmp_path: Path, out: Path
) -> None:
    lines = [
        {"id": "a", "topic": "Why?"},
        {"id": "b", "topic": "Why not?", "debaters": 3, "rounds": 2},
    ]
    told = json.loads(batch(tmp_path, lines, "--dry-run", "--output", "json").stdout)
    assert server.requests == []
    assert not out.exists()
    server.answer = debating(decides=False)
    assert batch(tmp_path, lines).returncode == 0
    assert told["calls"] == len(server.requests) == (3 * 3 + 2) + (2 * 4 + 2)
    assert told["least_calls"] == 3 + 4
    assert told["cost"] is None
    assert told["unknown_prices"] == ["openai/lb"]
    left = json.loads(batch(tmp_path, lines, "--dry-run", "--output", "json").stdout)
    assert (left["debates"], left["calls"]) == (0, 0)


def priced(home: Path, server: Loopback) -> None:
    home.mkdir(exist_ok=True)
    server_model = {
        "model": "openai/lb",
        "api_base": server.base_url,
        "api_key_env": "OPENAI_API_KEY",
        "prices": {"input": 1000, "output": 0},
    }
    (home / "config.yaml").write_text(json.dumps({"models": {"mine": server_model}}))


def likely(tmp_path: Path, lines: list[dict[str, object]], of: str) -> float:
    """A little more than the estimate of one call, in `tokens` or US dollars."""
    told = json.loads(batch(tmp_path, lines, "--dry-run", "--output", "json").stdout)
    usage = told["usage"]
    whole = usage["input"] + usage["output"] if of == "tokens" else told["cost"]
    return 1.2 * whole / told["calls"]


def test_a_budget_in_tokens_holds_and_goes_on_when_it_is_raised(
    server: Loopback, tmp_path: Path, out: Path
) -> None:
    lines = [{"id": f"q{n}", "topic": f"Why {n}?"} for n in range(40)]
    budget = likely(tmp_path, lines, "tokens")
    assert budget < 18 * 120
    limit = ["--budget-tokens", str(round(budget))]
    done = batch(tmp_path, lines, *limit)
    assert done.returncode == 3
    assert "budget" in done.stderr
    spent = 18 * len(server.requests)
    assert budget - 18 < spent <= budget
    assert {row["status"] for row in summary(out)} <= {"done", "stopped"}
    assert batch(tmp_path, lines, *limit).returncode == 3
    assert 18 * len(server.requests) == spent
    assert batch(tmp_path, lines, "--budget-tokens", "100000").returncode == 0
    assert len(server.requests) == 120


def test_a_budget_below_one_call_asks_nobody(
    server: Loopback, tmp_path: Path, out: Path
) -> None:
    lines = [{"id": f"q{n}", "topic": f"Why {n}?"} for n in range(6)]
    done = batch(tmp_path, lines, "--budget-tokens", "1")
    assert done.returncode == 3
    assert (
        "The budget is below the expected cost of one call, so no call" in done.stderr
    )
    assert server.requests == []
    assert {row["status"] for row in summary(out)} == {"stopped"}


def test_what_costs_nothing_is_done_with_the_last_of_a_budget(
    server: Loopback, tmp_path: Path, out: Path
) -> None:
    """The result is computed: a budget for just so many debates brings as many."""
    lines = [{"id": f"q{n}", "topic": f"Why {n}?"} for n in range(40)]
    debates = int(likely(tmp_path, lines, "tokens")) // (3 * 18) + 1
    limit = ["--budget-tokens", str(debates * 3 * 18), "--concurrency", "1"]
    assert batch(tmp_path, lines, *limit).returncode == 3
    statuses = [row["status"] for row in summary(out)]
    assert statuses == ["done"] * debates + ["stopped"] * (40 - debates)
    assert len(server.requests) == 3 * debates


def test_a_dry_run_refuses_what_the_run_would_refuse(
    server: Loopback, tmp_path: Path, out: Path
) -> None:
    refused(
        batch(
            tmp_path, [{"id": "a", "topic": "Why?"}], "--budget-usd", "1", "--dry-run"
        ),
        "openai/lb",
        "--budget-tokens",
    )
    assert not out.exists()


def test_a_session_killed_in_its_header_begins_again_and_nothing_is_dropped(
    server: Loopback, tmp_path: Path, out: Path
) -> None:
    lines = [{"id": "a", "topic": "Why?"}]
    assert batch(tmp_path, lines).returncode == 0
    for head in (b"format: verifytui/1\nid: one", b"format: verifytui/1\nid: two"):
        (out / "a.yaml").write_bytes(head)
        assert batch(tmp_path, lines).returncode == 0
        assert summary(out)[0]["status"] == "done"
    assert (
        out / "a.yaml.torn"
    ).read_bytes() == b"format: verifytui/1\nid: oneformat: verifytui/1\nid: two"


def test_a_budget_in_dollars_where_the_price_is_known(
    server: Loopback, home: Path, tmp_path: Path, out: Path
) -> None:
    priced(home, server)
    lines = [{"id": f"q{n}", "topic": f"Why {n}?", "model": "mine"} for n in range(60)]
    told = json.loads(batch(tmp_path, lines, "--dry-run", "--output", "json").stdout)
    assert told["cost"] == pytest.approx(told["usage"]["input"] / 1000)
    budget = likely(tmp_path, lines, "usd")
    assert batch(tmp_path, lines, "--budget-usd", str(budget)).returncode == 3
    cost = json.loads((out / "report.json").read_text())["cost"]
    assert cost == pytest.approx(0.011 * len(server.requests))
    assert budget - 0.011 < cost <= budget
    assert batch(tmp_path, lines, "--budget-usd", "100").returncode == 0


def test_rows_as_json(server: Loopback, tmp_path: Path, out: Path) -> None:
    done = batch(tmp_path, [{"id": "a", "topic": "Why?"}], "--output", "json")
    assert rows(done.stdout) == summary(out)
