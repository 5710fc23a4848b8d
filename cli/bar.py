"""A line on the terminal that is drawn over itself: a bar, and what stands beside it."""

from __future__ import annotations

import shutil
import sys

NARROWEST = 8
"""Columns of the narrowest bar; with less room there is none."""


def width() -> int:
    """Columns of the terminal."""
    return shutil.get_terminal_size().columns


def draw(done: int, total: int, text: str, widest: int = 40) -> None:
    """Draws how much is done, and as much of the text as there is room for."""
    room = min(widest, width() - len(text) - 4)
    full = room * done // max(total, 1)
    bar = f"[{'#' * full}{'.' * (room - full)}] " if room >= NARROWEST else ""
    _write("\r" + (bar + text)[: width() - 1] + "\x1b[K")


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
