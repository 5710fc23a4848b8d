"""The hits of a search, where they are seen: lines of a widget with hits marked."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip
from textual.style import Style
from textual.widget import Widget
from textual.widgets import Static

from .line_layout import BROKEN

HIT, FRONT = "bold underline $warning on $panel", "bold $background on $warning"
"""The looks of a hit, and of the one that is shown, in colours whose contrast every
theme keeps.
"""


def wanted(text: str) -> re.Pattern[str] | None:
    """Returns what finds a text however its lines are broken; None for blanks."""
    broken = f"(?:{BROKEN}?\n *)?"
    pattern = r"\s+".join(broken.join(map(re.escape, word)) for word in text.split())
    return re.compile(pattern, re.IGNORECASE) if pattern else None


def show_hit(
    scroll: Widget, texts: Iterable[HitText], wanted: re.Pattern[str], number: int
) -> None:
    """Scrolls to a hit in the texts of a widget, from 0, and highlights it; the last
    one if there are fewer.
    """
    hits = [(text, *hit) for text in texts for hit in enumerate(text.hits())]
    if hits:
        text, place, line = hits[min(number, len(hits) - 1)]
        text.light(wanted, place)
        y = text.region.y - scroll.region.y + scroll.scroll_offset.y + line
        scroll.scroll_to(y=y - scroll.size.height // 3, animate=False, immediate=True)


class HitPiece(NamedTuple):
    """A part of a line, from one cell to another, that belongs to a hit."""

    start: int
    end: int
    number: int
    """Which hit of the widget, from 0."""


class HitText(Static):
    """A text in which hits are marked."""

    _wanted: re.Pattern[str] | None = None
    _front: int | None = None
    _pieces: tuple[object, Mapping[int, list[HitPiece]]] = (None, {})

    def light(self, wanted: re.Pattern[str] | None, front: int | None = None) -> None:
        """Marks the hits; the one numbered `front` is highlighted."""
        if (wanted, front) != (self._wanted, self._front):
            self._wanted, self._front = wanted, front
            self.refresh()

    def hits(self) -> list[int]:
        """Returns the line on which each hit begins."""
        first: dict[int, int] = {}
        for line, pieces in self._marked().items():
            for piece in pieces:
                first.setdefault(piece.number, line)
        return [*first.values()]

    def _marked(self) -> Mapping[int, list[HitPiece]]:
        """Returns the pieces of hits on each line."""
        if self._wanted is None:
            return {}
        lines = [
            super(HitText, self).render_line(y).text.rstrip()
            for y in range(self.content_size.height)
        ]
        if self._pieces[0] == (lines, self._wanted):
            return self._pieces[1]
        text, starts = "\n".join(lines), [0]
        for line in lines:
            starts.append(starts[-1] + len(line) + 1)
        found: dict[int, list[HitPiece]] = {}
        for number, hit in enumerate(self._wanted.finditer(text)):
            first = bisect_right(starts, hit.start()) - 1
            for at in range(first, bisect_right(starts, hit.end() - 1)):
                begin = max(starts[at], hit.start())
                shown = text[begin : min(starts[at + 1] - 1, hit.end())]
                before = cell_len(text[starts[at] : begin])
                found.setdefault(at, []).append(
                    HitPiece(before, before + cell_len(shown), number)
                )
        self._pieces = (lines, self._wanted), found
        return found

    def render_line(self, y: int) -> Strip:
        strip, at = super().render_line(y), 0
        parts: list[Strip] = []
        for start, end, number in self._marked().get(y, ()):
            name = FRONT if number == self._front else HIT
            look = Style.parse(name, self.app.theme_variables).rich_style
            parts += [
                strip.crop(at, start),
                Strip(
                    Segment(text, look if style is None else style + look, control)
                    for text, style, control in strip.crop(start, end)
                ),
            ]
            at = end
        return Strip.join([*parts, strip.crop(at)]) if parts else strip
