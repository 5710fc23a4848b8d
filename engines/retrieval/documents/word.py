"""Reads documents of Word: all their text as it stands with every change accepted, with
headings, lists and tables in Markdown's marks.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .document import Document, RawFile, Unreadable, missing, unreadable
from .metadata import office_properties
from .packed import tree, unpacked
from .shortfall import compare

if TYPE_CHECKING:
    from .blocks import Element

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_UNREAD = (
    *(f"{_W}{name}" for name in ("del", "moveFrom", "pPr", "rPr", "tblPr", "sdtPr")),
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
)
"""Elements without text of the document: what was deleted, and what says how it looks.
"""
_TEXTS = (f"{_W}t", "{http://schemas.openxmlformats.org/officeDocument/2006/math}t")
_BLANKS = (f"{_W}tab", f"{_W}br", f"{_W}cr")
_HEADING = re.compile(r"heading (\d)")
_NOTES = ("footnote", "endnote")


def word(raw: RawFile) -> Iterator[Document]:
    try:
        import docx
    except ImportError:
        raise missing("Word") from None
    try:
        with unpacked(raw) as archive:
            document = docx.Document(io.BytesIO(raw.data))
            roots = {
                kind: tree(archive.read(f"word/{kind}s.xml"))
                for kind in _NOTES
                if f"word/{kind}s.xml" in archive.namelist()
            }
        body = document.element.body
        reader = _WordReader(_levels(document.styles.element), roots)
        text = "\n\n".join(filter(str.strip, reader.blocks(body)))
        about = document.core_properties
        compare(raw, _paragraphs({"document": body, **roots}), text)
    except Unreadable:
        raise
    except Exception as error:
        raise unreadable("wrong.documents.word", kind=type(error).__name__) from None
    title = about.title or reader.title or reader.heading or raw.stem
    yield Document(title, text, raw.name, office_properties(about))


def _levels(styles: Any) -> dict[str, int]:
    """The level of each style of headings by its id; 0 for that of titles."""
    found = {}
    for style in styles.iter(f"{_W}style"):
        named = style.find(f"{_W}name")
        name = "" if named is None else str(named.get(f"{_W}val")).lower()
        level = _HEADING.fullmatch(name)
        if level or name == "title":
            found[str(style.get(f"{_W}styleId"))] = int(level[1]) if level else 0
    return found


def _read(element: Any) -> Iterator[Any]:
    """The elements within another one, without those that are not read."""
    for child in element.iterchildren("*"):
        if child.tag not in _UNREAD:
            yield child


class _WordReader:
    """Writes what Word keeps in elements as blocks of text."""

    def __init__(self, levels: dict[str, int], notes: dict[str, Element]) -> None:
        self._levels = levels
        self._notes = {
            (kind, str(note.get(f"{_W}id"))): note
            for kind, root in notes.items()
            for note in root.iter(f"{_W}{kind}")
        }
        self.title = self.heading = ""
        """The first paragraph in the style of titles, and of headings."""

    def blocks(self, element: Any) -> Iterator[str]:
        for child in _read(element):
            if child.tag == f"{_W}p":
                yield from self._paragraph(child)
            elif child.tag == f"{_W}tbl":
                yield "\n".join(filter(None, map(self._row, _rows(child))))
            else:
                yield from self.blocks(child)

    def _paragraph(self, element: Any) -> Iterator[str]:
        """A paragraph, and what is anchored in it: text boxes and notes."""
        after: list[Any] = []
        text = "".join(self._runs(element, after)).strip()
        style = element.find(f"{_W}pPr/{_W}pStyle")
        level = self._levels.get("" if style is None else str(style.get(f"{_W}val")))
        if text and level is not None:
            text = " ".join(text.split())
            if level:
                self.heading = self.heading or text
            else:
                self.title = self.title or text
            yield f"{'#' * min(level or 1, 6)} {text}"
        elif text:
            item = element.find(f"{_W}pPr/{_W}numPr") is not None
            yield f"- {text}" if item else text
        for anchored in after:
            yield from self.blocks(anchored)

    def _runs(self, element: Any, after: list[Any]) -> Iterator[str]:
        for child in _read(element):
            name = child.tag.rpartition("}")[2]
            if child.tag in _TEXTS:
                yield child.text or ""
            elif child.tag in _BLANKS:
                yield "\n" if name == "br" else " "
            elif name == "noBreakHyphen":
                yield "-"
            elif name == "txbxContent":
                after.append(child)
            elif name in ("footnoteReference", "endnoteReference"):
                number = str(child.get(f"{_W}id"))
                note = self._notes.get((name.removesuffix("Reference"), number))
                if note is not None:
                    yield f"[^{number}]"
                    after.append(note)
            else:
                yield from self._runs(child, after)

    def _row(self, element: Any) -> str:
        cells = [" ".join(self._cell(cell)) for cell in _rows(element, "tc")]
        return f"| {' | '.join(cells)} |" if any(cells) else ""

    def _cell(self, element: Any) -> Iterator[str]:
        """The words of a cell, those of tables within it too."""
        for block in self.blocks(element):
            yield " ".join(block.replace("|", " ").split())


def _rows(element: Any, name: str = "tr") -> Iterator[Any]:
    """The rows of a table, or the cells of a row, also within content controls."""
    for child in _read(element):
        if child.tag == f"{_W}{name}":
            yield child
        elif child.tag not in (f"{_W}tr", f"{_W}tc", f"{_W}p"):
            yield from _rows(child, name)


def _paragraphs(roots: dict[str, Element]) -> Iterator[tuple[str, str]]:
    """The words of each paragraph, in no order, with its place."""
    for part, root in roots.items():
        for number, paragraph in enumerate(root.iter(f"{_W}p"), 1):
            said = "".join(
                one.text or ""
                for one in paragraph.iter(*_TEXTS)
                if not any(above.tag in _UNREAD for above in one.iterancestors())
                and next(one.iterancestors(f"{_W}p")) is paragraph
            )
            yield f"{part} \u00b6{number}", said
