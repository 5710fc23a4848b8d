"""Reads files whose rows are documents: JSON lines, JSON, CSV."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import TextIO

from ....texts import t
from .document import Document, RawFile, megabytes, unreadable
from .metadata import flat, plain
from .shortfall import shortfall
from .text import charset, said_of, text_of


def lines(raw: RawFile, newline: str | None) -> Iterator[str | None]:
    """The lines of a file, each with its end; None in place of one that is longer than
    the limit. `newline` as for `open`.

    Raises: Unreadable for what is not a text.
    """
    if raw.file is None:
        yield from _bounded(io.StringIO(text_of(raw), newline=newline), raw.limit)
        return
    encoding = charset(raw.file)
    if told := said_of(encoding):
        raw.remark(told)
    raw.file.seek(0)
    with open(
        raw.file.fileno(), encoding=encoding, newline=newline, closefd=False
    ) as text:
        yield from _bounded(text, raw.limit)


def _bounded(text: TextIO, limit: int) -> Iterator[str | None]:
    while line := text.readline(limit):
        if len(line) < limit or line[-1] in "\r\n":
            yield line
            continue
        while (rest := text.readline(limit)) and rest[-1] not in "\r\n":
            pass
        yield None


TEXT_FIELDS = (
    "text",
    "body",
    "content",
    "contents",
    "page_content",
    "passage",
    "document",
    "abstract",
)
_FIELD_NAMES = {"names": ", ".join(TEXT_FIELDS[:-1]), "last": TEXT_FIELDS[-1]}
"""Of the fields of texts, for messages."""
TITLE_FIELDS = ("title", "headline", "heading", "name")
LONGEST = 200
"""Characters of a further field of a row that is kept as metadata: what is longer is no
property of a document.
"""

SOURCES = ("source", "file_name", "file_path")
"""Where LangChain and LlamaIndex say which file a document is of."""
LISTS = ("documents", "docs", "nodes", "data")
"""Where a JSON file that is one object has its documents."""
_TECHNICAL = (
    "class_name",
    "mimetype",
    "metadata_template",
    "metadata_separator",
    "metadata_seperator",
    "text_template",
    "lc",
    "hash",
)
"""Fields by which LlamaIndex and LangChain find their way; they say nothing of the
document.
"""


def record(value: object, file: str) -> Document | None:
    """The document in a row; None where it holds no text.

    A row is a text, or an object with a text under one of TEXT_FIELDS.

    `file`: what the document is called. Its metadata is the row's object `metadata` and
    its further simple fields. Documents as LangChain and LlamaIndex write them are such
    rows.
    """
    if isinstance(value, str):
        return Document("", value, file)
    if not isinstance(value, Mapping):
        return None
    # as LangChain dumps it
    if "lc" in value and isinstance(value.get("kwargs"), Mapping):
        value = {name: part for name, part in value["kwargs"].items() if name != "type"}
    elif isinstance(inner := value.get("text_resource"), Mapping):  # as LlamaIndex does
        value = {**value, "text": inner.get("text")}
    known = {str(key).strip().lower(): key for key in value}
    key = _first(value, known, TEXT_FIELDS)
    if key is None:
        return None
    title = _first(value, known, TITLE_FIELDS)
    given = value[known["metadata"]] if "metadata" in known else None
    metadata = flat(given) if isinstance(given, Mapping) else {}
    if further := short(
        {other: part for other, part in value.items() if other not in (key, title)}
    ):
        metadata = {**further, **metadata}
    return Document(
        str(value[title]) if title is not None else named(metadata),
        str(value[key]),
        file,
        metadata,
    )


class UnreadFields:
    """Counts the words of the long fields of rows that no document holds."""

    def __init__(self) -> None:
        self._total = self._lost = 0
        self._first = ("", "")

    def add(self, row: object, found: Document) -> None:
        words = len(found.text.split())
        for said in _long(row):
            if said.strip() not in found.text:
                self._first = self._first if self._lost else (found.file, said)
                self._lost += len(said.split())
                words += len(said.split())
        self._total += words

    def tell(self, raw: RawFile) -> None:
        if self._lost:
            place, said = self._first
            place = f"#{place.rpartition('#')[2]}"
            shortfall(raw, self._lost, self._total, place, said)


def _long(value: object) -> Iterator[str]:
    """The texts within a value that are too long for metadata."""
    if isinstance(value, str) and len(value) > LONGEST:
        yield value
    elif isinstance(value, Mapping | list):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _long(one)


def short(row: Mapping[str, object]) -> dict[str, str]:
    """The simple fields of a row that say something of its document."""
    return flat(
        {
            name: text
            for name, value in row.items()
            if (text := plain(value))
            and len(text) <= LONGEST
            and name not in _TECHNICAL
        }
    )


def named(metadata: Mapping[str, str]) -> str:
    """The title that metadata gives: `title`, or the name of the file in one of
    SOURCES; else "".
    """
    source = next((metadata[name] for name in SOURCES if name in metadata), "")
    return metadata.get("title") or re.split(r"[/\\]", source.rstrip("/\\"))[-1]


def json_lines(raw: RawFile) -> Iterator[Document]:
    unread = UnreadFields()
    for number, line in enumerate(lines(raw, None), 1):
        if line is None:
            raw.odd(
                t(
                    "wrong.documents.long_line",
                    number=number,
                    megabytes=megabytes(raw.limit),
                )
            )
            continue
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            raw.odd(t("wrong.documents.line", number=number))
            continue
        found = record(row, f"{raw.name}#{number}")
        if found is None:
            raw.odd(
                t(
                    "wrong.documents.no_field",
                    number=number,
                    **_FIELD_NAMES,
                )
            )
            continue
        unread.add(row, found)
        yield found
    unread.tell(raw)


def json_file(raw: RawFile) -> Iterator[Document]:
    """A list of rows, an object with such a list, or one row.

    Rows are counted from 1.
    """
    unread = UnreadFields()
    try:
        value = json.loads(text_of(raw))
    except (ValueError, RecursionError):
        raise unreadable("wrong.documents.no_json") from None
    if isinstance(value, Mapping):
        alone = record(value, raw.name)
        if alone is not None:
            unread.add(value, alone)
            yield alone
            unread.tell(raw)
            return
        value = next(
            (listed for name in LISTS if isinstance(listed := value.get(name), list)),
            None,
        )
    if not isinstance(value, list):
        raise unreadable(
            "wrong.documents.no_rows",
            **_FIELD_NAMES,
        )
    for number, row in enumerate(value, 1):
        found = record(row, f"{raw.name}#{number}")
        if found is None:
            raw.odd(
                t(
                    "wrong.documents.no_field_row",
                    number=number,
                    **_FIELD_NAMES,
                )
            )
        else:
            unread.add(row, found)
            yield found
    unread.tell(raw)


def table(raw: RawFile) -> Iterator[Document]:
    unread = UnreadFields()
    text = _short(raw)
    first = next(text, "")
    comma = "\t" if raw.suffix == ".tsv" else max(",;\t|", key=first.count)
    csv.field_size_limit(max(raw.limit, csv.field_size_limit()))
    try:
        rows = csv.DictReader(chain([first], text), delimiter=comma, restkey="")
        names = [column.strip() for column in rows.fieldnames or []]
        rows.fieldnames = names
        for row in rows:
            file = f"{raw.name}#{rows.line_num}"
            found = record(
                {key: value for key, value in row.items() if isinstance(value, str)},
                file,
            )
            if found is not None:
                unread.add(row, found)
                yield found
            else:
                cells = [
                    (key, value if isinstance(value, str) else " ".join(value or []))
                    for key, value in row.items()
                ]
                yield Document(
                    "",
                    "\n".join(
                        f"{key}: {value}" if key else value
                        for key, value in cells
                        if value.strip()
                    ),
                    file,
                    short(row),
                )
        unread.tell(raw)
    except csv.Error as error:
        raise unreadable("wrong.documents.csv", error=error) from None


def _short(raw: RawFile) -> Iterator[str]:
    """Yield the lines of a table. A line that is too long ends it, because what follows
    cannot be interpreted.
    """
    for number, line in enumerate(lines(raw, ""), 1):
        if line is None:
            raise unreadable(
                "wrong.documents.long_line",
                number=number,
                megabytes=megabytes(raw.limit),
            )
        yield line


def _first(
    row: Mapping[object, object], known: Mapping[str, object], names: tuple[str, ...]
) -> object | None:
    """The key of the first of the names under which there is text."""
    return next(
        (
            known[name]
            for name in names
            if name in known
            and isinstance(text := row[known[name]], str)
            and text.strip()
        ),
        None,
    )
