"""What it costs to follow a batch of 1,000 on screen: share of a core, bytes sent.

A runner is played: it holds the folder's lock and writes into its diary what a real one
writes, so many events a second. The app runs in a pseudo-terminal of 120x36. Bound: 3 %
of a core.

    python benchmarks/follow.py [--lines 1000] [--seconds 30] [--rates 0,20,200]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import threading
import time
from pathlib import Path

import pexpect
from verifytui.engines.batches.run_journal import LineNow, RunJournal, RunStart
from verifytui.sessions import locks

CALLS = 6
"""Events of a line."""
SIDE_BY_SIDE = 16


def play(diary: RunJournal, lines: int, rate: float, over: threading.Event) -> None:
    """Lines that run side by side, one event after another; one line in fifty fails."""
    waiting, running = iter(range(lines)), dict[int, int]()
    while not over.is_set():
        began = time.monotonic()
        for _ in range(max(round(rate / 10), 1) if rate else 0):
            while (
                len(running) < SIDE_BY_SIDE
                and (number := next(waiting, None)) is not None
            ):
                running[number] = 0
            if not running:
                return
            number = random.choice(list(running))
            running[number] += 1
            ends = running[number] == CALLS
            status = ("failed" if number % 50 == 7 else "done") if ends else "running"
            spent = {
                "input": 800 * running[number],
                "output": 250 * running[number],
                "cost_known": 0.001 * running[number],
            }
            said = (
                {"error": "The server refuses the call."}
                if status == "failed"
                else {"result": "42"}
                if ends
                else {}
            )
            diary.write(
                LineNow(
                    id=f"q{number}",
                    status=status,
                    events=running[number],
                    **spent,
                    **said,
                )
            )
            if ends:
                del running[number]
        over.wait(max(0.1 - (time.monotonic() - began), 0) if rate > 0 else 1)


def cpu(pid: int) -> float:
    """Seconds of CPU that a process has taken."""
    parts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


def measure(lines: int, rate: float, seconds: float) -> tuple[float, float]:
    """Share of a core and bytes a second."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "out")
        folder.mkdir()
        (folder / "batch.json").write_text(
            json.dumps({"format": "verifytui-batch/1", "options": {}, "lines": {}})
        )
        fd = os.open(folder, os.O_RDONLY)
        lock = locks.take(fd, folder / "batch.json")
        diary, over = RunJournal(folder), threading.Event()
        began = RunStart(
            method="debate",
            kind="topics",
            lines=lines,
            concurrency=SIDE_BY_SIDE,
            budget_usd=20.0,
        )
        topic = "How fast was Alice on the whole walk, number"
        diary.write(
            began,
            *(
                LineNow(id=f"q{number}", status="waiting", title=f"{topic} {number}?")
                for number in range(lines)
            ),
        )
        env = {
            **os.environ,
            "VERIFYTUI_HOME": str(Path(name, "home")),
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
        }
        child = pexpect.spawn(
            sys.executable,
            ["-m", "verifytui", str(folder)],
            env=env,
            dimensions=(36, 120),
            timeout=60,
        )
        child.expect("RUNNING")
        player = threading.Thread(target=play, args=(diary, lines, rate, over))
        player.start()
        sent = 0

        def listen(until: float) -> None:
            nonlocal sent
            while time.monotonic() < until:
                try:
                    sent += len(child.read_nonblocking(1 << 16, 0.2))
                except pexpect.TIMEOUT:
                    continue

        listen(time.monotonic() + 5)  # until it has settled
        before, sent, start = cpu(child.pid), 0, time.monotonic()
        listen(start + seconds)
        share, taken = (
            (cpu(child.pid) - before) / (time.monotonic() - start),
            sent / seconds,
        )
        over.set()
        player.join()
        child.close(force=True)
        diary.close()
        lock.release()
        os.close(fd)
    return share, taken


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--lines", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--rates", default="0,20,200")
    wanted = parser.parse_args()
    for rate in map(float, wanted.rates.split(",")):
        share, taken = measure(wanted.lines, rate, wanted.seconds)
        print(
            f"{wanted.lines} lines, {rate:g} events a second: {share:.2%} of a "
            f"core, {taken:,.0f} bytes a second"
        )


if __name__ == "__main__":
    main()
