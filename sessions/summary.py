"""Summarises a saved session, from as little of its file as possible."""

from __future__ import annotations

import os
import re
import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import msgspec

from ..texts import t
from .errors import SessionError, cause
from .load import chunks, load, read_document, read_event, read_header
from .new import timestamp
from .origin import Origin
from .session import Header, Session

_BIG = 1 << 20
"""Bytes. Of a larger file only the two ends are read."""
_END_BYTES = 1 << 18

_BEST = 3
"""Candidates of a ranking that a list names."""

_ROLE = re.compile(rb"\nrole: ([^\s\"']+)")
_NUMBER = re.compile(rb"\nnumber: (\d{1,9})\b")
_PARTS = (b"\nround: ", b"\niteration: ")
_COST = re.compile(rb"\ncost: (\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s", re.IGNORECASE)
Status = Literal["finished", "unfinished", "failed"]
Run = Literal["batch", "study"]
"""What a folder of sessions is."""


class SessionSummary(msgspec.Struct, kw_only=True, gc=False):  # it holds no cycles
    """A session, or a folder of them, as a list shows it.

    Text is as it is in the file: clean it before a terminal shows it.
    """

    place: str = msgspec.field(name="path")
    """The path of its file or folder; `path` is the same as an object."""
    id: str
    title: str
    workspace: str = ""
    created: str = ""
    models: list[str] = []
    """Ids of the models, each once, in the order of the line-up; later ones last."""
    result: str | None = None
    status: Status = "unfinished"
    parent: str | None = None
    """Id of the session this one was forked from."""
    origin: Origin | None = None
    """The same with what is different here; of files over 1 MB as far as their last
    part says it.
    """
    depth: int = 0
    """How many of its ancestors are above it in the list."""
    events: int = 0
    unread: int = 0
    """Replies that could not be read as what was asked for; of files over 1 MB only
    those in its last part.
    """
    undecided: bool = False
    parts: int | None = None
    """Rounds or iterations so far."""
    disagreement: float | None = None
    """Mean over the rounds, 0 to 1, of a finished debate; None where it was not
    measured.
    """
    side: str | None = None
    """Who had the better of it: a role or `tie`."""
    cost: float | None = 0.0
    """US dollars of all calls; None where the price of any is unknown, or where only
    the ends of the file were read.
    """
    broken: str | None = None
    """Why the file is not a session, in one sentence; then most of the rest is empty.
    """
    run: Run | None = None
    """What it is, if it is a folder."""

    @property
    def path(self) -> Path:
        return Path(self.place)

    @property
    def file(self) -> str:
        """The name of the file."""
        return self.place.rpartition("/")[2]


def entry(path: Path) -> SessionSummary:
    """The summary of a file.

    It raises nothing for its content: a broken session is an entry that says so.
    """
    try:
        return _entry(path)
    except (SessionError, OSError) as error:
        sentence = (
            str(error)
            if isinstance(error, SessionError)
            else t("wrong.file.unread", path=path, why=cause(error))
        )
        return SessionSummary(
            place=str(path),
            id=path.stem,
            title=path.stem,
            created=_changed(path),
            broken=sentence,
        )


def ending(path: Path, most: int) -> Session:
    """A session; of a file over 1 MB only with its last events, at most `most`.

    Raises: SessionError, OSError.
    """
    header, data, bounds, whole = _parts(path)
    method = header.method or header.workspace
    session = Session(header, [])
    for start, end in bounds if whole else bounds[-most:]:
        mapping = read_document(data, start, end, path.name) or {}
        number = mapping.get("number")
        if isinstance(number, int):
            session.events.append(read_event(mapping, method, number, path.name))
    return session


def _parts(path: Path) -> tuple[Header, bytes, list[tuple[int, int]], bool]:
    """The header of a file, its last part, where the events in that begin and end, and
    whether that is all of it.
    """
    head, rest = _ends(path)
    bounds = list(chunks(head))
    if not bounds:
        load(head, path.name)  # says what is wrong
        raise SessionError(t("wrong.load.not_one", name=path.name))
    mapping = read_document(head, *bounds[0], path.name) or {}
    header = read_header(mapping, path.name)
    if rest is None:
        return header, head, bounds[1:], True
    return header, rest, list(chunks(rest))[1:], False


def _entry(path: Path) -> SessionSummary:
    header, rest, bounds, whole = _parts(path)
    made = SessionSummary(
        place=str(path),
        id=header.id,
        title=header.title,
        workspace=header.workspace,
        created=header.created,
        models=_models(header),
        parent=header.parent.id if header.parent else None,
        origin=Origin(
            id=header.parent.id, number=header.parent.number, why=header.parent.why
        )
        if header.parent
        else None,
    )
    if not whole:
        made.cost = None
    for start, end in bounds:
        piece = rest[start:end]
        made.unread += b"\nread: unread" in piece
        _scan(made, piece)
        if (
            b"\nevent: change" in piece
            or b"\nevent: result" in piece
            or end == bounds[-1][1]
        ):
            _take(made, read_document(rest, start, end, path.name) or {})
    made.parts = _last_part(rest)
    return made


def _scan(made: SessionSummary, piece: bytes) -> None:
    """Add the facts visible without parsing an event: cost, first role after a fork."""
    if made.cost is not None and _is_paid(piece):
        cost = _COST.search(piece)
        made.cost = made.cost + float(cost[1]) if cost else None
    origin = made.origin
    if (
        origin is not None
        and not origin.role
        and (role := _ROLE.search(piece))
        and (number := _NUMBER.search(piece))
    ):
        origin.role = (
            role[1].decode(errors="replace") if int(number[1]) > origin.number else ""
        )


def _is_paid(piece: bytes) -> bool:
    """Whether somebody was asked for an event; embeddings have no role, but tokens."""
    return b"\nrole: " in piece or (
        b"\nusage: " in piece and b"\nusage: null" not in piece
    )


def _last_part(data: bytes) -> int | None:
    """The round or iteration of the last event that has one."""
    at, name = max((data.rfind(name), name) for name in _PARTS)
    number = (
        data[at + len(name) : at + len(name) + 9].split(b"\n")[0] if at >= 0 else b""
    )
    if number.isdigit():
        return int(number)
    return None


def _take(made: SessionSummary, event: dict[str, object]) -> None:
    """Adds what one event says: a change, the result, or the last of all."""
    kind, number, new = event.get("event"), event.get("number"), event.get("new")
    made.events = number if isinstance(number, int) else made.events
    if kind == "change" and event.get("field") == "title" and isinstance(new, str):
        made.title = new
    elif kind == "change":
        if (
            isinstance(new, dict)
            and isinstance(new.get("model"), str)
            and new["model"] not in made.models
        ):
            made.models.append(new["model"])
        if made.origin is not None and made.events > made.origin.number:
            made.origin.note(event.get("field"), event.get("old"), new)
    elif kind == "result":
        made.result = result_in_words(event)
        made.undecided = (
            event.get("decided_by") == "undecided"
            or event.get("stopped_by") == "unread"
            or bool(event.get("unread"))
        )
        made.status = "finished"
        measured, side = event.get("disagreement"), event.get("supported_side")
        mean = measured.get("mean") if isinstance(measured, dict) else None
        made.disagreement = float(mean) if isinstance(mean, int | float) else None
        made.side = side if isinstance(side, str) else None
    elif (
        kind == "failure"
        and event.get("kind") != "cancelled"
        and made.status == "unfinished"
    ):
        made.status = "failed"


def result_in_words(event: dict[str, object]) -> str | None:
    """Format a result for a list: the answer, or the best candidates with scores."""
    answer = event.get("answer")
    if isinstance(answer, str):
        return answer
    return _ranking(event)


def _ranking(event: dict[str, object]) -> str | None:
    """The best candidates with their scores."""
    ranking, scores = event.get("ranking"), event.get("scores")
    if not isinstance(ranking, list) or not isinstance(scores, list):
        return None
    told = [
        f"{name}: {'–' if score is None else score}"
        for name, score in zip(ranking, scores, strict=False)
    ]
    return ", ".join(told[:_BEST]) + (" …" if len(told) > _BEST else "")


def _ends(path: Path) -> tuple[bytes, bytes | None]:
    """The whole file and None; of a big one its first and its last part."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            raise SessionError(t("wrong.load.irregular", name=path.name))
        if info.st_size <= _BIG:
            return os.pread(fd, _BIG, 0), None
        head, tail = (
            os.pread(fd, _END_BYTES, 0),
            os.pread(fd, _END_BYTES, info.st_size - _END_BYTES),
        )
    finally:
        os.close(fd)
    tail = tail[
        tail.find(b"\n") + 1 :
    ]  # a line cut in two might look like the end of a document
    if next(chunks(head), None) and len(list(chunks(tail))) > 1:
        return head, tail
    with path.open("rb") as file:
        # a document larger than what was read: all of it, or the sentence on its size
        data = file.read(64 * _BIG + 1)
    load(data, path.name)
    return data, None


def _models(header: Header) -> list[str]:
    return list(
        dict.fromkeys(
            one.model for seat in header.lineup.values() for one in seat.members
        )
    )


def _changed(path: Path) -> str:
    try:
        return timestamp(datetime.fromtimestamp(path.lstat().st_mtime, UTC))
    except OSError:
        return ""
