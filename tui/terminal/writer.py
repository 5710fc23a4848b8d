"""Writes to the terminal only what has changed there, in as few bytes as will do: over
SSH each one counts.

Textual writes whole widgets and a colour for each piece of text. Here the cells that
the terminal shows are remembered; an update becomes cells, and what differs is written,
with a movement of the cursor and a change of colour where one is needed. Lines that
have only moved up or down are moved by the terminal. Sequences are those that xterm,
tmux, screen and the Linux console share; a blank is written as a blank, because they
disagree on the color of what is erased. Only where the terminal is known to give erased
cells and new lines the color in use (`bce`), long blanks are erased and the blanks of
new lines are left to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from rich.color import ColorSystem
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

from .cells import (
    PLAIN,
    UNKNOWN,
    Cell,
    Pen,
    blank_with,
    cells_of,
    change,
    is_sure,
    on_blanks,
)
from .compat import ChopsUpdate, CompositorUpdate, LayoutUpdate, color_system
from .diff import ScreenWriter

SHORT_GAP = 4
"""Cells that are written again rather than jumped over: a jump takes as many bytes."""

WORTH_MOVING = 40
"""Cells that moving lines must save: it takes some twenty bytes itself."""

FEW = 3
"""With so few changed lines it is not worth looking for moved ones."""

EDGE = 2
"""Columns at the right that a moved line may have changed in: the scrollbar's."""

Row = list[Cell]


class Slim:
    """What the terminal shows, and how to make it show something else.

    `fills`: whether erased cells and new lines have the color in use.
    """

    def __init__(self, fills: Callable[[], bool] = bool) -> None:
        self.rows: list[Row] = []
        self.fills = fills

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows of the last picture; none before the first."""
        if self.rows:
            return (len(self.rows[0]), len(self.rows))
        return (0, 0)

    def forget(self) -> None:
        """Forget the terminal's content, so that the next update is written in full."""
        self.rows = [[UNKNOWN] * len(row) for row in self.rows]

    def of(self, update: RenderableType | None) -> RenderableType | None:
        """Returns an update that writes only what has changed; one of an unknown kind
        unchanged.
        """
        if type(update) in (LayoutUpdate, ChopsUpdate):
            return SlimUpdate(self, update)  # type: ignore[arg-type]
        if update is not None:
            self.forget()
        return update

    def written(self, update: LayoutUpdate | ChopsUpdate, console: Console) -> str:
        """Returns what is sent to the terminal for an update."""
        colors = color_system(console)
        if isinstance(update, LayoutUpdate):
            self._fit(update.region.right, update.region.bottom)
        elif len(update.chops) != len(self.rows):  # no whole picture has come before it
            self.forget()
            return update.render_segments(console)
        wanted = list(self.rows)
        for y, x, cells in _parts(update, colors):
            if wanted[y] is self.rows[y]:
                wanted[y] = list(wanted[y])
            put(wanted[y], x, cells)
        sent = difference(self.rows, wanted, self.fills)
        self.rows = wanted
        return sent

    def _fit(self, width: int, height: int) -> None:
        if self.size != (width, height):
            self.rows = [[UNKNOWN] * width for _ in range(height)]


class SlimUpdate(CompositorUpdate):
    """An update that is compared with the screen at the moment when it is written: some
    never are.
    """

    def __init__(self, slim: Slim, update: LayoutUpdate | ChopsUpdate) -> None:
        self._slim = slim
        self._update = update

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> RenderResult:
        yield self._update

    def render_segments(self, console: Console) -> str:
        return self._slim.written(self._update, console)


def _parts(
    update: LayoutUpdate | ChopsUpdate, colors: ColorSystem
) -> Iterator[tuple[int, int, Row]]:
    """Yields row, column and cells of each part of an update."""
    if isinstance(update, LayoutUpdate):
        for y, strips in enumerate(update.strips, update.region.y):
            yield (
                y,
                update.region.x,
                [
                    cell
                    for strip in strips
                    if strip is not None
                    for cell in cells_of(strip, colors)
                ],
            )
        return
    for y, left, right in update.spans:
        for end, (x, strip) in zip(
            update.chop_ends[y], update.chops[y].items(), strict=False
        ):
            if strip is not None and x <= right and end > left:
                yield (
                    y,
                    x,
                    cells_of(
                        strip if end <= right else strip.crop(0, right - x), colors
                    ),
                )


def put(row: Row, x: int, cells: Row) -> None:
    """Put cells into a row.

    A wide character that is partly covered, or does not fit, becomes blanks.
    """
    room = max(len(row) - x, 0)
    halved = len(cells) > room and not cells[room][0]
    cells = cells[:room]
    if not cells:
        return
    if not row[x][0]:
        _blank_back(row, x)
    end = x + len(cells)
    row[x:end] = cells
    if halved:
        _blank_back(row, end - 1)
    while end < len(row) and not row[end][0]:
        row[end] = (" ", on_blanks(row[end][1]))
        end += 1


def _blank_back(row: Row, x: int) -> None:
    """Blanks the wide character that column `x` is in, up to there."""
    while x > 0 and not row[x][0]:
        row[x] = (" ", on_blanks(row[x][1]))
        x -= 1
    row[x] = (" ", on_blanks(row[x][1]))


# Differences


def difference(
    before: list[Row], after: list[Row], fills: Callable[[], bool] = bool
) -> str:
    """Returns what makes a terminal that shows `before` show `after`.

    The cursor may be anywhere; the pen is plain, before and after.
    """
    moved, before, pen = _moved(before, after, fills)
    writer = ScreenWriter(len(after[0]) if after else 0, pen, fills())
    for y in _changed(before, after):
        old, new = before[y], after[y]
        if _is_sure(old) and _is_sure(new):
            for start, end in runs(old, new):
                writer.gather(y, start, new[start:end])
        else:
            writer.keep(y, new)
    return moved + writer.written()


def _changed(before: list[Row], after: list[Row]) -> list[int]:
    return [
        y
        for y, (old, new) in enumerate(zip(before, after, strict=True))
        if old is not new and old != new
    ]


def runs(old: Row, new: Row) -> Iterator[tuple[int, int]]:
    """Yields the columns that differ, from start to end."""
    start = end = -1
    for x, (was, now) in enumerate(zip(old, new, strict=True)):
        if (was is now or was == now) and not (x == end and not now[0]):
            continue
        if start >= 0 and x > end and not _bridged(new, end, x):
            yield start, end
            start = -1
        start = x if start < 0 else start
        end = x + 1
    if start >= 0:
        yield start, end


def _is_sure(row: Row) -> bool:
    """Whether all terminals agree on what is in which column."""
    return all(map(is_sure, {text for text, _ in row}))


def _bridged(row: Row, start: int, end: int) -> bool:
    """Whether what is between two runs is as cheap to write as to jump over."""
    if end - start > SHORT_GAP:
        return False
    pen = row[start - 1][1]
    return all(
        text.isascii()
        and text != UNKNOWN[0]
        and (own == pen or (text == " " and blank_with(pen, own)))
        for text, own in row[start:end]
    )


# Lines that have moved


def _moved(
    before: list[Row], after: list[Row], fills: Callable[[], bool]
) -> tuple[str, list[Row], Pen]:
    """Moves lines in the terminal where that saves much: returns the sequence, what the
    terminal shows after it, and the pen it leaves.
    """
    nothing = "", before, PLAIN
    changed = _changed(before, after)
    if len(changed) <= FEW or any(UNKNOWN in row for row in before):
        return nothing
    found = _shift(before, after, changed)
    if found is None:
        return nothing
    top, bottom, by = found
    width = len(before[0])
    pen = (
        _commonest_ground(
            after[bottom - by : bottom] if by > 0 else after[top : top - by]
        )
        if fills()
        else PLAIN
    )
    empty = [[(" ", pen)] * width for _ in range(abs(by))]
    region = before[top:bottom]
    region = region[by:] + empty if by > 0 else empty + region[:by]
    moved = before[:top] + region + before[bottom:]
    if _unlike(before, after) - _unlike(moved, after) < WORTH_MOVING:
        return nothing
    how = f"{by}M" if by > 0 else f"{-by}L"
    return (
        f"\x1b[{top + 1};{bottom}r\x1b[{top + 1}H{change(PLAIN, pen)}\x1b[{how}\x1b[r",
        moved,
        pen,
    )


def _commonest_ground(rows: list[Row]) -> Pen:
    """Returns the pen of most blanks; a plain one where those are drawn with more than
    a colour.
    """
    pens = Counter(pen for row in rows for text, pen in row if text == " ")
    pen = pens.most_common(1)[0][0] if pens else PLAIN
    if pen == Pen(ground=pen.ground):
        return pen
    return PLAIN


def _shift(
    before: list[Row], after: list[Row], changed: list[int]
) -> tuple[int, int, int] | None:
    """Returns first row, row after the last, and by how many rows up, of lines that
    have moved; None if there are none.
    """
    places: dict[tuple[Cell, ...], list[int]] = {}
    for y in changed:
        places.setdefault(tuple(before[y][:-EDGE]), []).append(y)
    votes: Counter[int] = Counter()
    found: list[tuple[int, int]] = []
    for y in changed:
        key = tuple(after[y][:-EDGE])
        if any(text.strip() for text, _ in key):
            for old in places.get(key, ()):
                votes[old - y] += 1
                found.append((y, old))
    votes.pop(0, None)
    if not votes:
        return None
    by = max(votes, key=lambda each: (votes[each], -abs(each)))
    rows = [row for y, old in found if old - y == by for row in (y, old)]
    return min(rows), max(rows) + 1, by


def _unlike(before: list[Row], after: list[Row]) -> int:
    """Returns how many cells differ."""
    return sum(
        was != now
        for y in _changed(before, after)
        for was, now in zip(before[y], after[y], strict=True)
    )
