"""A text that is read while it is cut: only what is still needed of it is in memory."""

from __future__ import annotations

from collections.abc import Iterable

AT_ONCE = 1 << 18
"""Characters that are read at once, at least."""

CONTEXT = 16
"""Characters before what is needed that stay in memory: what begins there may depend on
them.
"""


class TextWindow:
    """The part of a text from `base` on, in characters, that has been read.

    Places are counted from the beginning of the text.
    """

    def __init__(self, pieces: Iterable[str], at_once: int = 0) -> None:
        self._pieces, self._at_once = iter(pieces), at_once or AT_ONCE
        self._needed = 0
        self.held = ""
        self.base = 0
        self.whole = False
        """Whether the text ends with what is held."""

    @property
    def end(self) -> int:
        return self.base + len(self.held)

    def part(self, start: int, end: int) -> str:
        return self.held[start - self.base : end - self.base]

    def forget(self, before: int) -> None:
        """Allow the next `read` to drop the text before a position."""
        self._needed = before

    def read(self) -> None:
        """Reads on: at least as much as is kept, so that reading takes linear time."""
        drop = max(0, self._needed - CONTEXT - self.base)
        read = [self.held[drop:]]
        self.base += drop
        missing = max(self._at_once, len(read[0]))
        while missing > 0:
            piece = next(self._pieces, None)
            if piece is None:
                self.whole = True
                break
            read.append(piece)
            missing -= len(piece)
        self.held = "".join(filter(None, read))  # one piece is not copied
