"""The parts of a text that it only quotes: quotations, block quotes and fenced blocks.

They are found by their signs alone, in one pass. In doubt a part counts as quoted: what
is quoted may hold signs of its own, so a closing sign too many belongs to the quotation
before.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise

from .ownership import fences

_PAIRS = ("“”", "«»", "「」", "『』", "„“", "‘’", '""')
_BLOCK = re.compile(r"(?m)^[ \t]*>")
_PARAGRAPH = re.compile(r"\n[ \t]*\n")

Span = tuple[int, int]


class Quoted:
    """The quoted parts of a text. One that is the whole text does not count."""

    def __init__(self, text: str) -> None:
        fenced = _Spans(_fenced(text))
        signs = (
            quotation
            for pair in _PAIRS
            for quotation in _quotations(text, pair, fenced)
        )
        parts = [*fenced.all, *_blocks(text), *signs]
        start, end = len(text) - len(text.lstrip()), len(text.rstrip())
        self._spans = _Spans(part for part in parts if part[0] > start or part[1] < end)

    def covers(self, place: int) -> bool:
        """True if a place of the text is in a quoted part."""
        return self._spans.covers(place)


class _Spans:
    """Parts of a text; those that overlap are one."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self.all: list[Span] = []
        for start, end in sorted(spans):
            if self.all and start < self.all[-1][1]:
                start, last = self.all.pop()
                end = max(end, last)
            self.all.append((start, end))
        self._starts = [start for start, _ in self.all]

    def covers(self, place: int) -> bool:
        at = bisect_right(self._starts, place) - 1
        return at >= 0 and place < self.all[at][1]


def _fenced(text: str) -> list[Span]:
    """The fenced blocks.

    Where one is not closed, a text in it may have closed it before: then all from the
    first block on is one.
    """
    blocks = fences(text)
    if len(blocks) > 1 and blocks[-1].outer == len(text):
        return [(blocks[0].start, len(text))]
    return [(block.start, block.end) for block in blocks]


def _blocks(text: str) -> Iterator[Span]:
    """The lines that begin with `>`; those with nothing between them are one part."""
    starts = [0, *(found.end() for found in re.finditer("\n", text)), len(text)]
    lines = pairwise(starts)
    for is_block, group in groupby(lines, lambda line: _is_block(text, line)):
        if is_block:
            one = list(group)
            yield one[0][0], one[-1][1]


def _is_block(text: str, line: Span) -> bool:
    return _BLOCK.match(text, line[0], line[1]) is not None


def _quotations(text: str, pair: str, fenced: _Spans) -> Iterator[Span]:
    """The parts between an opening and its closing sign, with those inside them."""
    opening, closing = pair[0], pair[1]
    if opening == "«" and -1 < text.find("»") < text.find("«"):
        opening, closing = closing, opening  # »as in German«
    spans: list[list[int]] = []
    depth = place = 0
    for found in re.finditer(f"[{opening}{closing}]", text):
        if fenced.covers(found.start()):
            continue
        side = _side(text, found.start(), opening, closing, depth)
        if side is None:
            continue
        place = found.end()
        if side:
            depth += 1
            if depth == 1:
                spans.append([place - 1, 0])
        elif spans:
            depth, spans[-1][1] = max(depth - 1, 0), place
    if depth and opening == closing:  # nobody knows which of them opened which
        spans = [[spans[0][0], place if place > spans[0][0] + 1 else 0]]
    if depth and not spans[-1][1]:
        behind = _PARAGRAPH.search(text, spans[-1][0])
        spans[-1][1] = behind.start() if behind else len(text)
    yield from ((start, end) for start, end in spans)


def _side(text: str, place: int, opening: str, closing: str, depth: int) -> bool | None:
    """True if a sign opens a quotation, False if it closes one; None for an apostrophe,
    an inch and the like.
    """
    before, behind = text[max(place - 1, 0) : place], text[place + 1 : place + 2]
    if opening != closing:
        if text[place] == "’" and _latin(behind):
            return None
        return text[place] == opening
    opens = behind.strip() != "" and not _latin(before)
    closes = before.strip() != "" and not _latin(behind)
    if opens == closes:
        if _latin(before) and _latin(behind):
            return None
        return not depth
    if closes and not depth and before.isdigit():
        return None
    return opens


def _latin(sign: str) -> bool:
    """True for a letter or digit of a script that parts its words."""
    return sign.isalnum() and sign < "\u2e80"
