"""The folder of a batch: which batch owns it, and how it was started."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any

from ...sessions import files, locks
from ...sessions.errors import bad_input, cause
from ...sessions.files import BATCH, write_whole
from ...sessions.journal import Journal
from ...sessions.paths import private_dir
from ...sessions.session import Header
from .batch import mark_of
from .lines import BatchLine
from .older_versions import (
    EarlierHeaders,
    as_begun,
    contents,
    declared_for,
    differing_options,
    differing_shape,
)
from .part import check_part

FORMAT = "verifytui-batch/1"
_LOOKS = 5


class BatchFolder:
    """DIR of `--into`, for these lines under these options."""

    def __init__(
        self,
        path: Path,
        options: dict[str, Any],
        lines: Sequence[BatchLine],
        headers: Sequence[Header],
        part: Mapping[str, object] | None = None,
    ) -> None:
        """`part`: which part of a larger batch it is, as `BatchPart.entry` says."""
        self.path = path
        self._part = part
        self._options = options
        self._lines = lines
        self._headers = {
            line.id: header for line, header in zip(lines, headers, strict=True)
        }
        self.changed: dict[str, None] = {}
        """Bundled demonstrations that are others than when the folder was begun."""
        self._marks = {name: mark_of(header) for name, header in self._headers.items()}

    def header(self, line: BatchLine) -> Header:
        """The header of the line's session.

        After `check`, it is the one recorded in the folder.
        """
        return self._headers[line.id]

    def check(self) -> bool:
        """True if this batch was started here, False if the folder is empty.

        Raises: BadInput for another batch or other options.
        """
        if self.path.exists() and not self.path.is_dir():
            raise bad_input("wrong.batch.not_a_folder", path=self.path)
        try:
            begun = json.loads((self.path / BATCH).read_text("utf-8"))
            options, marks, part = (
                dict(begun["options"]),
                dict(begun["lines"]),
                begun.get("shard"),
            )
        except FileNotFoundError:
            self._nothing_in_the_way()
            return False
        except (OSError, ValueError, KeyError, TypeError):
            raise bad_input("wrong.batch.unread", path=self.path / BATCH) from None
        check_part(self.path / BATCH, part, self._part)
        earlier = EarlierHeaders(self.path, self._lines, marks)
        self._check_options(options, earlier)
        for line in self._lines:
            if line.id in marks and marks[line.id] != self._marks[line.id]:
                self._go_on_as_begun(line, marks[line.id], earlier)
        missing = [name for name in marks if name not in self._marks]
        if missing:
            raise bad_input("wrong.batch.lacks", missing=missing[0], path=self.path)
        return True

    def _check_options(
        self, options: Mapping[str, object], earlier: EarlierHeaders
    ) -> None:
        if options == self._options:
            return
        declared = next(map(declared_for, self._headers.values()), None)
        first = earlier.first()
        then, now = differing_options(declared, options, self._options, first)
        if then or now:
            raise bad_input(
                "wrong.batch.other_options", path=self.path, then=then, now=now
            )
        self._options = dict(options)

    def _go_on_as_begun(
        self, line: BatchLine, mark: str, earlier: EarlierHeaders
    ) -> None:
        """Use the header that an earlier version wrote for the line.

        Raises: BadInput if the versions do not explain the difference.
        """
        header = self._headers[line.id]
        then = earlier.like(header)
        if then is not None:
            shape, going_on = as_begun(header, then)
            if mark_of(shape) == mark:
                for name, of in contents(header).items():
                    if going_on.settings.get(name) != then.settings.get(name):
                        self.changed[str(header.settings[of])] = None
                self._headers[line.id], self._marks[line.id] = going_on, mark
                return
            header = shape
        where, begun = line.where, earlier.of(line)
        named = {"where": where, "path": self.path, "id": line.id}
        if line.numbered and (begun is None or begun.task != header.task):
            raise bad_input(
                "batch.other_line", where=where, folder=self.path, id=line.id
            )
        if begun is None:
            raise bad_input("wrong.batch.other_task", **named)
        name, old, new = differing_shape(begun, header)
        raise bad_input(
            "wrong.batch.other_shape", name=name, then=old, now=new, **named
        )

    def keep(self) -> None:
        """Notes down what this batch is. BadInput as for `check`."""
        self.check()
        named = {
            line.id: line.named_cluster for line in self._lines if line.named_cluster
        }
        kept = {
            "format": FORMAT,
            "options": self._options,
            "lines": self._marks,
            **({"clusters": named} if named else {}),
        }
        if self._part is not None:
            kept["shard"] = self._part
        write_whole(self.path / BATCH, json.dumps(kept, indent=1) + "\n")

    def locked(self) -> AbstractContextManager[None]:
        """The folder, made if need be, and no second run at work in it.

        Raises: BadInput.
        """
        return locked(self.path, BATCH)

    def journal(self, line: BatchLine, header: Header) -> Journal:
        """Open a line's session, new or to continue.

        Moves a file without a complete header aside. Raises: SessionError, OSError.
        """
        path = self.path / line.file
        if path.exists() and not _has_header(path):
            files.set_aside(path, path.read_bytes())
            path.unlink()
        if path.exists():
            journal = Journal.open(path)
        else:
            journal = Journal.create(path, header)
        if journal.writable:
            for event in line.recorded[len(journal.session.events) :]:
                journal.append(deepcopy(event))  # which numbers what it is given
        return journal

    def _nothing_in_the_way(self) -> None:
        for line in self._lines:
            if os.path.lexists(self.path / line.file):
                raise bad_input("wrong.batch.foreign", path=self.path / line.file)


@contextmanager
def locked(path: Path, name: str) -> Iterator[None]:
    """Creates a folder if necessary, and locks it against a second run.

    `name`: the file whose lock it is. Raises: BadInput.
    """
    try:
        private_dir(path)
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise bad_input("wrong.batch.unusable", path=path, why=cause(error)) from None
    try:
        lock = _lock(folder, path / name)
    except locks.Busy as busy:
        os.close(folder)
        more = f" ({busy})" if str(busy) else ""
        raise bad_input("wrong.batch.busy", path=path, more=more) from None
    except locks.NoLock as none:
        os.close(folder)
        raise bad_input("wrong.batch.no_lock", path=path, none=none) from None
    try:
        yield
    finally:
        os.close(folder)
        lock.release()


def _lock(folder: int, beside: Path) -> locks.Lock:
    """Lock the folder.

    Retries, because a process that tests the lock also holds it for a moment.
    """
    for _ in range(_LOOKS):
        try:
            return locks.take(folder, beside)
        except locks.Busy:
            time.sleep(0.02)
    return locks.take(folder, beside)


def _has_header(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(1 << 20)
    return b"\n...\n" in head or len(head) == 1 << 20
