"""Keeps replies, so that a later equal request needs no call.

One SQLite file; the key is a digest of all that a reply depends on.

A cache that fails stops nothing. A damaged file is moved aside, and without a usable
file every request is a call; `problem` says so.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from ...sessions.errors import cause
from ...sessions.msgspec_types import known
from ...sessions.paths import private_dir
from ...texts import t
from .port import Message, ModelReply

BUSY = 2.0
"""Seconds to wait for another process that is writing."""

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)

_T = TypeVar("_T")


class CacheSize(NamedTuple):
    """How much a cache holds."""

    replies: int
    bytes: int
    """Size of the file and its journal."""
    path: Path


class Problem(NamedTuple):
    """Why the cache could not be used as it was."""

    sentence: str
    about: str
    """The file, or what the system said."""


class Cache:
    """The replies in one folder.

    Its methods block, so they are called in threads; threads and processes may share
    the folder.

    `flights` holds the requests that are on their way, by event loop and key. An equal
    request waits for the first.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "replies.sqlite"
        self.flights: dict[tuple[object, bytes], Any] = {}
        self._lock = threading.Lock()
        self._opened: sqlite3.Connection | None = None
        self._problem: Problem | None = None

    def get(self, key: bytes) -> ModelReply | None:
        """Return the reply for a key, or None."""
        row = self._use(
            lambda it: it.execute(
                "SELECT reply FROM replies WHERE key = ?", (key,)
            ).fetchone(),
            None,
        )
        try:
            if row is None:
                return None
            return msgspec.json.decode(row[0], type=known(ModelReply))
        except (msgspec.DecodeError, TypeError):
            return None

    def put(self, key: bytes, reply: ModelReply) -> None:
        """Stores a reply; it replaces an earlier one."""
        value = msgspec.json.encode(reply)
        self._use(
            lambda it: it.execute(
                "INSERT OR REPLACE INTO replies VALUES (?, ?)", (key, value)
            ),
            None,
        )

    def held(self) -> CacheSize:
        """How many replies there are, and their size. Creates no file."""
        count = 0
        if self.path.exists():
            count = self._use(
                lambda it: int(
                    it.execute("SELECT count(*) FROM replies").fetchone()[0]
                ),
                0,
            )
        return CacheSize(
            count,
            sum(file.stat().st_size for file in self._files() if file.exists()),
            self.path,
        )

    def clear(self) -> int:
        """Deletes all replies and all files that were moved aside.

        Returns how many replies there were.
        """
        count = self.held().replies

        def empty(it: sqlite3.Connection) -> bool:
            it.execute("DELETE FROM replies")
            it.execute("VACUUM")
            it.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            return True

        emptied = self.path.exists() and self._use(empty, False)
        aside = list(self.path.parent.glob(f"{self.path.name}.damaged-*"))
        self.close()
        for file in [*aside, *([] if emptied else self._files())]:
            file.unlink(missing_ok=True)
        return count

    def problem(self) -> Problem | None:
        """Return the last error since the previous call of this method, or None."""
        with self._lock:
            found, self._problem = self._problem, None
        return found

    def close(self) -> None:
        """Closes the file. The next access opens it again."""
        with self._lock:
            self._close()

    def _use(self, work: Callable[[sqlite3.Connection], _T], otherwise: _T) -> _T:
        with self._lock:
            for _ in range(2):
                try:
                    if self._opened is None:
                        self._opened = _open(self.path)
                    return work(self._opened)
                except sqlite3.Error as error:
                    if _code(error) not in _DAMAGED:
                        self._without(error)
                        return otherwise
                    self._close()
                    try:
                        self._move_aside()
                    except OSError as moving:
                        self._without(moving)
                        return otherwise
                except OSError as error:
                    self._without(error)
                    return otherwise
            return otherwise

    def _without(self, error: Exception) -> None:
        self._close()
        said = cause(error)
        self._problem = Problem(
            t("wrong.cache.unusable", reason=said, path=self.path), said
        )

    def _move_aside(self) -> None:
        aside = f"{self.path}.damaged-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
        for file in self._files():
            if file.exists():
                file.replace(aside + file.name.removeprefix(self.path.name))
        self._problem = Problem(t("wrong.cache.damaged", moved_to=aside), aside)

    def _files(self) -> list[Path]:
        return [
            self.path.with_name(self.path.name + end) for end in ("", "-wal", "-shm")
        ]

    def _close(self) -> None:
        if self._opened is not None:
            self._opened.close()
            self._opened = None


_caches: dict[Path, Cache] = {}


def cache_in(folder: Path) -> Cache:
    """The cache of a cache folder (`Paths.cache`): one object for the whole process, so
    that its users share calls.
    """
    return _caches.setdefault(folder, Cache(folder / "replies"))


def key(
    model: str,
    endpoint: Sequence[str],
    messages: Sequence[Message],
    params: Mapping[str, object],
    schema: Mapping[str, object] | None,
    repeat: int,
) -> bytes:
    """SHA-256 of all that a reply depends on, as JSON with sorted names.

    `endpoint` distinguishes servers that use one name for different models.
    """
    of = [2, model, endpoint, messages, params, schema, repeat]
    return hashlib.sha256(
        json.dumps(
            of,
            sort_keys=True,
            separators=(",", ":"),
            default=str,
        ).encode()
    ).digest()


def _open(path: Path) -> sqlite3.Connection:
    private_dir(path.parent)
    # SQLite gives its journals the mode of the file
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    opened = sqlite3.connect(
        path, timeout=BUSY, isolation_level=None, check_same_thread=False
    )
    try:
        until = time.monotonic() + BUSY
        while True:
            try:
                opened.execute("PRAGMA journal_mode=WAL")
                break
            except (
                sqlite3.OperationalError
            ) as error:  # SQLite does not wait for other processes here
                if _code(error) not in _BUSY or time.monotonic() > until:
                    raise
                time.sleep(0.01)
        opened.execute("PRAGMA synchronous=NORMAL")
        opened.execute(
            "CREATE TABLE IF NOT EXISTS replies (key BLOB PRIMARY KEY, reply BLOB "
            "NOT NULL) WITHOUT ROWID"
        )
    except BaseException:
        opened.close()
        raise
    return opened


def _code(error: sqlite3.Error) -> int:
    """SQLite's primary error code; 0 if the error comes from the Python library."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
