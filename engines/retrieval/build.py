"""Builds or updates an index. Unchanged files keep their words; new and changed files are read and tokenised."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from ...sessions.errors import BadInput, cause
from ...sessions.files import own_folder
from ...texts import t
from .documents import SUFFIXES, Document, Unreadable, load, parse
from .home import FORMAT, Home, Meta
from .index import Data, File, Writer
from .port import RetrievalError
from .sources import Source, key, walk
from .tokeniser import DEFAULT, Tokeniser

Progress = Callable[[int, int, str], None]
LIMIT_MB = 50.0


class Report(NamedTuple):
    """What a build did, in files."""

    indexed: int
    unchanged: int
    removed: int
    skipped: list[tuple[str, str]]
    """Files and rows that were left out, each with the reason."""


class Cancelled(Exception):
    """The build was stopped; the corpus is as it was before."""


def quiet(done: int, total: int, file: str) -> None:
    """Shows no progress."""


def never() -> bool:
    """Never stops the build."""
    return False


def build(
    home: Home,
    sources: Sequence[Path],
    words: str | None,
    limit_mb: float | None,
    progress: Progress,
    cancelled: Callable[[], bool],
    called: str,
    *,
    wait: bool = False,
) -> Report:
    """As Corpora.build, for the corpus in `home`. `wait`: waits while somebody else builds it."""

    def check() -> None:
        if cancelled():
            raise Cancelled

    own_folder(home.path.parent)
    try:
        with home.lock(check if wait else None):
            before, data = _before(home, called)
            try:
                return Build(home, before, data, sources, words, limit_mb, progress, check, called).run()
            finally:
                if data is not None:
                    data.close()
    except OSError as error:
        raise BadInput(t("wrong.corpus.not_written", called=called, why=cause(error))) from None


class Build:
    """One build: the files, what changed in them, and the new index."""

    def __init__(
        self,
        home: Home,
        before: Meta | None,
        data: Data | None,
        sources: Sequence[Path],
        words: str | None,
        limit_mb: float | None,
        progress: Progress,
        check: Callable[[], None],
        called: str,
    ) -> None:
        self.home, self.before, self.progress, self.check = home, before, progress, check
        paths = list(sources) or [Path(source) for source in (before.sources if before else ())]
        if not paths:
            raise BadInput(t("wrong.corpus.nothing", called=called))
        self.paths = [Path(os.path.abspath(path.expanduser())) for path in paths]
        for path in self.paths:
            if not os.path.lexists(path):
                raise BadInput(t("wrong.corpus.no_path", path=path))
        self.words = Tokeniser(words or (before.words if before else DEFAULT))
        self.limit_mb = limit_mb if limit_mb is not None else before.limit_mb if before else LIMIT_MB
        if not 0 < self.limit_mb < 100_000:
            raise BadInput(t("wrong.corpus.limit", limit_mb=self.limit_mb))
        self.limit = int(self.limit_mb * 1024 * 1024)
        self.data = data if before is not None and before.words_id == self.words.id else None
        self.old = {file.path: file for file in self.data.sources()} if self.data else {}
        self.skipped: list[tuple[str, str]] = []
        self.held: _Part | None = None
        """The first file that changed, read but not added yet."""

    def run(self) -> Report:
        found, self.skipped = walk(self.paths)
        kept = self._unchanged(found)
        self.progress(len(kept), len(found), "")
        bad = self._first_changed([source for source in found if key(source.path) not in kept])
        if self.before is not None and self.data is not None and self.held is None and len(kept) == len(self.old):
            sources = [key(path) for path in self.paths]
            if self.before.sources != sources or self.before.limit_mb != self.limit_mb:
                self.home.write(msgspec.structs.replace(self.before, sources=sources, limit_mb=self.limit_mb))
            return Report(0, len(kept), 0, self.skipped)
        with self.home.generation() as folder:
            writer = Writer(folder, self.words)
            try:
                indexed = self._fill(writer, [source for source in found if source.path not in bad], kept)
                self.progress(len(found), len(found), "")
                if not writer.passages:
                    raise BadInput(_nothing(self.paths, self.skipped))
                languages = writer.finish(self.check)
            except BaseException:
                writer.abandon()
                raise
            self.home.publish(folder, self._meta(folder, writer, languages))
        return Report(len(indexed), len(kept), len(self.old.keys() - kept.keys() - indexed), self.skipped)

    def _unchanged(self, found: Sequence[Source]) -> dict[str, File]:
        kept: dict[str, File] = {}
        for source in found:
            self.check()
            known = self.old.get(key(source.path))
            if known is not None and known.name == source.name and self._same(source.path, known):
                kept[known.path] = known
                self.skipped += [(known.name, reason) for reason in known.odd]
        return kept

    def _same(self, path: Path, known: File) -> bool:
        """Whether a file is unchanged: by its time, or by its bytes if the time is close to that of the index."""
        try:
            status = path.stat()
            if status.st_size != known.size or status.st_size > self.limit or self.before is None:
                return False
            if status.st_mtime_ns == known.mtime_ns and status.st_mtime_ns < self.before.built_ns - 2_000_000_000:
                return True
            return hashlib.sha256(load(path, self.limit)[0]).hexdigest() == known.sha256
        except (OSError, Unreadable):
            return False

    def _first_changed(self, fresh: Sequence[Source]) -> set[Path]:
        """Reads new and changed files up to the first that can be read; returns those before it. If none can, the index stays as it is."""
        bad: set[Path] = set()
        for source in fresh:
            self.check()
            self.held = self.read(source)
            if self.held is not None:
                break
            bad.add(source.path)
        return bad

    def _fill(self, writer: Writer, found: Sequence[Source], kept: dict[str, File]) -> set[str]:
        """Adds all files; returns the paths of those that were read."""
        numbers = writer.renumber(self.data, list(kept.values())) if self.data is not None else None
        indexed: set[str] = set()
        for done, source in enumerate(found):
            self.check()
            known = kept.get(key(source.path))
            if known is not None and self.data is not None and numbers is not None:
                writer.keep(self.data, known, numbers)
                continue
            self.progress(done, len(found), source.name)
            part = self.held if self.held is not None and self.held.source is source else self.read(source)
            self.held = None
            if part is not None:
                writer.add(part.documents, part.file)
                indexed.add(part.file.path)
        return indexed

    def read(self, source: Source) -> _Part | None:
        """A file's documents, and what it was when it was read; None, and why in `skipped`, where there are none."""
        odd: list[str] = []
        try:
            data, status = load(source.path, self.limit)
            documents = parse(source.path.suffix.lower(), data, source.name, self.limit, odd.append)
        except Unreadable as error:
            self.skipped.append((source.name, str(error)))
            return None
        self.skipped += [(source.name, reason) for reason in odd]
        digest = hashlib.sha256(data).hexdigest()
        return _Part(source, documents, File(key(source.path), source.name, status.st_size, status.st_mtime_ns, digest, odd=odd))

    def _meta(self, folder: Path, writer: Writer, languages: str) -> Meta:
        return Meta(
            format=FORMAT,
            generation=folder.name,
            words=self.words.name,
            words_id=self.words.id,
            passages=writer.passages,
            documents=writer.documents,
            languages=languages,
            built=datetime.now(UTC).isoformat(timespec="seconds"),
            built_ns=time.time_ns(),
            sources=[key(path) for path in self.paths],
            limit_mb=self.limit_mb,
            sizes={},
        )


class _Part(NamedTuple):
    source: Source
    documents: list[Document]
    file: File


def _before(home: Home, called: str) -> tuple[Meta | None, Data | None]:
    """The index as it is; what cannot be read is built again."""
    try:
        meta = home.meta(called)
        return meta, Data(home.path / meta.generation)
    except (RetrievalError, OSError, ValueError):
        return None, None


def _nothing(paths: Sequence[Path], skipped: list[tuple[str, str]]) -> str:
    where = ", ".join(str(path) for path in paths[:3])
    if not skipped:
        return f"There is nothing to index in {where}: it holds no file; give one with {', '.join(SUFFIXES)} files."
    name, reason = skipped[0]
    more = f" (and {len(skipped) - 1} more)" if len(skipped) > 1 else ""
    return f"There is nothing to index in {where}: {name} was left out because {reason}{more}."
