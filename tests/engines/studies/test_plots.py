"""Plots: what was measured is drawn where it lies, the paper's figures are apart, and hostile names stay text."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ElementTree

import pytest
from verifytui import texts
from verifytui.engines.studies.plots import files
from verifytui.engines.studies.plots.plot import Plot, Series, scale
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


@pytest.mark.parametrize("plot", [LINE, BARS, HEAT])
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


def test_hostile_names_stay_text() -> None:
    name = "</text><script>x()</script>\x1b[31m\u202e\n" + "很长的名字" * 60
    for kind in ("line", "bar", "heatmap"):
        plot = Plot(
            kind,
            name,
            [name, "b"],
            [Series(name, [1, 2]), Series("z", [2, 3])],
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
    content = files.drawn([LINE, BARS, HEAT, priced], form)
    assert content.startswith({"png": b"\x89PNG", "pdf": b"%PDF"}[form])
    assert content.rstrip().endswith({"png": b"IEND\xaeB`\x82", "pdf": b"%%EOF"}[form])


def test_without_matplotlib_a_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(BadInput, match="plots"):
        files.drawn([LINE], "png")
