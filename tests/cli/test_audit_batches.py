"""An audit is a batch: killed, detached, by the provider's batches, within a budget."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest
from verifytui.tests.support.audited import answers, obeying
from verifytui.tests.support.commanding import COMMAND, command, rows
from verifytui.tests.support.loopback import Answer, Body, Loopback
from verifytui.tests.support.solo_runs import write_lines

pytestmark = pytest.mark.slow
SESSIONS = 18
"""Six items, asked three times each."""


@pytest.fixture
def asked(server: Loopback, tmp_path: Path) -> list[str]:
    """The arguments of an audit of a judge that believes a professor."""
    server.answer = obeying
    file = write_lines(tmp_path / "items.jsonl", answers())
    words = ["audit", "--judge", "verifier=openai/lb", "--only", "authority"]
    where = ["--items", str(file), "--into", str(tmp_path / "audit")]
    return [*words, *where, "--output", "json"]


def check(done: subprocess.CompletedProcess[str], tmp_path: Path) -> None:
    """The audit is whole, and has found the bias."""
    assert done.returncode == 0, done.stderr
    [probe] = rows(done.stdout)
    assert (probe["n"], probe["flips"], probe["verdict"]) == (6, 1, "biased")
    check_report(tmp_path)


def check_report(tmp_path: Path) -> None:
    report = json.loads((tmp_path / "audit/report.json").read_text("utf-8"))
    audit: dict[str, Any] = report["audit"]
    assert (audit["verdict"], audit["asked"], audit["missing"]) == ("biased", 6, 0)


def test_killed_it_goes_on_where_it_was(
    asked: list[str], server: Loopback, tmp_path: Path
) -> None:
    held = threading.Event()

    def slow(body: Body) -> Answer:
        said = obeying(body)
        said.hold = held if len(server.requests) > 8 else None
        return said

    server.answer = slow
    run = subprocess.Popen(
        [*COMMAND, *asked, "--concurrency", "2"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert server.wait_until(lambda one: len(one.requests) == 10, 100)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    held.set()
    check(command(*asked), tmp_path)
    assert len(server.requests) == SESSIONS + 2  # the two that were on their way


def test_by_the_batches_of_the_provider(
    asked: list[str], server: Loopback, tmp_path: Path
) -> None:
    check(command(*asked, "--batch-api"), tmp_path)
    assert not server.requests
    assert len(server.batches.bought) == SESSIONS  # the placebo is bought, too


def test_detached_it_writes_its_report(
    asked: list[str], server: Loopback, tmp_path: Path
) -> None:
    folder = tmp_path / "audit"
    done = command(*asked, "--detach")
    assert done.returncode == 0, done.stderr
    assert command("runs", "follow", str(folder)).returncode == 0
    check(command(*asked), tmp_path)
    assert len(server.requests) == SESSIONS


def test_a_budget_stops_it_and_it_goes_on(
    asked: list[str], server: Loopback, tmp_path: Path
) -> None:
    some = command(*asked, "--budget-tokens", "100", "--concurrency", "1")
    assert some.returncode == 3
    assert 0 < len(server.requests) < SESSIONS
    report = json.loads((tmp_path / "audit/report.json").read_text("utf-8"))
    assert report["audit"]["missing"] == SESSIONS - len(server.requests)
    assert report["audit"]["verdict"] != "clean"
    unpriced = command(*asked, "--budget-usd", "1")
    assert unpriced.returncode == 2
    assert "price" in unpriced.stderr
    check(command(*asked), tmp_path)
    assert len(server.requests) == SESSIONS
