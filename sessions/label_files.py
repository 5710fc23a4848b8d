"""Locations and format of label files: a stream of documents, as in a session file,
which only grows.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from ..texts import t
from . import files
from .clean import clean
from .errors import SessionError, unread
from .events import Event
from .events.labels import Assignment, Label, Reply, Reveal
from .load import chunks, read_document
from .msgspec_types import known

FORMAT = "verifytui-labels/1"
FOLDER, BESIDE = "labels", ".labels"
TEAM = "team.yaml"
"""In the folder of labels: who labels there, which is no file of labels."""

EVENTS: Any = Label | Reveal | Assignment | Reply
"""What such a file may hold."""


class LabelHeader(msgspec.Struct, kw_only=True):
    """The first document of a file of labels."""

    format: str = FORMAT
    annotator: str
    made: str
    """UTC, ISO 8601 with milliseconds and `Z`."""


def place_of(path: Path) -> Path:
    """The folder in which labels of a session file, or of a folder of sessions, are
    written. It need not be there.
    """
    if path.is_dir():
        return path / FOLDER
    if files.has_batch(path.parent):
        return path.parent / FOLDER
    return path.with_name(path.name + BESIDE)


def places_of(path: Path) -> list[Path]:
    """The folders that are there and may hold labels of a session file, or of the
    sessions of a folder.
    """
    if path.is_dir():
        beside = [one for one in listed(path) if one.name.endswith(BESIDE)]
        found = [path / FOLDER, *beside]
    else:
        found = [path.with_name(path.name + BESIDE), path.parent / FOLDER]
    return [one for one in found if one.is_dir()]


def names_of_file(name: str) -> tuple[str, str]:
    """How a person's file may be called: by the name alone, or with digits, where the
    file system takes another name for the same.
    """
    return files.file_of(name), files.file_of(name, digits=True)


def own_file(folder: Path, name: str) -> Path:
    """The file of a person, which may not be there yet; never one of another name that
    ignores case.
    """
    plain_file, with_digits = (folder / one for one in names_of_file(name))
    if os.path.lexists(with_digits) or (
        plain_file.name == TEAM and not _is_annotators(plain_file)
    ):
        return with_digits
    written = {one.name for one in listed(folder)}
    if os.path.lexists(plain_file) and plain_file.name not in written:
        return with_digits
    return plain_file


def label_files(path: Path) -> Iterator[Path]:
    """The files of labels of a session file or a folder of sessions, by name."""
    for place in places_of(path):
        yield from (
            one
            for one in listed(place)
            if one.suffix == ".yaml"
            and one.is_file()
            and (one.name != TEAM or _is_annotators(one))
        )


def _is_annotators(file: Path) -> bool:
    """Whether the file with the name of a team's is that of an annotator called so."""
    try:
        return file.is_file() and is_labels(file.read_bytes())
    except OSError:
        return False


def listed(folder: Path) -> list[Path]:
    """List a folder by name. Raises: SessionError if it cannot be read."""
    try:
        return [folder / name for name in sorted(os.listdir(folder))]
    except OSError as error:
        raise unread(folder, error, SessionError) from None


def is_labels(head: bytes) -> bool:
    """Whether a file with this start is a label file."""
    return (
        head.removeprefix(b"\xef\xbb\xbf")
        .removeprefix(b"---\n")
        .startswith(b"format: " + FORMAT.partition("/")[0].encode() + b"/")
    )


def is_level(value: int | None) -> bool:
    """Whether a value is a level of relevance, or undecided."""
    return value is None or 0 <= value <= 3


def is_beginning(data: bytes) -> bool:
    """Whether there is nothing, or a header that was cut short, as a kill may leave
    it.
    """
    head = f"format: {FORMAT}\n".encode()
    return not data.strip() or (
        data.startswith(head[: len(data)]) and b"\n...\n" not in data
    )


class Documents:
    """The documents read so far from one file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.header: LabelHeader | None = None
        self.events: list[Event] = []
        self.end = 0
        """Where its last whole document that could be read ends."""
        self._lines = 0
        """Line breaks before it."""
        self.size = -1

    def take(self, data: bytes) -> None:
        """Reads the documents in what follows the last whole one.

        Raises: SessionError for one that is wrong. Those before it are read, and the
        same is read again at the next call.
        """
        start = 0
        for begin, stop in chunks(data):
            try:
                mapping = read_document(data, begin, stop, str(self.path))
                if mapping is not None:
                    self._add(mapping)
            except SessionError as error:
                if self.header is None:
                    raise
                line = self._lines + data.count(b"\n", start, begin) + 1
                raise SessionError(
                    t(
                        "wrong.labels.unreadable",
                        problem=error,
                        line=line,
                        annotator=clean(self.header.annotator, newlines=False)[:60],
                    )
                ) from None
            self._lines += data.count(b"\n", start, stop)
            self.end += stop - start
            start = stop

    def _add(self, mapping: dict[str, object]) -> None:
        """Takes in one document. Raises: SessionError."""
        number = len(self.events) + 1
        try:
            if self.header is None:
                if mapping.get("format") != FORMAT:
                    raise SessionError(t("wrong.labels.no_file", path=self.path))
                self.header = msgspec.convert(mapping, known(LabelHeader))
                return
            event: Event = msgspec.convert(mapping, known(EVENTS))
        except msgspec.ValidationError as error:
            raise SessionError(
                t(
                    "wrong.load.event",
                    number=number,
                    name=self.path,
                    why=clean(str(error), newlines=False)[:200],
                )
            ) from None
        if event.number != number:
            raise SessionError(
                t(
                    "wrong.load.damaged",
                    name=self.path,
                    found=event.number,
                    expected=number,
                )
            )
        if isinstance(event, Label):
            event.annotator = self.header.annotator
            if not event.measure and not is_level(event.value):
                raise SessionError(
                    t(
                        "wrong.labels.value",
                        path=self.path,
                        number=number,
                        value=event.value,
                    )
                )
        self.events.append(event)
