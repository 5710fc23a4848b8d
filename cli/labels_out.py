"""Levels of relevance for other tools: qrels, runs, and one line a pair."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from ..engines.method import method_of
from ..sessions.clean import json_line
from ..sessions.errors import BadInput
from ..sessions.events import rated
from ..sessions.export.table import sheet
from ..sessions.journal import Journal
from ..sessions.session import Session
from ..texts import t
from . import console


def exported(file: Path, to: str, rater: str | None) -> str:
    """The levels of one session, or of all rated sessions of a folder. Raises: BadInput for other sessions, and for `md` and `html`."""
    if to in ("md", "html"):
        raise BadInput(t("wrong.export.folder", to=to))
    sessions = _sessions(file)
    name, first = next(sessions)
    ratings = method_of(first.header).ratings
    assert ratings is not None
    listed = chain([(name, first)], sessions)
    if to in ("qrels", "run"):
        text, missing = (ratings.as_qrels if to == "qrels" else ratings.as_run)((session for _, session in listed), rater)
        if missing:
            console.say(t("report.said.pairs_left_out", missing=missing))
        return text
    rows = (row for name, session in listed for row in ratings.rows(session, name))
    return "".join(map(json_line, rows)) if to == "jsonl" else sheet(ratings.COLUMNS, rows)


def _sessions(file: Path) -> Iterator[tuple[str, Session]]:
    """Name and session, one at a time; at least one. Raises: BadInput."""
    whole = file.is_dir()
    empty = True
    for path in sorted(one for one in file.glob("*.yaml") if one.is_file()) if whole else [file]:
        with Journal.open(path, write=False) as journal:
            session = journal.session
        if rated(session.method):
            empty = False
            yield path.stem, session
        elif not whole:
            raise BadInput(t("wrong.export.no_levels", file=file, workspace=session.workspace))
    if empty:
        raise BadInput(t("wrong.export.no_relevance", file=file))
