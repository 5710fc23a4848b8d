"""Plots: what was measured is drawn where it lies, the paper's figures are apart, and
hostile names stay text.
"""

from __future__ import annotations

import itertools
import re
import sys
import xml.etree.ElementTree as ElementTree

import pytest
from verifytui import texts
from verifytui.engines.reports.plot import (
    Kind,
    Plot,
    Series,
    multiplied,
    places,
    scale,
    x_scale,
)
from verifytui.engines.studies.plots import files
from verifytui.engines.studies.plots.svg import document, embedded
from verifytui.engines.studies.plots.text import lines
from verifytui.sessions.errors import BadInput
from verifytui.texts.columns import cells

pytestmark = pytest.mark.slow

DEBATE = Series(
    "debate",
    [52.1, 53.4, None, 53.0],
    [50.8, 52, None, 51.4],
    [53.5, 54.9, None, 54.6],
    [None, None, 55.5],
)
REFLECT = Series("reflect", [50, 51, 52, 54])
LINE = Plot(
    "line", "chrF by level", ["0", "1", "2", "3"], [DEBATE, REFLECT], "level", "chrF"
)
BARS = Plot(
    "bar",
    "Right",
    ["direct", "debate"],
    [Series("accuracy", [0.25, 0.5], [0.1, 0.4], [0.4, 0.75], [0.26])],
)
HEAT = Plot(
    "heatmap", "Judges", ["a", "b"], [Series("a", [1, 0.4]), Series("b", [0.4, None])]
)
COST = Plot(
    "scatter",
    "Quality by cost",
    [],
    [
        Series(
            "direct",
            [41],
            [37],
            [45],
            n=[120],
            xs=[0.002],
            x_low=[0.001],
            x_high=[0.003],
        ),
        Series("debate", [62], [58], [66], n=[90], xs=[0.03]),
        Series("rag", [52], n=[120], xs=[0.004]),
        Series("worse rag", [51], n=[120], xs=[0.004]),
        Series("failed", [None], n=[0], xs=[0.004]),
    ],
    "cost (US$)",
    "accuracy (%)",
    better="higher",
)
SVG = "{http://www.w3.org/2000/svg}"


def test_a_scale_has_round_marks_and_holds_everything() -> None:
    axis = scale(LINE)
    assert axis is not None
    assert axis.marks == [50, 52, 54, 56]
    assert (axis.low, axis.high, axis.mark(50), axis.number(50)) == (
        50,
        56,
        "50",
        "50.0",
    )
    bars = scale(BARS)
    assert bars is not None
    assert (bars.low, bars.high) == (0, 0.75)
    alike = scale(Plot("line", "", ["a"], [Series("", [3.0])]))
    assert alike is not None
    assert alike.low < 3 < alike.high
    assert (
        scale(
            Plot(
                "line", "", ["a"], [Series("", [None, 1.0]), Series("", [float("nan")])]
            )
        )
        is None
    )


def test_a_line_as_text_bridges_nothing_that_was_not_measured() -> None:
    drawn = lines(LINE, 60)
    assert drawn[0] == "chrF by level"
    assert "● debate" in drawn[1]
    assert "○ paper" in drawn[1]
    assert "95 % interval" in drawn[1]
    grid = [line for line in drawn if "│" in line[:4] or "┤" in line[:4]]
    assert sum(line.count("●") for line in grid) == 3
    assert sum(line.count("▲") for line in grid) == 4
    assert sum(line.count("○") for line in grid) == 1
    alone = lines(Plot("line", "", ["a", "b", "c"], [Series("x", [1, None, 2])]), 60)
    assert not any("·" in line for line in alone)
    assert "level" in drawn[-1]
    assert max(map(cells, drawn)) <= 60


def test_bars_as_text_say_their_figures() -> None:
    drawn = lines(BARS, 60)
    assert drawn[1].startswith("direct ")
    assert drawn[1].endswith("0.25 [0.10, 0.40]  paper 0.26")
    assert drawn[2].endswith("0.50 [0.40, 0.75]")
    assert drawn[2].count("█") > drawn[1].count("█")
    assert "┃" in drawn[1]
    assert "┃" not in drawn[2]
    assert (
        "not measured" in lines(Plot("bar", "", ["a", "b"], [Series("", [1, None])]))[1]
    )


def test_a_heatmap_as_text_is_darker_where_there_is_more() -> None:
    assert lines(HEAT) == [
        "Judges",
        "   a        b",
        "a  ██ 1.00  ░░ 0.40",
        "b  ░░ 0.40  –",
    ]


@pytest.mark.parametrize("plot", [LINE, BARS, HEAT, COST])
def test_an_svg_holds_the_same_and_nothing_that_runs_or_is_fetched(plot: Plot) -> None:
    root = ElementTree.fromstring(document([plot]))
    told = "".join(root.itertext())
    assert plot.title in told
    assert all(label in told for label in plot.labels)
    assert not re.search(r"<script|href|url\(|@import", document([plot]))
    assert "var(" not in document([plot])
    assert "var(--ink" in embedded(plot)
    assert embedded(plot).startswith("<svg ")


def test_a_point_lies_where_its_value_is() -> None:
    root = ElementTree.fromstring(
        document([Plot("line", "", ["a", "b"], [Series("x", [0.0, 1.0])])])
    )
    low, high = (
        circle
        for circle in root.iter(f"{SVG}circle")
        if circle.find(f"{SVG}title") is not None
    )
    assert float(low.get("cx", "")) < float(high.get("cx", ""))
    assert float(low.get("cy", "")) - float(high.get("cy", "")) == pytest.approx(240)


def test_a_file_holds_all_plots_below_each_other() -> None:
    root = ElementTree.fromstring(document([LINE, BARS, HEAT]))
    told = "".join(root.itertext())
    assert [plot.title in told for plot in (LINE, BARS, HEAT)] == [True] * 3
    heights = [float(one.get("height", "")) for one in root.iter(f"{SVG}svg")]
    assert heights[0] == pytest.approx(sum(heights[1:]))
    assert [
        float(one.get("transform", "")[12:-1]) for one in root.iter(f"{SVG}g")
    ] == pytest.approx([0, heights[1], sum(heights[1:3])])
    assert document([]) == ""


def test_a_title_is_not_said_twice() -> None:
    plot = Plot("bar", "chrf", ["a"], [Series("x", [1])], y="chrf")
    assert sum("chrf" in line for line in lines(plot)) == 1


def test_numbers_stand_to_scale_in_a_line_plot() -> None:
    def at(*labels: str) -> list[float]:
        return places(Plot("line", "", labels, []))

    one, three, eight = at("1", "3", "8")
    assert (three - one) / (eight - one) == pytest.approx(2 / 7)
    steps = [0.125, 0.375, 0.625, 0.875]
    assert at("a", "3", "8", "9") == steps
    assert at("1", "3", "3", "9") == steps
    assert at("1", "2", "3", "nan") == steps
    assert at("1", "2", "3", "1000") == steps
    grid = lines(Plot("line", "", ["1", "3", "8"], [Series("x", [1, 1, 1])]), 76)
    row = next(line for line in grid if "●" in line and "┤" in line)
    first, second, third = (n for n, sign in enumerate(row) if sign == "●")
    assert (second - first) / (third - first) == pytest.approx(2 / 7, abs=0.02)


def test_no_series_hides_another_one() -> None:
    same = [Series(name, [1.0, 1.0]) for name in ("a", "b", "c")]
    plot = Plot("line", "", ["1", "9"], same)
    row = next(line for line in lines(plot) if "●" in line and "┤" in line)
    assert row.count("●") == row.count("▲") == row.count("■") == 2
    root = ElementTree.fromstring(document([plot]))
    across = {
        each.get("cx") or each.get("points", "").split(",")[0]
        for tag in ("circle", "polygon")
        for each in root.iter(SVG + tag)
        if each.find(f"{SVG}title") is not None
    }
    assert len(across) == 6


def lowest_marks(plot: Plot, monkeypatch: pytest.MonkeyPatch) -> list[list[float]]:
    """Where matplotlib has the points of each series, in pixels across."""
    from matplotlib.figure import Figure

    seen: list[list[float]] = []
    save = Figure.savefig

    def keep(figure: Figure, *args: object, **more: object) -> None:
        save(figure, *args, **more)  # type: ignore[arg-type]
        axes = figure.subfigs[0].axes[0]
        seen.extend(
            list(map(float, axes.transData.transform(each[0].get_xydata())[:, 0]))
            for each in axes.containers
        )

    monkeypatch.setattr(Figure, "savefig", keep)
    files.drawn([plot], "png")
    return seen


def test_a_picture_has_points_to_scale_and_beside_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    same = [Series(name, [1.0, 1.0, 1.0]) for name in ("a", "b", "c")]
    seen = lowest_marks(Plot("line", "", ["1", "3", "8"], same), monkeypatch)
    assert len(seen) == 3
    for one, three, eight in seen:
        assert (three - one) / (eight - one) == pytest.approx(2 / 7)
    firsts = [series[0] for series in seen]
    assert min(b - a for a, b in itertools.pairwise(firsts)) > 10


def test_each_point_says_its_n_where_they_differ() -> None:
    alike = Plot("line", "", ["1", "2"], [Series("x", [1, 2], n=[40, 40])])
    apart = Plot("line", "", ["1", "2"], [Series("x", [1, 2], n=[40, 31])])
    assert "n = 40" in lines(alike)[0]
    assert "n = 40" in document([alike])
    assert lines(apart)[-1].split() == ["n", "●", "40", "31"]
    told = list(ElementTree.fromstring(document([apart])).itertext())
    assert told[-3:] == ["n", "40", "31"]
    bars = Plot("bar", "", ["a", "b"], [Series("x", [1, 2], n=[40, 31])])
    assert lines(bars)[0].endswith("n = 40")
    assert lines(bars)[1].endswith("n = 31")
    assert "debate (n = 90)" in document([COST])


def test_the_pareto_front_has_what_nothing_beats() -> None:
    assert COST.front == [(0.002, 41), (0.004, 52), (0.03, 62)]
    assert "Pareto front: direct · rag · debate" in lines(COST)[-1]
    lower = Plot("scatter", "", [], COST.series, better="lower")
    assert lower.front == [(0.002, 41)]
    assert Plot("scatter", "", [], COST.series).front == []


def test_costs_far_apart_have_a_logarithmic_axis() -> None:
    far = [Series("a", [1], xs=[0.002]), Series("b", [2], xs=[1.2])]
    axis = x_scale(Plot("scatter", "", [], far))
    assert axis is not None
    assert axis.marks == pytest.approx([0.001, 0.01, 0.1, 1, 10])
    assert axis.share(0.1) == pytest.approx(0.5)
    near = x_scale(COST)
    assert near is not None
    assert not near.log


def test_per_cent_is_made_of_shares_and_of_everything_that_is_one() -> None:
    of_hundred = multiplied(BARS, 100).series[0].at(0)
    assert of_hundred[:4] == pytest.approx((25, 10, 40, 26))


def test_hostile_names_stay_text() -> None:
    name = "</text><script>x()</script>\x1b[31m\u202e\n" + "很长的名字" * 60
    kinds: tuple[Kind, ...] = ("line", "bar", "heatmap", "scatter")
    for kind in kinds:
        plot = Plot(
            kind,
            name,
            [name, "b"],
            [
                Series(name, [1, 2], n=[3, 4], xs=[1, 2]),
                Series("z", [2, 3], n=[5, 6], xs=[1, 2]),
            ],
            name,
            name,
        )
        drawn = "\n".join(lines(plot, 70))
        assert "\x1b" not in drawn
        assert "\u202e" not in drawn
        assert max(map(cells, drawn.splitlines())) <= 70
        root = ElementTree.fromstring(document([plot]))
        assert not list(root.iter(f"{SVG}script"))


def test_nothing_measured_is_said_in_both_languages() -> None:
    plot = Plot("bar", "Right", ["a"], [Series("x", [None])])
    assert lines(plot) == ["Right", "Nothing was measured."]
    with texts.speaking("zh"):
        assert lines(plot)[1] == "没有测得任何数值。"
        assert "没有测得任何数值。" in document([plot])


@pytest.mark.parametrize("form", ["png", "pdf"])
def test_a_file_for_a_paper_is_a_whole_picture_and_dollars_are_no_mathematics(
    form: files.Form,
) -> None:
    priced = Plot(
        "line",
        "$\\bad$ and $5",
        ["a", "b"],
        [Series("$x^$", [1, None]), Series("费用", [2.0, 3.0])],
    )
    content = files.drawn([LINE, BARS, HEAT, COST, priced], form)
    assert content.startswith({"png": b"\x89PNG", "pdf": b"%PDF"}[form])
    assert content.rstrip().endswith({"png": b"IEND\xaeB`\x82", "pdf": b"%%EOF"}[form])


def test_without_matplotlib_a_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(BadInput, match="plots"):
        files.drawn([LINE], "png")
