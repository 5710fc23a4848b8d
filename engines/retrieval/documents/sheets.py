"""Reads workbooks of Excel: a document for each sheet, a line for each row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from .document import Document, RawFile, Unreadable, missing, unreadable
from .office import drawn
from .packed import tree, unpacked
from .shortfall import compare

if TYPE_CHECKING:
    from zipfile import ZipFile

_PLACE = re.compile(r"([A-Z]{1,3})\d+")
_WORDED = re.compile(r"xl/(?:\w+/)?(sharedStrings|comments\d*)\.xml")
_QUOTED = re.compile(r'"[^"]*"|\\.|\[(?![hms])[^\]]*\]', re.IGNORECASE)
_DATES = (*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59))
"""Formats of dates and times that need no code."""
_WIDEST = 256
"""Columns that stand apart where cells between them are empty."""


def sheets(raw: RawFile) -> Iterator[Document]:
    try:
        import lxml.etree  # noqa: F401
    except ImportError:
        raise missing("Excel") from None
    try:
        with unpacked(raw) as archive:
            found = list(_sheets(archive))
            compare(raw, _words(archive), "\n".join(text for _, text in found))
    except Unreadable:
        raise
    except Exception as error:
        raise unreadable("wrong.documents.sheets", kind=type(error).__name__) from None
    for number, (name, text) in enumerate(found, 1):
        yield Document(f"{raw.stem}: {name}", text, f"{raw.name}#{number}")


def _sheets(archive: ZipFile) -> Iterator[tuple[str, str]]:
    """Name and text of each sheet, in their order."""
    book = tree(archive.read("xl/workbook.xml"))
    links = tree(archive.read("xl/_rels/workbook.xml.rels"))
    targets = {
        one.get("Id"): str(one.get("Target")) for one in links.iter("{*}Relationship")
    }
    there = archive.namelist()
    shared = (
        [_said(one) for one in tree(archive.read("xl/sharedStrings.xml")).iter("{*}si")]
        if "xl/sharedStrings.xml" in there
        else []
    )
    dates = (
        _dates(tree(archive.read("xl/styles.xml"))) if "xl/styles.xml" in there else []
    )
    late = any(
        one.get("date1904") in ("1", "true") for one in book.iter("{*}workbookPr")
    )
    for sheet in book.iter("{*}sheet"):
        link = next(value for name, value in sheet.items() if name.endswith("}id"))
        path = targets[link].removeprefix("/xl/").removeprefix("xl/")
        if f"xl/{path}" in there and path.startswith("worksheets/"):
            rows = tree(archive.read(f"xl/{path}")).iter("{*}row")
            lines = filter(None, (_row(row, shared, dates, late) for row in rows))
            yield str(sheet.get("name")), "\n".join(lines)


def _words(archive: ZipFile) -> Iterator[tuple[str, str]]:
    """The words of strings, comments, drawings and charts, with their places."""
    for name in archive.namelist():
        found = _WORDED.fullmatch(name)
        if found:
            for number, one in enumerate(
                tree(archive.read(name)).iter("{*}si", "{*}comment"), 1
            ):
                yield f"{found[1]} \u00b6{number}", _said(one)
    yield from drawn(archive)


def _row(row: Any, shared: list[str], dates: list[bool], late: bool) -> str:
    cells: list[str] = []
    for cell in row.iterchildren("{*}c"):
        place = _PLACE.fullmatch(str(cell.get("r")))
        column = 0
        for letter in place[1] if place else "":
            column = 26 * column + ord(letter) - 64
        cells += [""] * (min(column, _WIDEST) - 1 - len(cells))
        cells.append(_value(cell, shared, dates, late))
    return f"| {' | '.join(cells)} |" if any(cells) else ""


def _value(cell: Any, shared: list[str], dates: list[bool], late: bool) -> str:
    """Return a cell's text, number, or ISO 8601 date."""
    kind, said = cell.get("t", "n"), cell.findtext("{*}v") or ""
    style = int(cell.get("s", "0"))
    if kind == "inlineStr":
        said = _said(cell)
    elif kind == "s":
        said = shared[int(said)] if said else ""
    elif kind == "b":
        said = "TRUE" if said == "1" else "FALSE"
    elif kind == "n" and said and style < len(dates) and dates[style]:
        start = datetime(1904, 1, 1) if late else datetime(1899, 12, 30)
        day = start + timedelta(seconds=round(float(said) * 86_400))
        said = f"{day:%H:%M:%S}" if float(said) < 1 else day.isoformat(" ")
        said = said.removesuffix(" 00:00:00")
    return " ".join(said.split())


def _said(element: Any) -> str:
    """The text of a cell, without how it is pronounced."""
    return "".join(
        one.text or ""
        for one in element.iter("{*}t")
        if not one.getparent().tag.endswith("}rPh")
    )


def _dates(styles: Any) -> list[bool]:
    """For each style of cells whether it shows a date."""
    codes = {
        one.get("numFmtId"): _QUOTED.sub("", str(one.get("formatCode")))
        for one in styles.iter("{*}numFmt")
    }
    used = [one.get("numFmtId", "0") for one in styles.iterfind("{*}cellXfs/{*}xf")]
    return [
        int(one) in _DATES or re.search("[ymdhs]", codes.get(one, ""), re.I) is not None
        for one in used
    ]
