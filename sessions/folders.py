"""Summarises folders of sessions: batches and studies, as a list shows them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from ..texts import t
from . import locks
from .files import BATCH, STUDY_FILE
from .new import timestamp
from .summary import Run, SessionSummary

STUDY = "manifest.json"
"""The manifest of a study; a folder with this file is that of a study."""
_STUDY_MARK = b"verifytui-study"
_HEAD_BYTES = 1 << 12
_MOST = 2000
"""Names of a folder that are looked at: somebody's home may have more."""
_MOST_BYTES = 1 << 26
_BROKEN_OFF = ("budget", "stopped", "interrupted", "waiting")
"""Ends of a run after which something is left to do."""


def kind_of(folder: Path) -> Run | None:
    """Whether a folder holds a batch or a study; None if neither."""
    if (folder / BATCH).is_file():
        return "batch"
    if _STUDY_MARK in _head(folder / STUDY):
        return "study"
    return None


def runs_in(folders: Iterable[Path]) -> list[SessionSummary]:
    """The batches and studies that are in these folders, newest first, each once.

    Folders that cannot be read hold none.
    """
    found: dict[Path, SessionSummary] = {}
    for folder in folders:
        for path in _folders(folder):
            kind = kind_of(path)
            if kind is not None:
                found.setdefault(path.resolve(), _entry(path, kind))
    return sorted(
        found.values(), key=lambda one: (one.created, one.title), reverse=True
    )


def _entry(path: Path, kind: Run) -> SessionSummary:
    name = path.name or str(path)
    made = SessionSummary(
        place=str(path),
        id=name,
        title=name,
        workspace=kind,
        run=kind,
        created=_made(path, kind),
    )
    if kind == "study":
        made.status = "finished"
    else:
        _add_how_far(made, path)
    _add_state(made, path)
    return made


def _add_state(made: SessionSummary, path: Path) -> None:
    """Adds whether somebody is at work on a run, or how it was broken off."""
    if any(locks.in_use(path, path / name) for name in (BATCH, STUDY_FILE)):
        made.status, made.result = "unfinished", t("library.run_at_work")
        return
    ended = _ended(path)
    if ended in _BROKEN_OFF:
        made.status, made.result = (
            "unfinished",
            f"{t(f'follow.{ended}')} {made.result or ''}".strip(),
        )


def _ended(path: Path) -> str:
    """How the last run ended, as its runner wrote it down; "" where it did not."""
    with suppress(OSError, ValueError, AttributeError):
        fd = os.open(path / "runner.jsonl", os.O_RDONLY | os.O_NONBLOCK)
        try:
            data = os.pread(fd, _HEAD_BYTES, max(os.fstat(fd).st_size - _HEAD_BYTES, 0))
        finally:
            os.close(fd)
        entry = json.loads(data.rstrip().rpartition(b"\n")[2])
        if entry.get("event") == "ended":
            return str(entry.get("status", ""))
        return ""
    return ""


def _add_how_far(made: SessionSummary, path: Path) -> None:
    """Adds how many lines of a batch have come to an end: a summary has a line for
    each.
    """
    data = b""
    with suppress(OSError):
        file = path / "summary.jsonl"
        data = file.read_bytes() if file.stat().st_size <= _MOST_BYTES else b""
    failed, done = data.count(b'"status": "failed"'), data.count(b'"status": "done"')
    if data:
        made.status = "failed" if failed else "finished"
        made.result = t("library.run_done", n=done, total=data.count(b"\n"))


def _folders(folder: Path) -> list[Path]:
    found: list[Path] = []
    with suppress(OSError), os.scandir(folder) as names:
        for number, one in enumerate(names):
            if number >= _MOST:
                break
            with suppress(OSError):
                if one.is_dir() and not one.name.startswith("."):
                    found.append(folder / one.name)
    return found


def _head(path: Path) -> bytes:
    with suppress(OSError):
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            return os.read(fd, _HEAD_BYTES)
        finally:
            os.close(fd)
    return b""


def _made(path: Path, kind: Run) -> str:
    with suppress(OSError):
        return timestamp(
            datetime.fromtimestamp(
                (path / (BATCH if kind == "batch" else STUDY)).stat().st_mtime, UTC
            )
        )
    return ""
