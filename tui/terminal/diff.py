"""Puts pieces of lines into the shortest sequence: all that one pen draws together,
since a colour costs more bytes than a movement.
"""

from __future__ import annotations

import re

from .cells import ON_BLANKS, PLAIN, UNKNOWN, Cell, Pen, blank_with, change, is_sure

BLANKS = re.compile(" {11,}|(?: {6,})\\Z")
"""Blanks that take more bytes than erasing them, and moving over those inside."""

Piece = tuple[int, int, list[Cell]]
"""Row, column, cells."""


class ScreenWriter:
    """Collects what is written on a screen; the cursor may be anywhere.

    `fills`: whether erased cells have the background color in use.
    """

    def __init__(self, width: int, pen: Pen = PLAIN, fills: bool = False) -> None:
        self._width = width
        self._fills = fills
        self._pieces: dict[Pen, list[Piece]] = {}
        self._blank: list[tuple[Pen, Piece]] = []
        self._kept: list[Piece] = []
        self._sent: list[str] = []
        self._row: int | None = None
        self._column: int | None = None
        self._pen = pen

    def gather(self, y: int, x: int, cells: list[Cell]) -> None:
        """Cells of one row, from column `x` on, which may be written in any order."""
        start, last, pen, blank = 0, 0, cells[0][1], True
        for number, (text, own) in enumerate(cells):
            if text == " " and blank_with(pen, own):
                continue
            if own is not pen and not (blank and text != " " and blank_with(own, pen)):
                end = number
                if last > start and blank_with(own, pen):
                    end = last  # the blanks between them cost the next piece nothing
                self._add(pen, (y, x + start, cells[start:end]), blank)
                start, blank = end, True
            pen = own
            blank = blank and text == " "
            last = number + 1
        self._add(pen, (y, x + start, cells[start:]), blank)

    def _add(self, pen: Pen, piece: Piece, blank: bool) -> None:
        if not piece[2]:
            return
        if blank:
            self._blank.append((pen, piece))
        else:
            self._pieces.setdefault(pen, []).append(piece)

    def keep(self, y: int, cells: list[Cell]) -> None:
        """Return a whole row to write from left to right.

        Later cells then cover any character that the terminal draws too wide.
        """
        start = 0
        for number, cell in enumerate([*cells, UNKNOWN]):
            if cell is UNKNOWN:
                if number > start:
                    self._kept.append((y, start, cells[start:number]))
                start = number + 1

    def written(self) -> str:
        """Returns all of it, with the pen plain at the end."""
        for pen, piece in self._blank:
            self._pieces.setdefault(self._like(pen, piece), []).append(piece)
        for pen, pieces in self._pieces.items():
            self._take(pen)
            for y, x, cells in sorted(pieces, key=lambda piece: piece[:2]):
                self._move(y, x)
                self._draw(pen, y, x, cells)
        for y, x, cells in self._kept:
            self._move(y, x)
            self._in_order(x, cells)
            self._stand(y, x + len(cells))
        self._take(PLAIN)
        return "".join(self._sent)

    def _draw(self, pen: Pen, y: int, x: int, cells: list[Cell]) -> None:
        """Writes cells with the pen in use; long blanks are erased where that colors
        them.
        """
        text = "".join([text for text, _ in cells])
        end = x + len(cells)
        if self._fills and not (pen.on & ON_BLANKS or pen.link):
            last = BLANKS.search(text)
            while last is not None and last.end() < len(text):
                last = BLANKS.search(text, last.end())
            if last is not None:
                end -= last.end() - last.start()
            text = BLANKS.sub(_erased, text)
        self._sent.append(text)
        self._stand(y, end)

    def _like(self, blank: Pen, piece: Piece) -> Pen:
        """Returns the pen that draws these blanks on its way: one that draws before
        them in their row, or anywhere.
        """
        able = [pen for pen in self._pieces if blank_with(pen, blank)]
        near = [
            (x, pen)
            for pen in able
            for y, x, _ in self._pieces[pen]
            if y == piece[0] and x < piece[1]
        ]
        if near:
            return max(near)[1]
        if able:
            return able[0]
        return blank

    def _in_order(self, x: int, cells: list[Cell]) -> None:
        for number, (text, pen) in enumerate(cells):
            if not text:
                continue
            if not (text == " " and blank_with(self._pen, pen)):
                self._take(pen)
            if is_sure(text):
                self._sent.append(text)
            else:
                self._apart(text, x, number, cells)

    def _apart(self, text: str, x: int, number: int, cells: list[Cell]) -> None:
        """Writes what terminals may give another number of cells: onto blanks, and with
        the column of the next cell.
        """
        end = number + 1
        while end < len(cells) and not cells[end][0]:
            end += 1
        self._sent.append(
            f"{' ' * (end - number)}\x1b[{x + number + 1}G{text}\x1b[{x + end + 1}G"
        )

    def _take(self, pen: Pen) -> None:
        if pen != self._pen:
            self._sent.append(change(self._pen, pen))
            self._pen = pen

    def _stand(self, y: int, x: int) -> None:
        # after the last column terminals differ
        self._row, self._column = (
            y,
            x if x < self._width else None,
        )

    def _move(self, y: int, x: int) -> None:
        """The shortest way to a cell."""
        if (self._row, self._column) == (y, x):
            return
        ways = [f"\x1b[{y + 1};{x + 1}H" if x else f"\x1b[{y + 1}H" if y else "\x1b[H"]
        if self._row == y:
            ways += ["\r" if x == 0 else f"\x1b[{x + 1}G"]
        if self._row == y - 1:
            ways += ["\r\n" if x == 0 else f"\r\n\x1b[{x}C"]
        if (
            self._column is not None
            and self._row is not None
            and 0 <= y - self._row <= 1
        ):
            down = "\x1b[B" if y > self._row else ""
            ahead = x - self._column
            ways += [
                down + (f"\x1b[{ahead}C" if ahead > 1 else "\x1b[C" if ahead else "")
                if ahead >= 0
                else down + "\b" * -ahead
            ]
        self._sent.append(min(ways, key=len))


def _erased(blanks: re.Match[str]) -> str:
    """Erases as many cells as there are blanks, and moves over them but at the end."""
    count = len(blanks[0])
    over = "" if blanks.end() == len(blanks.string) else f"\x1b[{count}C"
    return f"\x1b[{count}X{over}"
