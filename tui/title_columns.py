"""Text in a given number of cells."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from itertools import takewhile

from rich.cells import cell_len, set_cell_size

from .showing import clean_line


def fit(text: str, width: int) -> str:
    """Returns one line of text in exactly `width` cells; what does not fit ends in two
    dots (some terminals give an ellipsis two cells).
    """
    text = clean_line(text)
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    return set_cell_size(set_cell_size(text, max(width - 2, 0)).rstrip() + "..", width)


def at_right(text: str, size: int) -> str:
    """Returns text at the right end of a column."""
    fitted = fit(text, size)
    kept = fitted.rstrip()
    return " " * (len(fitted) - len(kept)) + kept


def end_of(text: str, cells: int) -> str:
    """Returns the end of a text in this many cells, from the beginning of a word on."""
    at = len(text)
    while at and cell_len(text[at - 1 :]) <= cells:
        at -= 1
    space = text.find(" ", at, at + 20)
    return text[space + 1 if space >= 0 else at :]


def cause(text: str, width: int) -> str:
    """Returns a message in at most `width` cells: without the remedy behind its colon
    where it is too long, then without the middle. Why something failed stays.
    """
    text = clean_line(text)
    if cell_len(text) > width:
        before = text.partition(": ")[0]
        text = before if cell_len(before) > width // 2 else text
    if cell_len(text) <= width:
        return text
    head = set_cell_size(text, width // 3)
    head = (head.rpartition(" ")[0] or head) + " .. "
    return head + end_of(text, width - cell_len(head))


def fit_lines(text: str, width: int, lines: int) -> str:
    """Returns text that wraps to about `lines` lines; what does not fit ends in two
    dots.
    """
    room = width * lines - width // 5
    if cell_len(text) <= room:
        return text
    return set_cell_size(text, room - 2).rstrip() + ".."


class Apart:
    """Fits titles into columns so that similar titles stay distinguishable.

    Cuts a title before the position where it differs.
    """

    def __init__(self, titles: Iterable[str]) -> None:
        self._titles = titles
        self._sorted: list[str] | None = None

    def fit(self, title: str, width: int) -> str:
        """Returns a title, clean and in one line, in exactly `width` cells."""
        alike = self._alike(title) if cell_len(title) > width else 0
        if cell_len(title[: alike + 1]) <= width - 2 or width < 12:
            return fit(title, width)
        head = set_cell_size(title, width // 3).rstrip() + ".."
        room, at = width - cell_len(head), max(alike - 2, 0)
        while at and cell_len(title[at - 1 :]) <= room:
            at -= 1
        return head + fit(title[at:], room)

    def _alike(self, title: str) -> int:
        """Number of leading characters that a title shares with its neighbours in title
        order.
        """
        if self._sorted is None:
            self._sorted = sorted(set(self._titles))
        at = bisect_left(self._sorted, title)
        beside = [*self._sorted[max(at - 1, 0) : at], *self._sorted[at + 1 : at + 2]]
        return max((_common(title, other) for other in beside), default=0)


def _common(one: str, other: str) -> int:
    """Returns how many characters two texts begin with in common."""
    return sum(
        1
        for _ in takewhile(
            lambda pair: pair[0] == pair[1], zip(one, other, strict=False)
        )
    )
