"""The terminal is closed in the middle of a batch, of a debate, of the app: nothing is
lost, and who was not told to live on ends.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pexpect
import pytest
from verifytui.sessions.journal import Journal
from verifytui.tests.support.commanding import command, debating
from verifytui.tests.support.loopback import Answer, Body, Loopback

pytestmark = pytest.mark.slow

LIMIT = 3.0
"""Seconds that a process may take to end."""


def deaf() -> None:
    """As under nohup."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


def hearing() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


class Command:
    """A command on a terminal that can be closed."""

    def __init__(self, *words: str | Path, before: Callable[[], None]) -> None:
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "verifytui", *map(str, words)],
            cwd=os.environ["HOME"],
            dimensions=(24, 80),
            preexec_fn=before,
            env={**os.environ, "TERM": "xterm-256color"},
        )

    def close(self) -> None:
        """Closes the terminal and leaves the process alone."""
        terminal = self.child.ptyproc
        terminal.fileobj.close()
        terminal.fd, terminal.closed = -1, True
        self.child.child_fd, self.child.closed = -1, True

    def ended(self, within: float) -> int:
        """The exit code, or minus the signal.

        What a busy machine takes from it does not count.
        """
        lived = 0.0
        while lived < within:
            found, status = os.waitpid(self.child.pid, os.WNOHANG)
            if found:
                return os.waitstatus_to_exitcode(status)
            before = time.monotonic()
            time.sleep(0.01)
            lived += min(time.monotonic() - before, 0.03)
        os.kill(self.child.pid, signal.SIGKILL)
        os.waitpid(self.child.pid, 0)
        raise AssertionError(f"it lives {within} s after the end of its terminal")


@pytest.fixture
def batch(server: Loopback, tmp_path: Path) -> list[str | Path]:
    topics = tmp_path / "topics.jsonl"
    lines = [{"id": f"t{n}", "topic": f"Why {n}?"} for n in range(6)]
    topics.write_text("".join(json.dumps(one) + "\n" for one in lines))
    words = ["debate", "--topics", topics, "--into", tmp_path / "out"]
    return [*words, "--model", "openai/lb", "--concurrency", "2"]


def report(folder: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((folder / "report.json").read_text())
    return found


def crashes(tmp_path: Path) -> list[Path]:
    return list(tmp_path.rglob("crash-*"))


def test_a_batch_ends_with_its_terminal_and_goes_on_later(
    server: Loopback, batch: list[str | Path], tmp_path: Path
) -> None:
    usual = debating()
    server.answer = lambda body: (
        Answer(first_delay=60) if len(server.requests) > 8 else usual(body)
    )
    running = Command(*batch, before=hearing)
    assert server.wait_until(lambda one: len(one.requests) == 10, 60)
    running.close()
    assert running.ended(LIMIT) == 130
    assert report(tmp_path / "out")["failed"] == 0
    server.answer, before = usual, len(server.requests)
    done = command(*batch)
    assert done.returncode == 0, done.stderr
    assert len(server.requests) - before == 18 - 8
    assert report(tmp_path / "out")["done"] == 6
    assert not crashes(tmp_path)


@pytest.mark.parametrize("output", ["text", "json"])
def test_a_batch_that_was_told_to_outlive_its_terminal_does(
    server: Loopback, batch: list[str | Path], tmp_path: Path, output: str
) -> None:
    gate, usual = tmp_path / "open", debating()

    def answer(body: Body) -> Answer:
        found = usual(body)
        found.first_delay = 0.01 if gate.exists() else 0.1
        return found

    server.answer = answer
    running = Command(*batch, "--output", output, before=deaf)
    assert server.wait_until(lambda one: len(one.requests) >= 4, 60)
    running.close()
    gate.touch()
    assert running.ended(60) == 0
    assert report(tmp_path / "out")["done"] == 6
    assert len(server.requests) == 18
    assert not crashes(tmp_path)


@pytest.mark.parametrize("before", [hearing, deaf], ids=["hearing", "deaf"])
@pytest.mark.parametrize("app", [False, True], ids=["printed", "app"])
def test_a_debate_loses_nothing_with_its_terminal(
    server: Loopback, tmp_path: Path, before: Callable[[], None], app: bool
) -> None:
    usual = debating()

    def answer(body: Body) -> Answer:
        if len(server.requests) == 2:
            return Answer(text="Slowly said. " * 500, usage=None, delay=0.01)
        return usual(body)

    server.answer, path = answer, tmp_path / "kept.yaml"
    words: list[str | Path] = ["debate", "Why?", "--model", "openai/lb", "--save", path]
    running = Command(*words, *(["--tui"] if app else []), before=before)
    if app:
        running.child.expect("Why", timeout=60)
        while not server.requests:
            running.child.send("r")
            read_for(running, 0.3)
    while not server.wait_until(lambda one: len(one.requests) == 2, 0.05):
        read_for(running, 0.05)
    running.close()
    lives_on = before is deaf and not app
    code = running.ended(60 if lives_on else LIMIT)
    assert code == 0 if lives_on else code != 0
    server.answer = usual
    if not lives_on:
        with Journal.open(path, write=False) as journal:
            kinds = [type(one).__name__ for one in journal.session.events]
        assert kinds == ["Speech", "Failure"]
        done = command("resume", path)
        assert done.returncode == 0, done.stderr
    with Journal.open(path, write=False) as journal:
        assert journal.session.result is not None
        numbers = [one.number for one in journal.session.events]
    assert numbers == list(range(1, len(numbers) + 1))
    assert not crashes(tmp_path)


def read_for(running: Command, seconds: float) -> None:
    """Takes what it draws, which it waits for otherwise."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        try:
            running.child.read_nonblocking(65536, timeout=left)
        except pexpect.TIMEOUT:
            return
