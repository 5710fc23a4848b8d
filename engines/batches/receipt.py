"""The receipt of a finished run: the command, and the state of every file.

While neither has changed, the same command reads no session. A missing or damaged
receipt costs only time.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import msgspec

from ...sessions import entry_store
from ...sessions.entry_store import (
    SETTLED,
    FileStamp,
    scanned,
    stamp_of,
    without_collecting,
)
from ...sessions.errors import BadInput, WriteError
from ...sessions.files import write_whole
from ...sessions.session import Totals
from ..figures import measurement_store
from ..figures.measurement_store import code_digest
from . import snapshot_store

FILE = ".finished"
FORMAT = "verifytui-finished/1"
_KEPT_BESIDE = (
    FILE,
    entry_store.FILE,
    measurement_store.FILE,
    snapshot_store.FILE,
)
"""Files that are made of the others."""
MOST = 20_000
"""Files of a folder that a command names which are looked at: it may be any folder."""

Files = Mapping[str, FileStamp]
"""The files of a folder and of the folders in it, by their paths in it."""


class Receipt(msgspec.Struct, kw_only=True):
    """The result of a finished run."""

    format: str = FORMAT
    code: int = 0
    """`code_digest` of the program that made the report: its figures are those of that
    code."""
    asked: str
    """A digest of the command and of all that it reads beside the folder."""
    files: str = ""
    """A digest of the stamps of the folder's files."""
    recent: dict[str, str] = {}
    """Digests of what is in the files that changed too shortly before to be told
    from a later version by their times."""
    said: list[str] = []
    """What the command said before it began."""
    lines: int = 0
    done: int = 0
    tokens: int = 0
    spent: Totals = msgspec.field(default_factory=Totals)
    printed: str | None = None
    """The report as it was printed; None where report.json has all of it."""


def read_receipt(folder: Path, asked: str) -> Receipt | None:
    """The receipt of a folder in which all is as it was; None where anything is not."""
    try:
        found = msgspec.msgpack.decode((folder / FILE).read_bytes(), type=Receipt)
    except (OSError, msgspec.MsgspecError, ValueError):
        return None
    known = (found.format, found.code, found.asked) == (FORMAT, code_digest(), asked)
    if not known or found.files != digest_of(files_in(folder)):
        return None
    same = all(_content(folder / name) == one for name, one in found.recent.items())
    if same:
        return found
    return None


def write_receipt(folder: Path, receipt: Receipt, read: Files) -> None:
    """Writes a receipt, unless somebody has changed a session since it was read.

    `read`: the sessions that were read and not continued, as they were before. A
    folder that cannot be written to stays as it is.
    """
    now = files_in(folder)
    if any(now.get(name) != stamp for name, stamp in read.items()):
        return
    since = time.time_ns() - round(SETTLED * 1e9)
    receipt.code, receipt.files = code_digest(), digest_of(now)
    receipt.recent = {
        name: _content(folder / name)
        for name, stamp in now.items()
        if max(stamp.mtime, stamp.ctime) >= since
    }
    with suppress(BadInput, WriteError, UnicodeError):
        write_whole(folder / FILE, msgspec.msgpack.encode(receipt))


def add_printed(folder: Path, asked: str, text: str) -> None:
    """Adds the report to the receipt that was just written, if one was."""
    found = read_receipt(folder, asked)
    if found is not None:
        found.printed = text
        with suppress(BadInput, WriteError, UnicodeError):
            write_whole(folder / FILE, msgspec.msgpack.encode(found))


def files_in(folder: Path, most: int | None = None) -> dict[str, FileStamp]:
    """Every file in a folder and its subfolders, except derived ones. Unreachable files
    are left out. `most`: look at no more files than this.
    """
    found: dict[str, FileStamp] = {}
    rest, passing = [("", folder)], suppress(OSError)
    with without_collecting():
        while rest:
            above, place = rest.pop()
            with passing, scanned(place) as entries:
                for entry in entries:
                    if len(found) == most:
                        return found
                    if entry.is_dir(follow_symlinks=False):
                        rest.append((f"{above}{entry.name}/", place / entry.name))
                    elif entry.name not in _KEPT_BESIDE:
                        with passing:
                            found[above + entry.name] = stamp_of(entry)
    return found


def digest_of(files: Files) -> str:
    """A digest of files by their names and stamps."""
    names = sorted(files)
    stamps = msgspec.msgpack.encode([files[name] for name in names])
    return _digest("\0".join(names).encode("utf-8", "surrogateescape") + stamps)


def asked_digest(
    command: Sequence[str], paths: Iterable[Path], folders: Iterable[Path]
) -> str | None:
    """A digest of a command, of what is in files, and of the stamps in folders.

    None where one of `paths` is neither a file nor a folder.
    """
    parts = [*command]
    for path in paths:
        if path.is_file():
            parts.append(_content(path))
        elif path.is_dir():
            parts.append(digest_of(files_in(path, MOST)))
        else:
            return None
    parts += [digest_of(files_in(folder, MOST)) for folder in folders]
    return _digest("\0".join(parts).encode("utf-8", "surrogateescape"))


def _content(path: Path) -> str:
    """A digest of what is in a file; "" where it cannot be read."""
    made = blake2b(digest_size=20)
    with suppress(OSError), path.open("rb") as file:
        while piece := file.read(1 << 20):
            made.update(piece)
        return made.hexdigest()
    return ""


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=20).hexdigest()
