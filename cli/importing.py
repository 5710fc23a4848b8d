"""`import`: debates of the MAD repository, and sessions exported to JSON lines, become session files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ..engines.debate.importer import import_debates
from ..sessions.emit import document
from ..sessions.errors import BadInput, SessionError
from ..sessions.events import Event
from ..sessions.files import reason
from ..sessions.journal import Journal
from ..sessions.library import Library, slug
from ..sessions.paths import paths, private_dir
from ..sessions.session import FORMAT, Header
from . import console
from .lines import PLAIN_ID

Found = tuple[Header, bytes]
"""A session, and its file as it will be."""


def import_files(files: Sequence[Path], into: Path | None) -> int:
    """Reads everything, then writes one session file each and prints its path. BadInput, with nothing written, for a file that is wrong."""
    found = [one for file in files for one in _read(file)]
    library = Library(paths())
    if into is not None:
        try:
            private_dir(into)
        except OSError as error:
            raise BadInput(f"{into} cannot be used ({reason(error)}); name another folder with --into.") from None
    for header, told in found:
        path = library.new_path(header.title) if into is None else _free(into, header)
        _write(path, told)
        console.out(f"{path}\n")
    return console.DONE


def _read(file: Path) -> Iterator[Found]:
    own = _own(file) if file.suffix == ".jsonl" else None
    if own is not None:
        yield own
    else:
        yield from ((header, _whole(header, events)) for header, events in import_debates(file))


def _whole(header: Header, events: list[Event]) -> bytes:
    """A session's file, made at once: one write and one sync instead of one an event."""
    rows = msgspec.to_builtins([header, *events])
    try:
        return b"".join(document(row, first=number == 0) for number, row in enumerate(rows))
    except UnicodeEncodeError:
        raise BadInput(f"“{header.title}” holds half a character (a lone surrogate); correct it in the file.") from None


def _own(file: Path) -> tuple[Header, bytes] | None:
    """A session that was exported to JSON lines; None if the file is something else."""
    try:
        lines = [line for line in file.read_text("utf-8-sig").split("\n") if line.strip()]
        rows: list[Any] = [json.loads(lines[0])] if lines else []
        if not rows or not isinstance(rows[0], dict) or not str(rows[0].get("format", "")).startswith(FORMAT.partition("/")[0]):
            return None
        rows += [json.loads(line) for line in lines[1:]]
        data = b"".join(document(row, first=number == 0) for number, row in enumerate(rows))
    except (OSError, ValueError, RecursionError, AttributeError, TypeError):
        return None  # import_debates says what is wrong with it
    return Journal.from_bytes(data, str(file)).session.header, data


def _free(folder: Path, header: Header) -> Path:
    """A path of its own in `folder`, named as the record is; nothing is ever replaced."""
    known = str(header.task.get("imported_id") or header.id)
    name = known if PLAIN_ID.fullmatch(known) else slug(known) or header.id
    path, count = folder / f"{name}.yaml", 2
    while os.path.lexists(path):
        path, count = folder / f"{name}-{count}.yaml", count + 1
    return path


def _write(path: Path, data: bytes) -> None:
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise SessionError(f"{path} cannot be written: {reason(error)}.") from None
