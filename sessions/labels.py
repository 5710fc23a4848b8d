"""Files of labels: one a person, beside the sessions that they are about, so that
nobody waits for another's lock.

A folder labelled has `labels/NAME.yaml`, a session file labelled alone
`FILE.labels/NAME.yaml`; in the folder of a batch both are `labels/NAME.yaml`. Such a
file is a stream like a session's: it only grows, a torn end is skipped by readers and
put aside by its writer. The last label of a candidate counts.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TypeVar

import msgspec

from ..texts import t
from . import files
from .annotators import GOLD, name_of
from .case_pairs import Key
from .clean import clean, scrubbed
from .emit import document
from .errors import SessionError, WriteError, cause
from .events import Event, plain
from .events.labels import Assignment, Label, Reply, Reveal
from .label_files import (
    Documents,
    LabelHeader,
    is_beginning,
    own_file,
    place_of,
)
from .load import LIMIT, is_nothing
from .new import timestamp
from .paths import private_dir
from .session import Header

Latest = dict[Key, Label]
"""The labels of one person that count.

One with the value None says undecided; `undone`: it is as if none had been given.
"""

Kept = TypeVar("Kept", Label, Reveal, Assignment, Reply)


class LabelFile:
    """One person's labels of one place, open for writing with an exclusive lock."""

    def __init__(
        self,
        path: Path,
        header: LabelHeader,
        opened: files.OpenedFile,
        events: list[Event],
        end: int,
    ) -> None:
        self.path = path
        self.annotator = header.annotator
        self.torn: str | None = None
        """One sentence if the file's end was cut short, and what was done about it."""
        self.own: Latest = {}
        """The labels that count, by what they are about."""
        self.revealed: set[Key] = set()
        """Where the machine's word was shown on request."""
        self.assignment: Assignment | None = None
        """Which pairs are this person's; None: nobody has said."""
        self._opened: files.OpenedFile | None = opened
        self._count = 0
        self._end = end
        for event in events:
            self._take(event)

    @classmethod
    def open(
        cls, path: Path, annotator: str, *, adjudicator: bool = False
    ) -> LabelFile:
        """Opens the labels of `annotator` for a session file or a folder of sessions,
        and begins the file where there is none.

        `adjudicator`: for `gold`, the adjudicated levels. Raises: BadInput for a name
        that cannot be one; SessionError if the file is open elsewhere, is another
        person's, or cannot be read or written.
        """
        name = name_of(annotator, adjudicator=adjudicator)
        folder = writable_folder(path)
        file = own_file(folder, name)
        if not os.path.lexists(file):
            header = LabelHeader(annotator=name, made=timestamp())
            data = document(plain(header), first=True)
            try:
                made = files.create(file, data)
                files.sync_folder(folder)
                return cls(file, header, made, [], len(data))
            except SessionError:
                if not os.path.lexists(file):
                    raise
                # somebody else was faster: then it is opened
        return cls._open(file, name)

    @classmethod
    def _open(cls, file: Path, name: str) -> LabelFile:
        opened = files.open_file(file, True)
        try:
            if opened.why is not None:
                which = "decided_elsewhere" if name == GOLD else "open_elsewhere"
                raise (
                    SessionError(t(f"wrong.labels.{which}", annotator=name))
                    if opened.elsewhere
                    else _read_only(file, t("wrong.labels.no_write"))
                )
            data = files.read_all(opened.fd, file)
            read = Documents(file)
            read.take(data)
            if read.header is None:
                if not is_beginning(data):
                    raise SessionError(t("wrong.labels.no_file", path=file))
                read.header = LabelHeader(
                    annotator=name, made=timestamp()
                )  # a kill left a file without its header
                head = document(plain(read.header), first=True)
                os.ftruncate(opened.fd, 0)
                files.write(opened.fd, head, 0, file)
                return cls(file, read.header, opened, [], len(head))
            if read.header.annotator != name:
                raise SessionError(
                    t(
                        "wrong.labels.other_person",
                        path=file,
                        annotator=clean(read.header.annotator, newlines=False)[:60],
                    )
                )
            made = cls(file, read.header, opened, read.events, read.end)
            made._mend(data)
            return made
        except BaseException:
            opened.close()
            raise

    def append(self, event: Kept) -> Kept:
        """Numbers and dates a label, writes it, and returns it as stored.

        It is on the disk on return.

        Raises: SessionError after `close`; WriteError if it cannot be written, or the
        file was changed by another program.
        """
        if self._opened is None:
            raise SessionError(t("wrong.file.closed"))
        event.number, event.time = self._count + 1, timestamp()
        if isinstance(event, Label):
            event.annotator = self.annotator
        try:
            data = document(plain(event))
        except UnicodeEncodeError:
            event = msgspec.convert(scrubbed(plain(event)), type(event))
            data = document(plain(event))
        if self._end + len(data) > LIMIT:
            raise WriteError(t("wrong.file.full"))
        self._check_untouched()
        files.write(self._opened.fd, data, self._end, self.path)
        self._end += len(data)
        self._take(event)
        return event

    def close(self) -> None:
        """Closes the file and releases its lock. A second call does nothing."""
        opened, self._opened = self._opened, None
        if opened is not None:
            opened.close()

    def __enter__(self) -> LabelFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take(self, event: Event) -> None:
        self._count = event.number
        if isinstance(event, Label):
            key = Key.of(event)
            self.own.pop(key, None)  # the last one given stands last
            self.own[key] = event
        elif isinstance(event, Reveal):
            self.revealed.add(Key.of(event))
        elif isinstance(event, Assignment):
            self.assignment = event

    def _mend(self, data: bytes) -> None:
        """Cuts the file after its last whole document, and keeps what was cut off."""
        assert self._opened is not None
        tail = data[self._end :]
        try:
            if not is_nothing(tail):
                keep = files.set_aside(self.path, tail)
                os.ftruncate(self._opened.fd, self._end)
                self.torn = t(
                    "wrong.file.mended", path=self.path, bytes=len(tail), copy=keep
                )
                tail = b""
            if not (tail or data[: self._end]).endswith(b"\n"):
                files.write_all(self._opened.fd, b"\n")
            self._end = os.fstat(self._opened.fd).st_size
        except OSError as error:
            raise SessionError(
                t("wrong.file.not_mended", path=self.path, cause=cause(error))
            ) from None

    def _check_untouched(self) -> None:
        assert self._opened is not None
        here = os.fstat(self._opened.fd)
        try:
            same = os.path.samestat(here, os.stat(self.path))
        except OSError:
            same = False
        if not same:
            raise WriteError(t("wrong.file.moved", path=self.path))
        if here.st_size != self._end:
            raise WriteError(t("wrong.file.changed", path=self.path))


def writable_folder(path: Path) -> Path:
    """The folder of labels of a place, made where it is not there yet.

    Raises: SessionError where nothing can be written into it.
    """
    folder = place_of(path)
    try:
        private_dir(folder)
    except OSError as error:
        if error.errno not in (errno.EROFS, errno.EACCES, errno.EPERM):
            return files.own_folder(folder)  # says what is wrong
        raise _read_only(folder, cause(error)) from None
    if not os.access(folder, os.W_OK):
        raise _read_only(folder, t("wrong.system.EROFS"))
    return folder


def _read_only(folder: Path, why: str) -> SessionError:
    return SessionError(t("wrong.labels.folder_read_only", folder=folder, why=why))


def are_at_odds(levels: Collection[int | None], decided: int | None) -> bool:
    """Whether a pair needs adjudication: levels differ, one is undecided, or the
    decision differs.

    `levels`: one per person, None for undecided. `decided`: None if there is no
    decision.
    """
    given = set(levels)
    differ = len(levels) > 1 and (len(given) > 1 or None in given)
    return differ or (decided is not None and bool(levels) and given != {decided})


def still_holds(decision: Label, levels: Mapping[str, int | None]) -> bool:
    """Whether a decision rests on the labels that people have now.

    `levels`: annotator to level.
    """
    return {vote.annotator: vote.value for vote in decision.decides} == levels


def is_own(header: Header, event: Event) -> bool:
    """Whether an event was added in this session: not copied from the one that it was
    forked from.
    """
    return header.parent is None or event.number > header.parent.number
