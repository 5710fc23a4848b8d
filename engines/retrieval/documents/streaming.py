"""Reads a file of rows while its documents are requested, and a large text while it is
split into passages, so that little of them is in memory.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from .document import Document, RawFile, unreadable
from .reading import READERS, documents, opened, tidied, tidy_title
from .text import charset, decoded, plain_text, said_of

ROWS = frozenset((".jsonl", ".ndjson", ".csv", ".tsv"))
"""Endings of the files of rows."""

PLAIN = frozenset(suffix for suffix in READERS if READERS[suffix] is plain_text)
"""Endings of the files whose text is all that they hold."""


class RowDocuments:
    """The documents of a file of rows, read as they are requested.

    Its facts are final when all are read.
    """

    def __init__(self, path: Path, name: str, limit: int) -> None:
        """`name`: what the documents call the file. `limit`: most bytes of a row."""
        self.path, self.name, self.limit = path, name, limit
        self.size = self.mtime_ns = 0
        self.sha256 = ""
        self._at = 0
        self.odd: list[str] = []
        """Rows that were left out, a reason each."""
        self.remarks: list[str] = []
        """What the user should know of how it was read."""

    def share(self) -> float:
        """How much of the file is read, from 0 to 1."""
        if self.size:
            return min(1.0, self._at / self.size)
        return 0.0

    def __iter__(self) -> Iterator[Document]:
        """The documents, at least one.

        Raises: Unreadable, also after some of them.
        """
        with opened(self.path) as (file, status):
            self.size, self.mtime_ns = status.st_size, status.st_mtime_ns
            self.sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            raw = RawFile(
                b"",
                self.name,
                self.path.suffix.lower(),
                self.limit,
                self.odd.append,
                self.remarks.append,
                file=file,
            )
            try:
                for document in documents(raw):
                    self._at = os.lseek(file.fileno(), 0, os.SEEK_CUR)
                    yield document
            except UnicodeDecodeError:  # it was text when its encoding was looked for
                raise unreadable("wrong.documents.changed") from None


class LargeText:
    """A plain text file as one document, read as its pieces are requested.

    Its facts are final when all are read.
    """

    metadata: Mapping[str, str] = {}

    def __init__(self, path: Path, name: str) -> None:
        """`name`: what the document calls the file.

        Raises: Unreadable for what is not a text.
        """
        self.path, self.file = path, name
        self.title = tidy_title(RawFile(b"", name, "", 0).stem)
        self.odd: list[str] = []
        self.remarks: list[str] = []
        self.watch: Callable[[], None] = lambda: None
        """Is called after each piece; it may raise to stop."""
        self.sha256 = ""
        self._at = 0
        with opened(path) as (file, status):
            self.size, self.mtime_ns = status.st_size, status.st_mtime_ns
            self._charset = charset(file)
        if told := said_of(self._charset):
            self.remarks.append(told)

    def share(self) -> float:
        """How much of the file is read, from 0 to 1."""
        return min(1.0, self._at / self.size)

    def __iter__(self) -> Iterator[LargeText]:
        yield self

    def pieces(self) -> Iterator[str]:
        """The text, as it is indexed.

        Raises: Unreadable, also after some of it.
        """
        digest = hashlib.sha256()
        with opened(self.path) as (file, status):
            if (status.st_size, status.st_mtime_ns) != (self.size, self.mtime_ns):
                raise unreadable("wrong.documents.changed")
            text = False
            try:
                for piece in tidied(decoded(file, self._charset, digest.update)):
                    text = text or bool(piece.strip())
                    yield piece
                    self._at = file.tell()
                    self.watch()
            except UnicodeDecodeError:  # it was text when its encoding was looked for
                raise unreadable("wrong.documents.changed") from None
        if not text:
            raise unreadable("wrong.documents.nothing")
        self.sha256 = digest.hexdigest()
