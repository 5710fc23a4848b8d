"""Where lines of Chinese, Japanese and Korean break.

Textual breaks lines at white space alone, so a run of Chinese moves to the next line
whole, and half a line stays empty before it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

from rich.cells import cell_len, chop_cells

from ...texts.patterns import lazy
from .compat import DivideLine, replace_line_breaking

_WIDE = (
    "\u1100-\u115f\u2e80-\u2fff\u3005-\u3007\u3021-\ua4cf\uac00-\ud7a3\uf900-\ufaff"
    "\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\U00020000-\U0003fffd"
)
_CLOSING = (
    "\u3001\u3002\u3009\u300b\u300d\u300f\u3011\u3015\u3017\u201d\u2019\u2026\u2014"
    "\uff01\uff09\uff0c\uff0e\uff1a\uff1b\uff1f\uff3d\uff5d\uff5e"
)
"""Signs that do not begin a line."""
_OPENING = "\u3008\u300a\u300c\u300e\u3010\u3014\u3016\u201c\u2018\uff08\uff3b\uff5b"
"""Signs that do not end a line."""
_PIECE = lazy(
    rf"\s*[{_OPENING}]*(?:[{_WIDE}]|[^\s{_WIDE}{_OPENING}{_CLOSING}]+)?[{_CLOSING}]*\s*"
)


def pieces(text: str) -> Iterator[tuple[int, str]]:
    """Yields (start, piece) of each piece that is not broken: a word, or one wide
    character with the signs that belong to it.
    """
    place = 0
    while place < len(text):
        found = _PIECE.match(text, place)
        end = max(found.end() if found is not None else 0, place + 1)
        yield place, text[place:end]
        place = end


def divide_line(text: str, width: int, fold: bool = True) -> list[int]:
    """Returns the offsets at which a line of text is broken to fit into `width` cells.
    `fold`: longer pieces are broken anywhere.
    """
    breaks: list[int] = []
    filled = 0
    for start, piece in pieces(text):
        long = cell_len(piece.rstrip())
        if filled + long <= width:
            filled += cell_len(piece)
            continue
        if start:
            breaks.append(start)
        if long > width and fold:
            parts = chop_cells(piece, width)
            for part in parts[:-1]:
                start += len(part)
                breaks.append(start)
            filled = cell_len(parts[-1])
        else:
            filled = cell_len(piece)
    return breaks


_NO_START = frozenset(_CLOSING)
_NO_END = frozenset(_OPENING)
_ANY_WIDE = lazy(rf"[{_WIDE}{_CLOSING}{_OPENING}]")


def line_starts(text: str, width: int) -> list[int]:
    """Returns where each line of a paragraph begins, the first one too: for long texts,
    as it looks only at the places where lines end.
    """
    widths: dict[str, int] = {sign: cell_len(sign) for sign in set(text)}
    filled = [0, *accumulate(map(widths.__getitem__, text))]
    starts, at, length = [0], 0, len(text)
    while filled[length] - filled[at] > width:
        limit = max(bisect_right(filled, filled[at] + width, at) - 1, at + 1)
        end = limit
        while end < length and text[end].isspace():
            end += 1  # blanks hang over the edge
        if end == limit:
            while end > at and not _breaks(text, end):
                end -= 1
        at = end if end > at else limit
        if at >= length:
            break
        starts.append(at)
    return starts


def _breaks(text: str, at: int) -> bool:
    """Whether a line may begin with the character at a place."""
    before, after = text[at - 1], text[at]
    if after in _NO_START or before in _NO_END or after.isspace():
        return False
    return (
        before.isspace()
        or _ANY_WIDE.match(after) is not None
        or _ANY_WIDE.match(before) is not None
    )


def install() -> None:
    """Makes Textual break lines this way wherever it shows text that holds wide
    characters.
    """

    def replaced(usual: DivideLine) -> DivideLine:
        def divide(text: str, width: int, fold: bool = True) -> list[int]:
            if _ANY_WIDE.search(text):
                return divide_line(text, width, fold)
            return usual(text, width, fold)

        return divide

    replace_line_breaking(replaced)
