"""Text in columns of a terminal: wide signs take two cells."""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import east_asian_width

from .patterns import lazy

_WIDE = "\u1100-\u115f\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003fffd"
_CLOSING = "、。，．！？；：）」』】》”’"
_PIECE = lazy(f"\\s+|(?:[{_WIDE}]|[^\\s{_WIDE}]+)[{_CLOSING}]*")
"""Blanks, words, and single wide signs; what closes a phrase stays with it."""


def cells(text: str) -> int:
    """How many cells a text takes."""
    if text.isascii():
        return len(text)
    return sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text)


def pad(text: str, width: int) -> str:
    """The text, filled up with blanks to a width in cells."""
    return text + " " * (width - cells(text))


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of one length as lines: the first column at the left, the others right."""
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            pad(cell, width) if place == 0 else " " * (width - cells(cell)) + cell
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]


def cut(text: str, width: int) -> str:
    """The text in no more cells than `width`, with … where it was cut."""
    if cells(text) <= width:
        return text
    while cells(text) > width - 1:
        text = text[:-1]
    return text + "…"


def wrap(text: str, width: int) -> list[str]:
    """The text in lines of at most `width` cells; "" is one empty line.

    Lines break at blanks and beside wide signs; a word without room for it is split.
    """
    lines, line = [], ""
    for piece in _PIECE.findall(text):
        if cells(line) + cells(piece) <= width:
            line += piece
            continue
        if line.strip():
            lines.append(line.rstrip())
        line = "" if piece.isspace() else piece
        while cells(line) > width:
            head = _fitting(line, width)
            lines.append(head)
            line = line[len(head) :]
    if line.strip() or not lines:
        return [*lines, line.rstrip()]
    return lines


def _fitting(text: str, width: int) -> str:
    """The longest beginning that fits; at least one sign."""
    size = 1
    while size < len(text) and cells(text[: size + 1]) <= width:
        size += 1
    return text[:size]
