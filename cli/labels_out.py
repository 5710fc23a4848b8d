"""Levels of relevance for other tools: qrels, runs, and one line a pair."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..engines.relevance.outputs import COLUMNS, as_qrels, as_run, rows
from ..sessions.errors import BadInput
from ..sessions.export.table import sheet
from ..sessions.journal import Journal
from ..sessions.session import Session
from . import console


def exported(file: Path, to: str, rater: str | None) -> str:
    """A session of relevance, or all of a folder. BadInput for other sessions, and for a format that they do not have."""
    if to in ("md", "html"):
        raise BadInput(f"A folder cannot be written as {to}; name one session, or --to jsonl, csv, qrels or run.")
    if to in ("qrels", "run"):
        text, missing = (as_qrels if to == "qrels" else as_run)((one for _, one in _sessions(file)), rater)
        if missing:
            console.say(f"{missing} pairs have no level and are left out.")
        return text
    listed = (row for name, session in _sessions(file) for row in rows(session, name))
    if to == "jsonl":
        return "".join(map(console.json_line, listed))
    return sheet(COLUMNS, listed)


def _sessions(file: Path) -> Iterator[tuple[str, Session]]:
    """Name and session, one at a time."""
    whole = file.is_dir()
    found = False
    for path in sorted(one for one in file.glob("*.yaml") if one.is_file()) if whole else [file]:
        with Journal.open(path, write=False) as journal:
            session = journal.session
        if session.workspace == "relevance":
            found = True
            yield path.stem, session
        elif not whole:
            raise BadInput(f"{file} is a session of {session.workspace}, which has no levels; name one of relevance.")
    if not found:
        raise BadInput(f"{file} holds no session of relevance.")
