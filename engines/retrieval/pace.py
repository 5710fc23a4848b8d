"""Estimates the remaining time of a build."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

WINDOW = 30.0
"""Seconds that count: kinds of files follow each other, and a page takes longer than a
note.
"""

FIRST = 2.0
"""Seconds before anything is reported."""


ROWS = 16 * 1024
"""Bytes of a large file of rows that take about as long as another file.

They count one by one, as such a file may be all there is.
"""


class ReadingSpeed:
    """The files of the last half minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._steps: deque[tuple[float, float]] = deque()
        self._rows = self._all_rows = 0.0

    def rows(self, read: int, total: int) -> None:
        """Records the bytes read of large files of rows, of `total`."""
        self._rows, self._all_rows = read / ROWS, total / ROWS

    def left(self, done: int, total: int) -> float | None:
        """Estimated seconds until all files are done, after `done` of `total`; None
        while unknown.
        """
        now, reached, end = self._clock(), done + self._rows, total + self._all_rows
        while len(self._steps) > 1 and self._steps[0][0] < now - WINDOW:
            self._steps.popleft()
        if not self._steps or now > self._steps[-1][0]:
            self._steps.append((now, reached))
        began, first = self._steps[0]
        if now - began < FIRST or reached <= first:
            return None
        return (now - began) / (reached - first) * (end - reached)
