"""The journal of a batch's runner: `runner.jsonl`, one entry per line."""

from __future__ import annotations

import os
import stat
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from ...sessions.clean import json_line
from ...sessions.files import write_all
from ...sessions.new import timestamp

FILE = "runner.jsonl"


class RunRecord(msgspec.Struct, kw_only=True, tag_field="event", omit_defaults=True):
    """One line."""

    time: str = ""
    clock: float = 0.0
    """Seconds of a monotonic clock of the machine.

    Only differences within one run are meaningful.
    """


class RunStart(RunRecord, tag="began", kw_only=True):
    """Start of a run; earlier entries belong to earlier runs."""

    method: str
    kind: str
    """What its lines are: `topics`, `questions`, `answers`, `pairs`.

    A `study`, which has no method of its own, has them in its parts.
    """
    command: str = ""
    """What continues it, as typed; empty for a run that a program began."""
    cwd: str = ""
    """The folder in which the command was typed."""
    pid: int = 0
    host: str = ""
    """The machine on which it runs."""
    lines: int
    """Those without text among them, which have no session."""
    empty: int = 0
    """How many have none."""
    skipped: int = 0
    """Lines of the file that are wrong and were skipped."""
    concurrency: int
    budget_tokens: int | None = None
    budget_usd: float | None = None


class LineNow(RunRecord, tag="line", kw_only=True):
    """How far one line is. Its entries follow each other; the last one counts."""

    id: str
    status: str
    """`waiting`, `running`, `done`, `failed`, or `stopped` (started, can be resumed).
    """
    title: str | UnsetType = UNSET
    """Said once, in the line's first entry of a run."""
    events: int = 0
    input: int | None = 0
    output: int | None = 0
    cost_known: float = 0.0
    unpriced: tuple[str, ...] = ()
    cached_input: int = 0
    cached_of: int = 0
    result: str | None = None
    error: str | None = None


class WaveWait(RunRecord, tag="wave", kw_only=True):
    """All lines wait for the replies to a wave."""

    wave: int = 0
    """0: they wait no more."""
    answered: int = 0
    of: int = 0
    since: str = ""
    """When it was sent."""


class Comparing(RunRecord, tag="comparing", kw_only=True):
    """The sessions are over; a model compares answers."""


class RunPaused(RunRecord, tag="rested", kw_only=True):
    """The batch is paused, and the last call under way has finished."""


class OrderApplied(RunRecord, tag="obeyed", kw_only=True):
    """An order was carried out. What is not named has not changed."""

    order: str = ""
    """Its id."""
    was: dict[str, Any] = {}
    """What held before, by the names below; `state`: before a pause, going on or a
    stop.
    """
    do: str | UnsetType = UNSET
    concurrency: int | UnsetType = UNSET
    budget_tokens: int | UnsetType | None = UNSET
    budget_usd: float | UnsetType | None = UNSET


class OrderIgnored(RunRecord, tag="ignored", kw_only=True):
    """An order could not be carried out."""

    order: str = ""
    why: str


class RunEnded(RunRecord, tag="ended", kw_only=True):
    """The run is over."""

    status: str
    """`done`, `failed`, `budget`, `stopped` (by an order), `waiting` (for replies from
    outside), `interrupted` (by a signal or a defect).
    """


AnyEntry = (
    RunStart
    | LineNow
    | WaveWait
    | Comparing
    | RunPaused
    | OrderApplied
    | OrderIgnored
    | RunEnded
)


def open_lines(path: Path) -> tuple[int | None, bool]:
    """A file of lines, made if need be, to append to; None where it is no ordinary
    file. And whether its last line was cut off.

    Raises: OSError.
    """
    fd = os.open(
        path,
        os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK,
        0o600,
    )
    info = os.fstat(fd)
    if stat.S_ISREG(info.st_mode):
        return fd, info.st_size > 0 and os.pread(fd, 1, info.st_size - 1) != b"\n"
    os.close(fd)
    return None, False


class RunJournal:
    """Appends entries. Ignores write errors, so a batch never fails because of it."""

    def __init__(self, folder: Path) -> None:
        self._fd: int | None = None
        self._torn = False
        """The last line was cut off by a kill or a full disk."""
        with suppress(OSError):
            self._fd, self._torn = open_lines(folder / FILE)

    def write(self, *entries: AnyEntry) -> None:
        if self._fd is None:
            return
        now, clock = timestamp(), round(time.monotonic(), 3)
        for entry in entries:
            entry.time, entry.clock = now, clock
        lines = "".join(json_line(msgspec.to_builtins(entry)) for entry in entries)
        data = b"\n" * self._torn + lines.encode()
        with suppress(OSError):
            self._torn = True
            write_all(self._fd, data)
            self._torn = False

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
