"""The folder of a corpus: `index.json`, and the generation of data files that it names.

A build writes a new generation and then replaces `index.json`, so a reader finds the
old index or the new one, never a half.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from ...sessions import locks
from ...sessions.errors import BadInput, bad_input, cause
from ...sessions.files import sync_folder
from ...sessions.paths import private_dir
from ...texts import t
from .bm25 import Bm25Index
from .dense import DenseMeta, VectorIndex
from .index import Data
from .passages import DEFAULT, PassageSize
from .port import RetrievalError
from .sources import EVERY_FILE, FileFilter
from .tokeniser import Tokeniser

FORMAT = 3


class Meta(msgspec.Struct):
    """`index.json`."""

    format: int
    generation: str
    words: str
    """Name of the tokeniser."""
    words_id: str
    passages: int
    documents: int
    languages: str
    built: str
    built_ns: int
    sources: list[str]
    """Absolute paths."""
    limit_mb: float
    sizes: dict[str, int]
    """Bytes of each file of the generation."""
    dense: DenseMeta | None = None
    """Its vectors, where it has some."""
    digest: str = ""
    """Of the documents, the tokeniser and the size of passages; empty in an index that
    an older version built.
    """
    size: PassageSize = DEFAULT
    files: FileFilter = EVERY_FILE

    @property
    def index(self) -> str:
        """Return what sessions record of the index that was searched. Other documents
        give another value.
        """
        return self.digest or self.generation


class Building(NamedTuple):
    """Progress of a running build of a corpus, or of the purchase of its vectors."""

    done: int
    """Files that are read, or vectors that are bought."""
    total: int
    """Files that there are, 0 while they are looked for; or vectors that are to be
    bought.
    """
    since: str
    """When it began, in UTC (ISO 8601)."""
    vectors: bool = False
    """Whether vectors are bought."""


class BuildLock:
    """The right to build or delete a corpus.

    Other processes can read the progress of the build in the lock file.
    """

    EVERY = 0.5
    """Seconds between two lines."""
    _BYTES = 128
    """All lines are equally long, so each is written over the last one in one go."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._since = datetime.now(UTC).isoformat(timespec="seconds")
        self._next = 0.0
        self._total = -1

    def tell(self, done: int, total: int, *, vectors: bool = False) -> None:
        """Records the progress of a build: `done` of `total` files read or vectors
        bought. Writes no more often than is useful.
        """
        now = time.monotonic()
        if now < self._next and total == self._total:
            return
        self._next, self._total = now + self.EVERY, total
        os.pwrite(
            self._fd,
            msgspec.json.encode(Building(done, total, self._since, vectors)).ljust(
                self._BYTES
            ),
            0,
        )

    def end(self) -> None:
        """Record that no build is running any more."""
        with contextlib.suppress(OSError):
            os.ftruncate(self._fd, 0)


class CorpusFolder:
    """The folder of one corpus."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def meta(self, called: str) -> Meta:
        """The metadata of the index.

        Raises: RetrievalError if it is missing, being built, incomplete, or of another
        version or tokeniser.
        """
        try:
            return self._meta(called)
        except RetrievalError:
            building = self.building()
            if building is None:
                raise
            raise RetrievalError(
                "corpus",
                t(
                    "wrong.corpus.building",
                    corpus=describe(called),
                    how_far=how_far(building),
                ),
            ) from None

    def _meta(self, called: str) -> Meta:
        try:
            data = (self.path / "index.json").read_bytes()
        except OSError:
            raise _unusable("wrong.corpus.gone", called) from None
        try:
            version = msgspec.json.decode(data, type=dict[str, object]).get("format")
            if version != FORMAT:
                raise _unusable("wrong.corpus.version", called)
            meta = msgspec.json.decode(data, type=Meta)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            raise _unusable("wrong.corpus.damaged", called) from None
        if not self._same_words(meta):
            raise _unusable("wrong.corpus.tokeniser", called, tokenizer=meta.words_id)
        folder = self.path / meta.generation
        try:
            whole = "/" not in meta.generation and all(
                os.stat(folder / name).st_size == size
                for name, size in meta.sizes.items()
            )
        except (OSError, ValueError):
            whole = False
        if not whole:
            raise _unusable("wrong.corpus.half", called)
        return meta

    def open(self, called: str) -> tuple[Meta, Data, Bm25Index]:
        """The index.

        Raises: RetrievalError, as `meta` does.
        """
        # a build may remove the old generation between two of these lines
        for attempt in (1, 2):
            meta = None
            try:
                meta = self.meta(called)
                folder = self.path / meta.generation
                return meta, Data(folder), Bm25Index(folder / "bm25")
            except (OSError, ValueError, KeyError, TypeError):
                if attempt == 2:
                    raise _unusable("wrong.corpus.damaged", called) from None
            except RetrievalError:
                if attempt == 2:
                    raise
        raise AssertionError("unreachable")

    def vectors(self, meta: Meta) -> VectorIndex | None:
        """The vectors of the passages; None if there are none, some are missing, or
        they cannot be read.
        """
        if (
            meta.dense is None
            or meta.dense.generation != meta.generation
            or "/" in meta.dense.name
        ):
            return None
        try:
            return VectorIndex(
                self.path, meta.dense.name, meta.passages, meta.dense.size
            )
        except (OSError, ValueError):
            return None

    @contextlib.contextmanager
    def lock(self, waiting: Callable[[], None] | None = None) -> Iterator[BuildLock]:
        """Lock the corpus for building or deleting.

        With `waiting`, wait for other processes, and call `waiting` now and then; it
        may raise.

        Raises: BadInput if another process is building or deleting it.
        """
        path = self._lock
        try:
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise bad_input(
                "wrong.corpus.no_lock", name=self.path.name, none=cause(error)
            ) from None
        lock = None
        try:
            while lock is None:
                try:
                    lock = locks.take(fd, path)
                except locks.Busy as busy:
                    if waiting is None:
                        building = self.building()
                        more = "".join(
                            f" ({part})"
                            for part in (
                                how_far(building) if building else "",
                                str(busy),
                            )
                            if part
                        )
                        raise bad_input(
                            "wrong.corpus.busy", name=self.path.name, more=more
                        ) from None
                    waiting()
                    time.sleep(0.1)
                except locks.NoLock as none:
                    raise bad_input(
                        "wrong.corpus.no_lock", name=self.path.name, none=none
                    ) from None
            turn = BuildLock(fd)
            try:
                yield turn
            finally:
                turn.end()
        finally:
            os.close(fd)
            if lock is not None:
                lock.release()

    def building(self) -> Building | None:
        """Progress of the build that is running; None without one."""
        try:
            told = self._lock.read_bytes()[:1000].strip()
        except OSError:
            return None
        # a killed build leaves its progress behind
        if not told or not locks.in_use(self._lock):
            return None
        try:
            return msgspec.json.decode(told, type=Building)
        except msgspec.MsgspecError:
            return Building(0, 0, "")

    @contextlib.contextmanager
    def generation(self) -> Iterator[Path]:
        """A new folder to write into.

        It is deleted if the block fails, and so are folders that earlier builds left
        behind.
        """
        private_dir(self.path)
        current = self._index_value("generation")
        for entry in self.path.iterdir():
            if entry.is_dir() and entry.name != current:
                shutil.rmtree(entry, ignore_errors=True)
        folder = self.path / secrets.token_hex(4)
        folder.mkdir(mode=0o700)
        try:
            yield folder
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            if not (self.path / "index.json").exists():
                shutil.rmtree(self.path, ignore_errors=True)
            raise

    def publish(self, folder: Path, meta: Meta) -> None:
        """Makes a finished generation the current one, and removes the previous one."""
        for entry in (*folder.rglob("*"), folder):
            entry.chmod(0o700 if entry.is_dir() else 0o600)
            if entry.is_file():
                meta.sizes[str(entry.relative_to(folder))] = entry.stat().st_size
        self.write(meta)
        with contextlib.suppress(OSError):  # the next build removes what is left
            for entry in self.path.iterdir():
                if entry.is_dir() and entry.name != folder.name:
                    shutil.rmtree(entry, ignore_errors=True)

    def sources(self) -> list[str]:
        """Return the folders and files that the corpus was made of, even if its index
        cannot be opened; empty if that is not recorded.
        """
        told = self._index_value("sources")
        if isinstance(told, list):
            return [source for source in told if isinstance(source, str)]
        return []

    def dense(self) -> DenseMeta | None:
        """Return the metadata of the corpus' vectors, even if its index cannot be
        opened; None if none is recorded.
        """
        try:
            return msgspec.convert(self._index_value("dense"), DenseMeta | None)
        except msgspec.ValidationError:
            return None

    def _index_value(self, name: str) -> object:
        """Return the value in `index.json` under a name, whichever version wrote it;
        None without one.
        """
        try:
            return msgspec.json.decode(
                (self.path / "index.json").read_bytes(), type=dict[str, object]
            ).get(name)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return None

    def write(self, meta: Meta) -> None:
        """Replaces `index.json` atomically."""
        part = self.path / "index.json.part"
        with open(
            os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb"
        ) as file:
            file.write(msgspec.json.encode(meta))
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, self.path / "index.json")
        sync_folder(self.path)

    def delete(self) -> None:
        """Delete the corpus. Raises: BadInput if it is being built."""
        with self.lock():
            gone = self.path.with_name(
                f".{self.path.name}.deleted-{secrets.token_hex(4)}"
            )
            try:
                os.rename(self.path, gone)
            except OSError as error:
                raise bad_input(
                    "wrong.file.not_deleted", path=self.path, why=cause(error)
                ) from None
            shutil.rmtree(gone, ignore_errors=True)
        with contextlib.suppress(OSError):
            self._lock.unlink()

    def bytes(self) -> int:
        """Its size on disk, in bytes."""
        total = 0
        for folder, _, files in os.walk(self.path):
            for name in files:
                with contextlib.suppress(OSError):
                    total += os.lstat(os.path.join(folder, name)).st_size
        return total

    @property
    def _lock(self) -> Path:
        return self.path.with_name(f".{self.path.name}.lock")

    def _same_words(self, meta: Meta) -> bool:
        try:
            return Tokeniser(meta.words).id == meta.words_id
        except BadInput:
            return False


def describe(called: str) -> str:
    """Return a corpus' name or path in a form for sentences."""
    if len(called) <= 200:
        return called
    return called[:200] + "…"


def how_far(building: Building) -> str:
    """Return the progress of a build in words."""
    since = f"{building.since[:16].replace('T', ' ')} UTC"
    if not building.total:
        if building.since:
            return t("wrong.corpus.looking", since=since)
        return t("wrong.corpus.begun")
    counts = {"done": f"{building.done:,}", "total": f"{building.total:,}"}
    if building.vectors:
        return t("wrong.corpus.buying", since=since, **counts)
    return t("wrong.corpus.progress", since=since, **counts)


def _unusable(key: str, called: str, **words: object) -> RetrievalError:
    """Return why an index cannot be read, and what to do about it."""
    words |= {"corpus": describe(called), "again": again(called)}
    return RetrievalError("corpus", t(key, **words))


def again(called: str) -> str:
    """Say how to repair an index that cannot be read."""
    if os.sep in called:
        return t("wrong.corpus.make_new", corpus=describe(called))
    return t("wrong.corpus.make_again", corpus=describe(called))
