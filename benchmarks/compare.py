"""Two sessions of 200 events side by side: from the key to the painted screen, against
printing what differs with difflib and Rich.

Run: python benchmarks/compare.py. Exit 1 if the median is over its bound.
"""

from __future__ import annotations

import difflib
import io
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from rich.columns import Columns
from rich.console import Console
from rich.text import Text
from screen import TEXT, Terminal
from verifytui.engines.debate.method import new_debate
from verifytui.prompts import load
from verifytui.sessions.events.debate import Speech
from verifytui.sessions.journal import Journal
from verifytui.sessions.library import Library
from verifytui.sessions.paths import paths

EVENTS = 200
BOUND = 150
TURNS = 15


def main() -> int:
    """Makes a session and a fork of it, opens the fork, presses d, prints."""
    with tempfile.TemporaryDirectory() as folder:
        env = {
            **os.environ,
            "VERIFYTUI_HOME": folder,
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "LC_ALL": "C.UTF-8",
        }
        library = Library(paths({"VERIFYTUI_HOME": folder}))
        left, right, fork = made(library)
        seen, done, spent = key_to_paint(fork, env)
    peer = statistics.median(printed(left, right) for _ in range(TURNS))
    took = (
        f"{statistics.median(seen):.0f} ms (median; bound {BOUND}; {min(seen):.0f} to "
        f"{max(seen):.0f})"
    )
    print(
        f"two sessions of {EVENTS} events side by side, {TURNS} turns: painted "
        f"after {took}"
    )
    print(
        f"nothing more is sent after {statistics.median(done):.0f} ms; "
        f"{spent:.0f} ms of processor time a turn, the way back included"
    )
    adding = statistics.median(additions() for _ in range(TURNS))
    print(
        f"a loop of 100,000 additions takes {adding:.0f} ms here now (8 to 11 on "
        f"the quiet machine of docs/performance.md)"
    )
    print(
        f"difflib and Rich, the same texts: {peer:.0f} ms; ratio "
        f"{statistics.median(seen) / peer:.2f}"
    )
    return int(statistics.median(seen) > BOUND)


def made(library: Library) -> tuple[list[str], list[str], Path]:
    """A session and its fork, which differ from the fifth event on: the texts of both,
    and the fork's file.
    """
    path = library.new_path("origin")
    with Journal.create(
        path, new_debate(topic="How fast is Alice?", prompts=load("en"))
    ) as journal:
        journal.sync_later = True
        for number in range(EVENTS):
            journal.append(speech(number, "the way up"))
        fork = journal.fork(library.new_path("fork"), 4, "fork")
    with fork:
        fork.sync_later = True
        for number in range(4, EVENTS):
            fork.append(speech(number, "the path up" if number % 2 else "the way up"))
        assert fork.path is not None
        return (
            [each.text for each in journal.session.events],
            [each.text for each in fork.session.events],
            fork.path,
        )  # type: ignore[attr-defined]


def speech(number: int, words: str) -> Speech:
    side = "affirmative" if number % 2 == 0 else "negative"
    return Speech(
        role=side,
        round=number // 2 + 1,
        text=f"{number} {words}. {TEXT}\n\nAnswer: 1.5 m/s",
        answer="1.5 m/s",
        model="gpt-4",
    )


def key_to_paint(
    fork: Path, env: dict[str, str]
) -> tuple[list[float], list[float], float]:
    """Milliseconds from d until the first difference is painted, and until nothing more
    is sent; and of processor time a turn, with the way back.
    """
    terminal = Terminal([sys.executable, "-m", "verifytui", str(fork)], env)
    terminal.until(str(EVENTS).encode())
    terminal.read(1.0)
    seen, done = [], []
    spent = -processor(terminal.pid)
    for turn in range(TURNS + 1):
        terminal.seen = b""
        began = time.perf_counter()
        os.write(terminal.master, b"d")
        terminal.until(b"difference 1 of")
        painted = time.perf_counter()
        last = max(terminal.read(0.15), painted)
        if turn:  # the first loads the screen's modules
            seen.append((painted - began) * 1000)
            done.append((last - began) * 1000)
        terminal.press(b"\x1b", 0.3)
    spent += processor(terminal.pid)
    os.write(terminal.master, b"q")
    terminal.gone()
    return seen, done, spent / (TURNS + 1)


def processor(pid: int) -> float:
    """Milliseconds of processor time that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def additions() -> float:
    began = time.perf_counter()
    sum_ = 0
    for number in range(100_000):
        sum_ += number
    return (time.perf_counter() - began) * 1000


def printed(left: list[str], right: list[str]) -> float:
    """Milliseconds in which difflib finds what differs and Rich prints it in two
    columns.
    """
    began = time.perf_counter()
    console = Console(file=io.StringIO(), width=120, force_terminal=True)
    for kind, i, j, k, m in difflib.SequenceMatcher(
        None, left, right, autojunk=False
    ).get_opcodes():
        if kind == "equal":
            console.print(Text(f"{i + 1} to {j} are the same"))
            continue
        for number in range(max(j - i, m - k)):
            one, other = (
                texts[at] if (at := begin + number) < end else ""
                for texts, begin, end in ((left, i, j), (right, k, m))
            )
            console.print(Columns([Text(one), Text(other)], width=58))
    return (time.perf_counter() - began) * 1000


if __name__ == "__main__":
    sys.exit(main())
