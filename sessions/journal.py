"""A session on disk: the header and the events so far, and the one place that appends
another.

An event is written with one append and synced to the disk, so a crash costs at most the
event that is being written. A lock allows one writer; others read, and follow what is
appended. Before it writes, a journal checks that nobody has changed the file, since
other programs need not respect the lock.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any

import msgspec

from ..texts import t
from . import files, locks
from .clean import scrubbed
from .emit import document
from .errors import SessionError, WriteError, cause
from .events import Change, Event, UnknownEvent, event_types, plain
from .load import LIMIT, chunks, load, read_document, read_event
from .new import new_header, timestamp
from .session import Header, Parent, Prompts, Seat, Session


def read_session(path: Path) -> Session:
    """The session in a file. Raises: SessionError."""
    with Journal.open(path, write=False) as journal:
        return journal.session


def readable_session(path: Path) -> Session | None:
    """The session in a file; None where none can be read."""
    try:
        return read_session(path)
    except (SessionError, OSError):
        return None


class Journal:
    """An open session.

    Made by `create`, `open`, `from_bytes` or `fork`; closed by `close` or at the end of
    a `with` block.
    """

    path: Path | None
    """None: in memory only."""
    session: Session
    why_read_only: str | None
    """One sentence; None if this journal may append."""
    torn: str | None
    """One sentence if the file's last document was cut short, and what was done about
    it.
    """
    sync_later: bool
    """`append` leaves syncing to `sync`: for many sessions in one event loop, which a
    slow disk would block.
    """

    def __init__(
        self,
        path: Path | None,
        session: Session,
        ends: list[int],
        opened: files.OpenedFile | None,
        data: bytes = b"",
    ) -> None:
        self.path = path
        self.session = session
        self.why_read_only = opened.why if opened is not None else None
        self.torn = None
        self.sync_later = False
        self._ends = ends
        self._fd = opened.fd if opened is not None else None
        self._lock = opened.lock if opened is not None else None
        self._elsewhere = opened is not None and opened.elsewhere
        self._changed = self._clock()
        self._data = bytearray(data)
        self._named = True
        """Whether the file's name is synced to the disk.

        The first event does that, with the header.
        """

    # ---------------------------------------------------------------- opening

    @classmethod
    def create(cls, path: Path | None, header: Header) -> Journal:
        """Begins a session. With a path, the file exists on return (mode 0600).

        Raises: SessionError if the file exists or cannot be written.
        """
        header, data, _ = _written(header, Header, first=True)
        session = Session(header, [])
        if path is None:
            return cls(None, session, [len(data)], None, data)
        journal = cls(
            path,
            session,
            [len(data)],
            files.create(path, data),
        )
        journal._named = False
        return journal

    @classmethod
    def open(cls, path: Path, *, write: bool = True) -> Journal:
        """Opens a session file.

        It is read-only, with the reason in `why_read_only`, if it cannot be written or
        is open elsewhere.

        An incomplete last document is skipped; a writer first moves it to `FILE.torn`.
        Raises: SessionError if it is not a session.
        """
        opened = files.open_file(path, write)
        try:
            data = files.read_all(opened.fd, path)
            found = load(data, str(path))
            journal = cls(path, Session(found.header, found.events), found.ends, opened)
            if found.torn and not (
                opened.why and locks.in_use(path)
            ):  # a writer at work may be in the middle of an event
                journal.torn = t("wrong.file.cut_short", path=path, bytes=found.torn)
            if opened.why is None:
                journal._mend(data, found.torn)
            return journal
        except BaseException:
            opened.close()
            raise

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "the input") -> Journal:
        """A session from a pipe: read-only, in memory.

        Raises: SessionError if it is not one.
        """
        found = load(data, name)
        journal = cls(
            None,
            Session(found.header, found.events),
            found.ends,
            None,
            data,
        )
        journal.why_read_only = t("wrong.file.from_pipe")
        if found.torn:
            journal.torn = t("wrong.file.name_cut_short", name=name, bytes=found.torn)
        return journal

    @property
    def writable(self) -> bool:
        return self.why_read_only is None

    def close(self) -> None:
        """Closes the file and releases its lock.

        A second call does nothing. A closed journal still has its session.
        """
        fd, self._fd = self._fd, None
        if fd is not None:
            os.close(fd)
            if self._lock is not None:
                self._lock.release()
            self.why_read_only = t("wrong.file.closed")

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---------------------------------------------------------------- writing

    def append(self, event: Event) -> Event:
        """Numbers and dates the event, writes it, then adds it to `session.events`.

        Returns it as stored.

        Lone surrogates become U+FFFD, and an event with such a field has `altered`.
        Raises: SessionError if the journal is read-only, WriteError if the file cannot
        be written: it is then as before.
        """
        if self.why_read_only is not None:
            raise SessionError(self.why_read_only)
        event.number = len(self.session.events) + 1
        event.time = timestamp()
        if isinstance(event, UnknownEvent):
            event.fields |= {"number": event.number, "time": event.time}
        kept: Event
        kept, data, altered = _written(event, event_types(self.session.method) or Event)
        if altered and hasattr(kept, "altered"):
            kept.altered = True
            data = document(plain(kept))
        end = self._ends[-1]
        if end + len(data) > LIMIT:
            raise WriteError(t("wrong.file.full"))
        if self._fd is None:
            self._data += data
        else:
            self._check_untouched(end)
            files.write(self._fd, data, end, self.path, sync=not self.sync_later)
            self._changed = self._clock()
            if not self.sync_later:
                self._sync_name()
        self._ends.append(end + len(data))
        self.session.events.append(kept)
        return kept

    def sync(self) -> None:
        """Waits until everything appended is on the disk: for `sync_later`, from any
        thread.

        Raises: WriteError if it cannot be written.
        """
        if self._fd is not None:
            try:
                os.fsync(self._fd)
            except OSError as error:
                raise WriteError(
                    t("wrong.file.write_failed", path=self.path, why=cause(error))
                ) from None
            self._sync_name()

    def _sync_name(self) -> None:
        if not self._named and self.path is not None:
            files.sync_folder(self.path.parent)
            self._named = True

    def follow(self) -> list[Event]:
        """For a session that is open elsewhere: reads and returns the events that were
        appended since, up to one that cannot be read.

        Raises: SessionError if that is the first.
        """
        if self._fd is None or self.writable:
            return []
        end = self._ends[-1]
        here = os.fstat(self._fd)
        size = here.st_size
        if size <= end:
            if not self._says_the_same(self._fd, here):
                raise SessionError(t("wrong.file.stale", path=self.path))
            return []
        data = os.pread(self._fd, min(size, LIMIT) - end, end)
        new: list[Event] = []
        for start, stop in chunks(data):
            try:
                mapping = read_document(data, start, stop, str(self.path))
                if mapping is None:
                    continue
                event = read_event(
                    mapping,
                    self.session.method,
                    len(self.session.events) + 1,
                    str(self.path),
                )
            except SessionError:
                if not new:
                    raise
                break  # the next look says it
            self.session.events.append(event)
            self._ends.append(end + stop)
            new.append(event)
        if new:
            self.torn = None
        self._changed = self._clock()
        return new

    def take_over(self) -> bool:
        """Makes a session that was open elsewhere writable here, once it is closed
        there; returns False until then.

        It reads what was appended there, and mends a torn end, as on opening. Raises:
        SessionError if the file cannot be read.
        """
        if self._fd is None or self.path is None or not self._elsewhere:
            return False
        try:
            self._lock = locks.take(self._fd, self.path)
        except (locks.Busy, locks.NoLock):
            return False
        data = files.read_all(self._fd, self.path)
        found = load(data, str(self.path))
        self.session.events += found.events[len(self.session.events) :]
        self._ends = found.ends
        self.why_read_only, self._elsewhere = None, False
        self._mend(data, found.torn)
        return self.writable

    def fork(
        self,
        path: Path | None,
        number: int,
        why: str,
        *,
        lineup: dict[str, Seat] | None = None,
        settings: dict[str, object] | None = None,
        title: str | None = None,
        prompts: Prompts | None = None,
    ) -> Journal:
        """A new session that shares the events up to `number` (0: none), copied byte
        for byte. `why`: fork, edit, retry, handover or swap.

        `lineup` and `settings` name only what differs. Where an event of the shared
        part says otherwise, a `change` event in the fork sets the new value. Raises:
        SessionError if `path` exists or cannot be written; IndexError if there is no
        such event.
        """
        if not 0 <= number <= len(self.session.events):
            raise IndexError(f"there is no event {number}")
        old = self.session.header
        header = new_header(
            workspace=old.workspace,
            method=old.method,
            title=title or self.session.prefix(number).title,
            task=old.task,
            lineup={**old.lineup, **(lineup or {})},
            settings={**old.settings, **(settings or {})},
            prompts=prompts or old.prompts,
            parent=Parent(id=old.id, number=number, why=why),
        )
        made = Journal.create(None, header)
        made._take(self, number)
        for role, seat in (lineup or {}).items():
            made._hold(f"lineup.{role}", made.session.seat(role), seat)
        for name, value in (settings or {}).items():
            made._hold(f"settings.{name}", made.session.setting(name), value)
        made._hold("title", made.session.title, made.session.header.title)
        if path is None:
            return made
        return made._kept_at(path)

    # ---------------------------------------------------------------- inside

    def _kept_at(self, path: Path) -> Journal:
        """This session in memory as a file, which is there as a whole or not at all.

        Raises: SessionError if it exists or cannot be written.
        """
        opened = files.create(path, bytes(self._data))
        kept = Journal(path, self.session, self._ends, opened)
        kept._named = False
        try:
            kept.sync()
        except BaseException:
            kept.close()
            with contextlib.suppress(OSError):
                path.unlink()
            raise
        return kept

    def _hold(self, field: str, now: object, wanted: object) -> None:
        if now != wanted:
            self.append(
                Change(
                    field=field,
                    old=msgspec.to_builtins(now),
                    new=msgspec.to_builtins(wanted),
                )
            )

    def _take(self, source: Journal, number: int) -> None:
        """Copies the first events of another journal byte for byte into this one, which
        is in memory.
        """
        if number == 0:
            return
        first, last = source._ends[0], source._ends[number]
        data = source._bytes(first, last)
        gap = 0 if data.endswith(b"\n") else 1
        shift = self._ends[0] - first
        self._data += data + b"\n" * gap
        self._ends += [end + shift for end in source._ends[1 : number + 1]]
        self._ends[-1] += gap
        self.session.events += source.session.events[:number]

    def _bytes(self, start: int, stop: int) -> bytes:
        if self._data or self.path is None:
            return bytes(self._data[start:stop])
        if self._fd is not None:
            return os.pread(self._fd, stop - start, start)
        with self.path.open("rb") as file:
            file.seek(start)
            return file.read(stop - start)

    def _mend(self, data: bytes, torn: int) -> None:
        """Cuts the file after its last whole document, and keeps what was cut off."""
        assert self._fd is not None
        assert self.path is not None
        end = self._ends[-1]
        tail = data[end:]
        try:
            if torn:
                keep = files.set_aside(self.path, tail)
                os.ftruncate(self._fd, end)
                self.torn = t(
                    "wrong.file.mended", path=self.path, bytes=torn, copy=keep
                )
                tail = b""
            if not (tail or data[:end]).endswith(b"\n"):
                files.write_all(self._fd, b"\n")
            self._ends[-1] = os.fstat(self._fd).st_size
            self._changed = self._clock()
        except OSError as error:
            self.why_read_only = t(
                "wrong.file.not_mended", path=self.path, cause=cause(error)
            )

    def _check_untouched(self, end: int) -> None:
        """Checks that no other program has replaced or changed the file: the lock does
        not bind an editor.

        Raises: WriteError if one has.
        """
        assert self._fd is not None
        assert self.path is not None
        here = os.fstat(self._fd)
        try:
            there = os.stat(self.path)
        except OSError:
            there = None
        if there is None or not os.path.samestat(here, there):
            raise WriteError(t("wrong.file.moved", path=self.path))
        if here.st_size != end or not self._says_the_same(self._fd, here):
            raise WriteError(t("wrong.file.changed", path=self.path))

    def _says_the_same(self, fd: int, here: os.stat_result) -> bool:
        """Whether the file, which is now `here`, still holds these events.

        It is read again only if it was written since the last check.
        """
        now = here.st_mtime_ns
        if now != self._changed:
            try:
                found = load(files.read_all(fd, self.path or Path()), str(self.path))
            except SessionError:
                return False
            if (
                found.header != self.session.header
                or found.events != self.session.events
            ):
                return False
            self._changed = now
        return True

    def _clock(self) -> int | None:
        """When the file was last written to, in nanoseconds."""
        if self._fd is None:
            return None
        return os.fstat(self._fd).st_mtime_ns


def _written(struct: Any, kind: Any, first: bool = False) -> tuple[Any, bytes, bool]:
    """The struct as it is stored, its document, and whether lone surrogates were
    replaced.
    """
    mapping = plain(struct)
    try:
        return struct, document(mapping, first=first), False
    except UnicodeEncodeError:
        mapping = scrubbed(mapping)
        kept = (
            msgspec.structs.replace(struct, fields=mapping)
            if isinstance(struct, UnknownEvent)
            else msgspec.convert(mapping, kind)
        )
        return kept, document(mapping, first=first), True
