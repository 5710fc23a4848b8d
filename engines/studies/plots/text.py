"""Draws a plot as lines of text, for a terminal, a text file or Markdown.

It reads without colour.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....sessions.clean import clean_line
from ....texts import t
from ....texts.columns import cells, cut, pad
from ...metrics.heatmap import SHADES
from ...reports.plot import (
    AxisScale,
    Plot,
    PlotPoint,
    in_figures,
    name_with_n,
    narrowest,
    notes,
    places,
    scale,
    x_scale,
)

WIDTH, HEIGHT = 76, 14
LABEL = 26
"""Cells that a label of a bar may take."""

_MARKS, _PAPER = "●▲■◆▼★", "○△□◇▽☆"
"""One a series, and the hollow one of its paper's values."""
_EIGHTHS = " ▏▎▍▌▋▊▉"


def lines(plot: Plot, width: int = WIDTH, height: int = HEIGHT) -> list[str]:
    """The plot as text no wider than `width` cells; `height` is that of a line plot's
    grid.
    """
    axis = scale(plot)
    title = [clean_line(plot.title)] if plot.title else []
    if axis is None:
        return [*title, t("report.plot.nothing")]
    draw = {"line": _line, "bar": _bars, "heatmap": _heatmap, "scatter": _scatter}
    drawn = [*title, *draw[plot.kind](plot, axis, width, height)]
    return [line if cells(line) <= width else cut(line, width) for line in drawn]


# ------------------------------------------------------------------ line


def _line(plot: Plot, axis: AxisScale, width: int, height: int) -> list[str]:
    edge = _edge(axis)
    across = max(len(plot.labels), width - edge - 2)
    grid = [[" "] * across for _ in range(height)]
    at = [int(share * across) for share in places(plot)]
    band = narrowest(places(plot)) * across
    step = min(2.0, band / (len(plot.series) + 1))
    middle = (len(plot.series) - 1) / 2
    shifts = [step * (n - middle) for n in range(len(plot.series))]
    columns = [[int(place + shift) for place in at] for shift in shifts]
    for series, own in zip(plot.series, columns, strict=True):
        _connect(grid, axis, own, plot.points_of(series))
    for n, (series, own) in enumerate(zip(plot.series, columns, strict=True)):
        for column, point in zip(own, plot.points_of(series), strict=True):
            _mark(grid, axis, column, point, n)
    labels = [cut(clean_line(label), max(1, int(band) - 1)) for label in plot.labels]
    under = [" " * (edge + 2) + _under(at, labels)]
    for n, series in enumerate(plot.series if plot.shows_n else ()):
        points = plot.points_of(series)
        counts = ["–" if point.n is None else str(point.n) for point in points]
        head = pad(f"n {_MARKS[n % len(_MARKS)]}", edge + 2)
        under.append(head + _under(at, counts))
    under += _x_name(plot, edge, across)
    return [*_key(plot, width), *_framed(grid, axis), *under]


def _edge(axis: AxisScale) -> int:
    """The cells that the marks of an axis take."""
    return max(len(axis.mark(value)) for value in axis.marks)


def _framed(grid: list[list[str]], axis: AxisScale) -> list[str]:
    """The grid with the axis of its values at the left, and a line below."""
    edge = _edge(axis)
    marked = {_row(axis, value, len(grid)): axis.mark(value) for value in axis.marks}
    rows = [
        f"{marked.get(n, ''):>{edge}} {'┤' if n in marked else '│'}{''.join(row)}"
        for n, row in enumerate(grid)
    ]
    return [*(row.rstrip() for row in rows), f"{'':>{edge}} └{'─' * len(grid[0])}"]


def _x_name(plot: Plot, edge: int, across: int) -> list[str]:
    """What x is, below the middle of the grid."""
    if not plot.x:
        return []
    return [" " * (edge + 2) + _centred(clean_line(plot.x), across)]


def _under(at: Sequence[int], labels: Sequence[str]) -> str:
    """Each label in the middle of its column; one that has no room is left out."""
    row = ""
    for column, label in zip(at, labels, strict=True):
        start = max(0, column - cells(label) // 2)
        if not row or start > cells(row):
            row = pad(row, start) + label
    return row


def _scatter(plot: Plot, axis: AxisScale, width: int, height: int) -> list[str]:
    """A point for each; one that another one hides is in the figures below."""
    x_axis = x_scale(plot)
    if x_axis is None:
        return [t("report.plot.nothing")]
    edge = _edge(axis)
    across = max(8, width - edge - 6)
    grid = [[" "] * (across + 2) for _ in range(height)]
    figures = []
    for n, series in enumerate(plot.series):
        for place, point in enumerate(plot.points_of(series)):
            if point.x is None or point.value is None:
                continue
            _mark(grid, axis, 1 + _column(x_axis, point.x, across), point, n)
            words = [name_with_n(plot, series), *plot.labels[place : place + 1]]
            figures.append(
                f"{_MARKS[n % len(_MARKS)]} {clean_line(' · '.join(words))}: "
                f"{in_figures(axis, point)} | {x_axis.number(point.x)}"
            )
    at = [1 + _column(x_axis, value, across) for value in x_axis.marks]
    under = _under(at, [x_axis.mark(value) for value in x_axis.marks])
    names = {
        (point.x, point.value): clean_line(series.name)
        for series in plot.series
        for point in plot.points_of(series)
    }
    best = " · ".join(names[point] for point in plot.front)
    front = [f"{t('report.plot.front')}: {best}"] if best else []
    head = [" | ".join(clean_line(name) for name in (plot.y, plot.x) if name)]
    return [
        *head,
        *_framed(grid, axis),
        " " * (edge + 2) + under,
        *_x_name(plot, edge, across),
        *figures,
        *notes(plot),
        *front,
    ]


def _column(axis: AxisScale, value: float, across: int) -> int:
    return round(axis.share(value) * (across - 1))


def _row(axis: AxisScale, value: float, height: int) -> int:
    return round((1 - axis.share(value)) * (height - 1))


def _connect(
    grid: list[list[str]],
    axis: AxisScale,
    columns: Sequence[int],
    points: Sequence[PlotPoint],
) -> None:
    """Dots from each point to the next; what was not measured is not bridged."""
    for place in range(len(points) - 1):
        before, after = points[place].value, points[place + 1].value
        if before is None or after is None:
            continue
        for column in range(columns[place] + 1, columns[place + 1]):
            share = (column - columns[place]) / (columns[place + 1] - columns[place])
            value = before + (after - before) * share
            grid[_row(axis, value, len(grid))][column] = "·"


def _mark(
    grid: list[list[str]], axis: AxisScale, column: int, point: PlotPoint, number: int
) -> None:
    def row(value: float) -> int:
        return _row(axis, value, len(grid))

    if point.low is not None and point.high is not None:
        top, bottom = row(point.high), row(point.low)
        for n in range(top, bottom + 1):
            grid[n][column] = "┬" if n == top else "┴" if n == bottom else "│"
    for value, marks in ((point.paper, _PAPER), (point.value, _MARKS)):
        if value is not None:
            grid[row(value)][column] = marks[number % len(marks)]


def _key(plot: Plot, width: int) -> list[str]:
    names = [
        f"{_MARKS[n % len(_MARKS)]} {clean_line(one.name)}"
        for n, one in enumerate(plot.series)
    ]
    names += [f"{_PAPER[0]} {t('report.plot.paper')}"] if plot.has_paper else []
    names += [f"┬┴ {t('report.plot.interval')}"] if plot.has_intervals else []
    names += notes(plot)
    return [*_caption_and(plot, names, width), ""]


def _caption_and(plot: Plot, names: Sequence[str], width: int) -> list[str]:
    """What the values are and the entries of a key, in as many lines as it takes."""
    out: list[str] = []
    for name in [clean_line(plot.caption), *names] if plot.caption else names:
        if out and cells(out[-1]) + 3 + cells(name) <= width:
            out[-1] += f"   {name}"
        else:
            out.append(name)
    return out


# ------------------------------------------------------------------ bars


def _bars(plot: Plot, axis: AxisScale, width: int, height: int) -> list[str]:
    rows = [
        (label, one, one.at(place))
        for place, label in enumerate(plot.labels)
        for one in plot.series
    ]
    names = [
        clean_line(label if len(plot.series) == 1 else f"{label} · {one.name}")
        for label, one, _ in rows
    ]
    figures = [in_figures(axis, point, n=plot.shows_n) for *_, point in rows]
    edge = min(LABEL, max(map(cells, names)))
    across = max(8, width - edge - max(map(cells, figures)) - 3)
    out = [clean_line(plot.caption)] if plot.caption else []
    for name, (*_, point), figure in zip(names, rows, figures, strict=True):
        out.append(
            f"{pad(cut(name, edge), edge)} "
            f"{pad(_bar(axis, point, across), across)}  {figure}".rstrip()
        )
    signs = [f"▒░ {t('report.plot.interval')}"] * plot.has_intervals + [
        f"┃ {t('report.plot.paper')}"
    ] * plot.has_paper
    signs += notes(plot)
    return [*out, *(["   ".join(signs)] if signs else [])]


def _bar(axis: AxisScale, point: PlotPoint, across: int) -> str:
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


def _heatmap(plot: Plot, axis: AxisScale, width: int, height: int) -> list[str]:
    """A row a series: how dark a cell is goes from the lowest value of the plot to the
    highest.
    """
    shown = [
        [one.at(place).value for place in range(len(plot.labels))]
        for one in plot.series
    ]
    known = [value for row in shown for value in row if value is not None]
    least, most = min(known), max(known)
    names = [clean_line(one.name) for one in plot.series]
    edge = min(LABEL, max(map(cells, names)))
    room = max(3, (width - edge) // len(plot.labels) - 2)
    size = min(
        room,
        max(
            [3 + len(axis.number(value)) for value in known]
            + [cells(clean_line(label)) for label in plot.labels]
        ),
    )
    heads = [pad(cut(clean_line(label), size), size) for label in plot.labels]
    out = [clean_line(plot.caption)] if plot.caption else []
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
                pad(cut(name, edge), edge)
                + "".join(f"  {pad(cut(cell, size), size)}" for cell in drawn)
            ).rstrip()
        )
    return out


def _shade(value: float, least: float, most: float) -> str:
    if most > least:
        return SHADES[1 + min(3, int(4 * (value - least) / (most - least)))]
    return SHADES[2]


# ------------------------------------------------------------------ words


def _centred(text: str, width: int) -> str:
    return " " * max(0, (width - cells(text)) // 2) + text
