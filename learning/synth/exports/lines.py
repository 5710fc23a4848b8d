"""Writes files of lines atomically, with their numbers of lines and digests."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from ....sessions.begun import check_empty
from ....sessions.clean import json_line, scrub, scrubbed
from ....sessions.errors import (
    bad_input,
    cause,
    not_saved,
    not_written,
)
from ....sessions.files import sha256, write_whole

MANIFEST = "export.json"
FORMAT = "verifytui-export/1"


class ExportFile(msgspec.Struct, kw_only=True):
    """An exported file."""

    lines: int
    """Without the header, if there is one."""
    sha256: str


class ExportRecord(msgspec.Struct, kw_only=True):
    """The content of an export, saved in `export.json`."""

    format: str = FORMAT
    files: dict[str, ExportFile] = {}
    """By path in the folder."""
    counts: dict[str, dict[str, int]] = {}
    """Number of lines by table and row, such as `chat`: task → lines."""
    left_out: dict[str, dict[str, int]] = {}
    """Left-out entries: table → reason → number."""
    changed_ids: int = 0
    """Ids that were changed in the files."""
    longest: dict[str, int] = {}
    """Estimated tokens of the longest line, by table."""
    changed: list[str] = []
    """Files of an earlier export that were changed since: kept as they are, or kept
    under this name.
    """
    models: dict[str, dict[str, int]] = {}
    """Authors of the content: `answers`, `verifications`, `chosen`, `rejected` → model
    → lines.
    """

    @property
    def lines(self) -> int:
        """Training lines in files of one format."""
        rows = ("chat/", "preference/", "pairs/", "qrels/")
        return sum(
            file.lines for name, file in self.files.items() if name.startswith(rows)
        )

    def count(self, table: str, row: str, many: int = 1) -> None:
        rows = self.counts.setdefault(table, {})
        rows[row] = rows.get(row, 0) + many

    def leave_out(self, table: str, why: str, many: int = 1) -> None:
        if many:
            rows = self.left_out.setdefault(table, {})
            rows[why] = rows.get(why, 0) + many

    def said_by(self, what: str, models: Iterable[str]) -> None:
        rows = self.models.setdefault(what, {})
        for model in models:
            rows[model] = rows.get(model, 0) + 1


class ExportFolder:
    """The folder of an export.

    Unchanged files of an earlier export are removed at the end. Changed files stay if
    the new content would be the same; otherwise they are kept as NAME.changed.
    """

    def __init__(self, into: Path) -> None:
        """Raises: BadInput if the folder cannot be created, or contains anything but an
        export.
        """
        self.into = into
        self.exported = ExportRecord()
        self._made(into)
        self._earlier = self._before()
        if not (into / MANIFEST).exists():
            check_empty(into, MANIFEST)
            write_whole(
                into / MANIFEST, json.dumps(msgspec.to_builtins(self.exported)) + "\n"
            )

    def lines(self, name: str, rows: Iterable[Mapping[str, object]]) -> int:
        """Writes rows as JSON lines and returns their number. Without rows, writes no
        file.

        Raises: BadInput, WriteError.
        """
        return self.text(name, (json_line(scrubbed(dict(row))) for row in rows))

    def text(self, name: str, lines: Iterable[str], header: str = "") -> int:
        """Writes lines, each with its line end, below a header, and returns their
        number. Without lines, writes no file.

        Raises: BadInput, WriteError.
        """
        path = self.into / name
        self._made(path.parent)
        count, digest, temporary = 0, hashlib.sha256(), ""
        try:
            descriptor, temporary = tempfile.mkstemp(
                dir=path.parent, prefix=f".{path.name}."
            )
            with os.fdopen(descriptor, "wb") as stream:
                _put(stream, digest, header)
                for line in lines:
                    _put(stream, digest, line)
                    count += 1
                stream.flush()
                os.fsync(stream.fileno())
            if count:
                if not self._stays(name, digest.hexdigest()):
                    os.replace(temporary, path)
                    temporary = ""
                self.exported.files[name] = ExportFile(
                    lines=count, sha256=digest.hexdigest()
                )
        except OSError as error:
            raise not_saved(path, error) from None
        finally:
            if temporary:
                with suppress(OSError):
                    os.unlink(temporary)
        return count

    def whole(self, name: str, text: str) -> None:
        """Writes a text. Raises: BadInput, WriteError."""
        self._made((self.into / name).parent)
        text = scrub(text)[0]
        digest = hashlib.sha256(text.encode()).hexdigest()
        if not self._stays(name, digest):
            write_whole(self.into / name, text)
        self.exported.files[name] = ExportFile(lines=text.count("\n"), sha256=digest)

    def finish(self) -> ExportRecord:
        """Removes files of an earlier export, and saves the content of this one.

        Raises: BadInput, WriteError.
        """
        for name, before in self._earlier.items():
            path = self.into / name
            inside = path.resolve().is_relative_to(self.into.resolve())
            if (
                name not in self.exported.files
                and inside
                and _digest(path) == before.sha256
            ):
                path.unlink(missing_ok=True)
        write_whole(
            self.into / MANIFEST,
            json.dumps(scrubbed(msgspec.to_builtins(self.exported)), indent=1) + "\n",
        )
        return self.exported

    def _stays(self, name: str, digest: str) -> bool:
        """Whether the file stays as it is. A changed file with different new content is
        kept under another name.

        Raises: BadInput.
        """
        path, before = self.into / name, self._earlier.get(name)
        there = _digest(path)
        if there in (None, digest) or (before is not None and there == before.sha256):
            return there == digest
        if before is not None and before.sha256 == digest:
            self.exported.changed.append(name)
            return True
        beside = next(
            one
            for n in itertools.count(1)
            if not os.path.lexists(
                one := path.with_name(f"{path.name}.changed{n if n > 1 else ''}")
            )
        )
        try:
            path.rename(beside)
        except OSError as error:
            raise not_written(path, error) from None
        self.exported.changed.append(beside.relative_to(self.into).as_posix())
        return False

    def _before(self) -> dict[str, ExportFile]:
        """The files of an earlier export; empty if they cannot be determined."""
        with suppress(OSError, msgspec.DecodeError):
            return msgspec.json.decode(
                (self.into / MANIFEST).read_bytes(), type=ExportRecord
            ).files
        return {}

    def _made(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise bad_input(
                "wrong.file.folder_not_made", folder=folder, why=cause(error)
            ) from None


def _put(stream: Any, digest: Any, line: str) -> None:
    data = line.encode()
    stream.write(data)
    digest.update(data)


def _digest(path: Path) -> str | None:
    try:
        return sha256(path)
    except OSError:
        return None
