"""Batches and studies that go on without a terminal: begun detached, listed, followed,
led, forgotten.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from verifytui.cli.commands import runs as runs_command
from verifytui.engines.batches.folder import locked
from verifytui.engines.batches.registry import has_runner
from verifytui.engines.batches.runs import RunNow
from verifytui.tests.support.commanding import HILL, command, debating, refused, rows
from verifytui.tests.support.loopback import Loopback

pytestmark = pytest.mark.slow

STUDY = """format: verifytui-study/1
name: levels
title: Two levels
items: {adapter: jsonl, file: items.jsonl}
base: {method: debate, kind: question, rounds: 3, model: {"*": openai/lb}}
grid: {level: [0, 2]}
measures: [accuracy]
"""


def topics(folder: Path, count: int) -> Path:
    path = folder / "topics.jsonl"
    path.write_text(
        "".join(
            json.dumps({"topic": f"Why {n}?", "answers": ["42"]}) + "\n"
            for n in range(count)
        )
    )
    return path


def until_over(folder: Path, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while has_runner(folder):
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture
def begun(server: Loopback, tmp_path: Path) -> Iterator[Path]:
    """A batch of 40 debates that was begun detached."""
    server.answer = debating(delay=0.1)
    into = tmp_path / "one"
    done = command(
        "debate",
        "--topics",
        topics(tmp_path, 24),
        "--into",
        into,
        "--model",
        "openai/lb",
        "--concurrency",
        "2",
        "--detach",
    )
    assert done.returncode == 0, done.stderr
    first, *commands = done.stdout.splitlines()
    assert str(into) in first
    assert [line.split()[:3] for line in commands] == [
        ["verifytui", "runs", name] for name in ("follow", "pause", "stop")
    ]
    yield into
    if has_runner(into):
        os.kill(listed()[0]["pid"], signal.SIGKILL)
        until_over(into)


def listed() -> list[dict[str, Any]]:
    return rows(command("runs", "--output", "json").stdout)


def test_a_detached_batch_is_found_and_led(begun: Path, server: Loopback) -> None:
    (run,) = listed()
    assert (run["name"], run["kind"], run["what"], run["state"], run["lines"]) == (
        "one",
        "batch",
        "debate topics",
        "running",
        24,
    )
    assert os.getsid(run["pid"]) == run["pid"] != os.getsid(0), (
        "it has a session of its own"
    )
    os.kill(run["pid"], signal.SIGHUP)
    assert server.wait_until(lambda s: len(s.requests) > 2, 60)
    assert "paused" in command("runs", "pause", "one").stdout
    assert server.wait_until(
        lambda s: '"rested"' in (begun / "runner.jsonl").read_text()
    )
    asked = len(server.requests)
    assert listed()[0]["state"] == "paused"
    told = command(
        "--lang",
        "zh",
        "runs",
        "set",
        "one",
        "--concurrency",
        "7",
        "--budget-tokens",
        "1,000,000",
    )
    assert "2 → 7" in told.stdout
    assert "无 → 1,000,000" in told.stdout
    refused(command("runs", "set", "one", "--budget-usd", "5"), "price", code=1)
    refused(command("runs", "set", "one"), "--concurrency")
    refused(command("runs", "forget", "one"), "stop it first")
    assert len(server.requests) == asked
    answer = rows(command("runs", "go-on", str(begun), "--output", "json").stdout)[0]
    assert (answer["obeyed"], answer["why"], answer["order"]["do"]) == (
        True,
        "",
        "go-on",
    )
    server.answer = debating()
    followed = command("runs", "follow", "one", "--output", "json")
    assert followed.returncode == 0, followed.stderr
    assert [
        rows(followed.stdout)[-1][name] for name in ("state", "done", "concurrency")
    ] == ["done", 24, 7]
    report = json.loads((begun / "report.json").read_text())
    assert report["done"] == 24
    assert [(one["what"], one["was"], one["is"]) for one in report["changes"]] == [
        ("state", "running", "paused"),
        ("concurrency", 2, 7),
        ("budget_tokens", None, 1_000_000),
        ("state", "paused", "running"),
    ]
    log = (begun / "run.log").read_text()
    assert "7 sessions at a time" in log
    assert "sk-" not in log
    assert os.stat(begun / "run.log").st_mode & 0o777 == 0o600
    for name in ("pause", "stop"):
        refused(command("runs", name, "one"), "so the command has no effect", code=1)
    assert command("runs", "forget", "one").returncode == 0
    assert listed() == []
    assert (begun / "report.json").exists()


def test_one_that_is_stopped_or_killed_goes_on_with_its_own_command(
    begun: Path, server: Loopback, tmp_path: Path
) -> None:
    assert "stopped" in command("runs", "stop", begun).stdout
    assert not has_runner(begun)
    assert command("runs", "follow", "one").returncode == 1
    again = command(
        "debate",
        "--topics",
        tmp_path / "topics.jsonl",
        "--into",
        begun,
        "--model",
        "openai/lb",
        "--detach",
    )
    assert again.returncode == 0, again.stderr
    os.kill(listed()[0]["pid"], signal.SIGKILL)
    until_over(begun)
    assert listed()[0]["state"] == "none"
    refused(command("runs", "pause", "one"), "verifytui debate", code=1)
    server.answer = debating()
    whole = command(
        "debate",
        "--topics",
        tmp_path / "topics.jsonl",
        "--into",
        begun,
        "--model",
        "openai/lb",
    )
    assert whole.returncode == 0, whole.stderr
    assert "stopped" in whole.stdout, "what was ordered stands in the report"
    assert listed()[0]["done"] == 24


def test_what_is_wrong_is_said_before_anything_is_detached(
    server: Loopback, tmp_path: Path
) -> None:
    into = tmp_path / "one"
    lines = topics(tmp_path, 2)
    arguments = [
        "debate",
        "--topics",
        lines,
        "--into",
        into,
        "--model",
        "openai/lb",
        "--detach",
    ]
    refused(command(*arguments, "--dry-run"), "--dry-run")
    with locked(into, "batch.json"):
        refused(command(*arguments), str(into))
    (into / "run.log").unlink()
    os.mkfifo(into / "run.log")
    refused(command(*arguments), "run.log")
    refused(
        command("debate", "Why?", "--model", "openai/lb", "--detach"),
        "--detach applies to a batch",
    )
    lines.write_text('{"topic": ""}\n')
    refused(command(*arguments), "line 1")
    for path in tmp_path.rglob("*.jsonl"):
        assert path == lines
    refused(command("runs", "pause", "other"), "other")
    assert listed() == []


def test_what_is_done_already_ends_at_once(home: Path, tmp_path: Path) -> None:
    (tmp_path / "topics.jsonl").write_text(json.dumps({"topic": HILL}) + "\n")
    arguments = [
        "debate",
        "--topics",
        tmp_path / "topics.jsonl",
        "--into",
        tmp_path / "one",
    ]
    assert command(*arguments).returncode == 0
    done = command(*arguments, "--detach")
    assert done.returncode == 0
    assert "1 debates: 1 done" in done.stderr
    (run,) = listed()
    assert (run["state"], run["done"], run["pid"]) == ("done", 1, None)


def test_a_study_is_led_as_one_and_its_manifest_says_how(
    server: Loopback, tmp_path: Path
) -> None:
    server.answer = debating(delay=0.1)
    (tmp_path / "items.jsonl").write_text(
        "".join(
            json.dumps({"id": f"q{n}", "topic": f"Why {n}?", "answers": ["42"]}) + "\n"
            for n in range(20)
        )
    )
    (tmp_path / "levels.yaml").write_text(STUDY)
    into = tmp_path / "st"
    arguments = [
        "study",
        tmp_path / "levels.yaml",
        "--into",
        into,
        "--concurrency",
        "2",
    ]
    done = command(*arguments, "--detach", "--output", "json")
    assert rows(done.stdout)[0]["folder"] == str(into), done.stderr
    (run,) = listed()
    assert (run["kind"], run["state"], run["lines"]) == ("study", "running", 40)
    assert server.wait_until(lambda s: len(s.requests) > 2, 60)
    assert "2 → 5" in command("runs", "set", "st", "--concurrency", "5").stdout
    assert "paused" in command("runs", "pause", into / "level=0").stdout, (
        "an order to a condition is one to the study"
    )
    assert listed()[0]["state"] == "paused"
    assert "stopped" in command("runs", "stop", "st").stdout
    manifest = json.loads((into / "manifest.json").read_text())
    told = [(one["what"], one["is"]) for one in manifest["changes"]]
    assert (manifest["status"], told) == (
        "stopped",
        [("concurrency", 5), ("state", "paused"), ("state", "stopped")],
    )
    assert "2 → 5" in command("study", "report", into).stdout
    assert (listed()[0]["state"], listed()[0]["pid"]) == ("stopped", None)


def test_follow_ends_when_the_folder_can_be_used_again(
    server: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answer = debating()
    into = tmp_path / "one"
    lines = topics(tmp_path, 1)
    done = command("debate", "--topics", lines, "--into", into, "--model", "openai/lb")
    assert done.returncode == 0, done.stderr
    held = locked(into, "batch.json")
    held.__enter__()

    def wait(seconds: float) -> None:
        held.__exit__(None, None, None)

    monkeypatch.setattr(runs_command.time, "sleep", wait)
    runs_command._follow(RunNow(into).look(), as_json=True)
    assert not has_runner(into)
