"""The result of reading a file: documents, or the reason why there are none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ....sessions.installation import install_command
from ....texts import t


class Document(NamedTuple):
    """A text to index.

    A row of a table or of JSON lines is a document of its own, and its `file` is
    FILE#LINE, counted from 1.
    """

    title: str
    text: str
    file: str
    metadata: Mapping[str, str] = {}
    """What else its file says of it, by name: author, version, date.

    Names of nested objects are joined by dots.
    """

    def pieces(self) -> Iterable[str]:
        """The text, as that of a large file comes."""
        return (self.text,)


class Unreadable(Exception):
    """A file is left out. `str()` says why, as the end of a sentence."""


def unreadable(key: str, **words: object) -> Unreadable:
    """The error whose reason is the text `key`, with these words filled in."""
    return Unreadable(t(key, **words))


def ignore(_: str) -> None:
    """Ignores a remark about a file."""


class RawFile(NamedTuple):
    """The bytes of a file, as a reader of its kind gets them."""

    data: bytes
    name: str
    """What its documents are called."""
    suffix: str
    """The ending of its name, in lower case and with the dot."""
    limit: int
    """Most bytes that a file may hold.

    What is packed may hold four times as many unpacked.
    """
    odd: Callable[[str], None] = ignore
    """Called with each row that is left out."""
    remark: Callable[[str], None] = ignore
    """Called with what the user should know of a file that was read."""
    ocr: tuple[str, ...] = ()
    """The command that reads the pictures of pages without text; none: they are not
    read.
    """
    file: BinaryIO | None = None
    """A file of rows, in place of `data`. The limit is then for a row."""

    @property
    def stem(self) -> str:
        """The name of the file without folder and ending, as a title."""
        return Path(self.name).stem.replace("_", " ")


Reader = Callable[[RawFile], Iterable[Document]]
"""Reads the files of a kind. Raises Unreadable."""


def missing(kind: str) -> Unreadable:
    """Says that the libraries for a kind of file are not installed."""
    return unreadable(
        "wrong.documents.libraries", kind=kind, install=install_command("documents")
    )


def unmarked(library: str) -> str:
    """The remark that a file was read with its markup, because `library` is missing."""
    install = install_command("documents")
    return t("wrong.documents.marks", library=library, install=install)


def quiet(*loggers: str) -> None:
    """Silences libraries, whose messages about a bad file would disturb the screen."""
    import logging

    for logger in loggers:
        logging.getLogger(logger).setLevel(logging.CRITICAL + 1)


def megabytes(size: int) -> str:
    """Bytes as MB, without a fraction where there is none."""
    return f"{size / 1024 / 1024:g}"
