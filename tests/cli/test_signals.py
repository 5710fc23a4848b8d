"""Ctrl+C, SIGTERM and SIGHUP in the middle of a call; people on a terminal."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pexpect
import pytest
from verifytui.tests.support.commanding import (
    COMMAND,
    HILL,
    annotating,
    command,
    debating,
    documents,
    refused,
    rows,
)
from verifytui.tests.support.loopback import Answer, Body, Loopback
from verifytui.tests.support.processor import of_ended, of_running

pytestmark = pytest.mark.slow


def start(*arguments: str | Path) -> subprocess.Popen[str]:
    streams: dict[str, Any] = {
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
    }
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)], text=True, cwd=os.environ["HOME"], **streams
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_debate_cleanly(
    number: signal.Signals, server: Loopback, tmp_path: Path
) -> None:
    kept = tmp_path / "kept.yaml"
    server.answer = lambda body: (
        Answer(first_delay=60) if len(server.requests) > 1 else debating()(body)
    )
    running = start("debate", "Why?", "--model", "openai/lb", "--save", kept)
    assert server.wait_until(lambda s: len(s.requests) == 2, 30)
    running.send_signal(number)
    out, err = running.communicate(timeout=10)
    assert running.returncode == 130
    assert "Traceback" not in out + err
    assert server.wait_until(lambda s: s.open_connections == 0)
    events = documents(kept)
    assert [row.get("event") for row in events] == [None, "speech", "failure"]
    assert events[-1]["kind"] == "cancelled"
    server.answer = debating()
    assert command("resume", kept).returncode == 0
    assert documents(kept)[-1]["answer"] == "42"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_the_parent_ignores_does_not_end_a_debate(
    number: signal.Signals, server: Loopback, tmp_path: Path
) -> None:
    kept, told = tmp_path / "kept.yaml", threading.Event()

    def answer(body: Body) -> Answer:
        answered = debating()(body)
        answered.hold = told
        return answered

    server.answer = answer
    before = signal.signal(number, signal.SIG_IGN)
    try:
        running = start("debate", "Why?", "--model", "openai/lb", "--save", kept)
    finally:
        signal.signal(number, before)
    assert server.wait_until(lambda s: len(s.requests) == 1, 30)
    running.send_signal(number)
    told.set()
    running.communicate(timeout=30)
    assert running.returncode == 0
    assert documents(kept)[-1]["event"] == "result"


@pytest.mark.parametrize("moment", [0.0, 0.05, 0.2, 0.4, 0.7, 1.0, 1.4, 1.8])
def test_leaving_does_not_wait_until_litellm_is_loaded(
    moment: float, server: Loopback, tmp_path: Path
) -> None:
    server.answer = Answer(first_delay=60)
    kept, before = tmp_path / "kept.yaml", of_ended()
    running = start(
        "debate", "Why?", "--model", "openai/lb", "--save", kept, "--output", "json"
    )
    assert running.stdout is not None
    header = running.stdout.readline()
    time.sleep(moment)  # how far the loading is by then
    before += of_running(running.pid)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=30)  # the reply would take 60
    assert of_ended() - before < 0.5  # loading takes more than a second
    assert (running.returncode, "Traceback" in err) == (130, False)
    assert json.loads(header)["id"] == documents(kept)[0]["id"]
    assert [json.loads(line)["event"] for line in out.splitlines()] == [
        row["event"] for row in documents(kept)[1:]
    ]


PRINTS = """
import sys
from verifytui.cli.console import end
from verifytui.engines.models import litellm_loading
print("x" * 500)
litellm_loading.warm()
assert litellm_loading.loading()
sys.exit(end(3))
"""


BUFFERED = {
    name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"
}


def test_what_was_printed_is_not_lost_while_litellm_loads() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRINTS],
        capture_output=True,
        text=True,
        timeout=60,
        env=BUFFERED,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (3, "x" * 500 + "\n", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full disk to print to")
def test_output_that_cannot_be_written_is_told_while_litellm_loads() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-c", PRINTS],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            env=BUFFERED,
            check=False,
        )
    assert (done.returncode, "No space left" in done.stderr) == (120, True)


def test_a_signal_ends_a_batch_cleanly_and_it_goes_on(
    server: Loopback, tmp_path: Path
) -> None:
    topics = tmp_path / "topics.jsonl"
    topics.write_text(
        "".join(
            json.dumps({"id": f"q{n}", "topic": f"Why {n}?"}) + "\n" for n in range(6)
        )
    )
    server.answer = lambda body: (
        Answer(first_delay=60) if len(server.requests) > 8 else debating()(body)
    )
    arguments: list[Any] = [
        "debate",
        "--topics",
        topics,
        "--into",
        tmp_path / "out",
        "--model",
        "openai/lb",
        "--concurrency",
        "2",
    ]
    running = start(*arguments)
    assert server.wait_until(lambda s: len(s.requests) == 10, 60)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=10)
    assert running.returncode == 130
    assert "Traceback" not in err
    kept, go_on = err.splitlines()[-2:]
    assert re.fullmatch(
        r"Stopped\. \S+/out has [1-5] of 6 done, 0 failed, [0-2] started\. "
        r"Nothing is lost\.",
        kept,
    )
    assert go_on == f"To continue: {shlex.join(['verifytui', *map(str, arguments)])}"
    summary = rows((tmp_path / "out" / "summary.jsonl").read_text())
    assert [row["id"] for row in summary] == [f"q{n}" for n in range(6)]
    assert {row["status"] for row in summary} == {"done", "stopped"}
    done_before = {
        row["file"]: (tmp_path / "out" / row["file"]).read_bytes()
        for row in summary
        if row["status"] == "done"
    }
    assert done_before
    server.answer = debating()
    before = len(server.requests)
    assert command(*arguments).returncode == 0
    assert len(server.requests) - before == 18 - 8
    assert {
        row["status"] for row in rows((tmp_path / "out" / "summary.jsonl").read_text())
    } == {"done"}
    assert all(
        (tmp_path / "out" / name).read_bytes() == data
        for name, data in done_before.items()
    )


def test_killed_in_the_middle_a_batch_goes_on_inside_what_was_begun(
    server: Loopback, tmp_path: Path
) -> None:
    topics = tmp_path / "topics.jsonl"
    topics.write_text('{"id": "a", "topic": "Why?"}\n')
    server.answer = lambda body: (
        Answer(first_delay=60) if len(server.requests) > 2 else debating()(body)
    )
    arguments: list[Any] = [
        "debate",
        "--topics",
        topics,
        "--into",
        tmp_path / "out",
        "--model",
        "openai/lb",
    ]
    running = start(*arguments)
    assert server.wait_until(lambda s: len(s.requests) == 3, 30)
    running.kill()
    running.communicate()
    (tmp_path / "out" / "a.yaml").open("ab").write(b"---\nevent: speech\nnum")
    server.answer = debating()
    assert command(*arguments).returncode == 0
    assert len(server.requests) == 4
    assert [row.get("event") for row in documents(tmp_path / "out" / "a.yaml")] == [
        None,
        "speech",
        "speech",
        "verdict",
        "result",
    ]


def on_terminal(*arguments: str | Path) -> Any:
    return pexpect.spawn(
        COMMAND[0],
        [*COMMAND[1:], *map(str, arguments)],
        encoding="utf-8",
        timeout=30,
        cwd=os.environ["HOME"],
    )


def test_a_person_debates_against_a_model_and_judges(
    server: Loopback, tmp_path: Path
) -> None:
    kept = tmp_path / "kept.yaml"
    seats = [
        "--model",
        "openai/lb",
        "--model",
        "negative=human",
        "--model",
        "judge=human",
    ]
    terminal = on_terminal("debate", "Why?", *seats, "--save", kept)
    terminal.expect("negative: enter your speech; end it with a line")
    terminal.sendline("I differ.")
    terminal.sendline("")
    terminal.sendline("Answer: 43")
    terminal.sendline(".")
    terminal.expect("judge: enter one line of JSON")
    terminal.sendline(
        '{"preference": true, "supported_side": "negative", "reason": "so", '
        '"answer": "43"}'
    )
    terminal.expect("Result: 43")
    terminal.expect(pexpect.EOF)
    terminal.wait()
    assert terminal.exitstatus == 0
    speech = documents(kept)[2]
    assert (speech["model"], speech["text"], speech["answer"]) == (
        "human",
        "I differ.\n\nAnswer: 43",
        "43",
    )
    assert server.requests[0]["stream"] is True


def test_ctrl_c_while_a_person_thinks(tmp_path: Path) -> None:
    kept = tmp_path / "kept.yaml"
    terminal = on_terminal("debate", "Why?", "--model", "human", "--save", kept)
    terminal.expect("your speech")
    terminal.sendline("half a")
    terminal.sendintr()
    terminal.expect(pexpect.EOF)
    terminal.wait()
    assert terminal.exitstatus == 130
    assert "Traceback" not in terminal.before
    assert "speech" not in [row.get("event") for row in documents(kept)]


def test_a_person_through_a_pipe(tmp_path: Path) -> None:
    verdict = {
        "preference": True,
        "supported_side": "affirmative",
        "reason": "so",
        "answer": "1",
    }
    spoken = f"One.\nAnswer: 1\n.\nTwo.\nAnswer: 2\n.\n\n{json.dumps(verdict)}\n"
    done = command(
        "debate",
        "Why?",
        "--model",
        "human",
        "--no-save",
        "--output",
        "json",
        stdin=spoken,
    )
    assert done.returncode == 0, done.stderr
    assert [row.get("answer") for row in rows(done.stdout)[1:]] == ["1", "2", "1", "1"]
    kept = tmp_path / "kept.yaml"
    short = command(
        "debate",
        "Why?",
        "--model",
        "human",
        "--save",
        kept,
        stdin="One.\nAnswer: 1\n.\n",
    )
    assert short.returncode == 1
    assert "input ended" in short.stderr
    assert [row.get("event") for row in documents(kept)][1] == "speech"


def test_a_batch_waits_for_nobody(tmp_path: Path) -> None:
    topics = tmp_path / "topics.jsonl"
    topics.write_text('{"id": "a", "topic": "Why?"}\n')
    refused(
        command(
            "debate", "--topics", topics, "--into", tmp_path / "out", "--model", "human"
        ),
        "human",
    )


def test_streamed_where_somebody_watches(server: Loopback) -> None:
    pieces = ["First half, ", "second half.\n\nAnswer: 42"]
    server.answer = lambda body: (
        Answer(chunks=[*pieces], stall_after=2)
        if len(server.requests) == 1
        else debating()(body)
    )
    terminal = on_terminal(
        "debate",
        "Why?",
        "--model",
        "openai/lb",
        "--no-save",
        "--param",
        "affirmative.stall_timeout=3",
    )
    terminal.expect(r"\[affirmative\]\r\nFirst half, ")
    terminal.expect(pexpect.EOF)
    terminal.wait()
    assert terminal.exitstatus == 1


def test_a_script_debate_on_a_terminal() -> None:
    terminal = on_terminal("debate", HILL, "--no-save")
    terminal.expect("Round 1")
    terminal.expect("1.5 m/s")
    terminal.expect(pexpect.EOF)
    terminal.wait()
    assert terminal.exitstatus == 0


def test_a_reader_who_leaves_stops_the_debate_quietly(
    server: Loopback, tmp_path: Path
) -> None:
    kept = tmp_path / "kept.yaml"
    server.answer = lambda body: debating(decides=False, delay=0.2)(body)
    running = start(
        "debate", "Why?", "--model", "openai/lb", "--save", kept, "--output", "json"
    )
    assert running.stdout is not None
    assert running.stderr is not None
    assert '"format"' in running.stdout.readline()
    running.stdout.close()
    told = running.stderr.read()
    running.stderr.close()
    assert running.wait(30) == 1
    assert [
        line for line in told.splitlines() if not line.startswith("Saved in ")
    ] == []
    assert documents(kept)[-1]["event"] != "result"
    server.answer = debating()
    assert command("resume", kept).returncode == 0


def test_a_batch_shows_a_bar_on_a_terminal(server: Loopback, tmp_path: Path) -> None:
    topics = tmp_path / "topics.jsonl"
    topics.write_text(
        "".join(
            json.dumps({"id": f"q{n}", "topic": f"Why {n}?"}) + "\n" for n in range(3)
        )
    )
    server.answer = lambda body: debating(delay=0.3)(body)
    terminal = on_terminal(
        "debate",
        "--topics",
        topics,
        "--into",
        tmp_path / "out",
        "--model",
        "openai/lb",
        "--concurrency",
        "1",
    )
    terminal.expect(
        r"\r\[#+\.+\] 1/3, 1 done, 0 failed, 54 tokens, unknown, \d+ s left"
    )
    terminal.expect(r"3/3, 3 done, 0 failed, 162 tokens")
    terminal.expect(pexpect.EOF)
    terminal.wait()
    assert terminal.exitstatus == 0


def asks_for_a_judgement(body: Body) -> bool:
    return '"relevant"' in body["messages"][-1]["content"].rpartition(">>>")[2]


@pytest.mark.parametrize("moment", [0.0, 0.3, 0.8])
def test_a_signal_ends_it_while_a_degenerate_reply_is_read(
    moment: float, server: Loopback, tmp_path: Path
) -> None:
    """Small models loop: such a reply once kept its reader busy for seconds."""
    facts = annotating()

    def reply(body: Body) -> Answer:
        judges = asks_for_a_judgement(body)
        if judges:
            return Answer("*" * 12_000)
        return facts(body)

    server.answer = reply
    (tmp_path / "q.txt").write_text("The defendant took a purse by stealth.")
    (tmp_path / "c.txt").write_text("The defendant stole a bicycle at night.")
    before = of_ended()
    running = start(
        *("relevance", "--query", tmp_path / "q.txt"),
        *("--candidates", tmp_path / "c.txt", "--model", "openai/lb"),
    )
    assert server.wait_until(lambda s: any(map(asks_for_a_judgement, s.requests)), 60)
    assert server.wait_until(lambda s: s.busy == 0, 30)
    time.sleep(moment)  # how far the reading is by then
    before += of_running(running.pid)
    running.send_signal(signal.SIGTERM)
    out, err = running.communicate(timeout=60)
    assert of_ended() - before < 3
    assert running.returncode in (0, 1, 130)
    assert "Traceback" not in out + err


@pytest.mark.parametrize(
    "last",
    [
        "os.kill(os.getpid(), signal.SIGTERM)\ntime.sleep(30)",
        "sys.exit(console.end(7))",
        "console.end(7)\nos.kill(os.getpid(), signal.SIGTERM)\ntime.sleep(30)",
    ],
    ids=["after its loop", "while Python leaves", "at its end"],
)
def test_a_signal_never_makes_a_command_that_is_done_look_killed(last: str) -> None:
    """asyncio and Python both give signals back to the system, which kills."""
    program = f"""
import os, signal, sys, time
from verifytui.cli import console

class Late:
    def __del__(self, kill=os.kill, own=os.getpid(), number=signal.SIGTERM):
        kill(own, number)

late = Late()

async def work():
    pass

console.ends_like_ctrl_c()
console.run(work())
try:
    exec({last!r})
except KeyboardInterrupt:
    sys.exit(7)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=os.environ["HOME"],
        check=False,
    )
    assert (done.returncode, done.stderr) == (7, "")
