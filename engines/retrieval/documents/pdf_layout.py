"""The reading order of PDF pages: columns one after the other, and ruled tables as
rows of cells.
"""

from __future__ import annotations

import contextlib
import io
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from .document import quiet

_GAP = re.compile(r"\S {2,}(?=\S)")
_TWO_SIDED = 8
"""Fewest lines of a page with text in both columns."""
_SHARE = 0.6
"""Of the lines of a page that have text in both columns; of those, the share whose
first column reaches the gap between them.
"""
_WORDS = 3
"""Fewest words of a line in a column, on average: tables have shorter cells."""
_UNRULED = 3
"""Fewest lines that each cell of a row has if they are rows."""
_SPACED = {"x_tolerance_ratio": 0.15}
"""Words stand apart by this share of the size of their letters."""
_KEPT = 0.98
"""Of the characters of a page that another reading of it must keep, and of its words:
fewer, as either reading may join some.
"""
_KEPT_WORDS = 0.85


def in_columns(page: Any, text: str) -> str:
    """The text of a page (of pypdf) that draws two columns line by line, a column after
    the other; `text` as it is for any other page.
    """
    if text.count("\n") < _TWO_SIDED:
        return text
    lines: list[str] = []
    # whatever the library makes of a layout, there is the plain text
    with contextlib.suppress(Exception):
        lines = page.extract_text(
            extraction_mode="layout", layout_mode_space_vertically=False
        ).splitlines()
    gaps = [{at for gap in _GAP.finditer(line) for at in _inner(gap)} for line in lines]
    counts = Counter(at for line in gaps for at in line)
    most = max(counts.values(), default=0)
    if most < max(_TWO_SIDED, _SHARE * sum(bool(line.strip()) for line in lines)):
        return text
    middle = sorted(at for at, count in counts.items() if count == most)
    at = middle[len(middle) // 2]
    pairs = [
        (line[:at].split(), line[at:].split(), len(line[:at].rstrip()))
        for line, gap in zip(lines, gaps, strict=True)
        if at in gap and len(_GAP.findall(line)) == 1
    ]
    whole = _bare(text)
    reach = max((width for *_, width in pairs), default=0) * 0.85
    if (
        len(pairs) < _SHARE * most
        or sum(_bare("".join(left + right)) in whole for left, right, _ in pairs)
        < _SHARE * len(pairs)
        or sum(width >= reach for *_, width in pairs) < _SHARE * len(pairs)
        or sum(min(len(left), len(right)) for left, right, _ in pairs)
        < _WORDS * len(pairs)
    ):
        return text
    return _kept(text, "\n".join(_unfolded(lines, at)))


def _inner(gap: re.Match[str]) -> range:
    return range(gap.start() + 1, gap.end())


def _unfolded(lines: Sequence[str], at: int) -> Iterator[str]:
    """Lines across both columns stay between what is above and what is below them."""
    right: list[str] = []
    for line in lines:
        if line[at - 1 : at + 1].strip():
            yield from right
            right = []
            yield line.strip()
        else:
            yield line[:at].strip()
            right.append(line[at:].strip())
    yield from right


def with_tables(data: bytes, texts: Sequence[str]) -> list[str]:
    """The texts of the pages of a PDF with ruled tables as rows of cells between bars.

    A page whose text loses or repeats characters by that stays as it is, and all do
    where pdfplumber is not installed.
    """
    read = list(texts)
    try:
        import pdfplumber
    except ImportError:
        return read
    quiet("pdfminer", "pdfplumber")
    # whatever a page does to the library, there is its plain text
    with contextlib.suppress(Exception), pdfplumber.open(io.BytesIO(data)) as file:
        for at, page in enumerate(file.pages[: len(read)]):
            with contextlib.suppress(Exception):
                if read[at].strip() and page.edges:
                    read[at] = _kept(read[at], "\n".join(_bands(page)))
            page.close()
    return read


def words_of_pages(data: bytes) -> Iterator[tuple[str, str]]:
    """The text of each page as PDFium reads it, with the page; none without it."""
    # whatever the library makes of a file, it only counts
    with contextlib.suppress(Exception):
        import pypdfium2

        with pypdfium2.PdfDocument(data) as file:
            for number, page in enumerate(file, 1):
                text = page.get_textpage().get_text_range()
                for line in text.replace("\ufffe", "").splitlines():
                    yield f"p. {number}", line


def _bands(page: Any) -> Iterator[str]:
    """Each table of a page after what is beside or above it, and the rest."""
    # blanks that are drawn over other columns would part the letters there
    page = page.filter(lambda one: one.get("text") != " ")
    tables = [
        (table, cells)
        for table in sorted(page.find_tables(), key=lambda one: one.bbox[1])
        if len(cells := table.extract(**_SPACED)) > 1 and min(map(len, cells)) > 1
    ]
    if not tables:
        return

    def rest(low: float, high: float) -> str:
        """The text between two heights of the page that no table holds."""

        def outside(one: Any) -> bool:
            x, y = (one["x0"] + one["x1"]) / 2, (one["top"] + one["bottom"]) / 2
            return low <= y < high and not any(
                left <= x <= right and top <= y <= foot
                for left, top, right, foot in (table.bbox for table, _ in tables)
            )

        return str(page.filter(outside).extract_text(**_SPACED))

    low = -math.inf
    for table, cells in tables:
        high = table.bbox[1]
        yield rest(low, high)
        low = max(low, high)
        for row in cells:
            for line in _rows([cell or "" for cell in row]):
                yield f"| {' | '.join(' '.join(cell.split()) for cell in line)} |"
        yield ""
    yield rest(low, math.inf)


def _rows(cells: Sequence[str]) -> Iterator[Sequence[str]]:
    """The rows in a row of cells: several where each cell has as many lines, as no
    rule is drawn between them.
    """
    lines = [cell.split("\n") for cell in cells]
    counts = {len(one) for one in lines if any(one)}
    if len(counts) == 1 and min(counts) >= _UNRULED:
        n = min(counts)
        yield from zip(*(one if any(one) else [""] * n for one in lines), strict=True)
    else:
        yield cells


def _bare(text: str) -> str:
    return "".join(text.replace("|", "").split())


def _kept(text: str, other: str) -> str:
    """Return the other reading of a page if it has nearly the same characters and
    words.
    """
    for pattern, share in ((r"[^\s|]", _KEPT), (r"\w+", _KEPT_WORDS)):
        here, there = (Counter(re.findall(pattern, one)) for one in (text, other))
        if (here & there).total() < share * max(here.total(), there.total()):
            return text
    return other
