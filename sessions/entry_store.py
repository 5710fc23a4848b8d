"""The summaries of the sessions of a large folder, kept in one file beside them.

A summary is taken from there while its session's file has the size, times and inode
that it had; all are made again by another version of the code. A store that is missing,
damaged or not writable costs time, nothing else.
"""

from __future__ import annotations

import gc
import os
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from .errors import BadInput, WriteError
from .files import write_whole
from .summary import SessionSummary

FILE = ".entries"
FORMAT = "verifytui-entries/2"
FROM = 200
"""Sessions from which on a folder has a store: fewer are read in no time."""
SETTLED = 2.0
"""Seconds after its last change from which on a file is told from a later version by
its times, however coarse those of the file system are."""


class FileStamp(NamedTuple):
    """How a file is told from another version of itself: times are nanoseconds."""

    size: int
    mtime: int
    ctime: int
    inode: int


class Summary(NamedTuple):
    """What is known of a session's file."""

    stamp: FileStamp
    entry: SessionSummary


class _SummaryFile(msgspec.Struct):
    format: str
    code: int
    summaries: dict[str, Summary]
    """By the name of the file."""


def read_entries(folder: Path) -> dict[str, Summary]:
    """The kept summaries of a folder by file names; empty where none can be used."""
    try:
        data = (folder / FILE).read_bytes()
        with without_collecting():
            stored = msgspec.msgpack.decode(data, type=_SummaryFile)
    except (OSError, msgspec.MsgspecError, ValueError):
        return {}
    if stored.format != FORMAT or stored.code != _code_digest():
        return {}
    above = os.path.join(folder, "")
    for name, one in stored.summaries.items():
        if one.entry.place != name or "/" in name:
            return {}
        one.entry.place = above + name
    return stored.summaries


@contextmanager
def without_collecting() -> Iterator[None]:
    """No garbage is collected while very many objects are made that all stay: each
    collection would look at all of them again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def write_entries(folder: Path, summaries: Mapping[str, Summary]) -> None:
    """Keeps the summaries of a folder's files. Those that cannot be read and those that
    were changed just now are left out. A folder that cannot be written to stays as it
    is."""
    before = time.time_ns() - round(SETTLED * 1e9)
    kept = {
        name: Summary(one.stamp, msgspec.structs.replace(one.entry, place=name))
        for name, one in summaries.items()
        if not one.entry.broken and max(one.stamp.mtime, one.stamp.ctime) < before
    }
    if len(kept) < FROM:
        return
    stored = _SummaryFile(FORMAT, _code_digest(), kept)
    with suppress(BadInput, WriteError, UnicodeError):
        write_whole(folder / FILE, msgspec.msgpack.encode(stored))


def stamps_in(folder: Path, endings: tuple[str, ...]) -> dict[str, FileStamp | None]:
    """The files of a folder with these endings; None for the stamp of one that is away
    or cannot be reached. Raises: OSError."""
    found: dict[str, FileStamp | None] = {}
    with os.scandir(folder) as entries:
        for each in entries:
            if each.name.endswith(endings):
                found[each.name] = _stamp(each)
    return found


def _stamp(file: os.DirEntry[str]) -> FileStamp | None:
    try:
        info = file.stat()
    except OSError:
        return None
    return FileStamp(info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino)


@cache
def _code_digest() -> int:
    """A number for the code that summarises: it changes whenever a file of it does."""
    digest = 0
    for path in sorted(Path(__file__).resolve().parent.glob("*.py")):
        with suppress(OSError):
            stat = path.stat()
            mark = f"{path.name} {stat.st_size} {stat.st_mtime_ns}"
            digest = zlib.crc32(mark.encode(), digest)
    return digest
