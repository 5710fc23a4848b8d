"""Session files as the file system sees them: made, opened, locked, read and appended to, each failure one sentence."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
from pathlib import Path

from .errors import SessionError, WriteError
from .load import LIMIT
from .paths import private_dir

ELSEWHERE = "This session is open in another VerifyTUI, so it is read-only here; what is added there appears here too."


def create(path: Path, data: bytes) -> int:
    """Begins a file (mode 0600), locked, that holds `data` from the moment it has its name: a kill leaves all of it or nothing.

    Where the file system has no files without a name, a kill may leave it empty. SessionError if it exists already or cannot be made,
    WriteError if `data` cannot be written.
    """
    fd = _unnamed(path.parent)
    if fd is not None:
        try:
            lock(fd)
            write(fd, data, 0, path, sync=False)
            if _name(fd, path):
                return fd
            os.close(fd)
        except BaseException:
            os.close(fd)
            raise
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
    except FileExistsError:
        raise _taken(path) from None
    except (OSError, ValueError) as error:
        raise SessionError(f"{path} cannot be written: {reason(error)}.") from None
    try:
        lock(fd)
        write(fd, data, 0, path, sync=False)
    except BaseException:
        os.close(fd)
        path.unlink(missing_ok=True)
        raise
    return fd


def _unnamed(folder: Path) -> int | None:
    """A file in a folder that nobody sees yet, and that is gone with its process; None where that cannot be had."""
    try:
        return os.open(folder, os.O_RDWR | os.O_TMPFILE | os.O_APPEND, 0o600)
    except (OSError, ValueError, AttributeError):
        return None


def _name(fd: int, path: Path) -> bool:
    """Gives such a file its name. False where the system cannot do that; SessionError if the name is taken."""
    try:
        os.link(f"/proc/self/fd/{fd}", path, src_dir_fd=fd, follow_symlinks=True)  # src_dir_fd: without it Python asks for the link itself
    except FileExistsError:
        raise _taken(path) from None
    except (OSError, ValueError, NotImplementedError):
        return False
    return True


def _taken(path: Path) -> SessionError:
    return SessionError(f"{path} exists already and is never overwritten; choose another name.")


def open_file(path: Path, write: bool) -> tuple[int, str | None]:
    """A descriptor, and why it is read-only (None: it is locked for writing)."""
    why = None if write else "This session was opened for reading only."
    flags = os.O_NONBLOCK | os.O_NOCTTY
    try:
        try:
            fd = os.open(path, flags | (os.O_RDWR | os.O_APPEND if write else os.O_RDONLY))
        except OSError as error:
            if not write or error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ETXTBSY):
                raise
            fd = os.open(path, flags | os.O_RDONLY)
            why = f"{path} cannot be written ({reason(error)}), so it is open for reading only; fork it to go on."
    except FileNotFoundError:
        raise SessionError(f"{path} does not exist; `verifytui sessions` lists the sessions there are.") from None
    except IsADirectoryError:
        raise SessionError(f"{path} is a folder, not a session file.") from None
    except (OSError, ValueError) as error:
        raise SessionError(f"{path} cannot be opened: {reason(error)}.") from None
    mode = os.fstat(fd).st_mode
    if not stat.S_ISREG(mode):
        os.close(fd)
        raise SessionError(f"{path} is {'a folder' if stat.S_ISDIR(mode) else 'not a regular file'}, not a session file.")
    if why is None and not mode & 0o222:
        why = f"{path} is marked read-only, so nothing is added to it; fork it to go on."
    if why is None and not lock(fd):
        why = ELSEWHERE
    return fd, why


def in_use(path: Path) -> bool:
    """True if another program, or another part of this one, has the session open for writing."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        return not lock(fd)
    finally:
        os.close(fd)


def lock(fd: int) -> bool:
    """False if somebody else holds the lock. A file system without locks is taken as it is."""
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def read_all(fd: int, path: Path) -> bytes:
    size = os.fstat(fd).st_size
    if size > LIMIT:
        raise SessionError(f"{path} is larger than 64 MB, which no session is; nothing was read.")
    try:
        with os.fdopen(os.dup(fd), "rb", closefd=True) as file:
            file.seek(0)
            return file.read(LIMIT + 1)
    except OSError as error:
        raise SessionError(f"{path} cannot be read: {reason(error)}.") from None


def write(fd: int, data: bytes, end: int, path: Path | None, *, sync: bool = True) -> None:
    """Appends and syncs (unless told not to); if that fails the file is cut back to `end` bytes and a WriteError tells why."""
    try:
        write_all(fd, data)
        if sync:
            os.fsync(fd)
    except BaseException as error:
        os.ftruncate(fd, end)
        if isinstance(error, OSError):
            raise WriteError(f"{path} could not be written ({reason(error)}); the file is as it was before this event.") from None
        raise


def set_aside(path: Path, tail: bytes) -> Path:
    """Keeps what is cut off a session at the end of FILE.torn, on the disk itself; returns that path. OSError."""
    keep = path.with_name(path.name + ".torn")
    fd = os.open(keep, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    try:
        write_all(fd, tail)
        os.fsync(fd)
    finally:
        os.close(fd)
    return keep


def write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def own_folder(folder: Path) -> Path:
    """A folder of the user's own, made if it is not there. SessionError if it cannot be."""
    try:
        return private_dir(folder)
    except OSError as error:
        raise SessionError(f"{folder} cannot be made ({reason(error)}); let VERIFYTUI_HOME name a folder that you may write to.") from None


def sync_folder(folder: Path) -> None:
    """Makes the names in a folder last. Some file systems do not sync folders, and not every folder may be opened: that is no fault."""
    with contextlib.suppress(OSError):
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()
