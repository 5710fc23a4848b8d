"""Reads files into documents: plain text, Markdown, JSON lines, CSV, HTML, PDF, Word. A faulty file gives one sentence."""

from __future__ import annotations

import codecs
import csv
import io
import json
import os
import re
import stat
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from ...sessions.clean import scrub
from ...sessions.errors import cause
from ...texts import t

LIMIT = 50 * 1024 * 1024
"""Most bytes of a file that is read, by default."""

ODD = 10
"""Most skipped rows of a file that are reported one by one."""

TEXT_FIELDS = ("text", "body", "content", "contents", "passage", "document", "abstract")
TITLE_FIELDS = ("title", "headline", "heading", "name")


class Document(NamedTuple):
    """A text to index. A row of JSON lines or CSV is a document of its own, and its `file` is FILE#LINE, counted from 1."""

    title: str
    text: str
    file: str


class Unreadable(Exception):
    """A file is left out. `str()` says why, as the end of a sentence."""


def ignore(_: str) -> None:
    """Ignores skipped rows."""


def read(path: Path, limit: int = LIMIT, *, name: str | None = None, odd: Callable[[str], None] = ignore) -> list[Document]:
    """The documents in a file, at least one.

    `limit` in bytes. `name`: what the documents call the file (None: the path). `odd` gets one sentence for each skipped row.
    Raises: Unreadable.
    """
    return parse(path.suffix.lower(), load(path, limit)[0], name or str(path), limit, odd)


def load(path: Path, limit: int = LIMIT) -> tuple[bytes, os.stat_result]:
    """The bytes of a regular file, and its state at that moment.

    Raises: Unreadable, also if somebody changed the file meanwhile.
    """
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY), "rb") as file:
            before = os.fstat(file.fileno())
            if not stat.S_ISREG(before.st_mode):
                raise Unreadable(t("wrong.documents.irregular"))
            if before.st_size > limit:
                raise Unreadable(t("wrong.documents.large", megabytes=_megabytes(limit)))
            data = file.read(limit + 1)
            after = os.fstat(file.fileno())
    except (OSError, ValueError) as error:
        raise Unreadable(t("wrong.documents.unread", why=cause(error))) from None
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns) or len(data) != after.st_size:
        raise Unreadable(t("wrong.documents.changed"))
    return data, after


def parse(suffix: str, data: bytes, name: str, limit: int = LIMIT, odd: Callable[[str], None] = ignore) -> list[Document]:
    """The documents in the bytes of a file whose name ends in `suffix`.

    Raises: Unreadable.
    """
    reader = _READERS.get(suffix)
    if reader is None:
        raise Unreadable(t("wrong.documents.suffix", suffix=suffix or "a file without an ending"))
    left_out: list[str] = []
    found = [Document(_tidy(title).strip()[:300], _tidy(text), file) for title, text, file in reader(data, name, limit, left_out.append)]
    found = [document for document in found if document.text.strip()]
    if not found:
        raise Unreadable(left_out[0] if left_out else t("wrong.documents.nothing"))
    for reason in left_out[:ODD]:
        odd(reason)
    if len(left_out) > ODD:
        odd(t("wrong.documents.more_rows", n=len(left_out) - ODD))
    return found


def decode(data: bytes) -> str:
    """Decodes UTF-8, UTF-16 with a byte order mark, or GB18030.

    Raises: Unreadable for other bytes.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            return data.decode("utf-16")
        except UnicodeDecodeError:
            raise Unreadable(t("wrong.documents.binary")) from None
    if b"\0" in data[:65536]:
        raise Unreadable(t("wrong.documents.binary"))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = _chinese(data)
    sample = text[:65536]
    if sum(character < " " and character not in "\t\n\r\f\v\x1b" for character in sample) > len(sample) / 50:
        raise Unreadable(t("wrong.documents.binary"))
    return text


def _chinese(data: bytes) -> str:
    """GB18030 puts a high byte beside another one; in the one-byte encodings of Europe they stand alone among letters."""
    high = len(re.findall(rb"[\x80-\xff]", data))
    alone = len(re.findall(rb"(?<![\x80-\xff])[\x80-\xff](?![\x80-\xff])", data))
    if alone * 4 <= high:
        try:
            return data.decode("gb18030")
        except UnicodeDecodeError:
            pass
    raise Unreadable(t("wrong.documents.encoding"))


def fields(row: Mapping[str, object]) -> tuple[str, str] | None:
    """Title and text of a record, under the names in use for them; None where there is no text."""
    known = {str(key).strip().lower(): value for key, value in row.items()}
    text = next((value for key in TEXT_FIELDS if isinstance(value := known.get(key), str) and value.strip()), None)
    if text is None:
        return None
    return next((value for key in TITLE_FIELDS if isinstance(value := known.get(key), str) and value.strip()), ""), text


_Rows = Iterable[tuple[str, str, str]]


def _text(data: bytes, name: str, limit: int, odd: Callable[[str], None]) -> _Rows:
    yield _stem(name), decode(data), name


def _markdown(data: bytes, name: str, limit: int, odd: Callable[[str], None]) -> _Rows:
    text = decode(data)
    heading = re.search(r"(?m)^#{1,3}[ \t]+(.+?)[ \t#]*$", text)
    yield heading[1] if heading else _stem(name), text, name


def _json_lines(data: bytes, name: str, limit: int, odd: Callable[[str], None]) -> _Rows:
    for number, line in enumerate(io.StringIO(decode(data), newline=None), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            odd(t("wrong.documents.line", number=number))
            continue
        found = ("", row) if isinstance(row, str) else fields(row) if isinstance(row, dict) else None
        if found is None:
            odd(t("wrong.documents.no_field", number=number, names=", ".join(TEXT_FIELDS[:-1]), most=TEXT_FIELDS[-1]))
            continue
        yield *found, f"{name}#{number}"


def _csv(data: bytes, name: str, limit: int, odd: Callable[[str], None]) -> _Rows:
    text = decode(data)
    first = text.partition("\n")[0]
    comma = max(",;\t|", key=first.count)
    csv.field_size_limit(max(limit, csv.field_size_limit()))
    try:
        rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=comma, restkey="")
        names = [column.strip() for column in rows.fieldnames or []]
        rows.fieldnames = names
        for row in rows:
            file = f"{name}#{rows.line_num}"
            found = fields({key: value for key, value in row.items() if isinstance(value, str)})
            if found is not None:
                yield *found, file
            else:
                cells = [(key, value if isinstance(value, str) else " ".join(value or [])) for key, value in row.items()]
                yield "", "\n".join(f"{key}: {value}" if key else value for key, value in cells if value.strip()), file
    except csv.Error as error:
        raise Unreadable(t("wrong.documents.csv", error=error)) from None


def _html(data: bytes, name: str, limit: int, odd: Callable[[str], None]) -> _Rows:
    try:
        import trafilatura
    except ImportError:
        raise _missing("HTML") from None
    _quiet("trafilatura", "htmldate", "justext", "courlan")
    declared = re.search(rb"""(?i)<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{1,40})""", data[:4096])
    page = _declared(data, declared[1].decode("ascii", "replace")) if declared else decode(data)
    heading = re.search(r"(?is)<title[^>]*>(.*?)</title>", page[:100_000])
    import html

    title = html.unescape(" ".join(heading[1].split())) if heading else _stem(name)
    try:
        text = trafilatura.extract(page, include_comments=False, favor_recall=True) or trafilatura.html2txt(page)
    except Exception as error:
        raise Unreadable(t("wrong.documents.no_text", kind=type(error).__name__)) from None
    yield title, text or "", name


def _pdf(data: bytes, name: str, limit: int, odd: Callable[[str], None]) -> _Rows:
    try:
        import pypdf
    except ImportError:
        raise _missing("PDF") from None
    _quiet("pypdf")
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Unreadable(t("wrong.documents.password"))
        title = (reader.metadata.title if reader.metadata else None) or _stem(name)
        text = "\n\n".join(page.extract_text() for page in reader.pages)
    except Unreadable:
        raise
    except Exception as error:
        raise Unreadable(t("wrong.documents.pdf", kind=type(error).__name__)) from None
    if not text.strip():
        raise Unreadable(t("wrong.documents.pictures"))
    yield str(title), text, name


def _docx(data: bytes, name: str, limit: int, odd: Callable[[str], None]) -> _Rows:
    try:
        import docx
    except ImportError:
        raise _missing("Word") from None
    import zipfile

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(part.file_size for part in archive.infolist()) > 4 * limit:
                raise Unreadable(t("wrong.documents.unpacks", megabytes=_megabytes(4 * limit)))
        document = docx.Document(io.BytesIO(data))
        blocks = []
        for block in document.iter_inner_content():
            if hasattr(block, "rows"):
                blocks.append("\n".join(" | ".join(cell.text.strip() for cell in row.cells) for row in block.rows))
            else:
                blocks.append(block.text)
        title = document.core_properties.title or _stem(name)
    except Unreadable:
        raise
    except Exception as error:
        raise Unreadable(t("wrong.documents.word", kind=type(error).__name__)) from None
    yield title, "\n\n".join(block for block in blocks if block.strip()), name


_READERS: dict[str, Callable[[bytes, str, int, Callable[[str], None]], _Rows]] = {
    ".txt": _text,
    ".md": _markdown,
    ".markdown": _markdown,
    ".jsonl": _json_lines,
    ".csv": _csv,
    ".html": _html,
    ".htm": _html,
    ".pdf": _pdf,
    ".docx": _docx,
}
SUFFIXES = tuple(_READERS)


def _missing(kind: str) -> Unreadable:
    return Unreadable(t("wrong.documents.libraries", kind=kind))


def _declared(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except (LookupError, ValueError):
        return decode(data)


def _quiet(*loggers: str) -> None:
    """Silences libraries, whose messages about a bad file would disturb the screen."""
    import logging

    for logger in loggers:
        logging.getLogger(logger).setLevel(logging.CRITICAL + 1)


def _tidy(text: str) -> str:
    """Lone surrogates replaced, NUL dropped, line breaks as `\\n`."""
    text = scrub(text)[0].replace("\0", "")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _stem(name: str) -> str:
    return Path(name).stem.replace("_", " ")


def _megabytes(size: int) -> str:
    return f"{size / 1024 / 1024:g}"
