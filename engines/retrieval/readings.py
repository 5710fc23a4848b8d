"""Reads a file for the index: its documents, what it was at that moment, or why it is
left out.

A large file of rows or of plain text is not read but opened: its documents, or its
text, come little by little while they are indexed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from ...texts import t
from .documents import (
    PLAIN,
    ROWS,
    Document,
    LargeText,
    RowDocuments,
    Unreadable,
    load,
    parse,
)

SMALL = 1024 * 1024
"""Most bytes of a file of rows or plain text that is read as a whole, as other files
are.
"""


class FileReading(msgspec.Struct, array_like=True):
    """The result of reading a file. Without documents, `why` is the reason."""

    documents: list[Document] = []
    size: int = 0
    """In bytes."""
    mtime_ns: int = 0
    sha256: str = ""
    odd: list[str] = []
    """Rows that were left out, a reason each."""
    remarks: list[str] = []
    """What the user should know of how it was read."""
    why: str = ""

    def __iter__(self) -> Iterator[Document]:
        return iter(self.documents)


def read(path: Path, name: str, limit: int, ocr: tuple[str, ...] = ()) -> FileReading:
    """The documents of a file that they call `name`.

    `limit` in bytes, `ocr` as in RawFile. Whatever is wrong with the file becomes its
    reason.
    """
    odd: list[str] = []
    remarks: list[str] = []
    try:
        data, status = load(path, limit)
        documents = parse(
            path.suffix.lower(), data, name, limit, odd.append, remarks.append, ocr
        )
    except Unreadable as error:
        return FileReading(why=str(error))
    # a library that stumbles over one file costs that file, not the other twenty
    # thousand
    except Exception as error:
        return FileReading(why=_failed(error))
    return FileReading(
        documents,
        status.st_size,
        status.st_mtime_ns,
        hashlib.sha256(data).hexdigest(),
        odd,
        remarks,
    )


class Stream(RowDocuments):
    """A large file of rows.

    Its own facts are final when all its documents have been read.
    """

    def __iter__(self) -> Iterator[Document]:
        """The documents.

        Raises: Unreadable, also after some of them.
        """
        try:
            yield from super().__iter__()
        except Unreadable:
            raise
        except Exception as error:
            raise Unreadable(_failed(error)) from None


def stream(
    path: Path, name: str, limit: int
) -> Stream | LargeText | FileReading | None:
    """A file that is too large for `read`, opened, or why it is left out; None for any
    other.

    `limit`: most bytes of a row, or of a text.
    """
    if not streamed(path, limit):
        return None
    if path.suffix.lower() in ROWS:
        return Stream(path, name, limit)
    try:
        return LargeText(path, name)
    except Unreadable as error:
        return FileReading(why=str(error))


def streamed(path: Path, limit: int) -> int:
    """The bytes of a file of rows or plain text that is too large for `read`; 0 for any
    other.
    """
    suffix = path.suffix.lower()
    try:
        size = path.stat().st_size if suffix in ROWS or suffix in PLAIN else 0
    except OSError:
        return 0
    if size > (min(SMALL, limit) if suffix in ROWS else SMALL):
        return size if suffix in ROWS or size <= limit else 0
    return 0


def _failed(error: Exception) -> str:
    return t("wrong.documents.failed", kind=type(error).__name__)
