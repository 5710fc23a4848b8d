"""Raters from files of any kind that labels come in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from .compare import Rater
from .recorded import GOLD, is_session, session_raters
from .tables import by_query, has_names, json_lines, table
from .trec import read_qrels
from .values import read_json, read_text

Read = tuple[Path, Rater, bool]
"""Where a rater was read, and whether from a session."""


def read_raters(paths: Iterable[Path], columns: Sequence[str] = ()) -> list[Rater]:
    """All raters of all files, in order, each with a name of its own. BadInput names the file and the line that is wrong.

    A rater of sessions goes on in another file: one of the same name with other pairs is the same. Whoever has rated a pair in both is two
    raters, told apart by their files. Gold labels that agree are one.
    """
    found: list[Read] = []
    for path in paths:
        session, raters = _read(path, columns)
        for rater in raters:
            same = next((one for _, one, theirs in found if session and theirs and _goes_on(one, rater)), None)
            if same is None:
                found.append((path, rater, session))
            else:
                same.labels.update(rater.labels)
                same.seen_machine += rater.seen_machine
    _tell_apart(found, lambda path, rater: f"{rater.name} ({path})")
    _tell_apart(found, lambda path, rater: rater.name, numbered=True)
    return [rater for _, rater, _ in found]


def _read(path: Path, columns: Sequence[str]) -> tuple[bool, list[Rater]]:
    """Whether it is a session, and its raters."""
    if path.is_dir():
        return True, session_raters(path)
    text = read_text(path)
    if is_session(text[:100].encode()):
        return True, session_raters(path)
    if path.suffix == ".json":
        return False, [Rater(path.stem, by_query(read_json(text, str(path)), str(path)))]
    if text.lstrip().startswith("{"):
        return False, [Rater(path.stem, json_lines(text, str(path)))]
    first = text.lstrip("\r\n").partition("\n")[0].rstrip("\r")
    if "\t" in first and (columns or has_names(first.split("\t"))):
        raters = table(text, str(path), columns)
        for rater in raters:
            rater.name = path.stem if len(raters) == 1 else rater.name
        return False, raters
    return False, [Rater(path.stem, read_qrels(text, str(path)))]


def _goes_on(one: Rater, other: Rater) -> bool:
    if one.name != other.name:
        return False
    shared = one.labels.keys() & other.labels.keys()
    return not shared or (one.name == GOLD and all(one.labels[pair] == other.labels[pair] for pair in shared))


def _tell_apart(found: list[Read], name: Callable[[Path, Rater], str], *, numbered: bool = False) -> None:
    names = [rater.name for _, rater, _ in found]
    for place, (path, rater, _) in enumerate(found):
        if names.count(names[place]) > 1:
            rater.name = name(path, rater) + (f" {names[: place + 1].count(names[place])}" if numbered else "")
