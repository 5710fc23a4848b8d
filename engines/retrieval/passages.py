"""Cuts a text into sentences and passages.

Passages end at paragraph and sentence ends and overlap by a sentence.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .text_window import TextWindow
from .tokeniser import CJK

SIZE = 900
"""Of a passage, in letters: about 150 English words.

A Chinese character counts as three, so about 300 of them.
"""

WHOLE = 2 * SIZE
"""A text of at most so many letters is one passage: what belongs together is found best
as one.
"""

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
_BLANK_OR_MARK = re.compile(f"[\\s.!?\u3002\uff01\uff1f\uff61\u2026{_CLOSERS}]")
_HEADING = re.compile(r"#{1,6}[^\S\n]")
_AHEAD = 8
"""Characters after a place, at most, that decide whether a sentence ends there, blanks
and marks not counted.
"""
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
    return [(start, end) for start, end, _ in _sentences(TextWindow([text]))]


def cut(text: str | TextWindow) -> Iterator[Piece]:
    """The passages of a text, in order; a short text is one.

    Every character that is not blank is in at least one.

    So many sentences as a passage needs are held at a time: a text may be a large file.
    A window holds each passage, and what lies between it and the one before, until the
    next one is asked for.
    """
    window = TextWindow([text]) if isinstance(text, str) else text
    while not window.whole and window.end <= WHOLE:
        window.read()
    held = window.held
    short = len(held) <= WHOLE and letters(held) <= WHOLE
    if short and (whole := held.strip()):
        start = held.index(whole)
        yield Piece(start, start + len(whole))
        return
    rest = _parts(window)
    parts: deque[_Part] = deque()
    size = 0
    while True:
        while size <= SIZE * 5 // 4 and (part := next(rest, None)) is not None:
            parts.append(part)
            size += part.size
        if not parts:
            return
        at = _taken(parts, size)
        yield Piece(parts[0].start, parts[at - 1].end)
        overlap = (
            at < len(parts)
            and at > 1
            and not parts[at - 1].last
            and parts[at - 1].size <= SIZE // 3
        )
        end = parts[at - 1].end
        for _ in range(at - 1 if overlap else at):
            size -= parts.popleft().size
        window.forget(min(end, parts[0].start) if parts else end)


class _Part(NamedTuple):
    """A sentence, or a slice of one that is too long for a passage."""

    start: int
    end: int
    last: bool
    """A paragraph ends with it."""
    size: int


def _taken(parts: Sequence[_Part], held: int) -> int:
    """How many of these parts the next passage takes."""
    if held <= SIZE * 5 // 4:
        return len(parts)  # too little would be left for a passage of its own
    size, at, best = parts[0].size, 1, 0
    while at < len(parts) and size + parts[at].size <= SIZE:
        if parts[at - 1].last and size >= SIZE // 2:
            best = at
        size += parts[at].size
        at += 1
    return best if best and not parts[at - 1].last else at  # rather whole paragraphs


def _parts(window: TextWindow) -> Iterator[_Part]:
    for start, end, last in _sentences(window):
        sentence = window.part(start, end)
        size = letters(sentence)
        if end - start <= SIZE // 3 or size <= SIZE * 3 // 2:
            yield _Part(start, end, last, size)
            continue
        step = max(1, (end - start) * SIZE // size)
        for low, high in _slices(sentence, step):
            yield _Part(
                start + low,
                start + high,
                last and start + high == end,
                letters(sentence[low:high]),
            )


def letters(text: str) -> int:
    """The length of a text by which passages are measured."""
    if text.isascii():
        return len(text)
    return len(text) + 2 * sum(map(len, _CJK_RUN.findall(text)))


def _sentences(window: TextWindow) -> Iterator[tuple[int, int, bool]]:
    """Start, end, and whether a paragraph ends with it."""
    before: tuple[int, int, bool] | None = None
    start = 0
    for end, last in _ends(window):
        raw = window.part(start, end)
        stripped = raw.strip()
        if stripped:
            if before is not None:
                yield before
            low = start + len(raw) - len(raw.lstrip())
            before = (low, low + len(stripped), last)
        elif last and before is not None:
            before = (*before[:2], True)
        start = end
    if before is not None:
        yield before


def _ends(window: TextWindow) -> Iterator[tuple[int, bool]]:
    """Where sentences end, and whether a line does there."""
    at = 0
    while True:
        text, base, known = window.held, window.base, _known(window, at)
        for match in _END.finditer(text, at - base):
            if base + match.start() >= known:
                break
            at = base + match.end()
            mark = match[0]
            if not (mark == "." and _continues(text, match.start())):
                yield at, "\n" in mark
        if window.whole:
            yield window.end, True
            return
        at = max(at, known)
        window.read()


def _known(window: TextWindow, at: int) -> int:
    """Up to where, from a place on, it is known where sentences end, however the text
    continues.
    """
    if window.whole:
        return window.end
    text, low = window.held, at - window.base
    high = len(text) - _AHEAD
    while high > low and _BLANK_OR_MARK.match(text, high):
        high -= 1
    line = text.rfind("\n", max(0, low - 1), max(low, high)) + 1
    heading = (line or at == 0) and _HEADING.match(text, line)
    if heading and "\n" not in text[high:]:
        high = line
    return window.base + max(low, high)


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
