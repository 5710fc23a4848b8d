"""Text in a given number of cells."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise, takewhile

from rich.cells import cell_len, set_cell_size

from .showing import clean


def fit(text: str, width: int) -> str:
    """Returns one line of text in exactly `width` cells; what does not fit ends in two
    dots (some terminals give an ellipsis two cells).
    """
    text = clean(text, newlines=False)
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    return set_cell_size(set_cell_size(text, max(width - 2, 0)).rstrip() + "..", width)


def at_right(text: str, size: int) -> str:
    """Returns text at the right end of a column."""
    fitted = fit(text, size)
    kept = fitted.rstrip()
    return " " * (len(fitted) - len(kept)) + kept


def fit_lines(text: str, width: int, lines: int) -> str:
    """Returns text that wraps to about `lines` lines; what does not fit ends in two
    dots.
    """
    room = width * lines - width // 5
    if cell_len(text) <= room:
        return text
    return set_cell_size(text, room - 2).rstrip() + ".."


class Apart:
    """Fits titles into columns so that those which begin alike can still be told apart:
    they are cut before the place where they differ.
    """

    def __init__(self, titles: Iterable[str]) -> None:
        self._titles = titles
        self._alike: dict[str, int] | None = None

    def fit(self, title: str, width: int) -> str:
        """Returns a title, clean and in one line, in exactly `width` cells."""
        alike = self._beginnings().get(title, 0) if cell_len(title) > width else 0
        if cell_len(title[: alike + 1]) <= width - 2 or width < 12:
            return fit(title, width)
        head = set_cell_size(title, width // 3).rstrip() + ".."
        room, at = width - cell_len(head), max(alike - 2, 0)
        while at and cell_len(title[at - 1 :]) <= room:
            at -= 1
        return head + fit(title[at:], room)

    def _beginnings(self) -> dict[str, int]:
        """How many characters each title has in common with the one that is most like
        it; found when a title is first too long.
        """
        if self._alike is None:
            titles = sorted(set(self._titles))
            common = [_common(*pair) for pair in pairwise(titles)]
            self._alike = {
                title: max(pair)
                for title, *pair in zip(titles, [0, *common], [*common, 0], strict=True)
            }
        return self._alike


def _common(one: str, other: str) -> int:
    """Returns how many characters two texts begin with in common."""
    return sum(
        1
        for _ in takewhile(
            lambda pair: pair[0] == pair[1], zip(one, other, strict=False)
        )
    )
