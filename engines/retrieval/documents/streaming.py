"""Reads a file of rows while its documents are asked for: it may be of any size, and
little of it is in memory.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from ....texts import t
from .document import Document, RawFile, Unreadable
from .reading import documents, opened

ROWS = frozenset((".jsonl", ".ndjson", ".csv", ".tsv"))
"""Endings of the files that are read so."""


class RowDocuments:
    """The documents of a file of rows, read as they are asked for.

    What it says of the file holds when all are read.
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
                file,
            )
            try:
                for document in documents(raw):
                    self._at = os.lseek(file.fileno(), 0, os.SEEK_CUR)
                    yield document
            except UnicodeDecodeError:  # it was text when its encoding was looked for
                raise Unreadable(t("wrong.documents.changed")) from None
