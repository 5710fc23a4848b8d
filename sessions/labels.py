"""Files of labels: one a person, beside the sessions that they are about, so that
nobody waits for another's lock.

A folder labelled has `labels/NAME.yaml`, a session file labelled alone
`FILE.labels/NAME.yaml`; in the folder of a batch both are `labels/NAME.yaml`. Such a
file is a stream like a session's: it only grows, a torn end is skipped by readers and
put aside by its writer. The last label of a candidate counts.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from ..texts import t
from . import files
from .annotators import GOLD, name_of, person
from .clean import clean, scrubbed
from .emit import document
from .errors import SessionError, WriteError, cause
from .events import Event, plain
from .events.labels import Assignment, Label, Reveal
from .label_files import (
    Documents,
    LabelHeader,
    is_beginning,
    is_level,
    label_files,
    names_of_file,
    own_file,
    place_of,
)
from .load import LIMIT, is_nothing, load
from .new import timestamp
from .session import Header, Session

_LABEL = b"\nevent: label\n"


class Key(NamedTuple):
    """What a label is about."""

    session: str
    """The session's id."""
    candidate: str
    """Or the item, where it is none."""
    measure: str = ""
    """Empty: the level of relevance."""

    @classmethod
    def of(cls, label: Label) -> Key:
        return cls(label.session, label.candidate or label.item, label.measure)


Latest = dict[Key, Label]
"""The labels of one person that count.

One with the value None says undecided; `undone`: it is as if none had been given.
"""

Kept = TypeVar("Kept", Label, Reveal, Assignment)


class LabelFile:
    """A person's labels of one place, open to write.

    Nobody else can open the same person's file meanwhile.
    """

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
        self.revealed: set[tuple[str, str]] = set()
        """Session and candidate where the machine's word was shown on request."""
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
        folder = files.own_folder(place_of(path))
        file = own_file(folder, name)
        if not os.path.lexists(file):
            header = LabelHeader(annotator=name, made=timestamp())
            data = document(plain(header), first=True)
            with suppress(SessionError):  # somebody else was faster: then it is opened
                made = files.create(file, data)
                files.sync_folder(folder)
                return cls(file, header, made, [], len(data))
        return cls._open(file, name)

    @classmethod
    def _open(cls, file: Path, name: str) -> LabelFile:
        opened = files.open_file(file, True)
        try:
            if opened.why is not None:
                which = "decided_elsewhere" if name == GOLD else "open_elsewhere"
                raise SessionError(
                    t(f"wrong.labels.{which}", annotator=name)
                    if opened.elsewhere
                    else opened.why
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
            self.revealed.add((event.session, event.candidate))
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
                    "wrong.file.mended", path=self.path, torn=len(tail), keep=keep
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


class LabelReader:
    """Everybody's labels of one place.

    `look` reads what has come since the last look, so it can be asked often.
    """

    def __init__(self, path: Path, only: str | None = None) -> None:
        """`only`: the one annotator whose files are read."""
        self.path = path
        self._only = only
        self.people: dict[str, Latest] = {}
        """Annotator to the labels that count; `gold` is the adjudicator.

        Only what `look` has read.
        """
        self.assignments: dict[str, Assignment] = {}
        """Annotator to which pairs are theirs, where they have said so."""
        self._files: dict[Path, Documents] = {}
        self._latest: dict[Path, Latest] = {}

    def look(self) -> bool:
        """Reads what was appended, and new files; returns False where nothing has come.
        Torn ends are passed over.

        Raises: SessionError for a file that is none of labels.
        """
        changed = False
        for file in label_files(self.path):
            if self._only is not None and file.name not in names_of_file(self._only):
                continue
            read = self._files.setdefault(file, Documents(file))
            changed |= self._more(file, read)
        return changed

    def _more(self, file: Path, read: Documents) -> bool:
        try:
            fd = os.open(file, os.O_RDONLY | os.O_NONBLOCK)
        except OSError as error:
            raise SessionError(
                t("wrong.file.unread", path=file, why=cause(error))
            ) from None
        try:
            size = os.fstat(fd).st_size
            if (
                size == read.size == read.end
            ):  # behind a torn end, other bytes may stand there now
                return False
            if size > LIMIT:
                raise SessionError(t("wrong.file.over", path=file))
            if size < read.end:  # another file in its place
                raise SessionError(t("wrong.file.stale", path=file))
            data = os.pread(fd, size - read.end, read.end)
        finally:
            os.close(fd)
        before = len(read.events)
        read.size = size
        try:
            read.take(data)
        except SessionError:
            read.size = -1
            raise
        if read.header is None:
            if not is_beginning(data):
                raise SessionError(t("wrong.labels.no_file", path=file))
            return False
        if len(read.events) == before and before:
            return False
        name = GOLD if read.header.annotator == GOLD else person(read.header.annotator)
        latest, own = (
            self.people.setdefault(name, {}),
            self._latest.setdefault(file, {}),
        )
        others = [
            self._latest[path]
            for path, one in self._files.items()
            if path in self._latest
            and one is not read
            and one.header is not None
            and one.header.annotator == read.header.annotator
        ]
        for event in read.events[before:]:
            if isinstance(event, Label):
                key = Key.of(event)
                own[key] = event
                rivals = [one[key] for one in others if key in one]
                latest[key] = max([*rivals, event], key=lambda one: one.time)
            elif isinstance(event, Assignment):
                self.assignments[name] = event
        return True


def read_labels(path: Path) -> dict[str, Latest]:
    """Everybody's labels of a session file or a folder of sessions: annotator to what
    counts. `gold` is the adjudicator.

    Labels that older sessions hold themselves count too. Raises: SessionError for a
    file that is none of labels, or no session.
    """
    reader = LabelReader(path)
    reader.look()
    return later(old_labels(path), reader.people)


def old_labels(path: Path) -> dict[str, Latest]:
    """The labels that the session files themselves hold.

    Sessions without any are not read.

    Raises: SessionError for a file that is no session.
    """
    found: dict[str, Latest] = {}
    for file in session_files(path):
        try:
            data = file.read_bytes() if file.stat().st_size <= LIMIT else b""
        except OSError as error:
            raise SessionError(
                t("wrong.file.unread", path=file, why=cause(error))
            ) from None
        if _LABEL in data:
            loaded = load(data, str(file))
            found = later(found, labels_in(Session(loaded.header, loaded.events)))
    return found


def session_files(path: Path) -> list[Path]:
    """The session file, or those of a folder, by name."""
    if path.is_dir():
        return sorted(one for one in path.glob("*.yaml") if one.is_file())
    return [path]


def labels_in(session: Session) -> dict[str, Latest]:
    """The labels that a session holds itself, as older ones do: annotator to what
    counts. What a fork has copied is not its own.
    """
    found: dict[str, Latest] = {}
    for event in session.events:
        if isinstance(event, Label) and is_own(session.header, event):
            one = msgspec.structs.replace(
                event,
                session=session.header.id,
                value=event.value if is_level(event.value) else None,
            )
            found.setdefault(person(event.annotator), {})[Key.of(one)] = one
    return found


def are_at_odds(levels: Collection[int | None], decided: int | None) -> bool:
    """Whether people's levels of one pair need somebody who decides: they differ, one
    is undecided, or the decision is another level.

    `levels`: one a person, None for undecided. `decided`: None where nobody has
    decided.
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


def later(one: dict[str, Latest], other: dict[str, Latest]) -> dict[str, Latest]:
    """Both together; of two labels of one person for the same, the later in time
    counts.
    """
    made = {name: dict(labels) for name, labels in one.items()}
    for name, labels in other.items():
        mine = made.setdefault(name, {})
        for key, label in labels.items():
            if key not in mine or mine[key].time <= label.time:
                mine[key] = label
    return made
