"""`--batch-api`, `--requests-to` and `--replies-from` as typed: killed and gone on
with, in a study, and what does not go together.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
from verifytui.tests.support.commanding import COMMAND, command, refused, rows
from verifytui.tests.support.loopback import Loopback

pytestmark = pytest.mark.slow


@pytest.fixture
def topics(tmp_path: Path) -> Path:
    file = tmp_path / "topics.jsonl"
    file.write_text(
        "".join(
            json.dumps({"id": name, "topic": f"Why {name}?", "answers": ["42"]}) + "\n"
            for name in "ab"
        )
    )
    return file


def test_killed_while_it_waits_it_goes_on_where_it_was(
    server: Loopback, topics: Path, tmp_path: Path
) -> None:
    server.batches.looks = 10**9
    arguments = [
        "debate",
        "--topics",
        str(topics),
        "--into",
        str(tmp_path / "out"),
        "--model",
        "openai/lb",
        "--rounds",
        "1",
        "--batch-api",
    ]
    waiting = subprocess.Popen(
        [*COMMAND, *arguments], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    assert server.wait_until(
        lambda one: any("batches/batch-0" in path for path in one.batches.asked), 60
    )
    os.kill(waiting.pid, signal.SIGKILL)
    waiting.wait()
    by_calls = command(*arguments[:-1], "--budget-tokens", "1")
    assert "Calls still with the provider, in waves: 2." in by_calls.stderr
    server.batches.looks = server.batches.batches["batch-0"]["looks"] = 0
    done = command(*arguments)
    assert done.returncode == 0, done.stderr
    assert len(server.batches.bought) == len(set(server.batches.bought)) == 6
    assert [
        row["status"] for row in rows((tmp_path / "out" / "summary.jsonl").read_text())
    ] == ["done", "done"]
    assert "Wave 1: 2 of 2 calls answered" in done.stderr


def test_a_study_buys_what_its_conditions_share_once(
    server: Loopback, topics: Path, tmp_path: Path
) -> None:
    study = tmp_path / "study.yaml"
    study.write_text(
        "format: verifytui-study/1\nname: small\ntitle: Two levels\nitems: "
        "{adapter: jsonl, file: topics.jsonl}\n"
        "base: {method: debate, rounds: 1, model: {'*': openai/lb}}\ngrid: {stop: "
        "[adaptive, forced]}\nmeasures: [accuracy]\n"
    )
    live = command("study", study, "--into", tmp_path / "live")
    assert live.returncode == 0, live.stderr
    calls = len(server.requests)
    done = command("study", study, "--into", tmp_path / "out", "--batch-api")
    assert done.returncode == 0, done.stderr
    assert len(server.requests) == calls, "nothing is called"
    scores = [
        rows((tmp_path / name / "scores.jsonl").read_text()) for name in ("live", "out")
    ]
    left = ("seconds", "usd", "cost")
    first, second = (
        [row for row in listed if row["measure"] not in left] for listed in scores
    )
    assert first == second


def test_what_does_not_go_together(
    server: Loopback, topics: Path, tmp_path: Path
) -> None:
    base = [
        "debate",
        "--topics",
        topics,
        "--into",
        tmp_path / "out",
        "--model",
        "openai/lb",
    ]
    refused(
        command(*base, "--live-rest"),
        "--live-rest needs --batch-api, --requests-to or --replies-from",
    )
    small = ["--live-up-to", "3", "--live-max-usd"]
    refused(command(*base, *small, "nan"), "--live-up-to needs --batch-api")
    refused(command(*base, "--batch-api", *small, "nan"), "more than 0")
    refused(command(*base, *small, "1"), "--live-up-to needs --batch-api")
    refused(command(*base, "--batch-api", *small[:2]), "go together; give both")
    refused(command(*base, "--batch-api", *small, "0"), "more than 0")
    refused(command(*base, "--batch-api", *small, "1"), "openai/lb is not known")
    refused(
        command(*base, "--batch-api", "--requests-to", tmp_path / "x.jsonl"),
        "give only one of them",
    )
    refused(command(*base, "--requests-to", topics), "already exists")
    refused(
        command(*base, "--requests-to", tmp_path / "none" / "x.jsonl"),
        "no such file or directory",
    )
    refused(
        command(*base, "--replies-from", tmp_path / "none"),
        "is not a readable file of replies; name one",
    )
    asked = tmp_path / "asked.jsonl"
    done = command(*base, "--requests-to", asked)
    assert (done.returncode, len(rows(asked.read_text()))) == (0, 2)
    assert "Wave 1: wrote 2 calls to" in done.stderr
    dry = command(*base, "--batch-api", "--dry-run")
    assert "Each may take up to 24 hours" in dry.stdout
