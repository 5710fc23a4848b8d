"""Levels of relevance for other tools: qrels, runs, and one line a pair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from ..engines.method import method_of
from ..sessions.clean import clean, json_line
from ..sessions.errors import BadInput
from ..sessions.events import rated
from ..sessions.export.table import sheet
from ..sessions.journal import Journal
from ..sessions.labels import read_labels, session_files
from ..sessions.session import Session
from ..texts import t
from . import console

if TYPE_CHECKING:
    from ..engines.method import Ratings
    from ..sessions.labels import Latest

NOBODY = ("machine", "gold")
"""Raters that are no people: the machine, and the levels of the data."""


def exported(file: Path, to: str, how: str | None, rater: str | None = None) -> str:
    """The levels of one session, or of all rated sessions of a folder.

    `how`: whose level is a pair's: `rater` (that of the name `rater`), `majority`, `gold`, `sum`; None where at most one person has
    labelled: theirs, else the machine's. Raises: BadInput for other sessions, for `md` and `html`, and where people would be mixed.
    """
    if to in ("md", "html"):
        raise BadInput(t("wrong.export.folder", to=to))
    sessions = _sessions(file)
    name, first = next(sessions)
    ratings = method_of(first.header).ratings
    assert ratings is not None
    people = ratings.everywhere(file, read_labels(file))
    if how is None:
        _refuse_to_mix(ratings.annotators(file, people))
    listed = chain([(name, first)], sessions)
    by_name = how == "rater" and rater in NOBODY
    chosen = None if how is None or by_name else ratings.chosen_levels(file, people, how, rater)
    if chosen is not None and chosen.single:
        console.say(t("report.said.single_labels", n=chosen.single))
    if to in ("qrels", "run"):
        return _levels(ratings, listed, to, rater if by_name else None, people, chosen)
    if by_name:
        raise BadInput(t("wrong.export.rater", how="rater", to=to))
    if chosen is not None:
        _say_missing(sum(level is None for level in chosen.by_key.values()))
    rows = (row for name, session in listed for row in ratings.rows(session, name, people, chosen))
    return "".join(map(json_line, rows)) if to == "jsonl" else sheet(ratings.COLUMNS, rows)


def _levels(
    ratings: Ratings,
    listed: Iterator[tuple[str, Session]],
    to: str,
    rater: str | None,
    people: Mapping[str, Latest],
    chosen: object,
) -> str:
    """qrels or a run."""
    if chosen is not None:
        if chosen.twice is not None:  # type: ignore[attr-defined]
            raise BadInput(chosen.twice)  # type: ignore[attr-defined]
        text, missing = ratings.as_text(chosen.levels, to)  # type: ignore[attr-defined]
    else:
        labelled = (ratings.with_labels(session, people) for _, session in listed)
        text, missing = (ratings.as_qrels if to == "qrels" else ratings.as_run)(labelled, rater)
    _say_missing(missing)
    return text


def _say_missing(missing: int) -> None:
    if missing:
        console.say(t("report.said.pairs_left_out", missing=missing))


def _refuse_to_mix(names: list[str]) -> None:
    """BadInput where more than one person has labelled: nobody has said whose label counts."""
    if len(names) > 1:
        shown = ", ".join(clean(name, newlines=False)[:40] for name in names[:6]) + (" …" if len(names) > 6 else "")
        raise BadInput(t("wrong.export.several_people", n=len(names), names=shown))


def _sessions(file: Path) -> Iterator[tuple[str, Session]]:
    """Name and session, one at a time; at least one. Raises: BadInput."""
    whole = file.is_dir()
    empty = True
    for path in session_files(file):
        with Journal.open(path, write=False) as journal:
            session = journal.session
        if rated(session.method):
            empty = False
            yield path.stem, session
        elif not whole:
            raise BadInput(t("wrong.export.no_levels", file=file, workspace=session.workspace))
    if empty:
        raise BadInput(t("wrong.export.no_relevance", file=file))
