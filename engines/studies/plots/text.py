"""Draws a plot as lines of text, for a terminal, a text file or Markdown. It reads without colour."""

from __future__ import annotations

from collections.abc import Sequence

from ....sessions.clean import clean
from ....texts import t
from ....texts.columns import cells, pad
from ...metrics.heatmap import SHADES
from .plot import Plot, Point, Scale, scale, told

WIDTH, HEIGHT = 76, 14
LABEL = 26
"""Cells that a label of a bar may take."""

_MARKS, _PAPER = "●▲■◆▼★", "○△□◇▽☆"
"""One a series, and the hollow one of its paper's values."""
_EIGHTHS = " ▏▎▍▌▋▊▉"


def lines(plot: Plot, width: int = WIDTH, height: int = HEIGHT) -> list[str]:
    """The plot as text no wider than `width` cells; `height` is that of a line plot's grid."""
    axis = scale(plot)
    title = [_one_line(plot.title)] if plot.title else []
    if axis is None:
        return [*title, t("report.plot.nothing")]
    draw = {"line": _line, "bar": _bars, "heatmap": _heatmap}[plot.kind]
    drawn = [*title, *draw(plot, axis, width, height)]
    return [line if cells(line) <= width else _cut(line, width) for line in drawn]


# ------------------------------------------------------------------ line


def _line(plot: Plot, axis: Scale, width: int, height: int) -> list[str]:
    edge = max(len(axis.mark(value)) for value in axis.marks)
    across = max(len(plot.labels), width - edge - 2)
    grid = [[" "] * across for _ in range(height)]
    band = across / len(plot.labels)
    places = [
        [_column(band, at, n, len(plot.series)) for at in range(len(plot.labels))]
        for n in range(len(plot.series))
    ]
    for one, columns in zip(plot.series, places, strict=True):
        points = [one.at(place) for place in range(len(plot.labels))]
        _connect(grid, axis, columns, points)
    for n, (one, columns) in enumerate(zip(plot.series, places, strict=True)):
        for place, column in enumerate(columns):
            _mark(grid, axis, column, one.at(place), n)
    marked = {_row(axis, value, height): axis.mark(value) for value in axis.marks}
    body = [
        f"{marked.get(n, ''):>{edge}} {'┤' if n in marked else '│'}{''.join(row)}".rstrip()
        for n, row in enumerate(grid)
    ]
    return [
        *_key(plot),
        *body,
        f"{'':>{edge}} └{'─' * across}",
        *_under(plot, edge + 2, band, across),
    ]


def _column(band: float, place: int, number: int, series: int) -> int:
    """The column of a point: series stand beside each other, so that none hides another."""
    apart = min(2.0, band / (series + 1))
    return int(band * (place + 0.5) + apart * (number - (series - 1) / 2))


def _row(axis: Scale, value: float, height: int) -> int:
    return round((1 - axis.share(value)) * (height - 1))


def _connect(
    grid: list[list[str]], axis: Scale, columns: Sequence[int], points: Sequence[Point]
) -> None:
    """Dots from each point to the next; what was not measured is not bridged."""
    for place in range(len(points) - 1):
        before, after = points[place].value, points[place + 1].value
        if before is None or after is None:
            continue
        for column in range(columns[place] + 1, columns[place + 1]):
            share = (column - columns[place]) / (columns[place + 1] - columns[place])
            grid[_row(axis, before + (after - before) * share, len(grid))][column] = "·"


def _mark(
    grid: list[list[str]], axis: Scale, column: int, point: Point, number: int
) -> None:
    if point.low is not None and point.high is not None:
        top, bottom = (
            _row(axis, point.high, len(grid)),
            _row(axis, point.low, len(grid)),
        )
        for row in range(top, bottom + 1):
            grid[row][column] = "┬" if row == top else "┴" if row == bottom else "│"
    if point.paper is not None:
        grid[_row(axis, point.paper, len(grid))][column] = _PAPER[number % len(_PAPER)]
    if point.value is not None:
        grid[_row(axis, point.value, len(grid))][column] = _MARKS[number % len(_MARKS)]


def _key(plot: Plot) -> list[str]:
    names = [
        f"{_MARKS[n % len(_MARKS)]} {_one_line(one.name)}"
        for n, one in enumerate(plot.series)
    ]
    names += [f"{_PAPER[0]} {t('report.plot.paper')}"] if plot.has_paper else []
    names += [f"┬┴ {t('report.plot.interval')}"] if plot.has_intervals else []
    return [
        "   ".join([_one_line(plot.caption), *names] if plot.caption else names),
        "",
    ]


def _under(plot: Plot, edge: int, band: float, across: int) -> list[str]:
    """The labels below the grid, each in the middle of its band."""
    row = ""
    for place, label in enumerate(plot.labels):
        shown = _cut(_one_line(label), max(1, int(band) - 1))
        row = pad(row, int(band * (place + 0.5)) - cells(shown) // 2) + shown
    return [
        " " * edge + row,
        *([" " * edge + _centred(_one_line(plot.x), across)] if plot.x else []),
    ]


# ------------------------------------------------------------------ bars


def _bars(plot: Plot, axis: Scale, width: int, height: int) -> list[str]:
    rows = [
        (label, one, one.at(place))
        for place, label in enumerate(plot.labels)
        for one in plot.series
    ]
    names = [
        _one_line(label if len(plot.series) == 1 else f"{label} · {one.name}")
        for label, one, _ in rows
    ]
    figures = [told(axis, point) for *_, point in rows]
    edge = min(LABEL, max(map(cells, names)))
    across = max(8, width - edge - max(map(cells, figures)) - 3)
    out = [_one_line(plot.caption)] if plot.caption else []
    for name, (*_, point), said in zip(names, rows, figures, strict=True):
        out.append(
            f"{pad(_cut(name, edge), edge)} {pad(_bar(axis, point, across), across)}  {said}".rstrip()
        )
    notes = [f"▒░ {t('report.plot.interval')}"] * plot.has_intervals + [
        f"┃ {t('report.plot.paper')}"
    ] * plot.has_paper
    return [*out, *(["   ".join(notes)] if notes else [])]


def _bar(axis: Scale, point: Point, across: int) -> str:
    """From 0 to the value; the interval is lighter, before the value and behind it."""
    row = [" "] * across
    if axis.low < 0 < axis.high:
        row[int(axis.share(0) * across)] = "│"
    if point.value is not None:
        left, right = sorted((axis.share(0) * across, axis.share(point.value) * across))
        for place in range(int(left), min(across, int(right))):
            row[place] = "█"
        rest = int((right - int(right)) * 8)
        if rest and int(right) < across and point.value > 0:
            row[int(right)] = _EIGHTHS[rest]
        if point.low is not None and point.high is not None:
            for place in range(
                int(axis.share(point.low) * across),
                min(across, max(1, round(axis.share(point.high) * across))),
            ):
                row[place] = (
                    "▒"
                    if row[place] == "█"
                    else "░"
                    if row[place] in " │"
                    else row[place]
                )
    if point.paper is not None:
        row[min(across - 1, int(axis.share(point.paper) * across))] = "┃"
    return "".join(row)


# ------------------------------------------------------------------ heatmap


def _heatmap(plot: Plot, axis: Scale, width: int, height: int) -> list[str]:
    """A row a series: how dark a cell is goes from the lowest value of the plot to the highest."""
    shown = [
        [one.at(place).value for place in range(len(plot.labels))]
        for one in plot.series
    ]
    known = [value for row in shown for value in row if value is not None]
    least, most = min(known), max(known)
    names = [_one_line(one.name) for one in plot.series]
    edge = min(LABEL, max(map(cells, names)))
    room = max(3, (width - edge) // len(plot.labels) - 2)
    size = min(
        room,
        max(
            [3 + len(axis.number(value)) for value in known]
            + [cells(_one_line(label)) for label in plot.labels]
        ),
    )
    heads = [pad(_cut(_one_line(label), size), size) for label in plot.labels]
    out = [_one_line(plot.caption)] if plot.caption else []
    out += [" " * edge + "".join(f"  {label}" for label in heads).rstrip()]
    for name, row in zip(names, shown, strict=True):
        drawn = [
            "–"
            if value is None
            else f"{_shade(value, least, most) * 2} {axis.number(value)}"
            for value in row
        ]
        out.append(
            (
                pad(_cut(name, edge), edge)
                + "".join(f"  {pad(_cut(cell, size), size)}" for cell in drawn)
            ).rstrip()
        )
    return out


def _shade(value: float, least: float, most: float) -> str:
    return (
        SHADES[1 + min(3, int(4 * (value - least) / (most - least)))]
        if most > least
        else SHADES[2]
    )


# ------------------------------------------------------------------ words


def _one_line(text: str) -> str:
    return clean(text, newlines=False)


def _cut(text: str, width: int) -> str:
    """The text in no more cells than `width`, with … where it was cut."""
    if cells(text) <= width:
        return text
    while cells(text) > width - 1:
        text = text[:-1]
    return text + "…"


def _centred(text: str, width: int) -> str:
    return " " * max(0, (width - cells(text)) // 2) + text
