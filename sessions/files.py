"""Creates, opens, locks, reads and appends to session files.

Each failure is one sentence.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import stat
import tempfile
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ..texts import t
from . import locks
from .errors import (
    BadInput,
    SessionError,
    WriteError,
    cause,
    not_saved,
    not_written,
    unread,
)
from .load import LIMIT
from .paths import private_dir

PLAIN_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,79}")
"""Ids that can be the name of a file as they are."""


BATCH = "batch.json"
SUMMARY = "summary.jsonl"
FAILURES = "failures.jsonl"
REPORT = "report.json"
AUDITED = "audit.jsonl"
"""What an audit asked, in its folder."""
PAGE = "report.html"
"""Records how a batch was started; a folder with this file is that of a batch."""
STUDY_FILE = "study.yaml"
"""Records how a study was started, in addition to its manifest."""
_PIECE = 1 << 20
"""Bytes that are looked through at a time."""


def file_of(name: str, *, digits: bool = False) -> str:
    """The file of this id: the id itself where it is harmless, else or with `digits` a
    slug and 8 hex digits of its SHA-256.
    """
    if PLAIN_NAME.fullmatch(name) and not digits:
        return f"{name}.yaml"
    slug = re.sub(r"[^\w-]+", "-", name)[:40].strip("-_")
    code = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    if slug:
        return f"{slug}-{code}.yaml"
    return f"{code}.yaml"


def sha256(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits. Raises: OSError."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def has_batch(folder: Path) -> bool:
    """Whether a batch was started in this folder."""
    return (folder / BATCH).is_file()


class OpenedFile(NamedTuple):
    """An open session file."""

    fd: int
    lock: locks.Lock | None
    """None: it may not be written."""
    why: str | None
    """Why it may not be written, one sentence."""
    elsewhere: bool = False
    """Another writer has it, who may leave."""

    def close(self) -> None:
        os.close(self.fd)
        if self.lock is not None:
            self.lock.release()


def create(path: Path, data: bytes) -> OpenedFile:
    """Creates a locked file (mode 0600) that has `data` from the moment it has its
    name: a kill leaves all of it or nothing.

    Where the file system has no files without a name, a kill may leave it empty.
    Raises: SessionError if it exists or cannot be created; WriteError if `data` cannot
    be written.
    """
    fd = _unnamed(path.parent)
    if fd is not None:
        made = _locked(fd, path)
        try:
            write(fd, data, 0, path, sync=False)
            if _name(fd, path):
                return made
            made.close()
        except BaseException:
            made.close()
            raise
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
    except FileExistsError:
        raise _taken(path) from None
    except (OSError, ValueError) as error:
        raise not_written(path, error, SessionError) from None
    try:
        made = _locked(fd, path)
    except BaseException:
        _forget(path)
        raise
    try:
        write(fd, data, 0, path, sync=False)
    except BaseException:
        made.close()
        _forget(path)
        raise
    return made


def _forget(path: Path) -> None:
    """Try to remove a file that could not be started."""
    with contextlib.suppress(OSError):
        path.unlink()


def _locked(fd: int, path: Path) -> OpenedFile:
    """A new file with its lock.

    SessionError, and the descriptor closed, where it cannot be locked.
    """
    try:
        return OpenedFile(fd, locks.take(fd, path), None)
    except locks.Busy as busy:
        os.close(fd)
        raise SessionError(
            t("wrong.file.not_begun", path=path, why=str(busy) or t("wrong.file.busy"))
        ) from None
    except locks.NoLock as none:
        os.close(fd)
        raise SessionError(t("wrong.file.no_lock", path=path, none=none)) from None


def _unnamed(folder: Path) -> int | None:
    """Open an unnamed file in a folder, which is removed if its process ends.

    None if the file system does not support it.
    """
    try:
        return os.open(folder, os.O_RDWR | os.O_TMPFILE | os.O_APPEND, 0o600)
    except (OSError, ValueError, AttributeError):
        return None


def _name(fd: int, path: Path) -> bool:
    """Gives such a file its name.

    False where the system cannot do that; SessionError if the name is taken.
    """
    try:
        os.link(
            f"/proc/self/fd/{fd}", path, src_dir_fd=fd, follow_symlinks=True
        )  # src_dir_fd: without it Python asks for the link itself
    except FileExistsError:
        raise _taken(path) from None
    except (OSError, ValueError, NotImplementedError):
        return False
    return True


def _taken(path: Path) -> SessionError:
    return SessionError(t("wrong.file.exists", path=path))


def open_file(path: Path, write: bool) -> OpenedFile:
    """Open a session file, for writing if `write` and no other process writes it."""
    why = None if write else t("wrong.file.opened_to_read")
    flags = os.O_NONBLOCK | os.O_NOCTTY
    try:
        try:
            fd = os.open(
                path, flags | (os.O_RDWR | os.O_APPEND if write else os.O_RDONLY)
            )
        except OSError as error:
            if not write or error.errno not in (
                errno.EACCES,
                errno.EPERM,
                errno.EROFS,
                errno.ETXTBSY,
            ):
                raise
            fd = os.open(path, flags | os.O_RDONLY)
            why = t("wrong.file.open_to_read", path=path, cause=cause(error))
    except FileNotFoundError:
        raise SessionError(t("wrong.file.missing", path=path)) from None
    except IsADirectoryError:
        raise SessionError(t("wrong.file.folder", path=path)) from None
    except (OSError, ValueError) as error:
        raise SessionError(
            t("wrong.file.not_opened", path=path, why=cause(error))
        ) from None
    mode = os.fstat(fd).st_mode
    if not stat.S_ISREG(mode):
        os.close(fd)
        raise SessionError(
            t(
                "wrong.file.no_session",
                path=path,
                kind=t(
                    "wrong.file.which_folder"
                    if stat.S_ISDIR(mode)
                    else "wrong.file.which_irregular"
                ),
            )
        )
    if why is None and not mode & 0o222:
        why = t("wrong.file.marked_read_only", path=path)
    if why is not None:
        return OpenedFile(fd, None, why)
    try:
        return OpenedFile(fd, locks.take(fd, path), None)
    except locks.Busy as busy:
        who = t("wrong.file.elsewhere_who", who=busy) if str(busy) else ""
        return OpenedFile(fd, None, t("wrong.file.elsewhere", who=who), elsewhere=True)
    except locks.NoLock as none:
        return OpenedFile(
            fd, None, t("wrong.file.read_only_no_lock", path=path, none=none)
        )


def read_all(fd: int, path: Path) -> bytes:
    size = os.fstat(fd).st_size
    if size > LIMIT:
        raise SessionError(t("wrong.file.over", path=path))
    try:
        with os.fdopen(os.dup(fd), "rb", closefd=True) as file:
            file.seek(0)
            return file.read(
                size + 1
            )  # not LIMIT: so much memory would be asked for at every file
    except OSError as error:
        raise unread(path, error, SessionError) from None


def whole(path: Path) -> bytes:
    """All bytes of a file that the user names.

    Raises: OSError; BadInput for a pipe or device with more than 64 MB, which may have
    no end, and for a regular file with a line over 64 MB or, since JSON is one
    document, a `.json` file over 64 MB: as values they would take many times as much
    memory.
    """
    with path.open("rb") as file:
        info = os.fstat(file.fileno())
        if stat.S_ISREG(info.st_mode):
            if info.st_size > LIMIT:
                _check_regular(file, path)
            return file.read()
        data = file.read(LIMIT + 1)
    if len(data) > LIMIT:
        raise BadInput(t("wrong.file.over_pipe", path=path))
    return data


def _check_regular(file: BinaryIO, path: Path) -> None:
    """Raises: BadInput for a `.json` file, and for one with a line over 64 MB.

    It takes the memory of one piece, and leaves the file at its beginning.
    """
    if path.suffix.lower() == ".json":
        raise BadInput(t("wrong.file.over_document", path=path))
    number, length = 1, 0
    while piece := file.read(_PIECE):
        before, *more = piece.split(b"\n")
        length += len(before)
        for line in more:
            if length > LIMIT:
                break
            number, length = number + 1, len(line)
        if length > LIMIT:
            raise BadInput(t("wrong.file.over_line", path=path, number=number))
    file.seek(0)


def read_text(path: Path) -> str:
    """A UTF-8 text file, with or without byte-order mark.

    Raises: BadInput if it cannot be read.
    """
    try:
        return whole(path).decode("utf-8-sig")
    except OSError as error:
        raise unread(path, error) from None
    except UnicodeDecodeError:
        raise BadInput(t("wrong.file.not_utf8", path=path)) from None


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes a file so that it is there as a whole or not at all.

    Raises: BadInput if it cannot be written, WriteError on a full disk.
    """
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(content.encode() if isinstance(content, str) else content)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(name, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
        sync_folder(path.parent)
    except OSError as error:
        raise not_saved(path, error) from None


def write_new(path: Path, data: bytes) -> None:
    """Write a new file (mode 0600) atomically. Raises: SessionError."""
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(fd, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(path)
            raise
        sync_folder(path.parent)
    except OSError as error:
        raise not_written(path, error, SessionError) from None


def write(
    fd: int, data: bytes, end: int, path: Path | None, *, sync: bool = True
) -> None:
    """Appends and syncs (unless disabled); if that fails, the file is cut back to `end`
    bytes and a WriteError gives the reason.
    """
    try:
        write_all(fd, data)
        if sync:
            os.fsync(fd)
    except BaseException as error:
        with contextlib.suppress(OSError):  # what stays is put aside on opening
            os.ftruncate(fd, end)
        if isinstance(error, OSError):
            raise WriteError(
                t("wrong.file.event_not_written", path=path, why=cause(error))
            ) from None
        raise


def set_aside(path: Path, tail: bytes) -> Path:
    """Keeps what is cut off a session at the end of FILE.torn, on the disk itself;
    returns that path. OSError.
    """
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
    """A folder of the user's own, created if needed.

    Raises: SessionError if it cannot be created.
    """
    try:
        return private_dir(folder)
    except OSError as error:
        raise SessionError(
            t("wrong.file.folder_not_made", folder=folder, why=cause(error))
        ) from None


def sync_folder(folder: Path) -> None:
    """Syncs the names in a folder to the disk.

    Some file systems cannot do it, which is no error.
    """
    with contextlib.suppress(OSError):
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
