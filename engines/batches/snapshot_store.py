"""A snapshot of a batch with a long journal, in a file next to it, so that the next
reader reads only what is new.

A store that is missing, damaged or not writable costs time, nothing else.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from ...sessions.errors import BadInput, WriteError
from ...sessions.files import write_whole
from ...sessions.session import Totals
from .run_journal import RunStart
from .submitted_wave import SubmittedWave

FILE = ".followed"
FORMAT = "verifytui-followed/1"
FROM = 1 << 24
"""Bytes of the diary, read at once, from which on a folder has a store."""
_TAIL = 256


class SnapshotState(msgspec.Struct, kw_only=True):
    """The fields that a snapshot stores under the same names, except its lines."""

    began: RunStart | None
    concurrency: int
    budget_tokens: int | None
    budget_usd: float | None
    comparing: bool
    rests: bool
    outside: SubmittedWave | None
    ignored: str
    orders: int
    answers: dict[str, str]
    last: float
    done_before: int
    _counts: dict[str, int]
    _spent: Totals
    _paused: bool
    _ended: str
    _ticks: float
    _begun_at: float
    _paused_at: float
    _paused_for: float


class StoredSnapshot(msgspec.Struct, kw_only=True):
    """A snapshot as it is stored."""

    format: str = FORMAT
    read: int
    """Bytes of the diary that were read."""
    tail: bytes
    """The last of them: a diary that has others there is another one."""
    state: SnapshotState
    lines: bytes
    """Packed: whoever only counts them needs none."""


def read_snapshot(folder: Path, diary: Path) -> StoredSnapshot | None:
    """The stored snapshot of a folder; None where it cannot be used."""
    try:
        data = (folder / FILE).read_bytes()
        stored = msgspec.msgpack.decode(data, type=StoredSnapshot)
        if stored.format == FORMAT and _tail(diary, stored.read) == stored.tail:
            return stored
    except (OSError, msgspec.MsgspecError, ValueError):
        return None
    return None


def write_snapshot(snapshot: Any, folder: Path, diary: Path, read: int) -> None:
    """Store a `BatchSnapshot`, with the number of journal bytes it has read.

    Does nothing if the folder is not writable.
    """
    fields = SnapshotState.__struct_fields__
    with suppress(OSError, BadInput, WriteError, UnicodeError):
        stored = StoredSnapshot(
            read=read,
            tail=_tail(diary, read),
            state=SnapshotState(**{name: getattr(snapshot, name) for name in fields}),
            lines=msgspec.msgpack.encode([*snapshot.lines.values()]),
        )
        write_whole(folder / FILE, msgspec.msgpack.encode(stored))


def _tail(diary: Path, end: int) -> bytes:
    """The bytes before this place. Raises: OSError."""
    fd = os.open(diary, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    try:
        return os.pread(fd, min(end, _TAIL), max(end - _TAIL, 0))
    finally:
        os.close(fd)
