"""Raters from files of any kind that labels come in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ...sessions.annotators import same_name
from ...sessions.errors import bad_input
from ...sessions.label_files import is_labels
from .compare import RaterLevels
from .current_ratings import (
    GOLD,
    MACHINE,
    CurrentRatings,
    is_session,
    read_sessions,
    said_once,
    session_raters,
)
from .tables import by_query, has_names, json_lines, table
from .trec import read_qrels
from .values import read_json, read_text, shown

Read = tuple[Path, RaterLevels, bool]
"""Where a rater was read, and whether from a session."""


def read_raters(
    paths: Iterable[Path],
    columns: Sequence[str] = (),
    warnings: list[str] | None = None,
    without: Sequence[str] = (),
) -> list[RaterLevels]:
    """All raters of all files, in order, each with a unique name.

    `warnings` receives a sentence for labels that do not count. `without`: annotators
    whose label files are not read. A rater of sessions continues in another file if the
    name is the same and the pairs differ. Someone who rated a pair in both files counts
    as two raters, named after their files, unless one session was forked from the
    other: then the last label counts. Gold labels that agree are one. BadInput names
    the file and the line.
    """
    read = [(path, _read(path, columns, warnings, without)) for path in paths]
    said_once(
        [
            session
            for _, one in read
            if isinstance(one, _Sessions)
            for session in one.listed
        ]
    )
    reads: list[Read] = []
    for path, one in read:
        session = isinstance(one, _Sessions)
        for rater in session_raters(one.listed) if isinstance(one, _Sessions) else one:
            same = next(
                (
                    one
                    for _, one, theirs in reads
                    if session and theirs and _goes_on(one, rater)
                ),
                None,
            )
            if same is None:
                reads.append((path, rater, session))
            else:
                same.labels.update(rater.labels)
                same.scale = max(same.scale, rater.scale)
                same.seen_machine += rater.seen_machine
                same.seen |= rater.seen
    for _, rater, _ in reads:
        rater.called = rater.name
    _tell_apart(reads, lambda path, rater: f"{rater.name} ({path})")
    _tell_apart(reads, lambda path, rater: rater.name, numbered=True)
    return [rater for _, rater, _ in reads]


def read_labels(path: Path) -> dict[str, dict[str, int]]:
    """One rater's levels by query and candidate; one that is unread is none.

    Raises: BadInput, also where several have rated.
    """
    raters = read_raters([path])
    if len(raters) != 1:
        names = ", ".join(rater.name for rater in raters[:5])
        raise bad_input("wrong.ratings.several_raters", path=path, names=names)
    labels: dict[str, dict[str, int]] = {}
    for (query, candidate), level in raters[0].rated().items():
        labels.setdefault(query, {})[candidate] = level
    return labels


def choose(raters: Sequence[RaterLevels], names: Sequence[str]) -> list[RaterLevels]:
    """The raters of these names, in this order; without names, people, and files and
    columns of labels.

    Where there are not two of those, the machine and the data are raters, too. A name
    is a rater's, or several with commas between. `machine` and `gold` mean all raters
    of that kind. BadInput for a name that nobody has.
    """
    if not names:
        people = [rater for rater in raters if rater.kind in ("person", "file")]
        if len(people) > 1:
            return people
        return list(raters)
    chosen = []
    for text in names:
        whole = any(_is_called(rater, text) for rater in raters)
        for name in [text] if whole else [part.strip() for part in text.split(",")]:
            found = [
                rater
                for rater in raters
                if _is_called(rater, name) or name == rater.kind in (MACHINE, GOLD)
            ]
            if not found:
                there = ", ".join(rater.name for rater in raters)
                raise bad_input(
                    "wrong.ratings.no_rater", name=shown(name), names=there[:300]
                )
            chosen += [rater for rater in found if rater not in chosen]
    return chosen


def _is_called(rater: RaterLevels, name: str) -> bool:
    return same_name(name) in (same_name(rater.name), same_name(rater.called))


class _Sessions:
    """What a path holds if it is sessions."""

    def __init__(self, listed: list[CurrentRatings]) -> None:
        self.listed = listed


def _read(
    path: Path,
    columns: Sequence[str],
    warnings: list[str] | None,
    without: Sequence[str],
) -> _Sessions | list[RaterLevels]:
    """The sessions of a path, or the raters of a file of labels."""
    if path.is_dir():
        return _Sessions(read_sessions(path, warnings, without))
    text = read_text(path)
    if is_session(text[:100].encode()):
        return _Sessions(read_sessions(path, warnings, without))
    if is_labels(text[:100].encode()):
        raise bad_input("wrong.ratings.file_of_labels", path=path)
    if path.suffix == ".json":
        return [RaterLevels(path.stem, by_query(read_json(text, str(path)), str(path)))]
    if text.lstrip().startswith("{"):
        return [RaterLevels(path.stem, json_lines(text, str(path)))]
    first = text.lstrip("\r\n").partition("\n")[0].rstrip("\r")
    if "\t" in first and (columns or has_names(first.split("\t"))):
        raters = table(text, str(path), columns)
        for rater in raters:
            rater.name = path.stem if len(raters) == 1 else rater.name
        return raters
    return [RaterLevels(path.stem, read_qrels(text, str(path)))]


def _goes_on(levels: RaterLevels, other: RaterLevels) -> bool:
    if levels.name != other.name:
        return False
    shared = levels.labels.keys() & other.labels.keys()
    return not shared or (
        levels.name == GOLD
        and all(levels.labels[pair] == other.labels[pair] for pair in shared)
    )


def _tell_apart(
    reads: list[Read],
    name: Callable[[Path, RaterLevels], str],
    *,
    numbered: bool = False,
) -> None:
    names = [rater.name for _, rater, _ in reads]
    for place, (path, rater, _) in enumerate(reads):
        if names.count(names[place]) > 1:
            rater.name = name(path, rater) + (
                f" {names[: place + 1].count(names[place])}" if numbered else ""
            )
