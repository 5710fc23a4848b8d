"""Summarises a saved session, from as little of its file as possible."""

from __future__ import annotations

import os
import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import msgspec

from ..texts import t
from .errors import SessionError, cause
from .load import chunks, load, read_document, read_header
from .new import timestamp
from .session import Header

_BIG = 1 << 20
"""Bytes. Of a larger file only the two ends are read."""
_END_BYTES = 1 << 18

_BEST = 3
"""Candidates of a ranking that a list names."""

Status = Literal["finished", "unfinished", "failed"]


class Entry(msgspec.Struct, kw_only=True):
    """A session as a list shows it. Text is as it stands in the file: clean it before a terminal shows it."""

    path: Path
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
    depth: int = 0
    """How many of its ancestors are above it in the list."""
    events: int = 0
    unread: int = 0
    """Replies that could not be read as what was asked for; of files over 1 MB only those in its last part."""
    undecided: bool = False
    broken: str | None = None
    """Why the file is not a session, in one sentence; then most of the rest is empty."""


def entry(path: Path) -> Entry:
    """The summary of a file. It raises nothing for its content: a broken session is an entry that says so."""
    try:
        return _entry(path)
    except (SessionError, OSError) as error:
        sentence = str(error) if isinstance(error, SessionError) else t("wrong.file.unread", path=path, why=cause(error))
        return Entry(path=path, id=path.stem, title=path.stem, created=_changed(path), broken=sentence)


def _entry(path: Path) -> Entry:
    head, rest = _ends(path)
    bounds = list(chunks(head))
    if not bounds:
        load(head, path.name)  # says what is wrong
        raise SessionError(t("wrong.load.not_one", name=path.name))
    mapping = read_document(head, *bounds[0], path.name) or {}
    header = read_header(mapping, path.name)
    made = Entry(
        path=path,
        id=header.id,
        title=header.title,
        workspace=header.workspace,
        created=header.created,
        models=_models(header),
        parent=header.parent.id if header.parent else None,
    )
    if rest is None:
        rest, bounds = head, bounds[1:]
    else:
        bounds = list(chunks(rest))[1:]
    for start, end in bounds:
        piece = rest[start:end]
        made.unread += b"\nread: unread" in piece
        if b"\nevent: change" in piece or b"\nevent: result" in piece or end == bounds[-1][1]:
            _take(made, read_document(rest, start, end, path.name) or {})
    return made


def _take(made: Entry, event: dict[str, Any]) -> None:
    """Adds what one event says: a change, the result, or the last of all."""
    kind, number, new = event.get("event"), event.get("number"), event.get("new")
    made.events = number if isinstance(number, int) else made.events
    if kind == "change" and event.get("field") == "title" and isinstance(new, str):
        made.title = new
    elif kind == "change" and isinstance(new, dict) and isinstance(new.get("model"), str) and new["model"] not in made.models:
        made.models.append(new["model"])
    elif kind == "result":
        answer = event.get("answer")
        made.result = answer if isinstance(answer, str) else _ranking(event)
        made.undecided = event.get("decided_by") == "undecided" or event.get("stopped_by") == "unread" or bool(event.get("unread"))
        made.status = "finished"
    elif kind == "failure" and event.get("kind") != "cancelled" and made.status == "unfinished":
        made.status = "failed"


def _ranking(event: dict[str, Any]) -> str | None:
    """The best candidates with their scores."""
    ranking, scores = event.get("ranking"), event.get("scores")
    if not isinstance(ranking, list) or not isinstance(scores, list):
        return None
    told = [f"{name}: {'–' if score is None else score}" for name, score in zip(ranking, scores, strict=False)]
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
        head, tail = os.pread(fd, _END_BYTES, 0), os.pread(fd, _END_BYTES, info.st_size - _END_BYTES)
    finally:
        os.close(fd)
    tail = tail[tail.find(b"\n") + 1 :]  # a line cut in two might look like the end of a document
    if next(chunks(head), None) and len(list(chunks(tail))) > 1:
        return head, tail
    with path.open("rb") as file:  # a document larger than what was read: all of it, or the sentence that it is too large
        data = file.read(64 * _BIG + 1)
    load(data, path.name)
    return data, None


def _models(header: Header) -> list[str]:
    return list(dict.fromkeys(seat.model for seat in header.lineup.values()))


def _changed(path: Path) -> str:
    try:
        return timestamp(datetime.fromtimestamp(path.lstat().st_mtime, UTC))
    except OSError:
        return ""
