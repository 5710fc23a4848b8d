"""Sessions from elsewhere become session files: sessions exported to JSON lines, and
what another program recorded.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..texts import t
from .emit import document
from .errors import BadInput, cause
from .events import Event, plain
from .files import PLAIN_NAME, whole, write_new
from .journal import Journal
from .library import Library, slug
from .paths import paths, private_dir
from .session import FORMAT, Header

Recorded = Callable[[Path], Iterable[tuple[Header, list[Event]]]]
"""Reads the sessions that another program recorded in a file. Raises: BadInput."""


def import_files(
    files: Sequence[Path], into: Path | None, recorded: Recorded
) -> Iterator[Path]:
    """Writes one session file each and yields its path; the first is written when all
    files have been read.

    `into`: the folder; None: the library. Raises: BadInput, with nothing written, for a
    file that is wrong; SessionError.
    """
    read = [session for file in files for session in _read(file, recorded)]
    library = Library(paths())
    if into is not None:
        try:
            private_dir(into)
        except OSError as error:
            raise BadInput(t("wrong.file.into", into=into, why=cause(error))) from None
    for header, data in read:
        path = library.new_path(header.title) if into is None else _free(into, header)
        write_new(path, data)
        yield path


def _read(file: Path, recorded: Recorded) -> Iterator[tuple[Header, bytes]]:
    """The sessions of a file, each with its session file as it will be."""
    own = _own(file) if file.suffix == ".jsonl" else None
    if own is not None:
        yield own
    else:
        yield from (
            (header, _whole(header, events)) for header, events in recorded(file)
        )


def _whole(header: Header, events: list[Event]) -> bytes:
    """A session's file, made at once: one write and one sync instead of one an
    event.
    """
    rows = [plain(one) for one in (header, *events)]
    try:
        return b"".join(
            document(row, first=number == 0) for number, row in enumerate(rows)
        )
    except UnicodeEncodeError:
        raise BadInput(t("wrong.debates.surrogate", title=header.title)) from None


def _own(file: Path) -> tuple[Header, bytes] | None:
    """A session that was exported to JSON lines; None if the file is something else."""
    try:
        lines = [
            line for line in whole(file).decode("utf-8-sig").split("\n") if line.strip()
        ]
        rows: list[Any] = [json.loads(lines[0])] if lines else []
        if (
            not rows
            or not isinstance(rows[0], dict)
            or not str(rows[0].get("format", "")).startswith(FORMAT.partition("/")[0])
        ):
            return None
        rows += [json.loads(line) for line in lines[1:]]
        data = b"".join(
            document(row, first=number == 0) for number, row in enumerate(rows)
        )
    except (OSError, ValueError, RecursionError, AttributeError, TypeError):
        return None  # `recorded` says what is wrong with it
    return Journal.from_bytes(data, str(file)).session.header, data


def _free(folder: Path, header: Header) -> Path:
    """A path in `folder` that is not taken, named as the record is; nothing is ever
    replaced.
    """
    known = str(header.task.get("imported_id") or header.id)
    name = known if PLAIN_NAME.fullmatch(known) else slug(known) or header.id
    path, count = folder / f"{name}.yaml", 2
    while os.path.lexists(path):
        path, count = folder / f"{name}-{count}.yaml", count + 1
    return path
