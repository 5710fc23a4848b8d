"""Cases from files: LeCaRD and LeCaRDv2 as published, JSON lines, and plain text or
Word files with one case each.

Only the basic facts of a judgment are read (LCR, section 4.1; LeCaRD calls them
`ajjbqk`, LeCaRDv2 `fact`), never its reasons or result.
"""

from __future__ import annotations

import io
import json
import os
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from ....sessions.clean import scrub
from ....sessions.errors import BadInput, bad_input
from ...metrics.values import first_in
from ...retrieval.documents import Unreadable, decode, load, parse

LARGEST = 200 * 1024 * 1024
"""Bytes of a file of cases, also unpacked."""
LARGEST_CASE = 10 * 1024 * 1024
"""Bytes of a file that is one case."""

TEXTS = ("ajjbqk", "ajbqk", "fact", "text", "q", "query")
"""Where a record has the basic facts; the first one that it has counts."""
IDS = ("id", "did", "pid", "qid", "ridx")
"""Fields of a case's id; its id as a candidate comes before its id as a query.

A candidate of LeCaRD has none and is named after its file.
"""
TITLES = ("title", "ajName")

JSON = (".json", ".jsonl")


class CaseFile(NamedTuple):
    """A case as read from a file."""

    id: str
    text: str
    """The basic facts."""
    title: str = ""
    under: str = ""
    """Name of the folder it lies in: LeCaRD puts a query's candidates into a folder
    that is called like the query.
    """

    def as_json(self) -> dict[str, Any]:
        """Return {id, text, title?}, as a session stores it."""
        return {"id": self.id, "text": self.text} | (
            {"title": self.title} if self.title else {}
        )


def read_query(path: Path) -> CaseFile:
    """Return the one query of a file, or with `FILE#ID` the one with that id.

    Raises: BadInput if there are several, or no such query.
    """
    file, mark, wanted = str(path).rpartition("#")
    if not mark or os.path.lexists(path):
        found = read_queries(path)
        if len(found) > 1:
            ids = ", ".join(one.id for one in found[:3])
            raise bad_input(
                "wrong.cases.several_queries",
                path=path,
                n=len(found),
                ids=ids,
                id=found[0].id,
            )
        return found[0]
    known = [one for one in read_queries(Path(file)) if one.id == wanted]
    if not known:
        raise bad_input("wrong.cases.no_query", file=file, id=wanted[:60])
    return known[0]


def read_queries(path: Path) -> list[CaseFile]:
    """Return all queries of a file or folder. Raises: BadInput."""
    return _once(list(_read(path)))


def read_cases(paths: Sequence[Path]) -> Iterator[CaseFile]:
    """Return all cases of files, folders and zips, including duplicates.

    Raises: BadInput if anything cannot be read.
    """
    for path in paths:
        yield from _read(path)


def read_candidates(paths: Sequence[Path], query: str) -> list[CaseFile]:
    """Return the candidates of a query from files, folders and zips, in the given
    order; in a folder, by name. Raises: BadInput.

    If a folder or zip has a folder with the query's name, only the files in that folder
    are candidates.
    """
    return CandidateFiles(paths).of(query)


class CandidateFiles:
    """The cases of files, folders and zips, read once for many queries."""

    def __init__(self, paths: Sequence[Path]) -> None:
        """Raises: BadInput if anything cannot be read."""
        self._sources = [list(_read(path)) for path in paths]

    def of(self, query: str) -> list[CaseFile]:
        """Return the candidates of a query. Raises: BadInput if there are none, or two
        have the same id.
        """
        found = []
        for source in self._sources:
            own = [one for one in source if one.under == query]
            found += own or source
        if not found:
            raise bad_input("wrong.cases.candidates")
        return _once(found)


def case_of(value: object, where: str, otherwise: str | None = None) -> CaseFile:
    """Return a case from a text or a record, which may be LeCaRD's own.

    `otherwise` is the id of a record without one. A text without an id gets a digest of
    itself, so that equal texts are the same case.

    Raises: BadInput, which says what `where` lacks.
    """
    if isinstance(value, str):
        value = {"text": value}
    if not isinstance(value, Mapping):
        raise bad_input("wrong.cases.no_case", where=where)
    name = next((one for one in TEXTS if value.get(one) is not None), None)
    if name is None:
        raise bad_input("wrong.cases.no_facts", where=where)
    text = value[name]
    if not isinstance(text, str):
        raise bad_input("wrong.cases.field", where=where, name=name)
    if not any(sign.isalnum() for sign in text):
        raise bad_input("wrong.cases.empty", where=where)
    if "\0" in text:
        raise bad_input("wrong.cases.binary", where=where)
    raw = first_in(value, IDS)
    raw = otherwise if raw is None else raw
    if raw is None:
        import hashlib

        raw = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    if isinstance(raw, bool) or not isinstance(raw, str | int) or not str(raw).strip():
        raise bad_input("wrong.cases.odd_id", where=where)
    title = first_in(value, TITLES, str) or ""
    return CaseFile(
        scrub(str(raw))[0],
        scrub(text)[0].strip(),
        scrub(title)[0].strip(),
    )


def _read(path: Path) -> Iterator[CaseFile]:
    if path.is_dir():
        yield from _folder(path)
        return
    suffix = path.suffix.lower()
    data = _load(path, LARGEST if suffix in (*JSON, ".zip") else LARGEST_CASE)
    if suffix == ".zip":
        yield from _zip(data, path)
    else:
        yield from _parsed(suffix, data, str(path), path.parent.name)


def _folder(folder: Path) -> Iterator[CaseFile]:
    files = sorted(
        (
            file
            for file in folder.rglob("*")
            if file.is_file() and not _hidden(file.relative_to(folder).parts)
        ),
        key=lambda file: [_natural(part) for part in file.relative_to(folder).parts],
    )
    if not files:
        raise bad_input("wrong.cases.no_files", folder=folder)
    for file in files:
        yield from _read(file)


def _zip(data: bytes, path: Path) -> Iterator[CaseFile]:
    for name, content in _unpacked(data, path):
        inner = PurePosixPath(name)
        yield from _parsed(
            inner.suffix.lower(), content, f"{path}/{name}", inner.parent.name
        )


def _unpacked(data: bytes, path: Path) -> Iterator[tuple[str, bytes]]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = [
                part
                for part in archive.infolist()
                if not part.is_dir() and not _hidden(PurePosixPath(part.filename).parts)
            ]
            if sum(part.file_size for part in parts) > LARGEST:
                raise bad_input(
                    "wrong.cases.zip_large", path=path, most=LARGEST // 1024 // 1024
                )
            for part in sorted(
                parts,
                key=lambda one: [
                    _natural(name) for name in PurePosixPath(one.filename).parts
                ],
            ):
                yield part.filename, archive.read(part)
    except BadInput:
        raise
    # whatever the unpacking of a damaged zip ends in: zlib.error, LZMAError, IndexError
    # …
    except Exception as error:
        raise bad_input(
            "wrong.cases.no_zip", path=path, kind=type(error).__name__
        ) from None


def _parsed(suffix: str, data: bytes, where: str, under: str) -> Iterator[CaseFile]:
    """Return the cases in the bytes of a file."""
    stem = PurePosixPath(where).stem
    if suffix in JSON:
        for number, record in _records(data, where):
            made = case_of(
                record,
                where if number is None else f"{where}, line {number}",
                stem if number is None else f"{stem}-{number}",
            )
            yield made._replace(under=under)
        return
    try:
        if suffix == ".txt":
            decode(data)  # a case is not read in an encoding that is guessed
        documents = parse(suffix, data, where, LARGEST)
    except Unreadable as error:
        raise bad_input("wrong.cases.unread", where=where, error=error) from None
    for number, document in enumerate(documents, 1):
        alone = len(documents) == 1
        title = (
            "" if document.title in (stem, stem.replace("_", " ")) else document.title
        )
        yield CaseFile(
            stem if alone else f"{stem}-{number}",
            _checked(document.text, where),
            title,
            under,
        )


def _records(data: bytes, where: str) -> Iterator[tuple[int | None, object]]:
    """Return the objects of JSON, or of JSON lines with their numbers: LeCaRD's
    query.json is JSON lines.
    """
    try:
        text = decode(data)
    except Unreadable as error:
        raise bad_input("wrong.cases.unread", where=where, error=error) from None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, list):
        yield from enumerate(value, 1)
        return
    if isinstance(value, dict):
        yield None, value
        return
    lines = [
        (number, line)
        for number, line in enumerate(text.split("\n"), 1)
        if line.strip()
    ]
    if not lines:
        raise bad_input("wrong.cases.empty", where=where)
    for number, line in lines:
        try:
            yield number, json.loads(line)
        except (ValueError, RecursionError):
            raise bad_input("wrong.cases.line", where=where, number=number) from None


def _checked(text: str, where: str) -> str:
    if not any(sign.isalnum() for sign in text):
        raise bad_input("wrong.cases.empty", where=where)
    return text.strip()


def _load(path: Path, most: int) -> bytes:
    try:
        data = load(path, most)[0]
    except Unreadable as error:
        raise bad_input("wrong.cases.unread", where=path, error=error) from None
    if not data.strip():
        raise bad_input("wrong.cases.empty_file", path=path)
    return data


def _hidden(parts: Iterable[str]) -> bool:
    """Return whether a file is hidden, or one that macOS adds to zips."""
    return any(part.startswith(".") or part == "__MACOSX" for part in parts)


def _natural(name: str) -> list[tuple[int, int, str]]:
    """Sort key that puts 2.json before 10.json."""
    return [
        (0, int(part), "") if part.isdecimal() else (1, 0, part)
        for part in re.split(r"(\d+)", name)
        if part
    ]


def _once(found: list[CaseFile]) -> list[CaseFile]:
    seen = set()
    for one in found:
        if one.id in seen:
            raise bad_input("wrong.cases.same_id", id=one.id[:60])
        seen.add(one.id)
    return found
