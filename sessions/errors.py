"""Errors that are one sentence for the user."""

from __future__ import annotations

import errno
from collections.abc import Callable
from typing import TypeVar

from ..texts import has, t

T = TypeVar("T")


def cause(error: Exception) -> str:
    """Return the operating system's message in the user's language.

    Without a capital letter and a full stop.
    """
    key = f"wrong.system.{errno.errorcode.get(getattr(error, 'errno', None) or 0, '')}"
    if has(key):
        return t(key)
    return (getattr(error, "strerror", None) or str(error)).lower()


class BadInput(Exception):
    """The input is wrong. Exit code 2. `str()` says what is wrong and what to do."""


def bad_input(key: str, /, **words: object) -> BadInput:
    """The error whose sentence is the text `key`, with these words filled in."""
    return BadInput(t(key, **words))


def unread(path: object, error: Exception, kind: type[BadInput] = BadInput) -> BadInput:
    """The error for a file that cannot be read."""
    return kind(t("wrong.file.unread", path=path, why=cause(error)))


def not_written(
    path: object, error: Exception, kind: type[BadInput] = BadInput
) -> BadInput:
    """The error for a file that cannot be written."""
    return kind(t("wrong.file.not_written", path=path, why=cause(error)))


def not_saved(path: object, error: OSError) -> BadInput:
    """As `not_written`; WriteError on a full disk."""
    return not_written(path, error, WriteError if disk_is_full(error) else BadInput)


class Faults:
    """Collects errors, so that all are reported at once."""

    def __init__(self) -> None:
        self.told: dict[str, None] = {}
        """A sentence each, in order."""

    def add(self, *sentences: str) -> None:
        self.told.update(dict.fromkeys(sentences))

    def of(self, work: Callable[[], T]) -> T | None:
        """Return the result of `work`; on BadInput return None and collect the
        message.
        """
        try:
            return work()
        except BadInput as error:
            self.add(*str(error).splitlines())
            return None

    def refuse(self) -> None:
        """Raises: BadInput of all sentences, a line each, where there are any."""
        if self.told:
            raise BadInput("\n".join(self.told))


def machine_fault(error: BaseException) -> str | None:
    """The sentence if the machine lacks memory or open files; None for any other
    error.
    """
    if isinstance(error, MemoryError):
        return t("wrong.machine.memory")
    number = getattr(error, "errno", None) if isinstance(error, OSError) else None
    if number in (errno.EMFILE, errno.ENFILE):
        return t("wrong.machine.files")
    return None


def disk_is_full(error: OSError) -> bool:
    """True for an error of a full, used-up or broken disk."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class WorkersGone(BadInput):
    """All workers were lost during a run. Exit code 1. Files on disk are kept."""


class SessionError(BadInput):
    """A session file cannot be read, written or opened."""


class WriteError(SessionError):
    """An event cannot be added to an open session: the disk is full, or the file was
    changed meanwhile. What is on disk is kept.

    Exit code 1.
    """
