"""Builds an index, or brings one up to date: files that are as they were are taken over with their words, the others read and cut."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from ...sessions.errors import BadInput
from .documents import SUFFIXES, Document, Unreadable, load, parse
from .home import FORMAT, Home, Meta
from .index import Data, File, Writer, fingerprint
from .port import RetrievalError
from .sources import Source, walk
from .words import DEFAULT, Words

Progress = Callable[[int, int, str], None]
LIMIT_MB = 50.0


class Report(NamedTuple):
    """What a build did, in files."""

    indexed: int
    unchanged: int
    removed: int
    skipped: list[tuple[str, str]]
    """Files and rows left out, each with the reason."""


class Cancelled(Exception):
    """The build was stopped; the corpus is as it was before."""


def quiet(done: int, total: int, file: str) -> None:
    """For those who show no progress."""


def never() -> bool:
    """For those who do not stop it."""
    return False


def build(
    home: Home,
    sources: Sequence[Path],
    words: str | None,
    limit_mb: float | None,
    progress: Progress,
    cancelled: Callable[[], bool],
    called: str,
) -> Report:
    """As Corpora.build, for the corpus in `home`, whose parent folder is there."""

    def check() -> None:
        if cancelled():
            raise Cancelled

    with home.lock():
        before, data = _before(home, called)
        try:
            paths = list(sources) or [Path(source) for source in (before.sources if before else ())]
            if not paths:
                raise BadInput(f"There is nothing to index: run `verifytui index PATH --name {called}`.")
            for path in paths:
                if not path.expanduser().exists():
                    raise BadInput(f"{path} does not exist; give a folder or a file to index.")
            cutter = Words(words or (before.words if before else DEFAULT))
            limit = limit_mb if limit_mb is not None else before.limit_mb if before else LIMIT_MB
            if not limit > 0:
                raise BadInput(f"The limit must be more than 0 MB, not {limit:g}.")
            if before is not None and (before.words_id != cutter.id):
                data, old = None, {}
            else:
                old = {file.path: file for file in data.sources()} if data else {}
            found, skipped = walk(paths)
            unchanged: dict[str, File] = {}
            fresh: list[Source] = []
            for source in found:
                check()
                known = old.get(str(source.path))
                if known is not None and before is not None and known.name == source.name and _same(source.path, known, before, limit):
                    unchanged[known.path] = known
                    skipped += [(known.name, reason) for reason in known.odd]
                else:
                    fresh.append(source)
            absolute = [str(path.expanduser().absolute()) for path in paths]
            progress(len(unchanged), len(found), "")
            size = int(limit * 1024 * 1024)
            held: tuple[Source, list[Document], File] | None = None
            bad: set[Path] = set()
            for source in fresh:  # up to the first that can be read: where none can, the index stays as it is
                check()
                held = _read(source, size, skipped)
                if held is not None:
                    break
                bad.add(source.path)
            if before is not None and data is not None and held is None and len(unchanged) == len(old):
                if before.sources != absolute or before.limit_mb != limit:
                    home.write(msgspec.structs.replace(before, sources=absolute, limit_mb=limit))
                return Report(0, len(unchanged), 0, skipped)
            with home.generation() as folder:
                writer = Writer(folder, cutter)
                indexed: list[str] = []
                try:
                    numbers = writer.renumber(data, list(unchanged.values())) if data is not None else None
                    for done, source in enumerate(found):
                        check()
                        kept = unchanged.get(str(source.path))
                        if kept is not None and data is not None and numbers is not None:
                            writer.keep(data, kept, numbers)
                        elif source.path not in bad:
                            progress(done, len(found), source.name)
                            part = held if held is not None and held[0] is source else _read(source, size, skipped)
                            if part is not None:
                                writer.add(part[1], part[2])
                                indexed.append(part[2].path)
                    held = None
                    progress(len(found), len(found), "")
                    if not writer.passages:
                        raise BadInput(_nothing(paths, skipped))
                    languages = writer.finish(check)
                except BaseException:
                    writer.abandon()
                    raise
                now = datetime.now(UTC)
                meta = Meta(
                    format=FORMAT,
                    generation=folder.name,
                    words=cutter.name,
                    words_id=cutter.id,
                    passages=writer.passages,
                    documents=writer.documents,
                    languages=languages,
                    built=now.isoformat(timespec="seconds"),
                    built_ns=time.time_ns(),
                    sources=absolute,
                    limit_mb=limit,
                    sizes={},
                )
                home.publish(folder, meta)
            gone = len(old.keys() - unchanged.keys() - set(indexed))
            return Report(len(indexed), len(unchanged), gone, skipped)
        finally:
            if data is not None:
                data.close()


def _before(home: Home, called: str) -> tuple[Meta | None, Data | None]:
    """The index as it is; what cannot be read is made anew."""
    try:
        meta = home.meta(called)
        return meta, Data(home.path / meta.generation)
    except (RetrievalError, OSError, ValueError):
        return None, None


def _same(path: Path, known: File, before: Meta, limit: float) -> bool:
    """True if a file is as it was when it was indexed. Its time tells, unless that is about when the index was made; then its bytes do."""
    try:
        status = path.stat()
        if status.st_size != known.size or status.st_size > limit * 1024 * 1024:
            return False
        if status.st_mtime_ns == known.mtime_ns and status.st_mtime_ns < before.built_ns - 2_000_000_000:
            return True
        return hashlib.sha256(load(path, int(limit * 1024 * 1024))).hexdigest() == known.sha256
    except (OSError, Unreadable):
        return False


def _read(source: Source, limit: int, skipped: list[tuple[str, str]]) -> tuple[Source, list[Document], File] | None:
    """A file's documents, and what it was when it was read; None, and why in `skipped`, where there are none."""
    odd: list[str] = []
    try:
        data = load(source.path, limit)
        documents = parse(source.path.suffix.lower(), data, source.name, limit, odd.append)
        file = File(str(source.path), source.name, **fingerprint(source.path, data), odd=odd)
    except (Unreadable, OSError) as error:
        skipped.append((source.name, str(error)))
        return None
    skipped += [(source.name, reason) for reason in odd]
    return source, documents, file


def _nothing(paths: Sequence[Path], skipped: list[tuple[str, str]]) -> str:
    where = ", ".join(str(path) for path in paths[:3])
    if not skipped:
        return f"There is nothing to index in {where}: it holds no file; give one with {', '.join(SUFFIXES)} files."
    name, reason = skipped[0]
    more = f" (and {len(skipped) - 1} more)" if len(skipped) > 1 else ""
    return f"There is nothing to index in {where}: {name} was left out because {reason}{more}."
