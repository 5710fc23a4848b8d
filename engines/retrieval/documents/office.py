"""Reads documents of offices: PowerPoint, OpenDocument."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from .document import Document, RawFile, Unreadable, missing, unreadable
from .metadata import flat, office_properties
from .packed import tree, unpacked
from .shortfall import compare, texts

if TYPE_CHECKING:
    from zipfile import ZipFile

_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_PART = re.compile(
    r"(?:ppt|xl)/(?:slides|notesSlides|charts|diagrams|drawings)/"
    r"((?:slide|notesSlide|chart|data|drawing)\d+)\.xml"
)
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OPEN_UNREAD = (f"{_TEXT}tracked-changes", f"{_TEXT}sequence-decls", "{*}scripts")
"""Elements without text that a reader of a document sees."""
_DUBLIN = "{http://purl.org/dc/elements/1.1/}"


def slides(raw: RawFile) -> Iterator[Document]:
    """The text of all slides and of the notes to them."""
    try:
        import pptx
    except ImportError:
        raise missing("PowerPoint") from None
    try:
        with unpacked(raw) as archive:
            parts = list(drawn(archive))
            shown = pptx.Presentation(io.BytesIO(raw.data))
        blocks = []
        for slide in shown.slides:
            title = slide.shapes.title
            if title is not None and title.text_frame.text.strip():
                blocks.append(f"# {' '.join(title.text_frame.text.split())}")
            blocks += _shapes(
                shape
                for shape in slide.shapes
                if title is None or shape.shape_id != title.shape_id
            )
            if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
                blocks.append(slide.notes_slide.notes_text_frame.text)
        about = shown.core_properties
        compare(raw, parts, _joined(blocks))
    except Unreadable:
        raise
    except Exception as error:
        raise unreadable("wrong.documents.slides", kind=type(error).__name__) from None
    yield Document(
        about.title or raw.stem, _joined(blocks), raw.name, office_properties(about)
    )


def open_document(raw: RawFile) -> Iterator[Document]:
    """The paragraphs, headings and tables of an OpenDocument text or presentation."""
    try:
        import lxml.etree  # noqa: F401
    except ImportError:
        raise missing("OpenDocument") from None
    try:
        with unpacked(raw) as archive:
            content = tree(archive.read("content.xml"))
            meta = (
                tree(archive.read("meta.xml"))
                if "meta.xml" in archive.namelist()
                else None
            )
        body = content.find(f"{_OFFICE}body")
        text = _joined(_open_blocks(body)) if body is not None else ""
        compare(raw, texts(content, _OPEN_UNREAD), text)
    except Unreadable:
        raise
    except Exception as error:
        raise unreadable(
            "wrong.documents.open_document", kind=type(error).__name__
        ) from None
    names = ("title", "creator", "subject", "description", "date", "language")
    said = (
        {name: meta.findtext(f".//{_DUBLIN}{name}") for name in names}
        if meta is not None
        else {}
    )
    metadata = flat(said)
    yield Document(metadata.pop("title", "") or raw.stem, text, raw.name, metadata)


def _shapes(shapes: Iterable[Any]) -> Iterator[str]:
    for shape in shapes:
        if hasattr(shape, "shapes"):  # a group
            yield from _shapes(shape.shapes)
        elif getattr(shape, "has_table", False):
            yield _rows([cell.text for cell in row.cells] for row in shape.table.rows)
        elif getattr(shape, "has_chart", False):
            yield from _chart(tree(shape.chart_part.blob))
        elif shape.has_text_frame:
            yield shape.text_frame.text


def _open_blocks(node: Any) -> Iterator[str]:
    for child in node.iterchildren("*"):
        if child.tag == f"{_TEXT}h":
            level = child.get(f"{_TEXT}outline-level", "1")
            yield (
                f"{'#' * min(int(level) if level.isdecimal() else 1, 6)} {_line(child)}"
            )
        elif child.tag == f"{_TEXT}p":
            yield _line(child)
        elif child.tag == f"{_TEXT}list":
            yield "\n".join(
                f"- {_line(item)}" for item in child.iterchildren(f"{_TEXT}list-item")
            )
        elif child.tag == f"{_TABLE}table":
            rows = (
                [_line(cell) for cell in row.iterchildren(f"{_TABLE}table-cell")]
                for row in child.iter(f"{_TABLE}table-row")
            )
            yield "\n".join(" | ".join(cells) for cells in rows if any(cells))
        elif child.tag not in (f"{_TEXT}sequence-decls", f"{_TEXT}tracked-changes"):
            yield from _open_blocks(child)


def _line(node: Any) -> str:
    """The text of an element in one line."""
    apart = (f"{_TEXT}s", f"{_TEXT}tab", f"{_TEXT}line-break", f"{_TEXT}p", f"{_TEXT}h")
    pieces = []
    for one in node.iter("*"):
        pieces += [" " if one.tag in apart else "", one.text or ""]
        if one is not node:
            pieces.append(one.tail or "")
    return " ".join("".join(pieces).split())


def _rows(rows: Iterable[Iterable[str]]) -> str:
    return "\n".join(
        f"| {' | '.join(' '.join(cell.split()) for cell in cells)} |" for cells in rows
    )


def _chart(chart: Any) -> Iterator[str]:
    """The titles of a chart, and its values as a table: a column for each series."""
    for title in chart.iter(f"{_CHART}title"):
        yield "".join(one.text or "" for one in title.iter(f"{_DRAWING}t"))
    columns: dict[str, dict[str, str]] = {}
    names: dict[str, str] = {}
    for series in chart.iter(f"{_CHART}ser"):
        name = " ".join(_points(series, "tx").values())
        names |= _points(series, "cat") | _points(series, "xVal")
        columns[name] = _points(series, "val") | _points(series, "yVal")
    if not columns:
        return
    places = dict.fromkeys(at for values in columns.values() for at in values)
    yield _rows(
        [
            ["", *columns],
            *(
                [
                    names.get(at, ""),
                    *(values.get(at, "") for values in columns.values()),
                ]
                for at in places
            ),
        ]
    )


def _points(series: Any, kind: str) -> dict[str, str]:
    """The values of a series by their number, as they are written."""
    return {
        str(one.getparent().get("idx", "0")): one.text or ""
        for group in series.iterchildren(f"{_CHART}{kind}")
        for one in group.iter(f"{_CHART}v")
    }


def drawn(archive: ZipFile) -> Iterator[tuple[str, str]]:
    """The words of slides, notes, drawings, charts and diagrams, with their places."""
    for name in archive.namelist():
        found = _PART.fullmatch(name)
        if not found:
            continue
        root = tree(archive.read(name))
        for number, one in enumerate(root.iter(f"{_DRAWING}p", f"{_CHART}v"), 1):
            texts = one.iterfind(f"{_DRAWING}r/{_DRAWING}t")
            said = "".join(text.text or "" for text in texts) or one.text or ""
            yield f"{found[1]} \u00b6{number}", said


def _joined(blocks: Iterable[str]) -> str:
    return "\n\n".join(block for block in blocks if block.strip())
