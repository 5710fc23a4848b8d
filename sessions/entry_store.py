"""The summaries of the sessions of a large folder, kept in one file beside them.

A summary is taken from there while its session's file has the size, times and inode
that it had, and by the rules that `FORMAT` names. A store that is missing, damaged or
not writable costs time, nothing else.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from .errors import BadInput, WriteError
from .files import write_whole
from .summary import SessionSummary

FILE = ".entries"
FORMAT = "verifytui-entries/4"
"""Raise its number whenever a summary of the same file may become another one."""
FROM = 200
"""Sessions from which on a folder has a store: fewer are read in no time."""
SETTLED = 2.0
"""Seconds after its last change from which a file's times distinguish it from a later
version, even on file systems with coarse times.
"""


class FileStamp(NamedTuple):
    """Identifies a version of a file. Times are in nanoseconds."""

    size: int
    mtime: int
    ctime: int
    inode: int


class Summaries(NamedTuple):
    """What is known of the files of a folder, by their names.

    In two parts: whole folders of stamps are compared at once.
    """

    stamps: dict[str, FileStamp]
    entries: dict[str, SessionSummary]


class _SummaryFile(msgspec.Struct, array_like=True):
    format: str
    names: list[str]
    stamps: list[FileStamp]
    entries: list[SessionSummary]
    """Without their places."""


def read_entries(folder: Path) -> Summaries:
    """The kept summaries of a folder; none where they cannot be used."""
    none = Summaries({}, {})
    try:
        data = (folder / FILE).read_bytes()
        stored = msgspec.msgpack.decode(data, type=_SummaryFile)
    except (OSError, msgspec.MsgspecError, ValueError):
        return none
    names, entries = stored.names, stored.entries
    if stored.format != FORMAT:
        return none
    if not len(names) == len(entries) == len(stored.stamps):
        return none
    above = os.path.join(folder, "")
    for name, entry in zip(names, entries, strict=True):
        entry.place = above + name
    return Summaries(
        dict(zip(names, stored.stamps, strict=True)),
        dict(zip(names, entries, strict=True)),
    )


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


def write_entries(folder: Path, known: Summaries) -> None:
    """Keeps the summaries of a folder's files. Those that cannot be read and those that
    were changed just now are left out. A folder that cannot be written to stays as it
    is."""
    before = time.time_ns() - round(SETTLED * 1e9)
    names = [
        name
        for name, entry in known.entries.items()
        if not entry.broken
        and (stamp := known.stamps.get(name)) is not None
        and max(stamp.mtime, stamp.ctime) < before
    ]
    if len(names) < FROM:
        return
    stored = _SummaryFile(
        FORMAT,
        names,
        [known.stamps[name] for name in names],
        [msgspec.structs.replace(known.entries[name], place="") for name in names],
    )
    with suppress(BadInput, WriteError, UnicodeError):
        write_whole(folder / FILE, msgspec.msgpack.encode(stored))


def stamps_in(
    folder: Path, endings: Sequence[str]
) -> tuple[dict[str, FileStamp], list[str]]:
    """The files of a folder with these endings, and the names of those that are away or
    cannot be reached. Raises: OSError."""
    found: dict[str, FileStamp] = {}
    away: list[str] = []
    ends = tuple(endings)
    with scanned(folder) as entries:
        for each in entries:
            if each.name.endswith(ends):
                try:
                    found[each.name] = stamp_of(each)
                except OSError:
                    away.append(each.name)
    return found, away


@contextmanager
def scanned(folder: Path) -> Iterator[Iterator[os.DirEntry[str]]]:
    """List a folder. Raises: OSError.

    Uses its descriptor, so the kernel resolves names in the folder, not from the root.
    """
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with os.scandir(fd) as entries:
            yield entries
    finally:
        os.close(fd)


def stamp_of(file: os.DirEntry[str]) -> FileStamp:
    """The stamp of a file. Raises: OSError."""
    info = file.stat()
    return _STAMP(
        FileStamp,
        (info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino),
    )


_STAMP = tuple.__new__
"""Makes a `FileStamp` without the call of its own constructor."""
