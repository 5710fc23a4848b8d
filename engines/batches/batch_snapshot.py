"""Progress of a batch in a folder, for readers.

Reads the runner's journal as it grows, nothing twice. A published state never changes,
so a screen can draw it while a thread reads the next one.
"""

from __future__ import annotations

import json
import os
import shlex
import socket
import stat
from collections.abc import Iterable, Iterator
from copy import copy
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from ...sessions.files import BATCH, file_of
from ...sessions.session import Totals
from . import run_journal, snapshot_store
from .registry import has_runner
from .run_journal import (
    AnyEntry,
    Comparing,
    LineNow,
    OrderApplied,
    OrderIgnored,
    RunEnded,
    RunPaused,
    RunStart,
    WaveWait,
)
from .snapshot_store import read_snapshot, write_snapshot
from .submitted_wave import SubmittedWave

_AT_ONCE = 1 << 23
"""Bytes read in one go."""
_OF_LINE = b'{"event": "line", '
_LONGEST = 1 << 16
"""Longest entry in bytes; a longer one is not ours."""

COUNTED = ("failed", "running", "done", "left")
"""The states in which lines are counted."""

RunState = Literal[
    "running",
    "paused",
    "none",
    "elsewhere",
    "done",
    "failed",
    "budget",
    "stopped",
    "waiting",
    "interrupted",
]
"""`none`: no runner is at work, and none recorded how it ended.

`elsewhere`: started on another machine, so whether it runs is unknown.
"""
ENDS: dict[str, RunState] = {
    "done": "done",
    "enough": "done",
    "failed": "failed",
    "budget": "budget",
    "stopped": "stopped",
    "waiting": "waiting",
    "interrupted": "interrupted",
}
"""How a run says that it ended → its state."""


class LineState(msgspec.Struct, frozen=True, array_like=True):
    """One line of the batch.

    Its texts are as they are on disk: clean them before a terminal shows them.
    """

    id: str
    file: str
    title: str = ""
    status: str = "waiting"
    """`waiting`, `running`, `done`, `failed`, or `stopped` (started, but nobody is
    running it).
    """
    events: int = 0
    spent: Totals = msgspec.field(default_factory=Totals)
    result: str | None = None
    error: str | None = None


class BatchSnapshot:
    """The batch of a folder at one moment. `look` returns a later one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lines: dict[str, LineState] = {}
        self._packed = b""
        """The lines as stored, until the first one is requested."""
        self.began: RunStart | None = None
        """None: no run has written down anything here, as in a folder of an older
        version.
        """
        self.concurrency = 0
        self.budget_tokens: int | None = None
        self.budget_usd: float | None = None
        self.comparing = False
        """The sessions are over; a model compares answers."""
        self.rests = False
        """It is paused, and no call is under way any more."""
        self.outside: SubmittedWave | None = None
        """What all lines wait for."""
        self.ignored = ""
        """Why the last order was not carried out; "" once another one was."""
        self.orders = 0
        """How many orders were carried out or refused."""
        self.answers: dict[str, str] = {}
        """Orders of this run by their ids: why one was not carried out, "" where it
        was.
        """
        self.last = 0.0
        """When the runner wrote its last entry, in seconds of the epoch; 0: never."""
        self.done_before = 0
        """Lines that were done when the run began."""
        self._counts = dict.fromkeys(COUNTED, 0)
        self._spent = Totals()
        self._read = 0
        self._half = b""
        self._paused = False
        self._ended = ""
        self._lives = False
        self._ticks = 0.0
        """When the runner wrote its last entry, by its own clock; a run of an earlier
        version has only the time of day.
        """
        self._begun_at = self._paused_at = self._paused_for = 0.0
        """By that clock, too."""

    # ------------------------------------------------------------- what it says

    @property
    def lines(self) -> dict[str, LineState]:
        """Its lines by their ids."""
        if self._packed:
            lines = msgspec.msgpack.decode(self._packed, type=list[LineState])
            self._lines, self._packed = {line.id: line for line in lines}, b""
        return self._lines

    @lines.setter
    def lines(self, lines: dict[str, LineState]) -> None:
        self._lines, self._packed = lines, b""

    @property
    def state(self) -> RunState:
        if self._lives and not self._ended:
            if self._paused:
                return "paused"
            return "running"
        if self._ended in ENDS:
            return ENDS[self._ended]
        if self.began is not None and self.began.host not in ("", socket.gethostname()):
            return "elsewhere"
        open_ = self._counts["running"] + self._counts["left"]
        if self.began is None and self.lines and not open_:
            if self._counts["failed"]:
                return "failed"
            return "done"
        return "none"

    @property
    def alive(self) -> bool:
        """Whether a runner is at work and takes orders."""
        return self.state in ("running", "paused")

    def counts(self) -> dict[str, int]:
        """How many lines there are in each state of `COUNTED`."""
        return dict(self._counts)

    def spent(self) -> Totals:
        """The total cost of all lines."""
        return copy(self._spent)

    def worked(self, now: float) -> float:
        """Seconds that the run has worked, pauses left out; to its last entry where it
        is over.
        """
        since = max(now - self.last, 0.0) if self.alive else 0.0
        return self._until(self._ticks + since)

    def _until(self, end: float) -> float:
        return max(
            (self._paused_at if self._paused else end)
            - self._begun_at
            - self._paused_for,
            0.0,
        )

    def pace(self, made: int) -> float | None:
        """Seconds per line for this many lines, by the runner's clock, or None."""
        worked = self._until(self._ticks)
        if made > 0 and worked > 0:
            return worked / made
        return None

    def left(self) -> float | None:
        """Estimated seconds until the run ends; None if unknown. Uses the runner's own
        clock.
        """
        counts = self.counts()
        rest = counts["left"] + counts["running"]
        pace = self.pace(counts["done"] + counts["failed"] - self.done_before)
        if not self.alive or pace is None or rest == 0:
            return None
        return pace * rest

    # ------------------------------------------------------------- reading

    def look(self) -> BatchSnapshot:
        """The batch as it is now: this object where nothing has come.

        Errors of the disk are skipped: the next look may read it.
        """
        later = copy(self)
        if later._read_on():
            return later
        return self

    def written(self, part: BatchSnapshot) -> BatchSnapshot:
        """The same batch, if what its runner wrote into the diary of a part counts,
        too.
        """
        here, there = self.began, part.began
        if here is not None and (
            there is None or (there.pid, there.host) != (here.pid, here.host)
        ):
            return self  # of an earlier run, whose clock is another one
        if part._ticks <= self._ticks:
            return self
        later = copy(self)
        later.last, later._ticks = part.last, part._ticks
        return later

    def _read_on(self) -> bool:
        """Takes in what has come; returns False where nothing has."""
        changed = not self._read and self._restore()
        begin, counted = self._read, True
        lives = has_runner(self.folder)
        for number, entry in enumerate(self._fresh()):
            if number == 0:
                self.answers, changed = dict(self.answers), True
            if counted and isinstance(entry, LineNow | RunStart):
                self.lines, counted = dict(self.lines), False
            self._take(entry)
        if not self._read:
            counted = not self._take_summary()
            changed = changed or not counted
        if lives != self._lives:
            self._lives, changed = lives, True
        if changed and (self._ended or not lives):
            counted = not self._leave_off(all_=not counted) and counted
        if not counted:
            self._counts, self._spent = summed(self.lines.values())
        if self._read - begin >= snapshot_store.FROM:
            end = self._read - len(self._half)
            write_snapshot(self, self.folder, self.folder / run_journal.FILE, end)
        return changed

    def _restore(self) -> bool:
        """Begins with what was stored; returns False where nothing was."""
        stored = read_snapshot(self.folder, self.folder / run_journal.FILE)
        if stored is None or set(stored.state._counts) != set(COUNTED):
            return False
        for name in stored.state.__struct_fields__:
            setattr(self, name, getattr(stored.state, name))
        self._read, self._packed = stored.read, stored.lines
        return True

    def _leave_off(self, *, all_: bool) -> bool:
        """Mark running lines as interrupted and clear waiting ones after the runner
        exits.

        `all_`: the lines were listed again. Returns whether a line was running.
        """
        self.outside = None
        if not all_ and not self._counts["running"]:
            return False
        self.lines = {
            name: replace(line, status="stopped") if line.status == "running" else line
            for name, line in self.lines.items()
        }
        return True

    def _fresh(self) -> Iterator[AnyEntry]:
        while data := self._more():
            *whole, self._half = (self._half + data).split(b"\n")
            if len(self._half) > _LONGEST:
                self._half = b""
            for line in _that_count(whole):
                entry = _entry(line) if len(line) <= _LONGEST else None
                if entry is not None:
                    yield entry

    def _more(self) -> bytes:
        try:
            fd = os.open(
                self.folder / run_journal.FILE,
                os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW,
            )
        except OSError:
            return b""
        try:
            info = os.fstat(fd)
            if not stat.S_ISREG(info.st_mode):
                return b""
            if info.st_size < self._read:  # another file: from its beginning
                self._read, self._half = 0, b""
            data = os.pread(fd, _AT_ONCE, self._read)
        except OSError:
            return b""
        finally:
            os.close(fd)
        self._read += len(data)
        return data

    def _take(self, entry: AnyEntry) -> None:
        self.last = _seconds(entry.time)
        at = self._ticks = entry.clock or self.last
        match entry:
            case RunStart():
                self._begin(entry, at)
            case LineNow():
                self._line(entry)
            case Comparing():
                self.comparing = True
            case WaveWait():
                self.outside = (
                    SubmittedWave(entry.wave, entry.answered, entry.of, entry.since)
                    if entry.wave
                    else None
                )
            case RunPaused():
                self.rests = True
            case OrderApplied():
                self._obeyed(entry, at)
            case OrderIgnored():
                self.ignored, self.orders = entry.why, self.orders + 1
                self.answers[entry.order] = entry.why
            case RunEnded():
                self._ended, self.comparing, self.outside = entry.status, False, None

    def _begin(self, entry: RunStart, at: float) -> None:
        self.lines = {}
        self.began, self.concurrency = entry, entry.concurrency
        self.budget_tokens, self.budget_usd = entry.budget_tokens, entry.budget_usd
        self._paused, self._ended, self.comparing, self.ignored, self.outside = (
            False,
            "",
            False,
            "",
            None,
        )
        self._begun_at = at
        self._paused_for, self.done_before, self.answers = 0.0, 0, {}

    def _line(self, entry: LineNow) -> None:
        before = self.lines.get(entry.id)
        if before is None:
            self.done_before += entry.status == "done"
        told = entry.title if isinstance(entry.title, str) else None
        known = before.title if before is not None else ""
        self.lines[entry.id] = LineState(
            entry.id,
            before.file if before is not None else file_of(entry.id),
            known if told is None else told,
            entry.status,
            entry.events,
            Totals(
                input=entry.input,
                output=entry.output,
                cost_known=entry.cost_known,
                unpriced=entry.unpriced,
                cached_input=entry.cached_input,
                cached_of=entry.cached_of,
            ),
            entry.result,
            entry.error,
        )

    def _obeyed(self, entry: OrderApplied, at: float) -> None:
        self.ignored, self.orders = "", self.orders + 1
        self.answers[entry.order] = ""
        if isinstance(entry.concurrency, int):
            self.concurrency = entry.concurrency
        if entry.budget_tokens is not UNSET:
            self.budget_tokens = entry.budget_tokens
        if entry.budget_usd is not UNSET:
            self.budget_usd = entry.budget_usd
        if entry.do == "pause" and not self._paused:
            self._paused, self._paused_at, self.rests = True, at, False
        elif entry.do == "go-on" and self._paused:
            self._paused = False
            self._paused_for += max(at - self._paused_at, 0.0)

    def _take_summary(self) -> bool:
        """Takes the lines of a folder in which no run has written anything down: as its
        summary and its `batch.json` have them. Returns False where they are known.
        """
        if self.lines:
            return False
        self.lines = {}
        for name in read_mapping(self.folder / BATCH).get("lines", {}):
            begun = (self.folder / file_of(name)).exists()
            self.lines[name] = LineState(
                name, file_of(name), status="stopped" if begun else "waiting"
            )
        for row in _rows(self.folder / "summary.jsonl"):
            line = self.lines.get(str(row.get("id")))
            if line is not None and row.get("status") in ("done", "failed", "stopped"):
                self.lines[line.id] = _from_summary(line, row)
        return bool(self.lines)


def _that_count(entries: Iterable[bytes]) -> Iterable[bytes]:
    """The entries except those of a line that a later entry replaces.

    The first one of a line, which waits or has its title, stays: it gives its earlier
    state.
    """
    kept: dict[bytes | int, bytes] = {}
    for number, entry in enumerate(entries):
        first = b', "title": ' in entry or b'"status": "waiting"' in entry
        if entry.startswith(_OF_LINE) and not first:
            name = entry.partition(b', "id": ')[2].partition(b', "status": ')[0]
            kept.pop(name, None)
            kept[name] = entry
        else:
            kept[number] = entry
    return kept.values()


def summed(lines: Iterable[LineState]) -> tuple[dict[str, int], Totals]:
    """Number of lines in each state of `COUNTED`, and the total cost.

    A line that was started and left off counts as left.
    """
    counts, spent = dict.fromkeys(COUNTED, 0), Totals()
    for line in lines:
        counts[line.status if line.status in counts else "left"] += 1
        spent.add(line.spent)
    return counts, spent


def _from_summary(line: LineState, row: dict[str, Any]) -> LineState:
    from ...sessions.summary import result_in_words

    used, known = row.get("usage"), row.get("cost_known")
    used = used if isinstance(used, dict) else {}
    result = row.get("result")
    return replace(
        line,
        status=row["status"],
        error=row["error"] if isinstance(row.get("error"), str) else None,
        result=result_in_words(result) if isinstance(result, dict) else None,
        spent=Totals(
            input=_whole(used.get("input")),
            output=_whole(used.get("output")),
            cost_known=float(known) if isinstance(known, int | float) else 0.0,
            unpriced=tuple(str(one) for one in row.get("unpriced") or ()),
            cached_input=_whole(used.get("cached_input")) or 0,
            cached_of=_whole(used.get("cached_of")) or 0,
        ),
    )


def _whole(value: object) -> int | None:
    if isinstance(value, int):
        return value
    return None


_DECODER = msgspec.json.Decoder(AnyEntry)


def _entry(line: bytes) -> AnyEntry | None:
    """Parse one journal entry; None if the line is not valid."""
    entry: AnyEntry
    try:
        entry = _DECODER.decode(line)
    except (ValueError, RecursionError):
        pass
    else:
        return entry
    try:  # half a surrogate, which texts from outside may hold
        entry = msgspec.convert(json.loads(line), type=AnyEntry)
    except (ValueError, RecursionError):
        return None
    return entry


def _seconds(time: str) -> float:
    try:
        return datetime.fromisoformat(time).timestamp()
    except (ValueError, OverflowError):
        return 0.0


def read_mapping(path: Path) -> dict[str, Any]:
    """Read the JSON object in a file; empty if there is none."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    if isinstance(found, dict):
        return found
    return {}


def _rows(path: Path) -> Iterator[dict[str, object]]:
    try:
        lines = path.read_bytes().splitlines()
    except OSError:
        return
    for line in lines:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            yield row


def going_on(began: RunStart | None) -> str:
    """Return the command that continues a run, as recorded; "" if none was recorded."""
    if began is None or not began.command:
        return ""
    try:
        here = not began.cwd or os.path.samefile(began.cwd, os.curdir)
    except (OSError, ValueError):  # a folder of another machine, or one that is gone
        here = False
    if here:
        return began.command
    return f"cd {shlex.quote(began.cwd)} && {began.command}"


def report_of(folder: Path) -> dict[str, Any]:
    """The content of `report.json`; empty if it is missing or unreadable."""
    return read_mapping(folder / "report.json")
