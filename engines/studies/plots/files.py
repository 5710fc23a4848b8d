"""Draws plots as a file for a paper, PNG or PDF, by matplotlib (the extra `plots`)."""

from __future__ import annotations

import io
from collections.abc import Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any, Literal

from ....sessions.clean import clean
from ....sessions.errors import BadInput
from ....texts import t
from .plot import Plot, Point, scale, told

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Form = Literal["png", "pdf"]
FORMS: tuple[Form, ...] = ("png", "pdf")

_WIDTH, _HEIGHT, _DOTS = 7.0, 3.4, 200
"""Inches of a plot, and dots an inch of a PNG."""
_MARKS = "o^sDv"
_GREY = "0.45"
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
    """The plots below each other. Raises: BadInput where matplotlib is not installed."""
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise BadInput(t("wrong.study.no_matplotlib")) from None
    known = _known_fonts()
    out = io.BytesIO()
    with rc_context(
        {"font.family": known, "axes.spines.top": False, "axes.spines.right": False}
    ):
        figure = Figure(figsize=(_WIDTH, _HEIGHT * len(plots)), layout="constrained")
        FigureCanvasAgg(figure)
        for plot, axes in zip(
            plots, figure.subplots(len(plots), squeeze=False).flat, strict=True
        ):
            axes.set_title(_text(plot.title), loc="left", fontsize=11)
            {"line": _line, "bar": _bars, "heatmap": _heatmap}[plot.kind](axes, plot)
        figure.savefig(out, format=form, dpi=_DOTS)
    return out.getvalue()


def _known_fonts() -> list[str]:
    """Those of the fonts that this machine has: matplotlib warns of every other one."""
    from matplotlib.font_manager import fontManager

    names = set(fontManager.get_font_names())
    return [name for name in _FONTS if name in names]


def _line(axes: Axes, plot: Plot) -> None:
    for n, (one, mark) in enumerate(zip(plot.series, cycle(_MARKS), strict=False)):
        points = [one.at(place) for place in range(len(plot.labels))]
        values = [_number(point.value) for point in points]
        axes.errorbar(
            range(len(points)),
            values,
            _reach(points),
            fmt=f"{mark}-",
            color=f"C{n}",
            capsize=3,
            label=_text(one.name),
        )
        if any(point.paper is not None for point in points):
            paper = [_number(point.paper) for point in points]
            axes.plot(
                range(len(points)),
                paper,
                mark,
                color=_GREY,
                fillstyle="none",
                label=_text(f"{one.name}, {t('report.plot.paper')}"),
            )
    axes.set_xticks(range(len(plot.labels)), [_text(label) for label in plot.labels])
    axes.set_xlabel(_text(plot.x))
    axes.set_ylabel(_text(plot.caption))
    axes.legend(frameon=False, fontsize=8)


def _bars(axes: Axes, plot: Plot) -> None:
    wide, axis = 0.8 / len(plot.series), scale(plot)
    for n, one in enumerate(plot.series):
        points = [one.at(place) for place in range(len(plot.labels))]
        downs = [
            place + wide * (n - (len(plot.series) - 1) / 2)
            for place in range(len(points))
        ]
        values = [_number(point.value) for point in points]
        axes.barh(
            downs,
            values,
            wide * 0.9,
            xerr=_reach(points),
            color=f"C{n}",
            alpha=0.75,
            capsize=3,
            label=_text(one.name),
        )
        for down, point in zip(downs, points, strict=True):
            if point.paper is not None:
                axes.plot(
                    [point.paper] * 2,
                    [down - wide / 2, down + wide / 2],
                    color=_GREY,
                    linewidth=2,
                )
            figures = "" if axis is None else _text(told(axis, point))
            axes.text(
                1.01,
                down,
                figures,
                transform=axes.get_yaxis_transform(),
                va="center",
                fontsize=7,
                color=_GREY,
            )
    axes.set_yticks(range(len(plot.labels)), [_text(label) for label in plot.labels])
    axes.invert_yaxis()
    axes.set_xlabel(_text(plot.caption))
    if len(plot.series) > 1:
        axes.legend(frameon=False, fontsize=8)


def _heatmap(axes: Axes, plot: Plot) -> None:
    rows = [
        [_number(one.at(place).value) for place in range(len(plot.labels))]
        for one in plot.series
    ]
    axis = scale(plot)
    axes.imshow(rows, cmap="Blues", aspect="auto")
    for down, one in enumerate(plot.series):
        for across in range(len(plot.labels)):
            value = one.at(across).value
            shown = "–" if value is None or axis is None else axis.number(value)
            axes.text(across, down, shown, ha="center", va="center", bbox=_GROUND)
    axes.set_xticks(range(len(plot.labels)), [_text(label) for label in plot.labels])
    axes.set_yticks(range(len(plot.series)), [_text(one.name) for one in plot.series])


def _reach(points: Sequence[Point]) -> Any:
    """How far each interval reaches below and above its value; no number where there is none."""
    below = [
        _number(
            None
            if None in (point.value, point.low)
            else max(0.0, point.value - point.low)
        )
        for point in points
    ]  # type: ignore[operator]
    above = [
        _number(
            None
            if None in (point.value, point.high)
            else max(0.0, point.high - point.value)
        )
        for point in points
    ]  # type: ignore[operator]
    return [below, above]


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def _text(text: str) -> str:
    """As text: between two dollar signs matplotlib would read mathematics."""
    return clean(text, newlines=False).replace("$", r"\$")
