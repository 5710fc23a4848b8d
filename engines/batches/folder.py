"""The folder of a batch: whose it is, and what it was begun with."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from ...sessions import files, locks
from ...sessions.errors import BadInput, cause
from ...sessions.files import BATCH, STUDY_FILE, write_whole
from ...sessions.journal import Journal
from ...sessions.paths import private_dir
from ...sessions.session import Header
from ...texts import t
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
from .shards import MOST, Shard

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
        shard: Mapping[str, Any] | None = None,
    ) -> None:
        """`shard`: which part of a larger batch it is, as `dealing.told` says."""
        self.path = path
        self._shard = shard
        self._options = options
        self._lines = lines
        self._headers = {
            line.id: header for line, header in zip(lines, headers, strict=True)
        }
        self.changed: dict[str, None] = {}
        """Bundled demonstrations that are others than when the folder was begun."""
        self._marks = {name: mark_of(header) for name, header in self._headers.items()}

    def header(self, line: BatchLine) -> Header:
        """What the line's session begins with. After `check`: as the folder was begun."""
        return self._headers[line.id]

    def check(self) -> bool:
        """True if this batch was begun here, False if nothing was.

        BadInput if it was another batch or other options.
        """
        if self.path.exists() and not self.path.is_dir():
            raise BadInput(t("wrong.batch.not_a_folder", path=self.path))
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
            raise BadInput(t("wrong.batch.unread", path=self.path / BATCH)) from None
        check_shard(
            self.path,
            shard_in(part, self.path / BATCH),
            shard_in(self._shard, self.path / BATCH),
        )
        earlier = EarlierHeaders(self.path, self._lines, marks)
        self._check_options(options, earlier)
        for line in self._lines:
            if line.id in marks and marks[line.id] != self._marks[line.id]:
                self._go_on_as_begun(line, marks[line.id], earlier)
        missing = [name for name in marks if name not in self._marks]
        if missing:
            raise BadInput(t("wrong.batch.lacks", missing=missing[0], path=self.path))
        return True

    def _check_options(
        self, options: Mapping[str, Any], earlier: EarlierHeaders
    ) -> None:
        if options == self._options:
            return
        declared = next(map(declared_for, self._headers.values()), None)
        first = earlier.first()
        then, now = differing_options(declared, options, self._options, first)
        if then or now:
            raise BadInput(
                t("wrong.batch.other_options", path=self.path, then=then, now=now)
            )
        self._options = dict(options)

    def _go_on_as_begun(
        self, line: BatchLine, mark: str, earlier: EarlierHeaders
    ) -> None:
        """Takes the header with which an earlier version began the line.

        Raises: BadInput where that is not what makes the difference.
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
            raise BadInput(
                t("batch.other_line", where=where, folder=self.path, id=line.id)
            )
        if begun is None:
            raise BadInput(t("wrong.batch.other_task", **named))
        name, old, new = differing_shape(begun, header)
        raise BadInput(
            t("wrong.batch.other_shape", name=name, then=old, now=new, **named)
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
        if self._shard is not None:
            kept["shard"] = self._shard
        write_whole(self.path / BATCH, json.dumps(kept, indent=1) + "\n")

    def locked(self) -> AbstractContextManager[None]:
        """The folder, made if need be, and no second run at work in it.

        Raises: BadInput.
        """
        return locked(self.path, BATCH)

    def journal(self, line: BatchLine, header: Header) -> Journal:
        """A line's session, begun or gone on with.

        A file that a kill left without a whole header is put aside. SessionError,
        OSError.
        """
        path = self.path / line.file
        if path.exists() and not _has_header(path):
            files.set_aside(path, path.read_bytes())
            path.unlink()
        if path.exists():
            return Journal.open(path)
        return Journal.create(path, header)

    def _nothing_in_the_way(self) -> None:
        for line in self._lines:
            if os.path.lexists(self.path / line.file):
                raise BadInput(t("wrong.batch.foreign", path=self.path / line.file))


def shard_in(told: Any, path: Path) -> Shard | None:
    """The shard that a folder is of, as a file of it says; None where it is none.

    Raises: BadInput, with the file's path.
    """
    if told is None:
        return None
    try:
        index, of = int(told["index"]), int(told["of"])
    except (ValueError, KeyError, TypeError):
        index = of = 0
    if not 1 <= index <= of <= MOST:
        raise BadInput(t("wrong.batch.unread", path=path))
    return Shard(index, of)


def check_shard(path: Path, begun: Shard | None, wanted: Shard | None) -> None:
    """BadInput where a folder was begun as another shard than the one that is wanted.
    None: the whole.
    """
    if begun == wanted:
        return
    if wanted is None:
        raise BadInput(t("wrong.shard.needed", path=path, shard=begun))
    proposed = wanted.folder(path)
    if begun is None:
        raise BadInput(
            t("wrong.shard.whole", path=path, shard=wanted, proposed=proposed)
        )
    raise BadInput(
        t("wrong.shard.other", path=path, begun=begun, shard=wanted, proposed=proposed)
    )


@contextmanager
def locked(path: Path, name: str) -> Iterator[None]:
    """A folder, made if need be, and no second run at work in it.

    `name`: the file beside which the lock stands. Raises: BadInput.
    """
    try:
        private_dir(path)
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise BadInput(t("wrong.batch.unusable", path=path, why=cause(error))) from None
    try:
        lock = _lock(folder, path / name)
    except locks.Busy as busy:
        os.close(folder)
        more = f" ({busy})" if str(busy) else ""
        raise BadInput(t("wrong.batch.busy", path=path, more=more)) from None
    except locks.NoLock as none:
        os.close(folder)
        raise BadInput(t("wrong.batch.no_lock", path=path, none=none)) from None
    try:
        yield
    finally:
        os.close(folder)
        lock.release()


def has_runner(folder: Path) -> bool:
    """Whether a run of a batch or a study is at work in this folder now."""
    return any(locks.in_use(folder, folder / name) for name in (BATCH, STUDY_FILE))


def _lock(folder: int, beside: Path) -> locks.Lock:
    """The lock of the folder.

    Whoever asks whether it is locked holds it for a moment: so once is not enough to be
    sure of another run.
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
