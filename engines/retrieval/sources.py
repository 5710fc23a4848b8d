"""Lists the files in the user's folders."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ...sessions.clean import scrub
from ...sessions.errors import cause
from ...texts import t


class Source(NamedTuple):
    """A file to index: where it is, and what its documents call it (the name of the folder given, and the way from there)."""

    path: Path
    name: str


def key(path: Path | str) -> str:
    """A path as text that UTF-8 can hold."""
    return scrub(str(path))[0]


def walk(sources: Iterable[Path]) -> tuple[list[Source], list[tuple[str, str]]]:
    """The files of the sources in order, and what was left out with the reason. Hidden files are left out silently."""
    found: dict[Path, Source] = {}
    names: set[str] = set()
    skipped: list[tuple[str, str]] = []
    seen: dict[tuple[int, int], str] = {}

    def enter(folder: Path, name: str, above: tuple[tuple[int, int], ...]) -> None:
        try:
            status = os.stat(folder)
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            skipped.append((name, t("wrong.documents.unread", why=cause(error))))
            return
        here = (status.st_dev, status.st_ino)
        if here in above:
            skipped.append((name, t("wrong.documents.link_back")))
            return
        if here in seen:
            skipped.append((name, t("wrong.documents.same_folder", folder=seen[here])))
            return
        seen[here] = name
        for entry in entries:
            if entry.name.startswith("."):
                continue
            path, inside = folder / entry.name, f"{name}/{entry.name}"
            try:
                is_folder = entry.is_dir()
                missing = not is_folder and entry.is_symlink() and not path.exists()
            except OSError as error:  # a link to itself
                skipped.append((inside, t("wrong.documents.unread", why=cause(error))))
                continue
            if missing:
                skipped.append((inside, t("wrong.documents.link_to_nothing")))
            elif is_folder:
                enter(path, inside, (*above, here))
            else:
                add(path, inside)

    def add(path: Path, name: str) -> None:
        if path not in found:
            found[path] = Source(path, key(path) if key(name) in names else key(name))
            names.add(found[path].name)

    for source in sources:
        path = Path(os.path.abspath(source.expanduser()))
        if path.is_dir():
            enter(path, path.name or "/", ())
        else:
            add(path, path.name)
    return list(found.values()), skipped
