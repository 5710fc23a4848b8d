"""Locks a file for one writer: with the kernel's lock or, where the file system has
none, with a lock file next to it.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import socket
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec

from ..texts import t
from .errors import cause

PROC = Path("/proc")


class Owner(msgspec.Struct, kw_only=True):
    """The process that made a lock file."""

    host: str
    world: str
    """Boot and process namespace of that host: in another one its process number means
    nothing.
    """
    pid: int
    started: str
    """When the process began, in the kernel's ticks: a process number is given again.
    """
    token: str


class Busy(Exception):
    """Another writer has the file. `str()` is one sentence with details, or empty."""


class NoLock(Exception):
    """The file cannot be locked. `str()` says why, in a few words."""


class Lock:
    """The right to write one file.

    It ends with `release`; the kernel's lock also ends when the descriptor is closed.
    """

    def __init__(self, fd: int, beside: Path | None = None, token: str = "") -> None:
        self._fd = fd
        self._beside = beside
        self._token = token

    def release(self) -> None:
        """Releases the lock. A second call does nothing."""
        beside, self._beside = self._beside, None
        if beside is not None:
            owner = _owner(beside)
            if owner is not None and owner.token == self._token:
                with suppress(OSError):  # the next writer sees that its owner is gone
                    beside.unlink()


def take(fd: int, path: Path) -> Lock:
    """Locks the open file `fd` at `path`.

    Raises: Busy if another writer has it; NoLock if it cannot be locked.
    """
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Busy from None
    except OSError:
        return _take_beside(fd, path)
    return Lock(fd)


def in_use(path: Path, named: Path | None = None) -> bool:
    """Whether another program, or another part of this one, has the file or folder at
    `path` locked. False if that cannot be known.

    `named`: the path that was given to `take`, where it is another one.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        beside = lock_file(named or path)
        owner = _owner(beside)
        if owner is None:
            return beside.exists()
        return not _gone(owner)
    finally:
        os.close(fd)
    return False


def lock_file(path: Path) -> Path:
    """Path of the lock file of `path`."""
    return path.with_name(path.name + ".lock")


def _take_beside(fd: int, path: Path) -> Lock:
    """Lock with a file made with O_EXCL, which also works on NFS.

    Removes the lock file of a dead process of this machine first.
    """
    beside = lock_file(path)
    owner = _myself()
    if not _make(beside, owner):
        other = _owner(beside)
        if other is None or not _gone(other):
            raise Busy(_who(beside, other))
        _remove_left_over(beside)
        if not _make(beside, owner):
            raise Busy(_who(beside, _owner(beside)))
    return Lock(fd, beside, owner.token)


def _make(beside: Path, owner: Owner) -> bool:
    """Creates the lock file; False if it exists.

    Raises: NoLock if it cannot be created.
    """
    try:
        fd = os.open(
            beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600
        )
    except FileExistsError:
        return False
    except OSError as error:
        raise NoLock(t("wrong.locks.not_made", path=beside, why=cause(error))) from None
    try:
        told = memoryview(msgspec.json.encode(owner))
        while told:
            told = told[os.write(fd, told) :]
        os.fsync(fd)
    except OSError as error:
        with suppress(OSError):
            beside.unlink()
        raise NoLock(
            t("wrong.locks.not_written", path=beside, why=cause(error))
        ) from None
    finally:
        os.close(fd)
    return True


def _remove_left_over(beside: Path) -> None:
    """Removes the lock file of a dead process.

    One process at a time looks again and removes it: else a late second one would
    remove the lock of the first.
    """
    breaking = beside.with_name(beside.name + ".breaking")
    if not _make(breaking, _myself()):
        raise Busy(t("wrong.locks.left_over", breaking=breaking))
    try:
        other = _owner(beside)
        if other is not None and _gone(other):
            beside.unlink(missing_ok=True)
    finally:
        breaking.unlink(missing_ok=True)


def _who(beside: Path, owner: Owner | None) -> str:
    """Say what to do about a lock whose owner cannot be checked from here.

    Empty for a living process of this machine.
    """
    if owner is not None and (owner.host, owner.world) == (
        _myself().host,
        _myself().world,
    ):
        return ""
    where = t("wrong.locks.on_host", host=owner.host) if owner is not None else ""
    return t("wrong.locks.says", path=beside, where=where)


def _owner(beside: Path) -> Owner | None:
    """Return the owner of a lock file; None if it is gone or unreadable."""
    with suppress(OSError, msgspec.MsgspecError):
        return msgspec.json.decode(beside.read_bytes()[:4096], type=Owner)
    return None


def _gone(owner: Owner) -> bool:
    """True only if the process surely no longer runs: it was one of this machine, and
    there is no such process now.
    """
    if owner.host != _myself().host:
        return False
    boot = owner.world.partition(" ")[0]
    if boot != _world().partition(" ")[0]:
        return True  # the machine was started again since
    if owner.world != _world() or not owner.started:
        return False
    started = _started(owner.pid)
    return started is not None and started != owner.started


def _myself() -> Owner:
    pid = os.getpid()
    return Owner(
        host=socket.gethostname()[:253],
        world=_world(),
        pid=pid,
        started=_started(pid) or "",
        token=secrets.token_hex(8),
    )


@cache
def _world() -> str:
    """`<boot id> <process namespace>` of this machine; empty parts where they cannot be
    read.
    """
    boot = space = ""
    with suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    with suppress(OSError):
        space = os.readlink("/proc/self/ns/pid")
    return f"{boot} {space}"


def _started(pid: int) -> str | None:
    """When a process began: the kernel's tick, or a date where there is no /proc
    (macOS); empty if there is no such process, None if nobody knows.
    """
    if not PROC.is_dir():
        return _started_by_ps(pid)
    try:
        stat = (PROC / str(pid) / "stat").read_text("utf-8", "replace")
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[19]


def _started_by_ps(pid: int) -> str | None:
    """The date at which a process began, to the second, as `ps` gives it."""
    import subprocess

    command = ["ps", "-o", "lstart=", "-p", str(pid)]
    env = {**os.environ, "LC_ALL": "C", "TZ": "UTC0"}
    try:
        done = subprocess.run(  # noqa: S603
            command, capture_output=True, text=True, env=env, timeout=10, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return None
    date = " ".join(done.stdout.split())
    if not date:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return ""
        except OSError:
            return None
        return None
    return date
