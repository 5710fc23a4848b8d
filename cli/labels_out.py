"""Levels of relevance for other tools: qrels, runs, and one line a pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..engines.method import method_of
from ..sessions.annotators import GOLD, same_name
from ..sessions.case_pairs import session_files
from ..sessions.clean import clean, json_line
from ..sessions.errors import BadInput, bad_input
from ..sessions.events import rated
from ..sessions.export.table import sheet
from ..sessions.journal import read_session
from ..sessions.label_store import LabelStore
from ..sessions.session import Session
from ..texts import t
from . import console

if TYPE_CHECKING:
    from types import ModuleType

    from ..sessions.labels import Latest

NOBODY = ("machine", "gold")
"""Raters that are no people: the machine, and the levels of the data."""


def exported(
    file: Path,
    to: str,
    how: str | None,
    rater: str | None = None,
    without: Sequence[str] = (),
) -> str:
    """The levels of one session, or of all rated sessions of a folder.

    `how`: whose level counts: `rater` (the one named `rater`), `majority`, `gold`,
    `sum`; None if at most one person has labelled: theirs, else the machine's. Raises:
    BadInput for other sessions, for `md` and `html`, and where people would be mixed.
    """
    if to in ("md", "html"):
        raise bad_input("wrong.export.folder", format=to)
    sessions = _sessions(file)
    name, first = next(sessions)
    ratings = method_of(first.header).ratings
    assert ratings is not None
    store = _store_of(file, without)
    people, pairs = store.people, store.pairs
    if how == "rater" and rater not in NOBODY:
        rater = _person(rater or "", ratings.annotators(pairs, people))
    if how is None:
        _refuse_to_mix(ratings.annotators(pairs, people))
    listed = chain([(name, first)], sessions)
    by_name = how == "rater" and rater in NOBODY
    chosen = (
        None
        if how is None or by_name
        else ratings.chosen_levels(pairs, people, how, rater)
    )
    if chosen is not None and chosen.single:
        console.say(_counted("report.said.single_labels", chosen.single))
    if to in ("qrels", "run"):
        if by_name and rater == GOLD:
            _say_which_gold(people)
        if chosen is None:
            return _levels(ratings, listed, to, rater if by_name else None, people)
        if chosen.twice is not None:
            raise BadInput(chosen.twice)
        text, _ = ratings.as_text(chosen.levels, to)
        _say_missing(chosen.levels, chosen.why, file, rater)
        return str(text)
    if by_name:
        raise bad_input("wrong.export.rater", option="rater", format=to)
    if chosen is not None:
        _say_missing(chosen.by_pair, chosen.why, file, rater)
    rows = (
        row
        for name, session in listed
        for row in ratings.rows(session, name, people, chosen)
    )
    if to == "jsonl":
        return "".join(map(json_line, rows))
    return sheet(ratings.COLUMNS, rows)


def _store_of(file: Path, without: Sequence[str]) -> LabelStore:
    """Read the labels of a file or folder, and report those that are ignored."""
    store = LabelStore.of_pairs(file, without=without)
    for warning in store.warnings():
        console.say(warning)
    return store


def _levels(
    ratings: ModuleType,
    listed: Iterator[tuple[str, Session]],
    to: str,
    rater: str | None,
    people: Mapping[str, Latest],
) -> str:
    """qrels or a run. `rater`: the machine or the data; None: the only annotator."""
    labelled = (ratings.with_labels(session, people) for _, session in listed)
    write = ratings.as_qrels if to == "qrels" else ratings.as_run
    text, missing = write(labelled, rater)
    _say_left_out(missing)
    return str(text)


def _say_left_out(missing: int) -> None:
    if missing:
        console.say(_counted("report.said.pairs_left_out", missing))


def _say_missing(
    levels: Mapping[Any, int | None],
    why: Mapping[Any, str],
    file: Path,
    rater: str | None,
) -> None:
    """How many pairs are left out, and a line for each reason why."""
    reasons = Counter(why[key] for key, level in levels.items() if level is None)
    _say_left_out(reasons.total())
    shown = clean(rater or "", newlines=False)[:40]
    for reason, n in reasons.items():
        told = t(
            f"report.said.without_{reason}",
            file=clean(str(file), newlines=False),
            rater=shown,
        )
        console.tell("report.said.without", n=n, reason=told)


def _person(rater: str, names: list[str]) -> str:
    """The annotator of this name, in any normalization.

    Raises: BadInput, which lists the names.
    """
    found = next((name for name in names if same_name(name) == same_name(rater)), None)
    if found is not None:
        return found
    shown = clean(rater, newlines=False)[:60]
    there = clean(", ".join(["machine", "gold", *names]), newlines=False)[:300]
    raise bad_input("wrong.labels.nobody_of", rater=shown, names=there)


def _counted(key: str, n: int) -> str:
    return t(key + "_one" if n == 1 else key, n=n)


def _say_which_gold(people: Mapping[str, Latest]) -> None:
    """Two things are called gold: says which one `--rater gold` has exported, where
    both may be there.
    """
    if any(label.value is not None for label in people.get(GOLD, {}).values()):
        console.tell("report.said.gold_of_data")


def _refuse_to_mix(names: list[str]) -> None:
    """Raises BadInput if several people have labelled and the command does not choose
    one.
    """
    if len(names) > 1:
        shown = ", ".join(clean(name, newlines=False)[:40] for name in names[:6]) + (
            " …" if len(names) > 6 else ""
        )
        raise bad_input("wrong.export.several_people", n=len(names), names=shown)


def _sessions(file: Path) -> Iterator[tuple[str, Session]]:
    """Name and session, one at a time; at least one. Raises: BadInput."""
    whole = file.is_dir()
    empty = True
    for path in session_files(file):
        session = read_session(path)
        if rated(session.method):
            empty = False
            yield path.stem, session
        elif not whole:
            raise bad_input(
                "wrong.export.no_levels", file=file, workspace=session.workspace
            )
    if empty:
        raise bad_input("wrong.export.no_relevance", file=file)
