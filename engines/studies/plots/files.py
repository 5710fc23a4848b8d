"""Draws plots as a file for a paper, PNG or PDF, by matplotlib (the extra `plots`).

They print in grey: each series has its own marker and its own line or hatching.
"""

from __future__ import annotations

import io
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from ....sessions.clean import clean_line
from ....sessions.errors import bad_input
from ....sessions.installation import install_command
from ....texts import t
from ....texts.columns import cells
from ...reports.plot import (
    INKS,
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

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import SubFigure

Form = Literal["png", "pdf"]
FORMS: tuple[Form, ...] = ("png", "pdf")

_WIDTH, _HEIGHT, _DOTS = 7.0, 3.2, 200
"""Inches of a plot, and dots per inch of a PNG."""
_CELL = 0.075
"""Inches that a cell of text takes at most, in the size of labels."""
_SMALL = 8
_AXES = 4.8
"""About how many inches wide the axes are beside a legend."""
_COLOURS = list(INKS.values())
_MARKS = "o^sDvP"
_LINES = ("-", "--", ":", "-.")
_HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\")
_GREY = "0.35"
_PALE = "0.85"
_GROUND = {"facecolor": "white", "alpha": 0.6, "edgecolor": "none", "pad": 1}
_FONTS = [
    "DejaVu Sans",
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "WenQuanYi Zen Hei",
    "PingFang SC",
    "Microsoft YaHei",
]


def drawn(plots: Sequence[Plot], form: Form) -> bytes:
    """The plots below each other.

    Raises: BadInput where matplotlib is not installed.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise bad_input(
            "wrong.study.no_matplotlib", install=install_command("plots")
        ) from None
    style: dict[Any, Any] = {
        "font.family": _known_fonts(),
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "hatch.linewidth": 0.6,
    }
    heights = [_height(plot) for plot in plots]
    out = io.BytesIO()
    with rc_context(style):
        figure = Figure(figsize=(_WIDTH, sum(heights)), layout="constrained")
        FigureCanvasAgg(figure)
        parts = figure.subfigures(len(plots), 1, squeeze=False, height_ratios=heights)
        for plot, part in zip(plots, parts.flat, strict=True):
            _draw(plot, part)
        figure.savefig(out, format=form, dpi=_DOTS)
    return out.getvalue()


def _known_fonts() -> list[str]:
    """Those of the fonts that this machine has: matplotlib warns of every other one."""
    from matplotlib.font_manager import fontManager

    names = set(fontManager.get_font_names())
    return [name for name in _FONTS if name in names]


def _height(plot: Plot) -> float:
    """Inches: bars and heatmaps grow with their rows, other plots with their legend."""
    if plot.kind == "bar":
        return 1.1 + 0.22 * len(plot.series) * len(plot.labels) + 0.1 * len(plot.labels)
    if plot.kind == "heatmap":
        return 1.0 + 0.36 * len(plot.series)
    rows = len(plot.series) if plot.shows_n else 0
    return max(_HEIGHT + 0.15 * rows, 1.2 + 0.2 * len(plot.series))


def _draw(plot: Plot, part: SubFigure) -> None:
    axes = part.subplots()
    title = plot.title if plot.caption or plot.kind == "heatmap" else ""
    if title:
        axes.set_title(_text(title), loc="left", fontsize=10)
    axis = scale(plot)
    if axis is None:
        axes.set_axis_off()
        axes.text(0, 0.5, t("report.plot.nothing"), transform=axes.transAxes)
        return
    draw = {"line": _line, "bar": _bars, "heatmap": _heatmap, "scatter": _scatter}
    draw[plot.kind](axes, plot, axis)
    _legend(axes, plot, part)


def _legend(axes: Axes, plot: Plot, part: SubFigure) -> None:
    """The names of the series at the right of everything else, and what is grey."""
    named = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    labels = [str(each.get_label()) for each in axes.containers]
    labels = [label for label in labels if label in named]
    labels += [label for label in named if label not in labels]
    if len(labels) == 1 and plot.series[0].name in ("", plot.title, plot.y):
        labels = []
    words = notes(plot)
    if plot.has_intervals:
        words = [*words, t("report.plot.interval")]
    title = "\n".join(words) if plot.kind != "heatmap" else ""
    if labels or title:
        part.legend(
            [named[label] for label in labels],
            labels,
            title=title or None,
            loc="outside right upper",
            frameon=False,
            fontsize=_SMALL,
            title_fontsize=_SMALL,
            alignment="left",
        )


# ------------------------------------------------------------------ line


def _line(axes: Axes, plot: Plot, axis: AxisScale) -> None:
    at = places(plot)
    step = min(0.022, narrowest(at) / (len(plot.series) + 1))
    for number, series in enumerate(plot.series):
        shift = step * (number - (len(plot.series) - 1) / 2)
        across = [place + shift for place in at]
        points = plot.points_of(series)
        _with_intervals(axes, number, series.name, across, points, line=True)
        if any(point.paper is not None for point in points):
            axes.plot(
                across,
                [_number(point.paper) for point in points],
                _MARKS[number % len(_MARKS)],
                color=_GREY,
                fillstyle="none",
                label=_wrapped(f"{series.name}, {t('report.plot.paper')}"),
            )
    room = max(4, int(narrowest(at) * _AXES / _CELL) - 1)
    ticks = [_wrapped(label, room) for label in plot.labels]
    axes.set_xticks(at, ticks)
    axes.set_xlim(0, 1)
    axes.set_ylim(*_room(axis))
    rows = _rows_of_n(
        axes,
        plot,
        at,
        max(label.count("\n") + 1 for label in ticks),
    )
    axes.set_xlabel(_text(plot.x), labelpad=4 + 10 * rows)
    axes.set_ylabel(_wrapped(plot.y, 40))


def _rows_of_n(axes: Axes, plot: Plot, at: Sequence[float], lines: int) -> int:
    """Below the labels a row for each series: on how many items each point rests."""
    if not plot.shows_n:
        return 0
    for row, series in enumerate(plot.series):
        down = -6 - 12 * lines - 10 * row
        name = f"n, {series.name}" if len(plot.series) > 1 else "n"
        short = textwrap.shorten(_text(name), 24, placeholder="…")
        row_of_n = [(0.0, -4, "right", short)]
        for place, point in zip(at, plot.points_of(series), strict=True):
            count = "–" if point.n is None or point.value is None else f"{point.n:,}"
            row_of_n.append((place, 0, "center", count))
        for x, shift, side, words in row_of_n:
            axes.annotate(
                words,
                (x, 0),
                (shift, down),
                xycoords=axes.get_xaxis_transform(),
                textcoords="offset points",
                ha=side,
                va="top",
                fontsize=7,
                color=_COLOURS[row % len(_COLOURS)],
            )
    return len(plot.series)


def _with_intervals(
    axes: Axes,
    number: int,
    name: str,
    across: Sequence[float],
    points: Sequence[PlotPoint],
    *,
    line: bool,
) -> None:
    """The points of a series with their intervals, joined by its line or not."""
    axes.errorbar(
        across,
        [_number(point.value) for point in points],
        _reach([(point.low, point.value, point.high) for point in points]),
        _reach([(point.x_low, point.x, point.x_high) for point in points]),
        marker=_MARKS[number % len(_MARKS)],
        linestyle=_LINES[number % len(_LINES)] if line else "none",
        color=_COLOURS[number % len(_COLOURS)],
        markersize=5,
        linewidth=1.3,
        elinewidth=0.9,
        capsize=2.5,
        label=_wrapped(name),
    )


def _room(axis: AxisScale, free: float = 0.03) -> tuple[float, float]:
    """The ends of an axis, with so much of it free at either end."""
    if axis.log:
        factor = (axis.high / axis.low) ** free
        return axis.low / factor, axis.high * factor
    width = (axis.high - axis.low) * free
    return axis.low - width, axis.high + width


# ------------------------------------------------------------------ scatter


def _scatter(axes: Axes, plot: Plot, axis: AxisScale) -> None:
    across = x_scale(plot)
    if across is None:
        return
    if across.log:
        axes.set_xscale("log")
    if plot.front:
        axes.step(
            [x for x, _ in plot.front],
            [y for _, y in plot.front],
            where="post",
            color=_GREY,
            linewidth=1,
            linestyle=(0, (1, 2)),
            label=_text(t("report.plot.front")),
        )
    for number, series in enumerate(plot.series):
        points = plot.points_of(series)
        xs = [_number(point.x) for point in points]
        name = name_with_n(plot, series)
        _with_intervals(axes, number, name, xs, points, line=False)
        for label, x, point in zip(plot.labels, xs, points, strict=False):
            axes.annotate(
                _wrapped(label),
                (x, _number(point.value)),
                (5, 4),
                textcoords="offset points",
                fontsize=7,
                color=_GREY,
            )
    axes.set_xlim(*_room(across))
    axes.set_ylim(*_room(axis))
    axes.set_xlabel(_text(plot.x))
    axes.set_ylabel(_wrapped(plot.y, 40))


# ------------------------------------------------------------------ bars and heatmaps


def _bars(axes: Axes, plot: Plot, axis: AxisScale) -> None:
    high = 0.8 / len(plot.series)
    for number, series in enumerate(plot.series):
        points = plot.points_of(series)
        shift = high * (number - (len(plot.series) - 1) / 2)
        downs = [place + shift for place in range(len(points))]
        axes.barh(
            downs,
            [_number(point.value) for point in points],
            high * 0.9,
            xerr=_reach([(point.low, point.value, point.high) for point in points]),
            facecolor=_PALE if number else "0.7",
            edgecolor=_COLOURS[number % len(_COLOURS)],
            hatch=_HATCHES[number % len(_HATCHES)],
            error_kw={"elinewidth": 0.9},
            capsize=2.5,
            label=_wrapped(series.name),
        )
        for down, point in zip(downs, points, strict=True):
            _beside_bar(
                axes, down, high, in_figures(axis, point, n=plot.shows_n), point
            )
    labels = [_wrapped(label) for label in plot.labels]
    axes.set_yticks(range(len(labels)), labels)
    axes.invert_yaxis()
    axes.set_xlabel(_text(plot.y))
    axes.set_ylabel(_text(plot.x))


def _beside_bar(
    axes: Axes, down: float, high: float, words: str, point: PlotPoint
) -> None:
    """The figures of a bar at its right, and the paper's value across it."""
    if point.paper is not None:
        ends = [down - high / 2, down + high / 2]
        axes.plot([point.paper] * 2, ends, color="0", linewidth=2)
    axes.text(
        1.02,
        down,
        _text(words),
        transform=axes.get_yaxis_transform(),
        va="center",
        fontsize=7,
        color=_GREY,
    )


def _heatmap(axes: Axes, plot: Plot, axis: AxisScale) -> None:
    rows = [
        [_number(point.value) for point in plot.points_of(series)]
        for series in plot.series
    ]
    axes.imshow(rows, cmap="Blues", aspect="auto")
    for down, series in enumerate(plot.series):
        for across, point in enumerate(plot.points_of(series)):
            words = "–" if point.value is None else axis.number(point.value)
            if plot.shows_n and point.n is not None:
                words += f"\n{t('report.plot.n', n=point.n)}"
            axes.text(
                across, down, words, ha="center", va="center", fontsize=8, bbox=_GROUND
            )
    axes.set_xticks(
        range(len(plot.labels)), [_wrapped(label, 14) for label in plot.labels]
    )
    axes.set_yticks(
        range(len(plot.series)), [_wrapped(series.name) for series in plot.series]
    )
    axes.set_xlabel(_text(plot.x))


# ------------------------------------------------------------------ shared


def _reach(
    points: Sequence[tuple[float | None, float | None, float | None]],
) -> list[list[float]]:
    """How far intervals (low, value, high) reach below and above their values."""
    reach = []
    for low, value, high in points:
        if low is None or value is None or high is None:
            reach.append((float("nan"), float("nan")))
        else:
            reach.append((max(0.0, value - low), max(0.0, high - value)))
    return [[below for below, _ in reach], [above for _, above in reach]]


def _number(value: float | None) -> float:
    if value is None:
        return float("nan")
    return value


def _text(text: str) -> str:
    """As text: between two dollar signs matplotlib would read mathematics."""
    return clean_line(text).replace("$", r"\$")


def _wrapped(text: str, width: int = 28) -> str:
    """The text in lines of at most this many cells, at most four of them."""
    text = clean_line(text)
    if cells(text) > len(text):
        width = max(2, width // 2)
    lines = textwrap.wrap(
        text, width, max_lines=4, placeholder="…", break_on_hyphens=True
    )
    return "\n".join(line.replace("$", r"\$") for line in lines)
