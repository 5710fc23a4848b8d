"""What is piped in, as a whole."""

from __future__ import annotations

import sys

from ..sessions.errors import BadInput

LARGEST = 64 << 20
"""Bytes: far more than a session has, and less than would fill the memory."""


def piped() -> bytes:
    """All of stdin. BadInput where there is more than `LARGEST`, or nothing can be read from it."""
    if sys.stdin is None:
        raise BadInput("Nothing can be read from stdin, which is closed: name a file, or pipe something in.")
    try:
        data = sys.stdin.buffer.read(LARGEST + 1)
    except OSError as error:
        raise BadInput(f"Stdin cannot be read ({error.strerror or error}): name a file, or pipe something in.") from None
    if len(data) > LARGEST:
        raise BadInput(f"What came on stdin is larger than {LARGEST >> 20} MB: pipe in less, or save it as a file and name that.")
    return data
