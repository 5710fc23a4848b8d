"""Cuts a text into sentences and passages.

Passages end at paragraph and sentence ends and overlap by a sentence.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .structure import MarkedBlock, Markup, blocks
from .text_window import TextWindow
from .tokeniser import CJK


class PassageSize(NamedTuple):
    """How a text is cut into passages."""

    words: int = 150
    """Of a passage, about; two Chinese characters count as a word."""
    overlap: int = 1
    """Sentences of a paragraph at the end of a passage that begin the next one, too."""

    @property
    def letters(self) -> int:
        """Return a passage's length. A Chinese character counts as three."""
        return 6 * self.words


DEFAULT = PassageSize()
SIZE = DEFAULT.letters

WHOLE = 2
"""A text of at most so many passages' letters is one passage: what belongs together is
found best as one.
"""

_REST = 1.25
"""What is left at the end joins the last passage, up to so many passages' letters."""

_SECTION = 0.25
"""A passage that is filled so far ends before a heading."""

_CJK_RUN = re.compile(f"[{CJK}]+")
_CLOSERS = "\"'\u201d\u2019\u300d\u300f\u300b\uff09)\\]\u3011"
_END = re.compile(
    # full-width ends need no space after them
    f"[\u3002\uff01\uff1f\uff61\u2026][\u3002\uff01\uff1f\u2026!?.]*[{_CLOSERS}]*"
    f"|(?<![.!?])[.!?]++[{_CLOSERS}]*(?=\\s|$|[{CJK}])"
    "|\\n[^\\S\\n]*\\n\\s*"  # a blank line
    "|(?m:^)#{1,6}[^\\S\\n][^\\n]*\\n"  # a heading ends with its line
    # an item of a list, a heading or a row of a table begins
    "|\\n(?=[^\\S\\n]*(?:[-*+\u2022\u00b7|>#]|\\d{1,3}[.)\u3001])[^\\n])"
)
_INNER = re.compile(r"[ \t]+(?:[-*+\u2022]|\d{1,3}[.)])[ \t]|\|")
"""An item within another one, or a row."""
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\"'])(?:[A-Z]|(?:[A-Za-z]\.)+[A-Za-z]|Mr|Mrs|Ms|Dr|Prof|St|Gen|Col"
    r"|Sgt|Capt|Lt|Rev|Hon|Sen|Gov|Jr|Sr|No|Nos|Vol|vs|cf|ca|al|Fig|Eq|approx|Inc"
    r"|Ltd|Co|Corp)$"
)

_BLANKS = "\n\uff1b; \uff0c,"
"""Where a text without sentence ends is cut, best first."""


class Piece(NamedTuple):
    """The place of a passage in its text, in characters: `text[start:end]`."""

    start: int
    end: int


def sentences(text: str) -> list[tuple[int, int]]:
    """Start and end of each sentence, blanks around it left out.

    Every character that is not blank is in exactly one.
    """
    found = []
    start = 0
    for end in _ends(text):
        raw = text[start:end]
        if stripped := raw.strip():
            low = start + len(raw) - len(raw.lstrip())
            found.append((low, low + len(stripped)))
        start = end
    return found


def cut(text: str | TextWindow) -> Iterator[Piece]:
    """The places of the passages of a text in order, as `passages` gives them."""
    window = TextWindow([text]) if isinstance(text, str) else text
    return (Piece(one.start, one.end) for one in passages(window))


class Passage(NamedTuple):
    """A passage, `start` to `end` in characters of its text."""

    start: int
    end: int
    path: tuple[str, ...]
    """The headings above it; one that it begins with is the last of them."""
    header: str
    """The rows at the head of the table whose later rows it begins with."""


def passages(
    window: TextWindow, markup: Markup = "markdown", size: PassageSize = DEFAULT
) -> Iterator[Passage]:
    """The passages of a text, in order; a short text is one.

    Every non-blank character is in at least one. Only the sentences of one passage are
    in memory at a time, because the text can be a large file. A window holds each
    passage, and the text between it and the previous one, until the next is requested.
    """
    rest = _units(window, markup, size)
    held: deque[_Unit] = deque()
    letters_held, full = 0, size.letters
    most = WHOLE * full
    while True:
        while letters_held <= most and (unit := next(rest, None)) is not None:
            held.append(unit)
            letters_held += unit.size
        if not held:
            return
        last = letters_held <= most
        at = (
            len(held) if last and most > _REST * full else _taken(held, full, last=last)
        )
        most = int(_REST * full)
        first, end = held[0], held[at - 1].end
        yield Passage(first.start, end, first.path, first.header)
        for _ in range(at - _repeated(held, at, full // 3, size.overlap)):
            letters_held -= held.popleft().size
        window.forget(min(end, held[0].start) if held else end)


_HEADING, _BLOCK, _PART, _LINE, _SENTENCE = range(5)
"""How well a passage begins there: at a heading, a block, a part of one, a line of one,
a sentence within a paragraph.
"""


class _Unit(NamedTuple):
    """The smallest part that a passage takes as a whole: a heading, a sentence, a row,
    an item, code; or a slice of one that is too long.
    """

    start: int
    end: int
    size: int
    rank: int
    path: tuple[str, ...]
    header: str
    leads: bool
    """What follows belongs to it: no passage ends with it."""


def _taken(held: Sequence[_Unit], full: int, *, last: bool) -> int:
    """Return how many of these units the next passage takes.

    `last`: only these are left, and they are little more than a passage.
    """
    size, best, small, rank = held[0].size, 0, 0, _SENTENCE
    for at in range(1, len(held)):
        unit = held[at]
        if not held[at - 1].leads:
            if unit.rank == _HEADING and size >= full * _SECTION:
                return at
            if size < full // 2:
                small = at
            elif unit.rank <= rank:
                best, rank = at, unit.rank
        if size + unit.size > (full if best or small else 2 * full) and not last:
            return best or small or at
        size += unit.size
    return len(held)


def _repeated(held: Sequence[_Unit], at: int, room: int, overlap: int) -> int:
    """How many units before that place the next passage repeats: sentences of the
    paragraph that goes on there.
    """
    keep = 0
    while (
        keep < min(overlap, at - 1)
        and at < len(held)
        and held[at - keep].rank == _SENTENCE
        and (room := room - held[at - keep - 1].size) >= 0
    ):
        keep += 1
    return keep


def _units(window: TextWindow, markup: Markup, size: PassageSize) -> Iterator[_Unit]:
    for block in blocks(window, markup):
        text = window.part(block.start, block.end)
        rank = _HEADING if block.kind == "heading" else _BLOCK
        for low, high, inner in _parts(block, text, size.letters):
            part, head = text[low:high], block.start + low < block.body
            yield _Unit(
                block.start + low,
                block.start + high,
                letters(part),
                rank,
                block.path,
                block.header if not head and len(block.header) <= SIZE // 3 else "",
                rank == _HEADING or head or part.endswith((":", "\uff1a")),
            )
            rank = inner


def _parts(block: MarkedBlock, text: str, full: int) -> Iterator[tuple[int, int, int]]:
    """Start and end of each unit of a block, and its rank if it is not the first."""
    if block.kind == "text":
        pieces = [(*place, _SENTENCE) for place in sentences(text)]
    elif block.kind != "table" and letters(text) <= full:
        pieces = [(0, len(text), _PART)]
    else:
        pieces = list(_lines(text, max(0, block.body - block.start)))
    for start, end, rank in pieces:
        said = text[start:end].strip()
        if not said:
            continue
        start = text.index(said, start)
        size = letters(said)
        if size <= full * 3 // 2:
            yield start, start + len(said), rank
        else:
            step = max(1, len(said) * full // size)
            for low, high in _slices(said, step):
                yield start + low, start + high, _LINE


def _lines(text: str, body: int) -> Iterator[tuple[int, int, int]]:
    """The lines of a table, an item or code; the head of a table as one."""
    start, blank = 0, False
    for line in filter(None, (text[:body], *text[body:].splitlines(keepends=True))):
        end = start + len(line)
        yield start, end, _PART if blank or _INNER.match(line) else _LINE
        blank = not line.strip()
        start = end


def letters(text: str) -> int:
    """The length of a text by which passages are measured."""
    if text.isascii():
        return len(text)
    return len(text) + 2 * sum(map(len, _CJK_RUN.findall(text)))


def _ends(text: str) -> Iterator[int]:
    """Where sentences end."""
    for match in _END.finditer(text):
        if not (match[0] == "." and _continues(text, match.start())):
            yield match.end()
    yield len(text)


def _continues(text: str, at: int) -> bool:
    """True where the full stop at `at` ends an abbreviation, an initial or the number
    of a list's item, not a sentence.
    """
    after = text[at + 1 : at + 3].lstrip()
    if after[:1].islower():
        return True
    before = text[max(0, at - 12) : at]
    line = before.rpartition("\n")[2].strip()
    if line.isdigit() and len(line) <= 3 and (at - len(before) == 0 or "\n" in before):
        return True
    return _ABBREVIATION.search(before) is not None


def _slices(text: str, step: int) -> list[tuple[int, int]]:
    """A text without sentence ends, cut at blanks where there are some, about every
    `step` characters.
    """
    found, start, end = [], 0, len(text)
    while start < end:
        high = end if end - start <= step * 5 // 4 else start + step
        if high < end:
            ends = (text.rfind(mark, start + step // 2, high) for mark in _BLANKS)
            high = next((end + 1 for end in ends if end > 0), high)
        piece = text[start:high]
        if piece.strip():
            low = start + len(piece) - len(piece.lstrip())
            found.append((low, low + len(piece.strip())))
        start = high
    return found
