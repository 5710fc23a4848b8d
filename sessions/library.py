"""The saved sessions: lists, finds, renames and duplicates them, moves them to the bin
and back.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path

from msgspec.structs import replace

from ..texts import t
from .entry_store import (
    Summaries,
    read_entries,
    stamps_in,
    without_collecting,
    write_entries,
)
from .errors import BadInput, SessionError, cause
from .events import Change
from .files import own_folder, write_whole
from .finding import SessionFinder
from .journal import Journal
from .label_files import BESIDE
from .locks import in_use
from .paths import Paths
from .session import Header
from .summary import SessionSummary, entry
from .text_index import TextIndex

_ENDINGS = (".yaml", ".yml")
MANY = 100
"""Summaries that were made again from which on they are written down."""
_CLAIM = 0o200
"""The mode of a file that claims a name: no session has it."""
_LONGEST_TITLE = 500
_ID = re.compile(rb"^id: *[\"']?([^\s\"']+)", re.MULTILINE)
_ID_BYTES = 512
_SLUG_BYTES = 120
"""Bytes of a title that a file name keeps: 40 Chinese characters, 120 Latin letters."""


class Library:
    """The sessions under one set of paths.

    Every call looks at the disk; the summaries of files that stay as they are are kept.
    """

    def __init__(self, paths: Paths) -> None:
        self.paths = paths
        self._kept: dict[Path, Summaries] = {}

    def entries(self, folder: Path | None = None) -> list[SessionSummary]:
        """The sessions of a folder (None: the user's own), newest first, each fork
        under its parent. No folder: no sessions.
        """
        return self._listed(folder or self.paths.sessions)

    def runs(self, *folders: Path) -> list[SessionSummary]:
        """The batches and studies that are in these folders, newest first."""
        from .folders import runs_in

        return runs_in(folders)

    def find(self, text: str, folder: Path | None = None) -> list[SessionSummary]:
        """The entries that hold every word of `text` in what the session says, or in
        title, workspace, models, result, status or file name, in the order of
        `SessionFinder`. Sessions that are new since the last search are read first.
        """
        index = TextIndex(folder or self.paths.sessions, self.paths.cache)
        index.fill(lambda done, of: True)
        said = {word: index.find(word) for word in text.casefold().split()}
        return SessionFinder(self.entries(folder)).find(text, said)

    def path_of(self, wanted: str, *folders: Path) -> Path | None:
        """The file of the session with this id, in the user's sessions or in one of
        `folders`; None without one.

        Reads only the first lines of the files.
        """
        for folder in dict.fromkeys((*folders, self.paths.sessions)):
            for path in _files(folder):
                if _id_of(path) == wanted:
                    return path
        return None

    def new_path(self, title: str) -> Path:
        """A free path for a new session, from the time and the title; makes the folder
        (0700) if it is not there.
        """
        name = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{slug(title)}".rstrip("-")
        return _free(own_folder(self.paths.sessions), name + ".yaml")

    def create(self, header: Header) -> Journal:
        """Begins a session here, under a name of its own even if others begin one at
        the same moment.

        Raises: SessionError, as `Journal.create` does.
        """
        while True:
            path = self.new_path(header.title)
            try:
                return Journal.create(path, header)
            except SessionError:
                if not os.path.lexists(path):
                    raise

    def rename(self, path: Path, title: str) -> None:
        """Changes the title of a session, by an event at its end.

        Raises: BadInput for an empty title; SessionError if it cannot be written.
        """
        title = " ".join(title.split())
        if not title:
            raise BadInput(t("wrong.library.no_title"))
        with Journal.open(path) as journal:
            journal.append(Change(field="title", old=journal.session.title, new=title))

    def whole_title(self, path: Path) -> str:
        """The title of a session; where it is the cut beginning of its topic, question
        or case, all of that, up to 500 characters.

        Raises: SessionError if it cannot be read.
        """
        with Journal.open(path, write=False) as journal:
            title = journal.session.title
            begin = title.removesuffix("…").rstrip()
            whole = (
                " ".join(text.split()) for text in _texts(journal.session.header.task)
            )
            longer = (
                (text for text in whole if text.startswith(begin))
                if begin != title
                else iter(())
            )
            found = next(longer, title)
            if len(found) <= _LONGEST_TITLE:
                return found
            return found[: _LONGEST_TITLE - 1] + "…"

    def duplicate(self, path: Path) -> Path:
        """Copies a session, with an id of its own: a fork at the last event.

        Raises: SessionError if it cannot be read or written.
        """
        with Journal.open(path, write=False) as journal:
            while True:
                copy = self.new_path(journal.session.title)
                try:
                    journal.fork(copy, len(journal.session.events), "fork").close()
                    return copy
                except SessionError:
                    if not os.path.lexists(copy):
                        raise

    def delete(self, path: Path) -> Path:
        """Moves a session to the bin; returns its path there.

        Raises: SessionError if it is no session, is open somewhere, or cannot be moved.
        """
        if path.suffix not in _ENDINGS or path.is_dir():
            raise SessionError(t("wrong.library.no_session", path=path))
        if in_use(path):
            raise SessionError(t("wrong.library.open", path=path))
        return _move(path, own_folder(self.paths.bin), path.name, note=True)

    def bin(self) -> list[SessionSummary]:
        """The sessions in the bin."""
        return self._listed(self.paths.bin)

    def restore(self, path: Path) -> Path:
        """Moves a session out of the bin to where it was, or to the user's sessions if
        that folder is gone; returns the path.
        """
        note = _origin(path)
        try:
            back = Path(os.fsdecode(note.read_bytes()))
        except OSError:
            back = Path()
        if not (back.is_absolute() and back.suffix in _ENDINGS):  # none, or cut off
            back = self.paths.sessions / path.name
        folder = (
            back.parent if back.parent.is_dir() else own_folder(self.paths.sessions)
        )
        target = _move(path, folder, back.name)
        with suppress(OSError):
            note.unlink()
        return target

    def empty_bin(self) -> int:
        """Deletes what is in the bin; returns the number of sessions."""
        import shutil

        count = 0
        for path in sorted(self.paths.bin.iterdir()) if self.paths.bin.is_dir() else ():
            if path.is_file() or path.is_symlink():
                with suppress(FileNotFoundError):  # somebody else empties it too
                    if _is_claim(path):
                        continue
                    path.unlink()
                    count += path.suffix == ".yaml"
            elif path.suffix == BESIDE:
                shutil.rmtree(path, ignore_errors=True)
        return count

    def _listed(self, folder: Path) -> list[SessionSummary]:
        """The sessions of a folder, without those that are moved away meanwhile."""
        if not folder.is_dir():
            return []
        with without_collecting():
            known = self._kept[folder] = self._known(folder)
            return _families(list(known.entries.values()))

    def _known(self, folder: Path) -> Summaries:
        """The summaries of a folder's files, newest first."""
        before = self._kept.get(folder) or read_entries(folder)
        stamps, away = stamps_in(folder, _ENDINGS)
        if stamps == before.stamps and not away:
            return before
        entries: dict[str, SessionSummary] = {}
        made = 0
        for name, stamp in [*stamps.items(), *((name, None) for name in away)]:
            path = os.path.join(folder, name)
            found = before.entries.get(name)
            if found is None or stamp is None or before.stamps.get(name) != stamp:
                if stamp is not None and stamp.size == 0 and _is_claim(Path(path)):
                    continue
                found = entry(Path(path))
                made += 1
            if not found.broken or os.path.lexists(path):
                entries[name] = found
        newest = attrgetter("created", "place")
        order = sorted(entries, key=lambda name: newest(entries[name]), reverse=True)
        known = Summaries(stamps, {name: entries[name] for name in order})
        if made >= MANY:
            write_entries(folder, known)
        return known


def slug(title: str) -> str:
    """A title as part of a file name: letters, marks and digits of any script, the rest
    as single hyphens; at most 120 bytes.
    """
    kept = "".join(
        c if unicodedata.category(c)[0] in "LMN" else " "
        for c in unicodedata.normalize("NFC", title).lower()
    )
    return (
        "-".join(kept.split())
        .encode()[:_SLUG_BYTES]
        .decode(errors="ignore")
        .rstrip("-")
    )


def _id_of(path: Path) -> str | None:
    """The id in the first lines of a session file; None where they hold none."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            found = _ID.search(file.read(_ID_BYTES))
    except OSError:
        return None
    if found:
        return found[1].decode(errors="replace")
    return None


def _texts(value: object) -> Iterator[str]:
    """All texts in plain values."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.suffix in _ENDINGS)


def _families(entries: list[SessionSummary]) -> list[SessionSummary]:
    """In the order given, but a fork right under its parent where that is in the list,
    with its depth set.
    """
    if not any(map(attrgetter("parent"), entries)):
        return entries
    known = {item.id for item in entries}
    children: dict[str, list[SessionSummary]] = {}
    stack: list[SessionSummary] = []
    for item in entries:
        if item.parent in known and item.parent != item.id:
            children.setdefault(item.parent or "", []).append(item)
        else:
            stack.append(item)
    ordered: list[SessionSummary] = []
    stack.reverse()
    while stack:
        item = stack.pop()
        ordered.append(item)
        for child in reversed(children.pop(item.id, [])):
            stack.append(replace(child, depth=item.depth + 1))
    # Two files that each claim to be the other's fork have no root: they are listed all
    # the same.
    return ordered + [item for family in children.values() for item in family]


def _free(folder: Path, name: str) -> Path:
    """A free path: the name, else with -2, -3 … before its ending."""
    path = folder / name
    count = 2
    while os.path.lexists(path):
        path = folder / f"{Path(name).stem}-{count}{Path(name).suffix}"
        count += 1
    return path


def _origin(path: Path) -> Path:
    """Return the path of the file that records where a deleted session was."""
    return path.with_name(path.name + ".from")


def _claimed(folder: Path, name: str) -> Path:
    """A free path, reserved by an empty file.

    Raises: OSError.
    """
    while True:
        target = _free(folder, name)
        with suppress(FileExistsError):
            os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _CLAIM))
            return target


def _is_claim(path: Path) -> bool:
    """Whether the file is one of `_claimed`, to which a session is about to move."""
    with suppress(OSError):
        found = path.lstat()
        return found.st_size == 0 and stat.S_IMODE(found.st_mode) == _CLAIM
    return False


def _move(source: Path, folder: Path, name: str, *, note: bool = False) -> Path:
    """Moves a session, its cut-off bytes and its labels to a free name, without
    overwriting anything; returns its path.

    `note`: record its former path next to it. If the process is killed, the session is
    in one of the two places.
    """
    import shutil

    try:
        if _is_claim(source):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        target = _claimed(folder, name)
        try:
            if note:
                write_whole(_origin(target), os.fsencode(source.absolute()))
            try:
                os.rename(source, target)
            except OSError as error:
                if error.errno != errno.EXDEV:
                    raise
                shutil.move(source, target)
        except BaseException:
            for made in (target, _origin(target)):
                with suppress(OSError):
                    made.unlink()
            raise
        for ending in (".torn", BESIDE):
            beside = source.with_name(source.name + ending)
            if beside.exists():
                shutil.move(beside, target.with_name(target.name + ending))
    except OSError as error:
        raise SessionError(
            t("wrong.library.not_moved", source=source, why=cause(error))
        ) from None
    except BadInput as error:  # of the note
        raise SessionError(str(error)) from None
    return target
