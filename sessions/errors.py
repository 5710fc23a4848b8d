"""Errors that are one sentence for the user."""

from __future__ import annotations

import errno


class BadInput(Exception):
    """The input is wrong. `str()` is one sentence: what is wrong and what to do. Exit code 2."""


def machine_fault(error: BaseException) -> str | None:
    """The sentence if the machine lacks memory or open files; None for any other error."""
    if isinstance(error, MemoryError):
        return "There is not enough memory for this; close other programs, or take less at a time (a smaller file or --concurrency)."
    number = getattr(error, "errno", None) if isinstance(error, OSError) else None
    if number in (errno.EMFILE, errno.ENFILE):
        return "Too many files are open for this system; raise the limit (`ulimit -n 4096`), or use a smaller --concurrency."
    return None


def disk_is_full(error: OSError) -> bool:
    """True for an error of a full, used-up or broken disk."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class SessionError(BadInput):
    """A session file cannot be read, written or opened."""


class WriteError(SessionError):
    """An event cannot be added to an open session: the disk is full, or the file was changed meanwhile. What is on disk is kept.

    Exit code 1.
    """
