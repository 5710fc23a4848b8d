"""Gives the lines of a file one after another, in little memory."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TextIO

from .document import RawFile
from .text import charset, decode


def lines(raw: RawFile, newline: str | None) -> Iterator[str | None]:
    """The lines of a file, each with its end; None in place of one that is longer than
    the limit. `newline` as for `open`.

    Raises: Unreadable for what is no text.
    """
    if raw.file is None:
        yield from _bounded(io.StringIO(decode(raw.data), newline=newline), raw.limit)
        return
    encoding = charset(raw.file)
    raw.file.seek(0)
    with open(
        raw.file.fileno(), encoding=encoding, newline=newline, closefd=False
    ) as text:
        yield from _bounded(text, raw.limit)


def _bounded(text: TextIO, limit: int) -> Iterator[str | None]:
    while line := text.readline(limit):
        if len(line) < limit or line[-1] in "\r\n":
            yield line
            continue
        while (rest := text.readline(limit)) and rest[-1] not in "\r\n":
            pass
        yield None
