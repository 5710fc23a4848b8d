"""A person who presses keys and then closes the terminal at any moment; and whoever
lives on after that.
"""

from __future__ import annotations

import os
import random
import signal
import time
from contextlib import suppress
from pathlib import Path

from verifytui.tests.support.terminal import KEYS, Terminal

OPENING = (
    "c",
    "escape",
    "F1",
    "o",
    "m",
    "l",
    "^p",
    "s",
    "d",
    "v",
    "/",
    "space",
    "]",
    "[",
    "M",
    "f",
    "e",
    "C",
    "r",
)
"""Keys that open and close screens and tabs."""

LIMIT = 3.0
"""Seconds that the app may live without its terminal."""


def play_and_close(terminal: Terminal, rng: random.Random) -> list[str]:
    """Presses up to six keys, soon one after another, and closes the terminal within
    0.3 s of the last. The keys.
    """
    keys = rng.choices(OPENING, k=rng.randint(1, 6)) if rng.random() < 0.75 else ["c"]
    for key in keys:
        terminal.child.send(KEYS.get(key, key))
        _look(
            terminal,
            rng.choice((0, 0.02, 0.1, 0.3))
            if key is not keys[-1]
            else rng.uniform(0, 0.3),
        )
    hang_up(terminal)
    return keys


def hang_up(terminal: Terminal) -> None:
    """Closes the terminal; its process is left alone."""
    process = terminal.child.ptyproc
    process.fileobj.close()
    process.fd, process.closed = -1, True
    terminal.child.child_fd, terminal.child.closed = -1, True


def bury(terminal: Terminal, left: list[int]) -> None:
    """Ends what is left, so that no test leaves a process behind."""
    for pid in left:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    with suppress(ProcessLookupError, ChildProcessError):
        os.kill(terminal.child.pid, signal.SIGKILL)
        os.waitpid(terminal.child.pid, 0)


def _look(terminal: Terminal, seconds: float) -> None:
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0 and terminal._read(left):
        pass


def seconds_to_the_end(home: Path) -> float:
    """How long the app with that home still lives, at most `LIMIT`.

    What this machine takes from both of them does not count.
    """
    lived = 0.0
    while lived < LIMIT and living(home):
        before = time.monotonic()
        time.sleep(0.01)
        lived += min(time.monotonic() - before, 0.03)
    return lived


def living(home: Path) -> list[int]:
    """Process ids of the apps that use that home."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if words[1:3] == [
                b"-m",
                b"verifytui",
            ] and f"VERIFYTUI_HOME={home}".encode() in (
                folder / "environ"
            ).read_bytes().split(b"\0"):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def reports(home: Path) -> list[str]:
    """The crash reports."""
    return [path.read_text() for path in home.rglob("crash-*.txt")]
