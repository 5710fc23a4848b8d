"""Lists the files in the user's folders."""

from __future__ import annotations

import os
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from ...sessions.clean import scrub
from ...sessions.errors import cause
from ...texts import t
from .ignored import IgnoreRules, rules_of


class SourceFile(NamedTuple):
    """A file to index: its path, and its name in documents (the name of the given
    folder, and the relative path from there).
    """

    path: Path
    name: str
    ocr: tuple[str, ...] = ()
    """The command that reads pictures of pages in it."""


class FileFilter(NamedTuple):
    """Which files below a folder are taken: patterns of their names, or of the way to
    them from that folder, with `*`, `?` and `[…]`.
    """

    include: tuple[str, ...] = ()
    """None: all files."""
    exclude: tuple[str, ...] = ()
    """Of folders, too."""

    def takes(self, inside: str, *, folder: bool) -> bool:
        """`inside`: the way from the folder above that one, as `NAME/…`."""
        within = inside.partition("/")[2]
        names = within, within.rpartition("/")[2]

        def fits(patterns: tuple[str, ...]) -> bool:
            return any(fnmatchcase(name, one) for one in patterns for name in names)

        return not fits(self.exclude) and (
            folder or not self.include or fits(self.include)
        )

    def names(self, inside: str) -> bool:
        """Whether a file fits a pattern of those that are taken."""
        return bool(self.include) and self.takes(inside, folder=False)


EVERY_FILE = FileFilter()


def key(path: Path | str) -> str:
    """A path as text that UTF-8 can hold."""
    return scrub(str(path))[0]


def walk(
    sources: Iterable[Path], wanted: FileFilter = EVERY_FILE
) -> tuple[list[SourceFile], list[tuple[str, str]]]:
    """The files of the sources in order, and what was left out with the reason.

    Hidden files, and those that are not wanted, are left out silently; so are those
    that a `.gitignore` in a folder or above it names, unless a pattern asks for them.
    """
    tree = _Tree(wanted)
    for source in sources:
        path = Path(os.path.abspath(source.expanduser()))
        if path.is_dir():
            tree.enter(path, path.name or "/", ())
        else:
            tree.add(path, path.name)
    return list(tree.found.values()), tree.skipped


class _Tree:
    """The files found below some folders. A folder is entered once."""

    def __init__(self, wanted: FileFilter) -> None:
        self._wanted = wanted
        self.found: dict[Path, SourceFile] = {}
        self.skipped: list[tuple[str, str]] = []
        self._names: set[str] = set()
        self._seen: dict[tuple[int, int], str] = {}
        self._rules: list[IgnoreRules] = []
        """Of the folders that are being read, the innermost last."""

    def enter(
        self, folder: Path, name: str, above: tuple[tuple[int, int], ...]
    ) -> None:
        """`above`: device and inode of each folder that this one is in."""
        try:
            status = os.stat(folder)
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            self._skip(name, t("wrong.documents.unread", why=cause(error)))
            return
        here = (status.st_dev, status.st_ino)
        if here in above:
            self._skip(name, t("wrong.documents.link_back"))
            return
        if here in self._seen:
            known = self._seen[here]
            self._skip(name, t("wrong.documents.same_folder", folder=known))
            return
        self._seen[here] = name
        rules = rules_of(folder, name)
        self._rules += [rules] if rules else []
        for entry in entries:
            if not entry.name.startswith("."):
                self._take(entry, folder, name, (*above, here))
        if rules:
            self._rules.pop()

    def add(self, path: Path, name: str) -> None:
        if path in self.found:
            return
        name = key(name)
        if name in self._names:
            name = key(path)
        self.found[path] = SourceFile(path, name)
        self._names.add(name)

    def _take(
        self,
        entry: os.DirEntry[str],
        folder: Path,
        name: str,
        above: tuple[tuple[int, int], ...],
    ) -> None:
        path, inside = folder / entry.name, f"{name}/{entry.name}"
        try:
            is_folder = entry.is_dir()
            missing = not is_folder and entry.is_symlink() and not path.exists()
        except OSError as error:  # a link to itself
            self._skip(inside, t("wrong.documents.unread", why=cause(error)))
            return
        if not self._wanted.takes(inside, folder=is_folder):
            return
        said = [one.ignores(inside, folder=is_folder) for one in reversed(self._rules)]
        if next(filter(lambda one: one is not None, said), False) and (
            is_folder or not self._wanted.names(inside)
        ):
            return
        if missing:
            self._skip(inside, t("wrong.documents.link_to_nothing"))
        elif is_folder:
            self.enter(path, inside, above)
        else:
            self.add(path, inside)

    def _skip(self, name: str, why: str) -> None:
        self.skipped.append((name, why))
