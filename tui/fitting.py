"""Text in a given number of cells."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size

from .showing import clean


def fit(text: str, width: int) -> str:
    """Returns one line of text in exactly `width` cells; what does not fit ends in two dots (some terminals give an ellipsis two cells)."""
    text = clean(text, newlines=False)
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    return set_cell_size(set_cell_size(text, max(width - 2, 0)).rstrip() + "..", width)


def fit_lines(text: str, width: int, lines: int) -> str:
    """Returns text that wraps to about `lines` lines; what does not fit ends in two dots."""
    room = width * lines - width // 5
    return text if cell_len(text) <= room else set_cell_size(text, room - 2).rstrip() + ".."
