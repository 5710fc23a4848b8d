"""What a person sees of a terminal, cell by cell."""

from __future__ import annotations

import pyte
from verifytui.tests.support.terminal import Filling

Picture = list[list[tuple[object, ...]]]


class Seen:
    """A terminal that does not wrap lines, as Textual sets it."""

    def __init__(self, width: int, height: int, fills: bool = True) -> None:
        self.screen = (Filling if fills else pyte.Screen)(width, height)
        self.stream = pyte.Stream(self.screen)
        self.stream.feed("\x1b[?7l")

    def cells(self) -> Picture:
        return seen_of(self.screen)


def seen_of(screen: pyte.Screen) -> Picture:
    """Of each cell what a person sees; the ink of a blank is not seen."""
    return [
        [_seen(screen.buffer[y][x]) for x in range(screen.columns)]
        for y in range(screen.lines)
    ]


def _seen(char: pyte.screens.Char) -> tuple[object, ...]:
    ground = (char.data, char.bg, char.reverse, char.underscore, char.strikethrough)
    inked = char.data.strip() or char.reverse or char.underscore or char.strikethrough
    if inked:
        return (*ground, char.fg, char.bold, char.italics)
    return ground
