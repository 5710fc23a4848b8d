"""The folder of the waves: requests, their destination, and replies. Every recorded
entry is on disk.

`log.jsonl` has one event per line. `NNNN-P.requests.jsonl` has the requests of a wave
for one model, as sent; `….replies.jsonl` the replies. A request is identified by its
`custom_id`.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple

import msgspec

from ...sessions.clean import json_line
from ...sessions.errors import (
    not_saved,
    unread,
)
from ...sessions.files import write_all, write_whole
from ...sessions.new import timestamp
from ...sessions.paths import private_dir
from ...sessions.session import Seat
from ...texts import t
from .replies import OddLine, ReplyLine, good, lines

LOG = "log.jsonl"
_FILE = re.compile(r"[a-z0-9-]+\.(?:requests|replies)\.jsonl")


class WaveRecord(msgspec.Struct, kw_only=True, tag_field="event", omit_defaults=True):
    """An entry of the log."""

    time: str = ""


class FileWritten(WaveRecord, tag="planned", kw_only=True):
    """A file of requests was written."""

    file: str
    wave: int
    requests: int
    seat: Seat
    """The model, without parameters."""
    mark: str = ""
    """Identifies the batch at the provider. Empty: the user provides the replies."""
    live: float | None = None
    """Expected US dollars at the full price, if the request is sent as a call at once;
    None: it is not.
    """


class WaveSubmitted(WaveRecord, tag="sent", kw_only=True):
    """The provider has accepted the batch."""

    file: str
    batch: str
    until: float | None = None


class RepliesReady(WaveRecord, tag="ended", kw_only=True):
    """The replies were received."""

    file: str
    status: str
    answered: int
    failed: int
    cost: float | None = None
    """US dollars of a request sent as a call, at the full price."""


class ReplyFile(WaveRecord, tag="brought", kw_only=True):
    """The user provided a file of replies."""

    replies: str
    answered: int
    failed: int


class ReplyAssigned(WaveRecord, tag="taken", kw_only=True):
    """The session that pays for a reply shared by several."""

    name: str
    session: str


class Marked(WaveRecord, tag="marked", kw_only=True):
    """The marks that requests contain. Another installation has a different secret, and
    would use other marks.
    """

    marks: dict[str, str]
    """By a digest of the messages."""


AnyEntry = (
    FileWritten | WaveSubmitted | RepliesReady | ReplyFile | ReplyAssigned | Marked
)


@dataclass
class RequestFile:
    """A file of requests and its state."""

    planned: FileWritten
    names: Sequence[str]
    sent: WaveSubmitted | None = None
    ended: bool = False
    cost: float | None = None
    """As in `RepliesReady`."""
    doubtful: bool = False
    """Written by an earlier run, which may have sent it without recording that."""

    @property
    def under_way(self) -> bool:
        """Whether it was or will be sent to a provider."""
        return bool(self.planned.mark) and not self.ended


class Count(NamedTuple):
    """The result of reading a file of replies."""

    answered: int
    failed: int
    unknown: int
    """Lines for unknown requests."""
    again: int
    """Lines for requests that already have a reply."""
    odd: list[str]
    """The errors in invalid lines, one clause each."""


class _FileSpan(NamedTuple):
    file: str
    start: int
    size: int
    good: bool


class _Name(msgspec.Struct):
    custom_id: str


@dataclass
class WaveOutbox:
    """The outbox in a folder. The caller has locked the batch or study."""

    folder: Path
    parts: dict[str, RequestFile] = field(default_factory=dict)
    """By request file, in order."""
    marks: dict[str, str] = field(default_factory=dict)
    """The marks in requests, by a digest of their messages."""
    _asked: dict[str, RequestFile] = field(default_factory=dict)
    _replies: dict[str, _FileSpan] = field(default_factory=dict)
    _taken: dict[str, str] = field(default_factory=dict)
    _torn: bool = False

    @classmethod
    def open(cls, folder: Path) -> WaveOutbox:
        """Reads the outbox of a folder; empty if there is none. Raises: BadInput."""
        outbox = cls(folder)
        try:
            data = (folder / LOG).read_bytes()
        except FileNotFoundError:
            return outbox
        except OSError as error:
            raise unread(folder / LOG, error) from None
        outbox._torn = not data.endswith(b"\n")
        for line in data.split(b"\n"):
            try:
                outbox._learn(msgspec.json.decode(line, type=AnyEntry))
            except (ValueError, RecursionError, KeyError):  # cut off by a kill
                continue
            except OSError as error:
                raise unread(folder, error) from None
        for part in outbox.parts.values():
            part.doubtful = part.sent is None
        return outbox

    # ------------------------------------------------------------- what is known

    @property
    def waves(self) -> int:
        """Number of waves so far."""
        return max((part.planned.wave for part in self.parts.values()), default=0)

    @property
    def under_way(self) -> list[RequestFile]:
        """The files that were or will be sent to providers."""
        return [part for part in self.parts.values() if part.under_way]

    @property
    def live_spent(self) -> float:
        """US dollars of the requests sent as calls. Interrupted calls count with their
        expected cost.
        """
        live = [part for part in self.parts.values() if part.planned.live is not None]
        return sum(
            (part.planned.live or 0.0) if part.cost is None else part.cost
            for part in live
        )

    def is_live(self, name: str) -> bool:
        """Whether a request was sent as a call, at the full price."""
        part = self._asked.get(name)
        return part is not None and part.planned.live is not None

    def waits(self, name: str) -> bool:
        """Whether a provider has this request."""
        part = self._asked.get(name)
        return part is not None and part.under_way

    def reply(self, name: str) -> bytes | None:
        """The line that replies to a request; None if there is none yet.

        Raises: OSError.
        """
        place = self._replies.get(name)
        if place is None:
            return None
        with (self.folder / place.file).open("rb") as file:
            file.seek(place.start)
            return file.read(place.size)

    def _failed(self, name: str) -> bool:
        place = self._replies.get(name)
        return place is not None and not place.good

    def take(self, name: str, session: str) -> bool:
        """Whether this session pays for a shared reply, as the first one to use it.

        Raises: BadInput, WriteError.
        """
        if name not in self._taken:
            self.note(ReplyAssigned(name=name, session=session))
        return self._taken[name] == session

    # ------------------------------------------------------------- what happens

    def note(self, entry: AnyEntry) -> None:
        """Writes an entry. Raises: BadInput, WriteError."""
        entry.time = timestamp()
        line = b"\n" * self._torn + json_line(msgspec.to_builtins(entry)).encode()
        try:
            private_dir(self.folder)
            fd = os.open(
                self.folder / LOG,
                os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW,
                0o600,
            )
            try:
                self._torn = True
                write_all(fd, line)
                os.fsync(fd)
                self._torn = False
            finally:
                os.close(fd)
        except OSError as error:
            raise not_saved(self.folder / LOG, error) from None
        self._learn(entry)

    def plan(self, entry: FileWritten, requests: Sequence[bytes]) -> RequestFile:
        """Writes a file of requests, then its entry in the log.

        Raises: BadInput, WriteError.
        """
        private_dir(self.folder)
        write_whole(self.folder / entry.file, b"".join(requests))
        self.note(entry)
        return self.parts[entry.file]

    def end(
        self,
        part: RequestFile,
        status: str,
        answers: Iterable[BinaryIO],
        unanswered: Callable[[str], ReplyLine],
        cost: float | None = None,
    ) -> Count:
        """Stores the replies of a batch. `unanswered` creates the line of a request
        without a reply. `cost`: as in `RepliesReady`.

        Raises: BadInput, WriteError.
        """
        count, kept = _sorted(answers, set(part.names))
        for name in part.names:
            if name not in kept:
                kept[name] = unanswered(name)
        failed = sum(not one.good for one in kept.values())
        self._write(_replies_of(part.planned.file), kept.values())
        self.note(
            RepliesReady(
                file=part.planned.file,
                status=status,
                answered=len(kept) - failed,
                failed=failed,
                cost=cost,
            )
        )
        return count._replace(answered=len(kept) - failed, failed=failed)

    def bring(self, answers: BinaryIO) -> Count:
        """Stores the replies from the user's file for requests of this folder.

        Raises: BadInput, WriteError.
        """
        count, kept = _sorted([answers], self._asked.keys())
        for name in [
            name
            for name in kept
            if name in self._replies and not (kept[name].good and self._failed(name))
        ]:
            del kept[name]
            count = count._replace(again=count.again + 1)
        failed = sum(not one.good for one in kept.values())
        if kept:
            number = sum(1 for _ in self.folder.glob("brought-*.replies.jsonl")) + 1
            file = f"brought-{number:04}.replies.jsonl"
            self._write(file, kept.values())
            self.note(
                ReplyFile(replies=file, answered=len(kept) - failed, failed=failed)
            )
        return count._replace(answered=len(kept) - failed, failed=failed)

    def _write(self, file: str, answers: Iterable[ReplyLine]) -> None:
        write_whole(self.folder / file, b"".join(answer.line for answer in answers))

    # ------------------------------------------------------------- what the log says

    def _learn(self, entry: AnyEntry) -> None:
        """Raises: ValueError, KeyError for an invalid entry."""
        match entry:
            case FileWritten(file=file) | ReplyFile(replies=file) if (
                not _FILE.fullmatch(file)
            ):
                raise ValueError(file)
            case FileWritten():
                names = _names(self.folder / entry.file)
                part = self.parts[entry.file] = RequestFile(entry, names)
                self._asked.update(dict.fromkeys(names, part))
            case WaveSubmitted():
                self.parts[entry.file].sent = entry
            case RepliesReady():
                part = self.parts[entry.file]
                part.ended, part.cost = True, entry.cost
                self._index(_replies_of(entry.file))
            case ReplyFile():
                self._index(entry.replies)
            case ReplyAssigned():
                self._taken.setdefault(entry.name, entry.session)
            case Marked():
                self.marks |= entry.marks

    def _index(self, file: str) -> None:
        start = 0
        with (self.folder / file).open("rb") as stream:
            for line in stream:
                found = json.loads(line)
                self._replies[found["custom_id"]] = _FileSpan(
                    file, start, len(line), good(found)
                )
                start += len(line)


def _replies_of(file: str) -> str:
    return file.replace(".requests.", ".replies.")


def _names(path: Path) -> list[str]:
    with path.open("rb") as file:
        return [msgspec.json.decode(line, type=_Name).custom_id for line in file]


def _sorted(
    answers: Iterable[BinaryIO], known: Collection[str]
) -> tuple[Count, dict[str, ReplyLine]]:
    """One line per known request: a reply before a failure, then the first."""
    kept: dict[str, ReplyLine] = {}
    unknown = again = 0
    odd = []
    for one in (line for file in answers for line in lines(file)):
        if isinstance(one, OddLine):
            odd.append(t("waves.odd_line", n=one.number, why=one.why))
        elif one.name not in known:
            unknown += 1
        elif one.name in kept and (kept[one.name].good or not one.good):
            again += 1
        else:
            kept[one.name] = one
    return Count(0, 0, unknown, again, odd), kept
