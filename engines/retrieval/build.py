"""Builds or updates an index.

Unchanged files keep their words; new and changed files are read and tokenised.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from ...sessions.errors import BadInput, bad_input, cause
from ...sessions.files import own_folder
from ...texts import t
from .documents import ROWS, Document, LargeText, Unreadable, opened
from .home import FORMAT, BuildLock, CorpusFolder, Meta
from .index import Data, IndexedFile, IndexWriter
from .kinds import FileFormat, kinds
from .pace import ReadingSpeed
from .passages import DEFAULT as DEFAULT_SIZE
from .passages import PassageSize
from .port import RetrievalError
from .readings import FileReading, Stream, streamed
from .sources import EVERY_FILE, FileFilter, SourceFile, key, walk
from .store import load as load_array
from .tokeniser import DEFAULT, Tokeniser
from .workers import readings

Progress = Callable[[int, int, str], None]
LIMIT_MB = 50.0


class BuildRequest(NamedTuple):
    """The options of a build. An option that is not set keeps its value."""

    sources: Sequence[Path] = ()
    """Folders and files; none: those that the corpus was made of."""
    words: str | None = None
    """Name of the tokeniser."""
    limit_mb: float | None = None
    passage_size: int | None = None
    """Words of a passage."""
    overlap: int | None = None
    """Sentences that two passages of a paragraph share."""
    include: tuple[str, ...] | None = None
    """Patterns of the only files that are taken."""
    exclude: tuple[str, ...] | None = None
    """Patterns of files and folders that are not taken."""
    add: bool = False
    """The sources come to those that there are."""
    replace: bool = False
    """The sources take the place of those that there are."""
    ocr: str = ""
    """The command that reads pages of PDF without text."""


class BuildReport(NamedTuple):
    """The result of a build, counted in files."""

    indexed: int
    unchanged: int
    removed: int
    skipped: list[tuple[str, str]]
    """Files and rows that were left out, each with the reason."""
    remarks: list[tuple[str, str]] = []
    """Files that were read, and what the user should know of how."""
    kinds: list[FileFormat] = []
    """What the corpus holds now, and what was left out, by the ending of the files."""


class OtherSources(BadInput):
    """The corpus has other sources, and the caller did not choose between adding and
    replacing.
    """

    def __init__(
        self, called: str, before: Sequence[Path], asked: Sequence[Path]
    ) -> None:
        super().__init__(
            t(
                "wrong.corpus.other_sources",
                name=called,
                before=_listed(before),
                paths=_listed(asked),
            )
        )
        self.before, self.asked = before, asked


class BuildCancelled(Exception):
    """The build was stopped; the corpus is as it was before."""


def quiet(done: int, total: int, file: str) -> None:
    """Shows no progress."""


def never() -> bool:
    """Never stops the build."""
    return False


def build(
    home: CorpusFolder,
    order: BuildRequest,
    progress: Progress,
    cancelled: Callable[[], bool],
    called: str,
    *,
    wait: bool = False,
    pace: ReadingSpeed | None = None,
) -> BuildReport:
    """Like Corpora.build, for the corpus in `home`.

    `wait`: waits while another process builds it.
    """

    def check() -> None:
        if cancelled():
            raise BuildCancelled

    own_folder(home.path.parent)
    try:
        with home.lock(check if wait else None) as turn:
            before, data = _before(home, called)
            try:
                return Build(
                    home,
                    turn,
                    before,
                    data,
                    order,
                    progress,
                    check,
                    called,
                    pace or ReadingSpeed(),
                ).run()
            finally:
                if data is not None:
                    data.close()
    except OSError as error:
        raise bad_input(
            "wrong.corpus.not_written", name=called, why=cause(error)
        ) from None


class Build:
    """One build: the files, what changed in them, and the new index."""

    def __init__(
        self,
        home: CorpusFolder,
        turn: BuildLock,
        before: Meta | None,
        data: Data | None,
        order: BuildRequest,
        progress: Progress,
        check: Callable[[], None],
        called: str,
        pace: ReadingSpeed,
    ) -> None:
        self.pace = pace
        self.home, self.turn, self.before, self.progress, self.check = (
            home,
            turn,
            before,
            progress,
            check,
        )
        self.paths = _paths(order, home.sources(), called)
        self.words = Tokeniser(order.words or (before.words if before else DEFAULT))
        self.limit_mb = (
            order.limit_mb
            if order.limit_mb is not None
            else before.limit_mb
            if before
            else LIMIT_MB
        )
        if not 0 < self.limit_mb < 100_000:
            raise bad_input("wrong.corpus.limit", limit_mb=self.limit_mb)
        self.limit = int(self.limit_mb * 1024 * 1024)
        self.ocr = _command(order.ocr)
        self.size = _size(order, before)
        known = before.files if before else EVERY_FILE
        self.files = FileFilter(
            known.include if order.include is None else order.include,
            known.exclude if order.exclude is None else order.exclude,
        )
        same = before is not None and (before.words_id, before.size) == (
            self.words.id,
            self.size,
        )
        self.data = data if same else None
        self.old = (
            {file.path: file for file in self.data.sources()} if self.data else {}
        )
        self.skipped: list[tuple[str, str]] = []
        self.remarks: list[tuple[str, str]] = []
        self.unread: list[str] = []
        """Names of the files that were left out as a whole."""
        self.rows_read = self.rows_total = 0
        """Bytes of large files of rows and plain text."""

    def run(self) -> BuildReport:
        self._tell(0, 0, "")
        found, self.skipped = walk(self.paths, self.files)
        found = [source._replace(ocr=self.ocr) for source in found]
        kept = self._unchanged(found)
        fresh = [source for source in found if key(source.path) not in kept]
        self.rows_total = sum(streamed(source.path, self.limit) for source in fresh)
        self._tell(len(kept), len(found), "")
        with closing(readings(fresh, self.limit, self.check)) as read:
            parts = self._readable(fresh, read, len(found))
            # if no file can be read anew, the index stays as it is
            first = next(parts, None)
            if (
                self.before is not None
                and self.data is not None
                and first is None
                and len(kept) == len(self.old)
            ):
                self._remember(self.before)
                return BuildReport(
                    0,
                    len(kept),
                    0,
                    self.skipped,
                    self.remarks,
                    self._kinds(self.data.folder),
                )
            with self.home.generation() as folder:
                writer = IndexWriter(folder, self.words, self.size)
                try:
                    indexed = self._fill(writer, found, kept, first, parts)
                    self._tell(len(found), len(found), "")
                    if not writer.passages:
                        raise BadInput(_nothing(self.paths, self.skipped))
                    languages = writer.finish(self.check)
                except BaseException:
                    writer.abandon()
                    raise
                told = self._kinds(folder)
                self.home.publish(folder, self._meta(folder, writer, languages))
        removed = len(self.old.keys() - kept.keys() - indexed)
        return BuildReport(
            len(indexed), len(kept), removed, self.skipped, self.remarks, told
        )

    def _tell(self, done: int, total: int, file: str) -> None:
        self.turn.tell(done, total)
        if total:
            self.progress(done, total, file)

    def _remember(self, before: Meta) -> None:
        """Keeps what is asked of an index that stays as it is otherwise."""
        new = msgspec.structs.replace(
            before,
            sources=[key(path) for path in self.paths],
            limit_mb=self.limit_mb,
            files=self.files,
        )
        if new != before:
            self.home.write(new)

    def _unchanged(self, found: Sequence[SourceFile]) -> dict[str, IndexedFile]:
        kept = {}
        for source in found:
            self.check()
            known = self.old.get(key(source.path))
            scans = known is not None and known.remarks and self.ocr
            if (
                known is not None
                and not (scans and source.path.suffix.lower() == ".pdf")
                and known.name == source.name
                and self._same(source.path, known)
            ):
                kept[known.path] = known
                self.skipped += [(known.name, reason) for reason in known.odd]
                self.remarks += [(known.name, remark) for remark in known.remarks]
        return kept

    def _same(self, path: Path, known: IndexedFile) -> bool:
        """Return whether a file is unchanged: by its time, or by its bytes if the time
        is close to that of the index.
        """
        try:
            status = path.stat()
            large = status.st_size > self.limit and path.suffix.lower() not in ROWS
            if status.st_size != known.size or large or self.before is None:
                return False
            if (
                self.limit_mb != self.before.limit_mb
                and known.size > min(self.limit_mb, self.before.limit_mb) * 1024 * 1024
            ):
                return False  # other rows may be too long now
            if (
                status.st_mtime_ns == known.mtime_ns
                and status.st_mtime_ns < self.before.built_ns - 2_000_000_000
            ):
                return True
            with opened(path) as (file, _):
                return hashlib.file_digest(file, "sha256").hexdigest() == known.sha256
        except (OSError, Unreadable):
            return False

    def _readable(
        self,
        fresh: Sequence[SourceFile],
        read: Iterator[FileReading | Stream | LargeText],
        total: int,
    ) -> Iterator[_ReadFile]:
        """Return the new and changed files that can be read, as far as is known
        so far.
        """
        for done, source in enumerate(fresh, total - len(fresh)):
            self._tell(done, total, source.name)
            reading = next(read)
            if isinstance(reading, Stream | LargeText) or reading.documents:
                yield _ReadFile(source, reading, done, total)
            else:
                self._leave_out(source, reading.why)

    def _fill(
        self,
        writer: IndexWriter,
        found: Sequence[SourceFile],
        kept: dict[str, IndexedFile],
        part: _ReadFile | None,
        parts: Iterator[_ReadFile],
    ) -> set[str]:
        """Adds all files in their order; returns the paths of those that were read."""
        indexed = set()
        for source in found:
            self.check()
            known = kept.get(key(source.path))
            if known is not None and self.data is not None:
                writer.keep(self.data, known)
            elif part is not None and part.source is source:
                try:
                    writer.add(
                        self._documents(part),
                        file := IndexedFile(key(source.path), source.name, 0, 0, ""),
                    )
                except Unreadable as error:  # a stream that breaks off
                    self._leave_out(source, str(error))
                else:
                    self._added(part, file)
                    indexed.add(file.path)
                if isinstance(part.read, Stream | LargeText):
                    self.rows_read += streamed(source.path, self.limit)
                    self.pace.rows(self.rows_read, self.rows_total)
                part = next(parts, None)
        return indexed

    def _documents(self, part: _ReadFile) -> Iterator[Document | LargeText]:
        """The documents of a file. While a large one is read, the progress is shown."""
        if isinstance(part.read, LargeText):
            part.read.watch = lambda: self._read_on(part, part.source.name)
        documents: Iterator[Document | LargeText] = iter(part.read)
        for number, document in enumerate(documents):
            if number and number % 1000 == 0:
                self._read_on(part, document.file)
            yield document

    def _read_on(self, part: _ReadFile, file: str) -> None:
        self.check()
        share = ""
        if isinstance(part.read, Stream | LargeText):
            share = f" ({part.read.share():.0%})"
            self.pace.rows(
                self.rows_read + int(part.read.share() * part.read.size),
                self.rows_total,
            )
        self._tell(part.done, part.total, file + share)

    def _added(self, part: _ReadFile, file: IndexedFile) -> None:
        """Record in `file` its state when it was read."""
        read = part.read
        file.size, file.mtime_ns, file.sha256, file.odd, file.remarks = (
            read.size,
            read.mtime_ns,
            read.sha256,
            read.odd,
            read.remarks,
        )
        self.skipped += [(file.name, reason) for reason in read.odd]
        self.remarks += [(file.name, remark) for remark in read.remarks]

    def _leave_out(self, source: SourceFile, why: str) -> None:
        self.skipped.append((source.name, why))
        self.unread.append(source.name)

    def _kinds(self, folder: Path) -> list[FileFormat]:
        return kinds(
            msgspec.json.decode(
                (folder / "sources.json").read_bytes(), type=list[IndexedFile]
            ),
            load_array(folder, "tokens_at"),
            self.unread,
        )

    def _meta(self, folder: Path, writer: IndexWriter, languages: str) -> Meta:
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
            dense=self.home.dense(),
            digest=_digest(f"{self.words.id} {tuple(self.size)}", writer.files),
            size=self.size,
            files=self.files,
        )


def _command(ocr: str) -> tuple[str, ...]:
    """The words of a command for OCR.

    Raises: BadInput if it cannot be run.
    """
    try:
        words = tuple(shlex.split(ocr))
    except ValueError:
        words = ("",)
    if words and shutil.which(words[0]) is None:
        raise bad_input("wrong.corpus.ocr", command=(ocr.split() or [""])[0])
    return words


def _size(order: BuildRequest, before: Meta | None) -> PassageSize:
    known = before.size if before else DEFAULT_SIZE
    overlap = order.overlap if order.overlap is not None else known.overlap
    return PassageSize(order.passage_size or known.words, overlap)


def _digest(words: str, files: Sequence[IndexedFile]) -> str:
    """A digest of the tokeniser and of the names and contents of all files."""
    lines = sorted(f"{file.sha256} {file.passages} {file.name}" for file in files)
    content = "\n".join([str(FORMAT), words, *lines])
    return f"sha256:{hashlib.sha256(content.encode('utf-8', 'replace')).hexdigest()}"


class _ReadFile(NamedTuple):
    """A file that was read or opened, as the `done`-th of `total`."""

    source: SourceFile
    read: FileReading | Stream | LargeText
    done: int
    total: int


def _paths(order: BuildRequest, known: Sequence[str], called: str) -> list[Path]:
    """The folders and files of the corpus from now on; `known`: those that it was made
    of before.
    """
    asked = [Path(os.path.abspath(path.expanduser())) for path in order.sources]
    before = [Path(path) for path in known]
    for path in asked:
        if not os.path.lexists(path):
            raise bad_input("wrong.corpus.no_path", path=path)
    if order.add and order.replace:
        raise bad_input("wrong.corpus.add_and_replace")
    if not asked and not before:
        raise bad_input("wrong.corpus.nothing", name=called)
    if asked and (
        order.replace or not before or {key(path) for path in asked} == set(known)
    ):
        return asked
    if asked and not order.add:
        raise OtherSources(called, before, asked)
    for path in before:
        if not os.path.lexists(path):
            raise bad_input("wrong.corpus.source_gone", path=path, name=called)
    return list(dict.fromkeys([*before, *asked]))


def _listed(paths: Sequence[Path]) -> str:
    more = [t("wrong.corpus.more_paths", n=len(paths) - 3)] if len(paths) > 3 else []
    return ", ".join([*map(str, paths[:3]), *more])


def _before(home: CorpusFolder, called: str) -> tuple[Meta | None, Data | None]:
    """The index as it is; what cannot be read is built again."""
    try:
        meta = home.meta(called)
        return meta, Data(home.path / meta.generation)
    except (RetrievalError, OSError, ValueError):
        return None, None


def _nothing(paths: Sequence[Path], skipped: list[tuple[str, str]]) -> str:
    where = ", ".join(str(path) for path in paths[:3])
    if not skipped:
        return t(
            "wrong.corpus.no_file",
            where=where,
            endings=".txt, .md, .rst, .html, .pdf, .docx, .jsonl",
        )
    name, reason = skipped[0]
    more = t("wrong.corpus.and_more", n=len(skipped) - 1) if len(skipped) > 1 else ""
    return t(
        "wrong.corpus.all_left_out", where=where, file=name, reason=reason, more=more
    )
