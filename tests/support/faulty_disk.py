"""A disk of which one operation fails, by its number.

Operations are those on files below one folder: `os`, `open`, `fcntl.flock`, and those
that SQLite makes through its table of system calls. They are counted without a fault
first, then the day is run again once for each of them.
"""

from __future__ import annotations

import builtins
import ctypes
import errno
import fcntl
import io
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

ERRORS = ("ENOSPC", "EIO", "EDQUOT", "EACCES")
"""The operation fails with that error; nothing of it is done."""
FULL = "full"
"""Half is written, and the rest finds no room."""
STAYS = "stays full"
"""From that operation on, none finds room that takes some."""
KILL = "kill"
"""The process ends before the operation."""
TORN = "torn"
"""The process ends when half is written."""
FAULTS = (*ERRORS, FULL, STAYS, KILL, TORN)
OF_WRITES = (FULL, TORN)
KILLED = 137

_TAKES_ROOM = ("open", "write", "mkdir", "link", "rename", "fsync")


def faults_of(operation: str) -> tuple[str, ...]:
    """The faults that this operation, as `FaultyDisk.met` tells it, can meet."""
    name = operation.partition(" ")[0]
    left_out = () if name == "write" else OF_WRITES
    stays = () if name in _TAKES_ROOM else (STAYS,)
    return tuple(one for one in FAULTS if one not in (*left_out, *stays))


class FaultyDisk:
    """In its block, the operation `at` on a file below `root` meets the fault; 0: none."""

    def __init__(self, root: Path, at: int = 0, fault: str = "") -> None:
        self.met: list[str] = []
        """The operations so far: `write one.yaml`."""
        self._root = os.path.realpath(root)
        self._at, self._fault = at, fault
        self._full: set[str] = set()
        """Files of which half a write was taken."""
        self._lock = threading.Lock()
        self._undo: list[tuple[Any, str, Any]] = []
        self._sqlite: SQLiteCalls | None = None

    def __enter__(self) -> FaultyDisk:
        for name in ("write", "pwrite"):
            self._replace(os, name, self._writing)
        for name in ("fsync", "fdatasync", "ftruncate"):
            self._replace(os, name, self._on_descriptor)
        self._replace(fcntl, "flock", self._on_descriptor)
        for name in ("open", "mkdir", "rmdir", "unlink", "remove"):
            self._replace(os, name, self._on_path)
        for name in ("rename", "replace", "link"):
            self._replace(os, name, self._on_two_paths)
        self._replace(io, "open", self._opening)
        self._replace(builtins, "open", self._opening)
        self._sqlite = SQLiteCalls(self)
        return self

    def __exit__(self, *_: object) -> None:
        for module, name, real in reversed(self._undo):
            setattr(module, name, real)
        self._undo.clear()
        if self._sqlite is not None:
            self._sqlite.restore()

    # ------------------------------------------------------------ one operation

    def below(self, path: Any, folder: int | None = None) -> str | None:
        """The path as it is below the root; None for another one."""
        if isinstance(path, int):
            return self._named(path)
        try:
            text = os.fsdecode(path)
            if folder is not None and not os.path.isabs(text):
                text = os.path.join(os.readlink(f"/proc/self/fd/{folder}"), text)
        except (OSError, TypeError, ValueError):
            return None
        whole = os.path.abspath(text)
        if self._holds(whole):
            return whole
        return None

    def _named(self, descriptor: int) -> str | None:
        with suppress(OSError):
            whole = os.readlink(f"/proc/self/fd/{descriptor}")
            if self._holds(whole):
                return whole
            return None
        return None

    def _holds(self, whole: str) -> bool:
        return whole == self._root or whole.startswith(self._root + os.sep)

    def meet(self, name: str, path: str) -> str:
        """Counts an operation; returns `FULL` or `TORN` where half is to be written.

        Raises: OSError, the fault.
        """
        with self._lock:
            self.met.append(f"{name} {os.path.basename(path)}")
            number = len(self.met)
            full = name == "write" and path in self._full
            self._full -= {path} if full else set()
        if full or self._stays(name, number):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
        if number != self._at or self._fault == STAYS:
            return ""
        if self._fault == KILL:
            os._exit(KILLED)
        if self._fault in ERRORS:
            code = getattr(errno, self._fault)
            raise OSError(code, os.strerror(code), path)
        if self._fault == FULL:
            self._full.add(path)
        return self._fault

    def _stays(self, name: str, number: int) -> bool:
        return self._fault == STAYS and number >= self._at > 0 and name in _TAKES_ROOM

    def write(self, path: str, data: Any, really: Callable[[Any], int]) -> int:
        """Writes, all or half. Raises: OSError, the fault."""
        fault = self.meet("write", path)
        if not fault:
            return really(data)
        view = memoryview(data).cast("B")
        written = really(view[: len(view) // 2]) if len(view) > 1 else 0
        if fault == TORN:
            os._exit(KILLED)
        if not written:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
        return written

    # ------------------------------------------------------------ what is replaced

    def _replace(
        self, module: Any, name: str, wrapper: Callable[[str, Any], Any]
    ) -> None:
        real = getattr(module, name)
        self._undo.append((module, name, real))
        setattr(module, name, wrapper(name, real))

    def _writing(self, name: str, real: Any) -> Any:
        def call(descriptor: int, data: Any, *more: Any) -> int:
            path = self._named(descriptor)
            if path is None:
                return int(real(descriptor, data, *more))
            return self.write(path, data, lambda part: real(descriptor, part, *more))

        return call

    def _on_descriptor(self, name: str, real: Any) -> Any:
        def call(descriptor: Any, *more: Any) -> Any:
            number = descriptor if isinstance(descriptor, int) else descriptor.fileno()
            path = self._named(number)
            if path is not None:
                self.meet({"flock": "lock", "fdatasync": "fsync"}.get(name, name), path)
            return real(descriptor, *more)

        return call

    def _on_path(self, name: str, real: Any) -> Any:
        def call(path: Any, *more: Any, **named: Any) -> Any:
            where = self.below(path, named.get("dir_fd"))
            if where is not None:
                self.meet("unlink" if name == "remove" else name, where)
            return real(path, *more, **named)

        return call

    def _on_two_paths(self, name: str, real: Any) -> Any:
        def call(source: Any, target: Any, *more: Any, **named: Any) -> Any:
            where = self.below(target, named.get("dst_dir_fd"))
            if where is not None:
                self.meet("rename" if name == "replace" else name, where)
            return real(source, target, *more, **named)

        return call

    def _opening(self, _: str, real: Any) -> Any:
        def call(file: Any, mode: str = "r", *more: Any, **named: Any) -> Any:
            where = self.below(file)
            if where is None:
                return real(file, mode, *more, **named)
            if not isinstance(file, int):
                self.meet("open", where)
            if not set(mode) & set("wax+"):
                return real(file, mode, *more, **named)
            return self._written(where, file, mode, *more, **named)

        return call

    def _written(
        self,
        where: str,
        file: Any,
        mode: str,
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        **named: Any,
    ) -> Any:
        """An open file whose writes are counted when they reach the disk."""
        raw = FaultyFile(file, mode.replace("b", "").replace("t", ""), **named)
        raw.disk, raw.where = self, where
        if buffering == 0:
            return raw
        made = (io.BufferedRandom if "+" in mode else io.BufferedWriter)(raw)
        if "b" in mode:
            return made
        return io.TextIOWrapper(made, encoding, errors, newline)


class FaultyFile(io.FileIO):
    """A file that `open` has opened to write."""

    disk: FaultyDisk
    where: str

    def write(self, data: Any) -> int:
        return self.disk.write(self.where, data, super().write)

    def truncate(self, size: int | None = None) -> int:
        self.disk.meet("ftruncate", self.where)
        return super().truncate(size)


# ---------------------------------------------------------------- SQLite

_INT, _LONG, _TEXT = ctypes.c_int, ctypes.c_ssize_t, ctypes.c_char_p
_CALLS: dict[bytes, tuple[Any, ...]] = {
    b"open": (_INT, _TEXT, _INT, _INT),
    b"write": (_LONG, _INT, ctypes.c_void_p, ctypes.c_size_t),
    b"pwrite": (_LONG, _INT, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64),
    b"pwrite64": (_LONG, _INT, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64),
    b"ftruncate": (_INT, _INT, ctypes.c_int64),
    b"fcntl": (_INT, _INT, _INT, ctypes.c_void_p),
    b"unlink": (_INT, _TEXT),
}
"""The system calls of SQLite's unix VFS, and their types.

It syncs by fdatasync, which is no entry of its table: `fsync` here is counted where the
journal calls it.
"""

_Set = ctypes.CFUNCTYPE(_INT, ctypes.c_void_p, _TEXT, ctypes.c_void_p)
_Get = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, _TEXT)


class _Vfs(ctypes.Structure):
    """`sqlite3_vfs`, of version 3."""

    _fields_ = [
        ("version", _INT),
        ("size", _INT),
        ("longest", _INT),
        ("next", ctypes.c_void_p),
        ("name", _TEXT),
        ("data", ctypes.c_void_p),
        ("methods", ctypes.c_void_p * 13),
        ("set_call", _Set),
        ("get_call", _Get),
        ("next_call", ctypes.c_void_p),
    ]


def _vfs() -> _Vfs | None:
    """SQLite's table of the library that Python uses; None where it cannot be had."""
    import _sqlite3

    try:
        library = ctypes.CDLL(getattr(_sqlite3, "__file__", None))
        library.sqlite3_vfs_find.restype = ctypes.POINTER(_Vfs)
        found = library.sqlite3_vfs_find(None)
    except (OSError, AttributeError):
        return None
    if found and found.contents.version >= 3:
        table: _Vfs = found.contents
        return table
    return None


_SLEEP, _Sleep = 9, ctypes.CFUNCTYPE(_INT, ctypes.c_void_p, _INT)
"""The place of `xSleep` among the methods, and its type."""


class SQLiteCalls:
    """SQLite's system calls, each counted on its way.

    It does not sleep before it tries again: a lock that an unlocking which failed has
    left is held as long as the connection, and would be waited for 10 seconds each
    time.
    """

    def __init__(self, disk: FaultyDisk) -> None:
        self._disk = disk
        self._kept: dict[bytes, Any] = {}
        """The functions: SQLite only has their addresses."""
        self._vfs = _vfs()
        if self._vfs is not None:
            for name, types in _CALLS.items():
                self._put(name, ctypes.CFUNCTYPE(*types, use_errno=True))
            self._awake = _Sleep(lambda _, microseconds: microseconds)
            self._sleep = self._vfs.methods[_SLEEP]
            awake = ctypes.cast(self._awake, ctypes.c_void_p)
            self._vfs.methods[_SLEEP] = awake.value

    def restore(self) -> None:
        if self._vfs is not None:
            self._vfs.set_call(ctypes.addressof(self._vfs), None, None)
            self._vfs.methods[_SLEEP] = self._sleep

    def _put(self, name: bytes, kind: Any) -> None:
        assert self._vfs is not None
        here = ctypes.addressof(self._vfs)
        address = self._vfs.get_call(here, name)
        if not address:
            return
        real = kind(address)

        def call(*given: Any) -> int:
            try:
                return int(self._called(name, real, given))
            except OSError as error:
                ctypes.set_errno(error.errno or errno.EIO)
                return -1

        self._kept[name] = kind(call)
        pointer = ctypes.cast(self._kept[name], ctypes.c_void_p)
        self._vfs.set_call(here, name, pointer)

    def _called(self, name: bytes, real: Any, given: tuple[Any, ...]) -> int:
        path = self._disk.below(given[0])
        if path is None:
            return int(real(*given))
        if b"write" in name:
            data = ctypes.string_at(given[1], given[2])
            return self._disk.write(
                path, data, lambda part: real(given[0], given[1], len(part), *given[3:])
            )
        if name == b"fcntl":
            if given[1] not in (fcntl.F_SETLK, fcntl.F_SETLKW):
                return int(real(*given))
            self._disk.meet("lock", path)
        else:
            self._disk.meet(name.decode(), path)
        return int(real(*given))
