"""A batch that was begun elsewhere, followed and steered from a terminal of its own."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from verifytui.tests.support.commanding import COMMAND, command, debating, rows
from verifytui.tests.support.loopback import Loopback
from verifytui.tests.support.terminal import Terminal

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("size", "lang"), [((80, 24), "en"), ((120, 36), "zh")])
def test_a_batch_of_another_process_is_paused_and_stopped(
    size: tuple[int, int], lang: str, server: Loopback, tmp_path: Path
) -> None:
    words = {
        "en": ("RUNNING", "PAUSED", "STOPPED"),
        "zh": ("运行中", "已暂停", "已停止"),
    }[lang]
    topics, out, said = tmp_path / "topics.jsonl", tmp_path / "out", tmp_path / "said"
    topics.write_text(
        "".join(json.dumps({"topic": f"Why {n}?"}) + "\n" for n in range(60))
    )
    server.answer = debating(delay=0.5)
    arguments: list[Any] = [
        "debate",
        "--topics",
        topics,
        "--into",
        out,
        "--model",
        "openai/lb",
        "--concurrency",
        "2",
    ]
    with said.open("wb") as err:
        runner = subprocess.Popen(
            [*COMMAND, *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=err,
        )
    try:
        assert server.wait_until(lambda s: len(s.requests) > 2, 60)
        with Terminal("--lang", lang, out, size=size) as terminal:
            terminal.until(words[0])
            terminal.until("$")  # the keys of a batch that runs
            terminal.press("p")
            terminal.until(words[1])
            assert server.wait_until(lambda s: s.busy == 0)
            asked = len(server.requests)
            terminal.quiet()
            assert len(server.requests) == asked
            terminal.press("p")
            assert server.wait_until(lambda s: len(s.requests) > asked)
            terminal.until(words[0])
            terminal.press("x")
            terminal.until("esc")
            terminal.press("y")
            assert runner.wait(30) == 130
            terminal.until(words[2])
            terminal.until("verifytui debate")
            terminal.press("escape")
            terminal.until(lambda: "verifytui debate" not in terminal.text)
            terminal.press("^q")
            terminal.ended()
    finally:
        runner.kill()
        runner.wait()
    told = said.read_text().splitlines()
    assert [line for line in told if "control.jsonl" in line] == [
        "From control.jsonl: paused, calls in progress finish first.",
        "From control.jsonl: continuing.",
        "From control.jsonl: stopping.",
    ]
    assert told[-1] == f"To continue: {shlex.join(['verifytui', *map(str, arguments)])}"
    server.answer = debating()
    assert command(*arguments).returncode == 0, (
        "the old stop does not stop the next run"
    )
    assert {row["status"] for row in rows((out / "summary.jsonl").read_text())} == {
        "done"
    }
    assert (os.stat(out / "control.jsonl").st_mode & 0o777) == 0o600
