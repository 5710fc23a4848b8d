"""Reads piped input in full."""

from __future__ import annotations

import sys

from ..sessions.errors import bad_input, cause

LARGEST = 64 << 20
"""Bytes: far more than a session has, and less than would fill the memory."""


_taken: list[bytes] = []


def taken() -> bytes | None:
    """Return the text read from stdin so far, or None if none was read."""
    if _taken:
        return _taken[-1]
    return None


def piped() -> bytes:
    """All of stdin.

    BadInput where there is more than `LARGEST`, or nothing can be read from it.
    """
    if _taken:
        return _taken[-1]
    if sys.stdin is None:
        raise bad_input("wrong.stdin.closed")
    try:
        data = sys.stdin.buffer.read(LARGEST + 1)
    except OSError as error:
        raise bad_input("wrong.stdin.unread", why=cause(error)) from None
    if len(data) > LARGEST:
        raise bad_input("wrong.stdin.too_large", most=LARGEST >> 20)
    _taken[:] = [data]
    return data


def piped_text() -> str:
    """All of stdin as text, without blanks around it. Raises: BadInput."""
    try:
        return piped().decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        raise bad_input("wrong.stdin.not_utf8") from None
