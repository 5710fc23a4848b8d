"""A progress line that is redrawn in place: a bar with a text next to it."""

from __future__ import annotations

import shutil
import sys
import time

from . import console

NARROWEST = 8
"""Columns of the narrowest bar; with less room there is none."""


class ProgressBar:
    """How far some work is, on stderr: a bar on a terminal, a line now and then
    elsewhere.
    """

    SECONDS, LOG_SECONDS = 0.1, 10.0
    """Between two looks of the bar, and between two lines."""

    def __init__(self) -> None:
        self._bar = sys.stderr.isatty()
        self._drawn = False
        self._last = 0.0 if self._bar else time.monotonic()
        self._said = ""

    def show(self, done: int, total: int, text: str, *, last: bool = False) -> None:
        """Shows how much is done, if it is time for it; the last one always."""
        now = time.monotonic()
        if text == self._said or (
            not last
            and now - self._last < (self.SECONDS if self._bar else self.LOG_SECONDS)
        ):
            return
        self._last, self._said = now, text
        if self._bar:
            draw(done, total, text, widest=20)
            self._drawn = True
        else:
            console.note(text)

    def clear(self) -> None:
        """Takes the bar away."""
        if self._drawn:
            clear()
            self._drawn = False

    def leave(self) -> None:
        """Leaves the bar unchanged; further output starts on its own line."""
        if self._drawn:
            leave()
            self._drawn = False


def width() -> int:
    """Columns of the terminal."""
    return shutil.get_terminal_size().columns


def room(text: str) -> int:
    """Return the columns left for a bar next to this text."""
    from rich.cells import cell_len

    return width() - cell_len(text) - 4


def draw(done: int, total: int, text: str, widest: int = 40) -> None:
    """Draws how much is done, and as much of the text as there is room for."""
    from rich.cells import set_cell_size

    cells = min(widest, room(text))
    full = cells * done // max(total, 1)
    line = (
        f"[{'#' * full}{'.' * (cells - full)}] {text}" if cells >= NARROWEST else text
    )
    _write("\r" + set_cell_size(line, width() - 1).rstrip() + "\x1b[K")


def clear() -> None:
    """Takes the line away."""
    _write("\r\x1b[K")


def leave() -> None:
    """Leaves the line unchanged; further output starts on its own line."""
    _write("\n")


def _write(text: str) -> None:
    if console.is_quiet():
        return
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        return
