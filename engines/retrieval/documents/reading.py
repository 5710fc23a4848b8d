"""Reads files into documents, each kind by its reader.

A faulty file gives one sentence.
"""

from __future__ import annotations

import io
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path, PurePosixPath
from zipfile import ZipFile, ZipInfo

from ....sessions import plugins
from ....sessions.clean import scrub
from ....sessions.errors import cause
from ....texts import t
from ..structure import Markup
from . import (
    books,
    html,
    mail,
    marked,
    notebook,
    office,
    pdf,
    restructured,
    rows,
    rtf,
    sheets,
    source,
    tex,
    text,
    word,
    xml_text,
)
from .document import (
    Document,
    RawFile,
    Reader,
    Unreadable,
    ignore,
    megabytes,
    unreadable,
)
from .packed import unpacked
from .page_images import OCR_SECONDS
from .within import Late, within

LIMIT = 50 * 1024 * 1024
"""Most bytes of a file that is read, by default."""

ODD = 10
"""Most skipped rows of a file that are reported one by one."""

_BUILTIN: dict[str, Reader] = {
    "": text.plain_text,
    ".txt": text.plain_text,
    ".text": text.plain_text,
    ".log": text.plain_text,
    ".md": marked.markdown,
    ".markdown": marked.markdown,
    ".mdx": marked.markdown,
    ".rst": restructured.restructured,
    ".adoc": marked.asciidoc,
    ".asciidoc": marked.asciidoc,
    ".asc": marked.asciidoc,
    ".org": marked.org,
    ".tex": tex.tex,
    ".jsonl": rows.json_lines,
    ".ndjson": rows.json_lines,
    ".json": rows.json_file,
    ".csv": rows.table,
    ".tsv": rows.table,
    ".html": html.page,
    ".htm": html.page,
    ".xhtml": html.page,
    ".ipynb": notebook.notebook,
    ".pdf": pdf.pages,
    ".docx": word.word,
    ".pptx": office.slides,
    ".odt": office.open_document,
    ".odp": office.open_document,
    ".epub": books.book,
    ".xlsx": sheets.sheets,
    ".xml": xml_text.xml,
    ".eml": mail.mail,
    ".rtf": rtf.rtf,
    ".srt": marked.captions,
    ".vtt": marked.captions,
    **dict.fromkeys(source.LANGUAGES, source.code),
}
_ADDED = plugins.every("readers", ["zip", *(ending[1:] for ending in _BUILTIN)])
READERS = {**_BUILTIN, **{f".{name}": reader for name, reader in _ADDED.items()}}
"""By the ending of a file, in lower case. A plugin cannot replace a built-in reader."""
SUFFIXES = (*filter(None, READERS), ".zip")
_MARKUPS: dict[Reader | None, Markup] = {
    marked.asciidoc: "asciidoc",
    marked.org: "org",
    source.code: "code",
}

SECONDS = 120.0
"""The longest that the libraries may take for a file of SLOW."""
SLOW = (".pdf", ".docx", ".pptx", ".odt", ".odp", ".epub", ".xlsx", ".xml", ".zip")
_RATIO = 300
"""Bytes that a byte of a zip may unpack to; text hardly has as many."""


def read(
    path: Path,
    limit: int = LIMIT,
    *,
    name: str | None = None,
    odd: Callable[[str], None] = ignore,
    remark: Callable[[str], None] = ignore,
) -> list[Document]:
    """The documents in a file, at least one.

    `limit` in bytes. `name`: what the documents call the file (None: the path). `odd`
    gets one sentence for each skipped row, `remark` each that says how a file was read.
    Raises: Unreadable.
    """
    return parse(
        path.suffix.lower(), load(path, limit)[0], name or str(path), limit, odd, remark
    )


@contextmanager
def opened(path: Path) -> Iterator[tuple[BufferedReader, os.stat_result]]:
    """A regular file to read, and its state at that moment.

    Raises: Unreadable, at the end also if somebody changed the file meanwhile.
    """
    try:
        with open(
            os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY), "rb"
        ) as file:
            before = os.fstat(file.fileno())
            if not stat.S_ISREG(before.st_mode):
                raise unreadable("wrong.documents.irregular")
            yield file, before
            after = os.fstat(file.fileno())
    except (OSError, ValueError) as error:
        raise unreadable("wrong.documents.unread", why=cause(error)) from None
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise unreadable("wrong.documents.changed")


def load(path: Path, limit: int = LIMIT) -> tuple[bytes, os.stat_result]:
    """The bytes of a regular file, and its state at that moment.

    Raises: Unreadable, also if somebody changed the file meanwhile.
    """
    with opened(path) as (file, status):
        if status.st_size > limit:
            raise unreadable("wrong.documents.large", megabytes=megabytes(limit))
        data = file.read(limit + 1)
    if len(data) != status.st_size:
        raise unreadable("wrong.documents.changed")
    return data, status


def markup_of(file: str) -> Markup:
    """The marks in the text of a document, by the name of its file."""
    return _MARKUPS.get(READERS.get(Path(file).suffix.lower()), "markdown")


def parse(
    suffix: str,
    data: bytes,
    name: str,
    limit: int = LIMIT,
    odd: Callable[[str], None] = ignore,
    remark: Callable[[str], None] = ignore,
    ocr: tuple[str, ...] = (),
) -> list[Document]:
    """The documents in the bytes of a file whose name ends in `suffix`.

    `odd` and `remark` as for `read`, `ocr` as in RawFile.

    Raises: Unreadable.
    """
    return list(documents(RawFile(data, name, suffix, limit, odd, remark, ocr)))


def documents(raw: RawFile) -> Iterator[Document]:
    """The documents of a file as they are indexed, at least one.

    `raw.odd` gets the first rows that are left out, and how many more there are.

    Raises: Unreadable, also after some of them.
    """
    reader = READERS.get(raw.suffix)
    if reader is None:
        raise unreadable(
            "wrong.documents.suffix", suffix=raw.suffix or "a file without an ending"
        )
    rows = _Odd()
    found = False
    for document in map(tidy, _read(reader, raw._replace(odd=rows.add))):
        if document.text.strip():
            found = True
            yield document
    if not found:
        raise Unreadable(rows.first[0] if rows.first else t("wrong.documents.nothing"))
    for reason in rows.first:
        raw.odd(reason)
    if rows.count > ODD:
        raw.odd(t("wrong.documents.more_rows", n=rows.count - ODD))


def _members(raw: RawFile) -> Iterator[Document]:
    """The documents of the files in a zip. What is packed within it stays unread."""
    end = time.monotonic() + SECONDS
    try:
        with unpacked(raw) as archive:
            for part in archive.infolist():
                path = PurePosixPath(part.filename)
                if part.is_dir() or any(one.startswith(".") for one in path.parts):
                    continue
                if time.monotonic() > end:
                    raise Late
                try:
                    yield from _member(raw, archive, part)
                except Unreadable as error:
                    raw.odd(t("wrong.documents.member", name=path, why=error))
    except Unreadable:
        raise
    except Exception as error:
        raise unreadable("wrong.documents.zip", kind=type(error).__name__) from None


def _member(raw: RawFile, archive: ZipFile, part: ZipInfo) -> Iterable[Document]:
    path = PurePosixPath(part.filename)
    reader = READERS.get(path.suffix.lower())
    if reader is None or reader is _members:
        raise unreadable("wrong.documents.suffix", suffix=path.suffix)
    if part.flag_bits & 1:
        raise unreadable("wrong.documents.password")
    if path.is_absolute() or part.file_size > max(1, part.compress_size) * _RATIO:
        raise unreadable("wrong.documents.member_odd")
    inner = raw._replace(
        data=archive.read(part),
        name=f"{raw.name}/{path}",
        suffix=path.suffix.lower(),
        limit=raw.limit // 4,
    )
    return [one for one in reader(inner) if one.text.strip()]


READERS[".zip"] = _members


def _read(reader: Reader, raw: RawFile) -> Iterable[Document]:
    if raw.suffix not in SLOW:
        return reader(raw)
    seconds = SECONDS + OCR_SECONDS * bool(raw.ocr)
    try:
        return within(seconds, lambda: list(reader(raw)))
    except Late:
        raise unreadable("wrong.documents.late", seconds=round(seconds)) from None


class _Odd:
    """The rows of a file that are left out: the reasons for the first ones, and how
    many there are.
    """

    def __init__(self) -> None:
        self.first: list[str] = []
        self.count = 0

    def add(self, reason: str) -> None:
        self.count += 1
        if self.count <= ODD:
            self.first.append(reason)


def tidy(document: Document) -> Document:
    """A document as it is indexed: lone surrogates replaced, NUL dropped, line breaks
    as `\\n`, the title in bounds.
    """
    title, text, file, metadata = document
    said = (
        {_tidy(key): _tidy(value) for key, value in metadata.items()}
        if metadata
        else {}
    )
    return Document(tidy_title(title), _tidy(text), file, said)


def tidy_title(title: str) -> str:
    return _tidy(title).strip()[:300]


def tidied(pieces: Iterable[str]) -> Iterator[str]:
    """As the text of `tidy`, in pieces."""
    breaks = io.IncrementalNewlineDecoder(None, translate=True)
    for piece in pieces:
        yield breaks.decode(scrub(piece)[0].replace("\0", ""))
    yield breaks.decode("", True)


def _tidy(text: str) -> str:
    text = scrub(text)[0].replace("\0", "")
    if "\r" in text:
        return text.replace("\r\n", "\n").replace("\r", "\n")
    return text
