"""Reads PDF."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ....texts import t
from .document import Document, RawFile, Unreadable, missing, quiet, unreadable
from .metadata import flat
from .page_images import recognized
from .pdf_layout import in_columns, with_tables, words_of_pages
from .shortfall import compare

_DAY = re.compile(r"D:(\d{4})(\d\d)(\d\d)")
_DIGITS = re.compile(r"\d+")
_LETTER = re.compile(r"[^\W\d_]")
_OUTER = re.compile(r"^\d{1,9}(?!\w)|(?<!\w)\d{1,9}$")
_BROKEN = re.compile(r"([^\W\d_]+)([-\u2010\u00ad])\n(\f?)(?=[^\W\d_])([^\W\d_]+)")
_EDGE = 3
"""Lines at the top and at the foot of a page that may be a running head or foot."""
_UNSURE = 0.01
"""Share of the words of a PDF in which two readings of it may differ."""
_NAMED = 10
"""Most pages that a remark names."""


def pages(raw: RawFile) -> Iterator[Document]:
    try:
        import pypdf
    except ImportError:
        raise missing("PDF") from None
    quiet("pypdf")
    try:
        reader = pypdf.PdfReader(io.BytesIO(raw.data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise unreadable("wrong.documents.password")
        about = {
            str(name).lstrip("/").lower(): str(value)
            for name, value in (reader.metadata or {}).items()
        }
        texts = [in_columns(page, page.extract_text()) for page in reader.pages]
        texts = with_tables(raw.data, texts)
        if raw.ocr:
            blank = [at for at, text in enumerate(texts) if not text.strip()]
            for at, text in recognized(reader.pages, blank, raw.ocr).items():
                texts[at] = text
    except Unreadable:
        raise
    except Exception as error:
        raise unreadable("wrong.documents.pdf", kind=type(error).__name__) from None
    compare(raw, words_of_pages(raw.data), "\n".join(texts), _UNSURE)
    bodies = _bodies(texts)
    if not any(bodies):  # all pages say the same
        bodies = [text.strip() for text in texts]
    empty = [str(at) for at, body in enumerate(bodies, 1) if not body]
    if len(empty) == len(texts):
        raise unreadable("wrong.documents.pictures")
    if empty:
        more = ", \u2026" if len(empty) > _NAMED else ""
        places = ", ".join(empty[:_NAMED]) + more
        raw.remark(
            t("wrong.documents.scans", n=len(empty), total=len(texts), places=places)
        )
    metadata = flat(
        {
            name: about[name]
            for name in ("title", "author", "subject", "keywords")
            if name in about
        }
    )
    for name in ("creationdate", "moddate"):
        if day := _DAY.match(about.get(name, "")):
            metadata["created" if name == "creationdate" else "modified"] = "-".join(
                day.groups()
            )
    yield Document(
        metadata.pop("title", "") or raw.stem,
        _joined(bodies),
        raw.name,
        metadata,
    )


def _bodies(texts: Sequence[str]) -> list[str]:
    """The pages without their running heads and feet: lines that are on most of them,
    digits aside, or on three with a number that grows with the pages.
    """
    pages = [text.strip().splitlines() for text in texts]
    edges = [
        {
            at: _keys(line, number)
            for at, line in enumerate(lines)
            if not _EDGE <= at < len(lines) - _EDGE
        }
        for number, lines in enumerate(pages)
    ]
    counts = Counter(
        one for edge in edges for one in {key for keys in edge.values() for key in keys}
    )
    most = max(2, len(list(filter(None, pages))) / 2)

    def repeated(keys: tuple[str, str]) -> bool:
        return any(key and counts[key] > (most, 2)[at] for at, key in enumerate(keys))

    bodies = []
    for lines, edge in zip(pages, edges, strict=True):
        low, high = 0, len(lines)
        while low < high and repeated(edge.get(low, ("", ""))):
            low += 1
        while low < high and repeated(edge.get(high - 1, ("", ""))):
            high -= 1
        bodies.append("\n".join(lines[low:high]).strip())
    return bodies


def _keys(line: str, page: int) -> tuple[str, str]:
    """What a running head has in common with those of other pages: its words without
    digits; all of it with the page's own number less that of the page. Else "".
    """
    said = " ".join(line.split())
    grown = _OUTER.sub(lambda found: f"#{int(found[0]) - page}", said)
    return _DIGITS.sub("#", said) if _LETTER.search(said) else "", (
        grown if grown != said else ""
    )


def _joined(bodies: Sequence[str]) -> str:
    """The text of all pages, a form feed before each page but the first; a word that
    the end of a line breaks is whole.
    """
    text = ""
    for number, body in enumerate(bodies):
        ends = text.rstrip()[-1:] in (*'.!?:"\u3002\uff01\uff1f\u201d', "")
        text += ("\n\n\f" if ends else "\n\f") * bool(number) + body

    def whole(found: re.Match[str]) -> str:
        start, hyphen, feed, end = found.groups()
        if hyphen != "\u00ad" and (not end[0].islower() or f"{start}-{end}" in text):
            return found[0]
        return f"{start}{end}" + ("\n\f" if feed else "")

    return _BROKEN.sub(whole, text)
