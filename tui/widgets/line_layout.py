"""Lays out parsed text as lines of a given width: what a terminal shows, and the
position of each character.

Markdown marks are kept, dimmed; broken lines of code end in a mark; a table that is too
wide is wrapped in its cells, and one that is far too wide is shown as written. Nothing
is cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise, zip_longest
from typing import NamedTuple

from rich.cells import cell_len, chop_cells

from ...sessions.prose import (
    Code,
    Gap,
    Heading,
    Part,
    ProseLine,
    ProseTable,
    Style,
    StyledSpan,
)
from ..terminal.linebreaks import divide_line

BROKEN = "↵"
"""Marks a line of code that continues on the next line."""
TAB = "    "
NARROWEST = 8
"""Cells of a table's column, at least, unless its longest word is shorter."""
APART = 2
"""Blanks between two columns."""

QUOTE, HEAD, CODE_LINE, RULE, WRAP = (1 << bit for bit in range(8, 13))
"""Bits in addition to those of `Style`: words of a quote, a heading or a table head, a
line of code, the rule under a heading, our own marks.
"""

Piece = tuple[str, int]


class ScreenLine(NamedTuple):
    """One line on the screen."""

    pieces: tuple[Piece, ...]
    """Texts with the bits of their look."""
    row: int
    """Which line of the part's own text it is, from 0."""
    start: int
    """The character of that line at which it begins."""
    hang: int
    """Blanks before it that are in no text."""


class PartLayout(NamedTuple):
    """A part at one width."""

    drawn: tuple[ScreenLine, ...]
    texts: tuple[str, ...]
    """What is copied: the lines of the part, unbroken."""


def lay(part: Part, width: int) -> PartLayout:
    """Returns the lines of a part at a width of at least one cell."""
    if isinstance(part, Gap):
        return PartLayout(
            (
                ScreenLine(
                    ((_indent(part.lines[0]), Style.MARK),),
                    0,
                    0,
                    0,
                ),
            ),
            (_indent(part.lines[0]),),
        )
    if isinstance(part, ProseTable):
        laid = _table(part, width)
        if laid is not None:
            return laid
    drawn: list[ScreenLine] = []
    texts: list[str] = []
    look = HEAD if isinstance(part, Heading) else 0
    for number, line in enumerate(part.lines):
        code = isinstance(part, Code)
        lines, text = (
            _code(line, width, number) if code else _words(line, width, number, look)
        )
        drawn += lines
        texts.append(text)
    return PartLayout(tuple(drawn), tuple(texts))


def unbroken(part: Part, width: int) -> list[tuple[Piece, ...]]:
    """Returns the lines of a part for a text that is broken elsewhere: only a table
    looks at the width.
    """
    laid = _table(part, width) if isinstance(part, ProseTable) else None
    if laid is not None:
        return [line.pieces for line in laid.drawn]
    look = (
        HEAD
        if isinstance(part, Heading)
        else CODE_LINE
        if isinstance(part, Code)
        else 0
    )
    return [
        ((_indent(line), Style.MARK), *_pieces(line.spans, look | _quoted(line)))
        for line in part.lines
    ]


def _indent(line: ProseLine) -> str:
    return line.indent.replace("\t", TAB)


def _quoted(line: ProseLine) -> int:
    if any(container.kind == "quote" for container in line.within):
        return QUOTE
    return 0


def _pieces(spans: Iterable[StyledSpan], look: int = 0) -> list[Piece]:
    return [
        (span.shown.replace("\n", " ").replace("\t", TAB), span.style | look)
        for span in spans
    ]


def _words(
    line: ProseLine, width: int, row: int, look: int
) -> tuple[list[ScreenLine], str]:
    """A line of words; a wrapped line continues under its first word."""
    indent = _indent(line)
    pieces = _pieces(line.spans, look | _quoted(line))
    if pieces and not indent:
        blanks = len(pieces[0][0]) - len(pieces[0][0].lstrip(" "))
        indent, pieces[0] = pieces[0][0][:blanks], (pieces[0][0][blanks:], pieces[0][1])
    hang = cell_len(indent)
    if hang > width // 2:
        pieces.insert(0, (indent, Style.MARK))
        indent, hang = "", 0
    text = "".join(piece for piece, _ in pieces)
    cuts = (
        [0, *divide_line(text, width - hang), len(text)]
        if cell_len(text) > width - hang
        else [0, len(text)]
    )
    drawn = []
    cutter = _Cutter(pieces)
    for start, end in pairwise(cuts):
        part = cutter.cut(start, start + len(text[start:end].rstrip()))
        if start == 0:
            drawn.append(
                ScreenLine(
                    ((indent, Style.MARK), *part),
                    row,
                    0,
                    0,
                )
            )
        else:
            drawn.append(ScreenLine(part, row, len(indent) + start, hang))
    return drawn, indent + text


class _Cutter:
    """Cuts pieces into lines, from the first to the last: each piece is looked at once
    for each line that it is in.
    """

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._pieces = pieces
        self._at = 0
        self._begun = 0
        """Start of the current piece."""

    def cut(self, start: int, end: int) -> tuple[Piece, ...]:
        """Returns the characters from `start`, which is not before the last end, to
        `end`.
        """
        found: list[Piece] = []
        while self._at < len(self._pieces) and self._begun < end:
            text, look = self._pieces[self._at]
            if self._begun + len(text) > start:
                found.append(
                    (text[max(start - self._begun, 0) : end - self._begun], look)
                )
            if self._begun + len(text) > end:
                break
            self._begun += len(text)
            self._at += 1
        return tuple(found)


def _code(line: ProseLine, width: int, row: int) -> tuple[list[ScreenLine], str]:
    """A line of code, broken at the edge, with a mark where it is broken."""
    indent = _indent(line)
    if cell_len(indent) > width // 2:
        indent, spans = "", (StyledSpan(indent, Style.MARK), *line.spans)
    else:
        spans = line.spans
    room = width - cell_len(indent)
    look = spans[0].style | CODE_LINE if spans else CODE_LINE
    text = "".join(span.text for span in spans).expandtabs(len(TAB))
    chunks = [text] if cell_len(text) <= room else chop_cells(text, max(room - 1, 1))
    drawn, at = [], len(indent)
    for number, chunk in enumerate(chunks):
        broken = number + 1 < len(chunks) and room > 1
        full = chunk + " " * (room - (1 if broken else 0) - cell_len(chunk))
        pieces: tuple[Piece, ...] = (
            ((full, look), (BROKEN, WRAP | CODE_LINE)) if broken else ((full, look),)
        )
        if number == 0:
            drawn.append(
                ScreenLine(
                    ((indent, Style.MARK), *pieces),
                    row,
                    0,
                    0,
                )
            )
        else:
            drawn.append(ScreenLine(pieces, row, at, len(indent)))
        at += len(chunk)
    return drawn, indent + text


# Tables


def _table(table: ProseTable, width: int) -> PartLayout | None:
    """Columns with a line under the head; None where there is no room for them."""
    indent = _indent(table.lines[0])
    columns = max(map(len, table.rows))
    widths = _widths(table, columns, width - cell_len(indent) - APART * (columns - 1))
    if widths is None:
        return None
    aligned = (*table.aligned, *("" for _ in range(columns - len(table.aligned))))
    lines: list[tuple[Piece, ...]] = []
    for number, cells in enumerate(table.rows):
        look = HEAD if number == 0 else 0
        broken = [
            _cell(cell, room, how, look)  # type: ignore[arg-type]
            for cell, room, how in zip_longest(
                cells, widths, aligned[:columns], fillvalue=()
            )
        ]
        blank = [((" " * room, 0),) for room in widths]
        for parts in zip_longest(*broken):
            joined: list[Piece] = []
            for at, part in enumerate(parts):
                joined += [*([(" " * APART, 0)] if at else []), *(part or blank[at])]
            lines.append(tuple(joined))
        if number == 0:
            lines.append((("─" * (sum(widths) + APART * (columns - 1)), RULE),))
    after = " " * len(indent)
    texts = [
        "".join(
            text for text, _ in (((indent if not row else after), 0), *line)
        ).rstrip()
        for row, line in enumerate(lines)
    ]
    drawn = [
        ScreenLine(
            ((indent if not row else after, Style.MARK), *line),
            row,
            0,
            0,
        )
        for row, line in enumerate(lines)
    ]
    return PartLayout(tuple(drawn), tuple(texts))


def _widths(table: ProseTable, columns: int, room: int) -> list[int] | None:
    """Returns the cells of each column: what it needs, or less of the widest where
    there is not room for all.
    """
    natural, least = [1] * columns, [1] * columns
    for cells in table.rows:
        for at, cell in enumerate(cells):
            text = "".join(piece for piece, _ in _pieces(cell))
            natural[at] = max(natural[at], cell_len(text))
            least[at] = max(
                least[at], min(max(map(cell_len, text.split()), default=1), NARROWEST)
            )
    if sum(natural) <= room:
        return natural
    if sum(least) > room:
        return None
    widths = natural
    cap = max(widths)
    low, high = 1, cap
    while low < high:  # the widest that no column may exceed
        cap = (low + high + 1) // 2
        if (
            sum(
                max(min(one, cap), small)
                for one, small in zip(natural, least, strict=True)
            )
            <= room
        ):
            low = cap
        else:
            high = cap - 1
    widths = [
        max(min(one, low), small) for one, small in zip(natural, least, strict=True)
    ]
    for at in sorted(range(columns), key=lambda at: widths[at] - natural[at]):
        widths[at] += min(room - sum(widths), natural[at] - widths[at])
    return widths


def _cell(
    cell: Sequence[StyledSpan], room: int, aligned: str, look: int
) -> list[tuple[Piece, ...]]:
    """The lines of a cell, each as wide as its column."""
    pieces = _pieces(cell, look)
    text = "".join(piece for piece, _ in pieces)
    cuts = (
        [0, *divide_line(text, room), len(text)]
        if cell_len(text) > room
        else [0, len(text)]
    )
    lines = []
    cutter = _Cutter(pieces)
    for start, end in pairwise(cuts):
        tight = text[start:end].rstrip()
        free = room - cell_len(tight)
        left = {"right": free, "center": free // 2}.get(aligned, 0)
        part = cutter.cut(start, start + len(tight))
        lines.append(
            (
                *([(" " * left, 0)] if left else []),
                *part,
                *([(" " * (free - left), 0)] if free > left else []),
            )
        )
    return lines
