"""A line on the terminal that is drawn over itself: a bar, and what stands beside it."""

from __future__ import annotations

import shutil
import sys

NARROWEST = 8
"""Columns of the narrowest bar; with less room there is none."""


def width() -> int:
    """Columns of the terminal."""
    return shutil.get_terminal_size().columns


def room(text: str) -> int:
    """Columns that are left for a bar beside this text."""
    from rich.cells import cell_len

    return width() - cell_len(text) - 4


def draw(done: int, total: int, text: str, widest: int = 40) -> None:
    """Draws how much is done, and as much of the text as there is room for."""
    from rich.cells import set_cell_size

    cells = min(widest, room(text))
    full = cells * done // max(total, 1)
    line = f"[{'#' * full}{'.' * (cells - full)}] {text}" if cells >= NARROWEST else text
    _write("\r" + set_cell_size(line, width() - 1).rstrip() + "\x1b[K")


def clear() -> None:
    """Takes the line away."""
    _write("\r\x1b[K")


def leave() -> None:
    """Leaves the line as it stands; what comes next has a line of its own."""
    _write("\n")


def _write(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        return
