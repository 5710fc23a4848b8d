"""Draws a plot as SVG: to embed in a page, whose colours it takes, or as a file.

No scripts, nothing fetched, everything escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import pairwise

from ....sessions.clean import clean_line
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

WIDTH = 680
FONT = 13
_LINE = 20
_EDGE = 14
_HIGH = 240.0
"""Pixels of the axis of the values."""

_GREY, _RULE, _TEXT = ("muted", "#62677d"), ("line", "#d3d6e2"), ("ink", "#1d2030")
_DASHES = ("", "7 4", "2 3", "9 3 2 3")
_DARK = (0.75, 0.35, 0.95, 0.15)
"""Of bars: series differ in print without colour."""
_FAMILY = (
    "system-ui, 'Noto Sans', 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', "
    "sans-serif"
)


def document(plots: Sequence[Plot], width: int = WIDTH) -> str:
    """The plots below each other, as one SVG file on white ground; "" without any."""
    drawings = [_Drawing(plot, width, alone=True) for plot in plots]
    pieces = [drawing.svg() for drawing in drawings]
    down = [
        sum(drawing.height for drawing in drawings[:place])
        for place in range(len(drawings) + 1)
    ]
    placed = "".join(
        f'<g transform="translate(0 {y:g})">{piece}</g>'
        for y, piece in zip(down, pieces, strict=False)
    )
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {down[-1]:g}" '
        f'width="{width}" height="{down[-1]:g}">'
    )
    if plots:
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}{placed}</svg>\n'
    return ""


def embedded(plot: Plot, width: int = WIDTH) -> str:
    """The plot as an `<svg>` for an exported page: light or dark as the page is."""
    return _Drawing(plot, width, alone=False).svg()


class _Drawing:
    """What is drawn, piece by piece, from the top."""

    def __init__(self, plot: Plot, width: int, *, alone: bool) -> None:
        self._plot, self._width, self._alone = plot, width, alone
        self._parts: list[str] = []
        self._down = float(_EDGE)
        self.height = 0.0

    def svg(self) -> str:
        plot, axis = self._plot, scale(self._plot)
        if plot.title:
            self._text(_EDGE, self._down + FONT, plot.title, bold=True)
            self._down += _LINE + 4
        if axis is None:
            self._text(_EDGE, self._down + FONT, t("report.plot.nothing"), ink=_GREY)
            self._down += _LINE
        else:
            draw = {
                "line": self._lines,
                "bar": self._bars,
                "heatmap": self._heatmap,
                "scatter": self._scatter,
            }
            draw[plot.kind](axis)
        self.height = self._down + _EDGE
        name = _escaped(plot.title)
        fitting = "" if self._alone else ' style="max-width:100%;height:auto"'
        ground = (
            f'<rect width="{self._width}" height="{self.height:g}" fill="#ffffff"/>'
            if self._alone
            else ""
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
            f'aria-label="{name}" viewBox="0 0 {self._width} {self.height:g}" '
            f'width="{self._width}" height="{self.height:g}"{fitting} '
            f'font-family="{_FAMILY}" font-size="{FONT}">'
            f"<title>{name}</title>{ground}{''.join(self._parts)}</svg>"
        )

    # -------------------------------------------------------------- kinds

    def _grid(self, axis: AxisScale) -> tuple[float, float, float]:
        """The axis of the values: its left end, its right end, and its top."""
        left = _EDGE + max(_wide(axis.mark(value)) for value in axis.marks) + 8
        if self._plot.kind == "line" and self._plot.shows_n:
            heads = [_wide(self._short_n(each.name)) for each in self._plot.series]
            left = max(left, _EDGE + max(heads) + 8)
        top, right = self._down + 6, float(self._width - _EDGE)
        for value in axis.marks:
            down = top + (1 - axis.share(value)) * _HIGH
            self._stroke(left, down, right, down, _RULE)
            self._text(
                left - 6,
                down + 4,
                axis.mark(value),
                ink=_GREY,
                anchor="end",
            )
        self._down = top + _HIGH + 24
        return left, right, top

    def _lines(self, axis: AxisScale) -> None:
        plot = self._plot
        self._key()
        left, right, top = self._grid(axis)
        at = [left + share * (right - left) for share in places(plot)]
        band = narrowest(places(plot)) * (right - left)
        for middle, label in zip(at, plot.labels, strict=True):
            shown = _short(label, band - 6)
            self._text(middle, self._down - 6, shown, ink=_GREY, anchor="middle")
        step = min(10.0, band / (len(plot.series) + 1))
        for n, series in enumerate(plot.series):
            shift = step * (n - (len(plot.series) - 1) / 2)
            points = plot.points_of(series)
            across = [middle + shift for middle in at]
            self._curve(axis, n, across, [point.value for point in points], top)
            for x, point in zip(across, points, strict=True):
                self._point(axis, n, x, point, top, series.name)
        if plot.shows_n:
            self._rows_of_n(left, at)
        self._below((left + right) / 2)

    def _below(self, middle: float) -> None:
        """What x is, below everything."""
        if self._plot.x:
            down = self._down + FONT
            self._text(middle, down, self._plot.x, ink=_GREY, anchor="middle")
            self._down += _LINE

    def _short_n(self, name: str) -> str:
        return _short(f"n, {name}" if len(self._plot.series) > 1 else "n", 120)

    def _rows_of_n(self, left: float, at: Sequence[float]) -> None:
        """Below the labels a row for each series: on how many items each point
        rests.
        """
        for n, series in enumerate(self._plot.series):
            down, ink = self._down + FONT - 4, _ink(n)
            self._text(
                left - 6, down, self._short_n(series.name), ink=ink, anchor="end"
            )
            points = self._plot.points_of(series)
            for middle, point in zip(at, points, strict=True):
                count = "–" if None in (point.n, point.value) else f"{point.n:,}"
                self._text(middle, down, count, ink=ink, anchor="middle")
            self._down += _LINE - 4

    def _scatter(self, axis: AxisScale) -> None:
        plot, x_axis = self._plot, x_scale(self._plot)
        if x_axis is None:
            return
        self._key()
        left, right, top = self._grid(axis)
        right -= 12

        def across(value: float) -> float:
            return left + 12 + x_axis.share(value) * (right - left - 12)

        def down(value: float) -> float:
            return top + (1 - axis.share(value)) * _HIGH

        for value in x_axis.marks:
            place, below = across(value), top + _HIGH
            self._stroke(place, below, place, below + 5, _GREY)
            shown = x_axis.mark(value)
            self._text(place, below + 18, shown, ink=_GREY, anchor="middle")
        for (x, y), (to_x, to_y) in pairwise(plot.front):
            corner = (across(to_x), down(y))
            self._stroke(across(x), down(y), *corner, _GREY, 1.2, "2 3")
            self._stroke(*corner, across(to_x), down(to_y), _GREY, 1.2, "2 3")
        for n, series in enumerate(plot.series):
            for place, point in enumerate(plot.points_of(series)):
                if point.x is None or point.value is None:
                    continue
                x, y = across(point.x), down(point.value)
                if point.x_low is not None and point.x_high is not None:
                    self._whiskers(
                        across(point.x_low), across(point.x_high), y, _ink(n)
                    )
                name = f"{series.name}, {x_axis.number(point.x)}"
                self._point(axis, n, x, point, top, name)
                if place < len(plot.labels):
                    label = _short(plot.labels[place], right - x)
                    self._text(x + 7, y - 5, label, ink=_GREY)
        self._below((left + right) / 2)

    def _curve(
        self,
        axis: AxisScale,
        n: int,
        across: Sequence[float],
        values: Sequence[float | None],
        top: float,
    ) -> None:
        """A line from each measured value to the next; what was not measured is not
        bridged.
        """
        dash = _DASHES[n % len(_DASHES)]
        gaps = zip(pairwise(across), pairwise(values), strict=True)
        for (x, to_x), (before, after) in gaps:
            if before is not None and after is not None:
                y, to_y = (
                    top + (1 - axis.share(value)) * _HIGH for value in (before, after)
                )
                self._stroke(x, y, to_x, to_y, _ink(n), 1.8, dash)

    def _point(
        self,
        axis: AxisScale,
        n: int,
        across: float,
        point: PlotPoint,
        top: float,
        name: str,
    ) -> None:
        def down(value: float) -> float:
            return top + (1 - axis.share(value)) * _HIGH

        said = f"{name}: {in_figures(axis, point, n=True)}"
        if point.low is not None and point.high is not None:
            self._stroke(
                across, down(point.low), across, down(point.high), _ink(n), 1.2
            )
            for end in (point.low, point.high):
                self._stroke(
                    across - 4,
                    down(end),
                    across + 4,
                    down(end),
                    _ink(n),
                    1.2,
                )
        if point.paper is not None:
            self._shape(n, across, down(point.paper), said, paper=True)
        if point.value is not None:
            self._shape(n, across, down(point.value), said)

    def _bars(self, axis: AxisScale) -> None:
        plot = self._plot
        self._key(swatches=len(plot.series) > 1)
        figures = {
            (place, n): in_figures(axis, one.at(place), n=plot.shows_n)
            for place in range(len(plot.labels))
            for n, one in enumerate(plot.series)
        }
        left = (
            _EDGE
            + min(220.0, max(_wide(clean_line(label)) for label in plot.labels))
            + 10
        )
        right = self._width - _EDGE - max(map(_wide, figures.values())) - 10
        zero = left + axis.share(0) * (right - left)
        start = self._down
        for place, label in enumerate(plot.labels):
            self._text(
                left - 8,
                self._down + 15 * len(plot.series) / 2 + 5,
                _short(label, left - _EDGE - 8),
                anchor="end",
            )
            for n, one in enumerate(plot.series):
                self._bar(axis, n, one.at(place), left, right)
                self._text(
                    right + 10,
                    self._down + 12,
                    figures[place, n],
                    ink=_GREY,
                )
                self._down += 15
            self._down += 8
        self._stroke(zero, start, zero, self._down - 8, _GREY)

    def _bar(
        self, axis: AxisScale, n: int, point: PlotPoint, left: float, right: float
    ) -> None:
        def across(value: float) -> float:
            return left + axis.share(value) * (right - left)

        if point.value is not None:
            ends = sorted((across(0), across(point.value)))
            wide, dark = ends[1] - ends[0], _DARK[n % len(_DARK)]
            self._box(
                ends[0],
                self._down + 2,
                wide,
                11,
                _ink(n),
                dark,
            )
        if point.value is not None and point.low is not None and point.high is not None:
            middle = self._down + 7.5
            self._whiskers(across(point.low), across(point.high), middle, _TEXT)
        if point.paper is not None:
            place = across(point.paper)
            self._stroke(place, self._down, place, self._down + 15, _GREY, 3)

    def _heatmap(self, axis: AxisScale) -> None:
        plot = self._plot
        left = (
            _EDGE
            + min(220.0, max(_wide(clean_line(one.name)) for one in plot.series))
            + 10
        )
        size = (self._width - _EDGE - left) / len(plot.labels)
        known = [point.value for point in plot.points() if point.value is not None]
        least, apart = min(known), max(known) - min(known)
        for place, label in enumerate(plot.labels):
            self._text(
                left + size * (place + 0.5),
                self._down + FONT,
                _short(label, size - 4),
                ink=_GREY,
                anchor="middle",
            )
        self._down += _LINE
        for one in plot.series:
            self._text(
                left - 8,
                self._down + 18,
                _short(one.name, left - _EDGE - 8),
                anchor="end",
            )
            for place in range(len(plot.labels)):
                value = one.at(place).value
                share = (
                    0.0 if value is None else (value - least) / apart if apart else 0.4
                )
                if value is not None:
                    self._box(
                        left + size * place + 1,
                        self._down + 1,
                        size - 2,
                        26,
                        _ink(0),
                        0.08 + 0.8 * share,
                    )
                ink = ("surface", "#ffffff") if share > 0.55 else _TEXT
                shown = "–" if value is None else axis.number(value)
                self._text(
                    left + size * (place + 0.5),
                    self._down + 18,
                    shown,
                    ink=ink,
                    anchor="middle",
                )
            self._down += 28

    def _key(self, *, swatches: bool = True) -> None:
        """What the values are, the name of each series, and what is grey; in as many
        lines as it takes.
        """
        plot, left = self._plot, float(_EDGE)
        entries: list[tuple[int | None, bool, str]] = []
        words = [plot.caption] if plot.caption else []
        entries += [(None, False, each) for each in [*words, *notes(plot)]]
        if swatches:
            for number, series in enumerate(plot.series):
                scatter = plot.kind == "scatter"
                name = name_with_n(plot, series) if scatter else series.name
                entries.append((number, False, name))
        source = t("report.plot.paper")
        if plot.has_paper and plot.kind == "line":
            entries.append((0, True, source))
        if plot.has_paper and plot.kind == "bar":
            entries.append((None, False, f"┃ {source}"))
        if plot.has_intervals:
            entries.append((None, False, f"⊢⊣ {t('report.plot.interval')}"))
        if plot.front:
            entries.append((None, False, f"┄ {t('report.plot.front')}"))
        for n, paper, name in entries:
            name = _short(name, self._width - 2 * _EDGE - 20)
            room = _wide(name) + (34 if n is not None else 20)
            if left > _EDGE and left + room > self._width:
                left, self._down = float(_EDGE), self._down + _LINE
            if n is not None:
                self._swatch(n, left + 5, self._down + 9, paper=paper)
            self._text(
                left + (14 if n is not None else 0), self._down + FONT, name, ink=_GREY
            )
            left += room
        self._down += (_LINE + 4) * bool(entries)

    def _swatch(self, n: int, across: float, down: float, *, paper: bool) -> None:
        """How a series looks: as its bars, or as its line with its mark."""
        if self._plot.kind == "bar":
            dark = _DARK[n % len(_DARK)]
            self._box(across - 5, down - 5, 11, 10, _ink(n), dark)
        else:
            self._shape(n, across, down, paper=paper)

    # -------------------------------------------------------------- pieces

    def _colour(self, ink: tuple[str, str]) -> str:
        if self._alone:
            return ink[1]
        return f"var(--{ink[0]}, {ink[1]})"

    def _shape(
        self, n: int, across: float, down: float, said: str = "", *, paper: bool = False
    ) -> None:
        """The mark of a series: each has a shape of its own; the paper's is hollow and
        grey.
        """
        fill = "none" if paper else self._colour(_ink(n))
        stroke = self._colour(_GREY if paper else _ink(n))
        look = f'style="fill:{fill};stroke:{stroke};stroke-width:1.6"'
        ways = {
            1: ((0, -5), (5, 4), (-5, 4)),
            2: ((-4, -4), (4, -4), (4, 4), (-4, 4)),
            3: ((0, -5), (5, 0), (0, 5), (-5, 0)),
            4: ((0, 5), (5, -4), (-5, -4)),
        }.get(n % 5, ())
        corners = " ".join(f"{across + x:.1f},{down + y:.1f}" for x, y in ways)
        title = f"<title>{_escaped(said)}</title>" if said else ""
        circle = (
            f'<circle cx="{across:.1f}" cy="{down:.1f}" r="4" {look}>{title}</circle>'
        )
        self._parts.append(
            f'<polygon points="{corners}" {look}>{title}</polygon>' if ways else circle
        )

    def _stroke(
        self,
        x: float,
        y: float,
        to_x: float,
        to_y: float,
        ink: tuple[str, str],
        wide: float = 1,
        dash: str = "",
    ) -> None:
        look = f"stroke:{self._colour(ink)};stroke-width:{wide:g}" + (
            f";stroke-dasharray:{dash}" if dash else ""
        )
        self._parts.append(
            f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}" '
            f'style="{look}"/>'
        )

    def _whiskers(
        self, left: float, right: float, y: float, ink: tuple[str, str]
    ) -> None:
        """An interval from left to right, with its ends."""
        self._stroke(left, y, right, y, ink, 1.2)
        for end in (left, right):
            self._stroke(end, y - 4, end, y + 4, ink, 1.2)

    def _box(
        self,
        x: float,
        y: float,
        wide: float,
        high: float,
        ink: tuple[str, str],
        opacity: float,
    ) -> None:
        look = f"fill:{self._colour(ink)};fill-opacity:{opacity:.2f}"
        self._parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(wide, 0):.1f}" '
            f'height="{high:g}" style="{look}"/>'
        )

    def _text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        ink: tuple[str, str] = _TEXT,
        anchor: str = "start",
        bold: bool = False,
    ) -> None:
        weight = ' font-weight="600"' if bold else ""
        place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{weight}'
        self._parts.append(
            f'<text {place} style="fill:{self._colour(ink)}">{_escaped(text)}</text>'
        )


def _ink(n: int) -> tuple[str, str]:
    return list(INKS.items())[n % len(INKS)]


def _wide(text: str) -> float:
    """About how many pixels a text takes."""
    return cells(text) * FONT * 0.56


def _short(text: str, room: float) -> str:
    """The text cut to this many pixels, with … where it was cut."""
    text = clean_line(text)
    if _wide(text) <= room:
        return text
    while text and _wide(text + "…") > room:
        text = text[:-1]
    return text + "…"


def _escaped(text: str) -> str:
    return escape(clean_line(text))
