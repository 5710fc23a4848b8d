"""Reads a text line by line: headings, lists, quotes, code, tables, and paragraphs of
what is between them.
"""

from __future__ import annotations

import re
from typing import Literal

from .inline import spans_of
from .structure import (
    Code,
    Container,
    Gap,
    Heading,
    HorizontalRule,
    Paragraph,
    Part,
    ProseLine,
    ProseTable,
    Style,
    StyledSpan,
)

DEEPEST = 8
"""Quotes and lists in each other; what is deeper is text."""
LONGEST_PARAGRAPH = 60
"""Lines that are read as one paragraph."""

_BLANKS = re.compile(r"[ \t]*")
_QUOTE = re.compile(r" {0,3}> ?")
_ITEM = re.compile(r"[ \t]{0,12}(?:[-*]|(\d{1,3})[.)])(?:[ \t]{1,4}(?=\S)|[ \t]*$)")
_HEADING = re.compile(r"([ \t]{0,3}(#{1,6})[ \t]+)(?=\S)")
_RULE = re.compile(r"[ \t]{0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})[^`]*$")
_UNDER_HEAD = re.compile(
    r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$"
)
_BAR = re.compile(r"(?<!\\)\|")

Aligned = Literal["", "left", "center", "right"]
Within = tuple[Container, ...]


def read(text: str) -> list[Part]:
    """Returns the parts of a text. It must have gone through `clean`."""
    return IncrementalReader(text).parts


class IncrementalReader:
    """Parses a growing text. On an addition, only the last two parts are parsed
    again.
    """

    def __init__(self, text: str = "") -> None:
        self.text = ""
        self.parts: list[Part] = []
        self._starts: list[tuple[int, Within]] = []
        """Where each part begins, and in what."""
        self.add(text)

    def add(self, text: str) -> int:
        """Reads on; returns how many parts are as they were."""
        keep = max(0, len(self.parts) - 2)
        while keep and isinstance(self.parts[keep], Gap):
            keep -= 1
        start, within = self._starts[keep] if self._starts else (0, ())
        self.text += text
        reader = _ProseReader(self.text, start, within)
        self.parts[keep:], self._starts[keep:] = reader.parts, reader.starts
        return keep


class _ProseReader:
    """Reads a text from an offset on, in what was open there."""

    def __init__(self, text: str, start: int, within: Within) -> None:
        self.parts: list[Part] = []
        self.starts: list[tuple[int, Within]] = []
        self._open = within
        self._words: list[tuple[Within, str]] = []
        """The lines of the paragraph that is being read."""
        self._lines: list[ProseLine] = []
        """The lines of the code, table or gap that is being read."""
        self._fence = ""
        self._rows: list[tuple[tuple[StyledSpan, ...], ...]] = []
        self._aligned: tuple[Aligned, ...] = ()
        self._begun: tuple[int, Within] = start, within
        self._last = start
        self._offset = start
        if start < len(text):
            for line in text[start:].split("\n"):
                self._read(line)
                self._offset += len(line) + 1
        self._end()

    # Parts

    def _end(self) -> None:
        """Ends the part that is being read."""
        if self._words:
            self.parts.append(Paragraph(tuple(_lines_of(self._words))))
        elif self._fence:
            self.parts.append(Code(tuple(self._lines)))
        elif self._rows:
            self.parts.append(
                ProseTable(tuple(self._lines), self._aligned, tuple(self._rows))
            )
        elif self._lines:
            self.parts.append(Gap(tuple(self._lines)))
        if len(self.parts) > len(self.starts):
            self.starts.append(self._begun)
        self._words, self._lines, self._rows, self._fence = [], [], [], ""

    def _begin(self, within: Within) -> None:
        """End the current part and start one with this line.

        `within`: the part that was open before.
        """
        self._end()
        self._begun = self._offset, within

    def _one(self, part: Part, within: Within) -> None:
        self._begin(within)
        self.parts.append(part)
        self.starts.append(self._begun)

    # Lines

    def _read(self, line: str) -> None:
        before = self._open
        if self._fence:
            within, rest = _go_on(before, line, inside=True)
            if len(within) == len(before):
                self._code(ProseLine(within, (StyledSpan(rest),) if rest else ()), rest)
                return
            self._end()
        within, rest = _go_on(before, line)
        if not rest.strip():
            if not self._lines or self._rows:
                self._begin(before)
            self._lines.append(ProseLine(within, (StyledSpan(rest),) if rest else ()))
            self._open = within
            return
        if not _RULE.match(rest):
            within, rest = _containers(within, rest)
        self._open = tuple(
            container._replace(mark="", begins=False) for container in within
        )
        self._content(within, rest, before)

    def _content(self, within: Within, rest: str, before: Within) -> None:
        new = len(within) != len(before) or any(
            container.begins for container in within if container.kind != "quote"
        )
        if (fence := _FENCE.match(rest)) is not None:
            self._begin(before)
            self._fence = fence[1]
            self._lines.append(ProseLine(within, (StyledSpan(rest, Style.MARK),)))
        elif (heading := _HEADING.match(rest)) is not None:
            words = spans_of(rest[heading.end() :])
            self._one(
                Heading(
                    len(heading[2]),
                    (ProseLine(within, (StyledSpan(heading[1], Style.MARK), *words)),),
                ),
                before,
            )
        elif _RULE.match(rest):
            self._one(
                HorizontalRule((ProseLine(within, (StyledSpan(rest, Style.MARK),)),)),
                before,
            )
        elif self._rows and not new and "|" in rest:
            self._lines.append(ProseLine(within, tuple(spans_of(rest))))
            self._rows.append(_cells(rest))
        elif not new and self._is_under_head(rest):
            self._table(within, rest)
        else:
            if new or not self._words or len(self._words) == LONGEST_PARAGRAPH:
                self._begin(before)
            self._words.append((within, rest))
            self._last = self._offset

    def _code(self, line: ProseLine, rest: str) -> None:
        tight = rest.strip()
        if tight and set(tight) == {self._fence[0]} and len(tight) >= len(self._fence):
            self._lines.append(ProseLine(line.within, (StyledSpan(rest, Style.MARK),)))
            self._end()
        else:
            self._lines.append(line)

    # Tables

    def _is_under_head(self, rest: str) -> bool:
        if not self._words or "|" not in rest or not _UNDER_HEAD.match(rest):
            return False
        head = self._words[-1][1]
        return "|" in head and len(_split(head)) == len(_split(rest))

    def _table(self, within: Within, rest: str) -> None:
        """Start a table from the last line of the paragraph and the line below it."""
        head_within, head = self._words.pop()
        first = not self._words
        begun = self._begun if first else (self._last, self._open)
        self._end()
        self._begun = begun
        self._aligned = tuple(map(_aligned, _split(rest)))
        self._lines = [
            ProseLine(head_within, tuple(spans_of(head))),
            ProseLine(within, (StyledSpan(rest, Style.MARK),)),
        ]
        self._rows = [_cells(head)]


def _lines_of(words: list[tuple[Within, str]]) -> list[ProseLine]:
    """The lines of a paragraph: its words are read as a whole, for emphasis and
    formulae may run over a line's end.
    """
    lines: list[ProseLine] = []
    now: list[StyledSpan] = []
    begun = at = 0
    for span in spans_of("\n".join(rest for _, rest in words)):
        pieces = span.shown.split("\n")
        for number, piece in enumerate(pieces):
            if number:
                lines.append(ProseLine(words[begun][0], tuple(now)))
                now = []
                at += span.formula is None
                begun = at
            if span.formula is not None:
                now.append(span)
            elif piece:
                now.append(StyledSpan(piece, span.style))
        if span.formula is not None:
            at += span.text.count("\n")
    lines.append(ProseLine(words[begun][0], tuple(now)))
    return lines


def _go_on(before: Within, line: str, inside: bool = False) -> tuple[Within, str]:
    """The open blocks that a line continues, and the rest of the line.

    `inside`: the line is in a code block, where indentation counts.
    """
    within: list[Container] = []
    for container in before:
        if container.kind == "quote":
            quote = _QUOTE.match(line)
            if quote is None:
                break
            within.append(container._replace(mark=quote[0], begins=False))
            line = line[quote.end() :]
            continue
        blanks = len(_BLANKS.match(line)[0].expandtabs(4))  # type: ignore[index]
        if not line.strip():
            within.append(container._replace(mark="", begins=False))
        elif inside or blanks >= min(container.width, 2):
            taken = min(container.width, blanks)
            line = (
                line.replace("\t", "    ", line[:blanks].count("\t"))
                if "\t" in line[:blanks]
                else line
            )
            within.append(container._replace(mark=line[:taken], begins=False))
            line = line[taken:]
        else:
            break
    return tuple(within), line


def _containers(within: Within, rest: str) -> tuple[Within, str]:
    """Adds the quotes and items that begin on a line."""
    found = list(within)
    while len(found) < DEEPEST:
        if (quote := _QUOTE.match(rest)) is not None:
            found.append(Container("quote", quote[0]))
            rest = rest[quote.end() :]
        elif (item := _ITEM.match(rest)) is not None and not _RULE.match(rest):
            kind: Literal["bullet", "number"] = (
                "bullet" if item[1] is None else "number"
            )
            found.append(
                Container(
                    kind,
                    item[0],
                    len(item[0].expandtabs(4)),
                    int(item[1] or 0),
                )
            )
            rest = rest[item.end() :]
        else:
            break
    return tuple(found), rest


def _split(row: str) -> list[str]:
    """Returns the cells of a row as they were written."""
    cells = _BAR.split(row.strip())
    if cells and not cells[0].strip():
        cells = cells[1:]
    if len(cells) > 1 and not cells[-1].strip():
        return cells[:-1]
    return cells


def _cells(row: str) -> tuple[tuple[StyledSpan, ...], ...]:
    return tuple(tuple(spans_of(cell.strip())) for cell in _split(row))


def _aligned(cell: str) -> Aligned:
    cell = cell.strip()
    if cell.endswith(":"):
        if cell.startswith(":"):
            return "center"
        return "right"
    if cell.startswith(":"):
        return "left"
    return ""
