"""The report of a comparison: its sentence, its tables, ranks, strata, and every form
of it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from verifytui import texts
from verifytui.engines.figures.aggregate import Aggregate
from verifytui.engines.figures.common import measures
from verifytui.engines.figures.compare import CompareOptions, RunComparison, compare
from verifytui.engines.figures.runs import names, read_run
from verifytui.engines.figures.strata import strata
from verifytui.engines.figures.systems import (
    SystemTable,
    average_ranks,
    systems,
)
from verifytui.engines.reports.comparison import (
    comparison_report,
    conclusion,
    pareto_plot,
    records,
)
from verifytui.engines.reports.document import DataTable, ItemList, values_of
from verifytui.engines.reports.forms import FORMS, write
from verifytui.engines.studies.plots.svg import embedded
from verifytui.engines.studies.plots.text import lines
from verifytui.sessions.errors import BadInput
from verifytui.tests.support.solo_runs import solo_run, write_lines
from verifytui.texts.columns import cells


def outputs(folder: Path, name: str, rights: Sequence[bool], **more: Any) -> Path:
    """A file of right and wrong answers; every third item is in Chinese."""
    lines = [
        {
            "id": f"i{n}",
            "topic": f"t{n}",
            "answers": ["4"],
            "language": "zh" if n % 3 == 0 else "en",
            "answer": "4" if right else "5",
            **more,
        }
        for n, right in enumerate(rights)
    ]
    return write_lines(folder / name, lines)


def compared(*paths: Path, **wanted: Any) -> RunComparison:
    return compare(names(map(read_run, paths)), measures(), CompareOptions(**wanted))


@pytest.fixture
def three(tmp_path: Path) -> list[Path]:
    """40 %, 100 % and 70 % of 20 are right."""
    rights = {"a": [False] * 12 + [True] * 8, "b": [True] * 20}
    rights["c"] = [False] * 6 + [True] * 14
    return [outputs(tmp_path, name, found) for name, found in rights.items()]


def table(report: Any, title: str) -> DataTable:
    found = [p for p in report.parts if isinstance(p, DataTable) and p.title == title]
    assert len(found) == 1
    return found[0]


def test_the_conclusion_is_one_sentence_with_both_values_and_the_interval(
    three: list[Path],
) -> None:
    a, b, _ = three
    sentence = conclusion(compared(a, b))
    assert sentence.startswith(
        "b is better than a on accuracy: 40.0% → 100.0%, +60.0 ["
    )
    assert sentence.endswith(", p <.001.")
    assert conclusion(compared(b, a)).startswith("a is worse than b on accuracy")


def test_what_cannot_be_told_says_how_many_items_would_be_needed(
    tmp_path: Path,
) -> None:
    one = outputs(tmp_path, "a", [True, False, True, True])
    other = outputs(tmp_path, "b", [True, True, True, False])
    found = compared(one, other)
    needed = found.differences[0][1].needed
    sentence = conclusion(found)
    assert sentence.startswith("No difference between a and b can be shown on accuracy")
    assert (f"about {needed:,} items" in sentence) == (needed is not None)


def test_runs_without_anything_to_measure_quality_by_say_so(tmp_path: Path) -> None:
    a, b = (outputs(tmp_path, name, [True] * 3) for name in "ab")
    assert conclusion(compared(a, b, measures=["calls"], gates=["calls"])) == (
        "No measure of quality has a value in both runs."
    )


def test_all_pairs_are_corrected_together(three: list[Path]) -> None:
    star, every = compared(*three), compared(*three, all_pairs=True)
    assert [(v.first.name, v.second.name) for v in star.versus] == [
        ("a", "b"),
        ("a", "c"),
    ]
    assert [(v.first.name, v.second.name) for v in every.versus] == [
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
    ]
    p = sorted(one.p or 0.0 for _, one in every.differences)
    assert min(one.p_corrected or 0.0 for _, one in every.differences) == (
        pytest.approx(3 * p[0])
    )
    assert "c against b" in conclusion(every)
    assert conclusion(star).startswith("On accuracy, compared with a: better: b")


def test_several_runs_get_one_table_with_ranks(three: list[Path]) -> None:
    report = comparison_report(compared(*three))
    rows = {row[0].text: row[1] for row in table(report, "Runs and measures").cells}
    assert {name: cell.text for name, cell in rows.items()} == {
        "a": "40.0% (3)",
        "b": "100.0% (1)",
        "c": "70.0% (2)",
    }
    assert rows["b"].shade == "good"
    (found,) = systems(compared(*three))
    assert found.items == 20
    two = comparison_report(compared(*three[:2]))
    assert "Runs and measures" not in [getattr(p, "title", "") for p in two.parts]


def test_a_system_figure_counts_only_items_that_every_run_has_a_value_for(
    three: list[Path], tmp_path: Path
) -> None:
    short = outputs(tmp_path, "short", [True] * 5)
    (found,) = systems(compared(three[0], three[1], short, different=True))
    assert {name: one.n for name, one in found.figures.items()} == {
        "a": 5,
        "b": 5,
        "short": 5,
    }
    assert found.figures["a"].value == 0


def test_ties_share_the_mean_of_their_ranks() -> None:
    values = {"a": 0.5, "b": 0.9, "c": 0.5, "d": None}
    assert average_ranks(values, "higher") == {"a": 2.5, "b": 1, "c": 2.5}
    assert average_ranks(values, "lower") == {"a": 1.5, "b": 3, "c": 1.5}
    assert average_ranks(values, "neither") == {}


def test_strata_have_their_own_n_and_leave_the_family_as_it_is(
    three: list[Path],
) -> None:
    found = compared(*three[:2])
    by = strata(found, "language")
    assert [(one.value, one.difference.n) for one in by] == [("en", 13), ("zh", 7)]
    report = comparison_report(found, by)
    rows = table(report, "By group").cells
    assert [row[0].text for row in rows] == ["en", "zh"]
    assert [row[2].value for row in rows] == [13, 7]
    assert records(found, by)[0] == records(found)[0]
    assert [one.get("stratum") for one in records(found, by)] == [None, "en", "zh"]
    with pytest.raises(BadInput, match=r"field “nothing”.*language"):
        strata(found, "nothing")


def test_items_that_flipped_are_grouped_and_worse_ones_come_first(
    three: list[Path],
) -> None:
    _, b, c = three
    (flips,) = (
        p for p in comparison_report(compared(b, c)).parts if isinstance(p, ItemList)
    )
    assert flips.groups == {"worse": 6}
    assert flips.items[0].facts == [
        ("accepted", "4"),
        ("answer of b", "4"),
        ("answer of c", "5"),
    ]
    without = comparison_report(compared(b, c), items=False)
    assert not [p for p in without.parts if isinstance(p, ItemList)]


def test_csv_has_numbers_and_everything_that_was_tested(three: list[Path]) -> None:
    shown = write(comparison_report(compared(*three[:2])), "csv").removeprefix("\ufeff")
    rows = list(csv.reader(io.StringIO(shown)))
    head, first = rows[1], rows[2]
    row = dict(zip(head, first, strict=True))
    assert (row["measure"], row["a"], row["b"], row["difference"]) == (
        "accuracy",
        "0.4",
        "1.0",
        "0.6",
    )
    assert (row["test"], row["wins"], row["losses"], row["n"]) == (
        "mcnemar",
        "12",
        "0",
        "20",
    )
    assert float(row["p"]) == pytest.approx(2 / 2**12)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_in_both_languages(
    three: list[Path], form: str, language: str
) -> None:
    with texts.speaking(language):
        found = compared(*three, all_pairs=True)
        report = comparison_report(found, strata(found, "language"))
        shown = write(report, form)
    assert "{" not in shown or form in ("html", "json", "latex")
    if form == "text":
        assert max(map(cells, shown.split("\n"))) <= 80
    assert ("正确" if language == "zh" else "accuracy") in shown


async def test_what_was_made_otherwise_is_listed_and_the_rest_is_folded(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    one = await solo_run(tmp_path / "direct")
    other = await solo_run(tmp_path / "cot", strategy="cot")
    page = write(comparison_report(compared(one, other)), "html")
    before, folded = page[page.index("<main") :].split("<details>", 1)
    assert "strategy" in before
    assert "Settings that are the same" in folded
    assert "model of solver" in folded
    assert "direct: solo · script" in before
    debate = await solo_run(tmp_path / "debate", method="debate")
    shown = write(comparison_report(compared(one, debate)), "html")
    assert 'href="./direct/hill.yaml"' in shown
    assert "Only direct: strategy" in shown


def test_quality_and_cost_are_drawn_and_the_front_is_joined() -> None:
    found = measures()
    prices = {"cheap": 0.1, "dear": 0.4, "dearer": 0.5}
    rights = {"cheap": 0.5, "dear": 0.8, "dearer": 0.7}

    def made(name: str, values: dict[str, float]) -> SystemTable:
        wholes = {
            run: Aggregate(value, value, value, 9) for run, value in values.items()
        }
        return SystemTable(found[name], wholes, {})

    plot = pareto_plot([made("accuracy", rights), made("cost", prices)])
    assert plot is not None
    assert (plot.x, plot.y) == ("cost (US$)", "accuracy (%)")
    assert plot.front == [(0.1, 50), (0.4, 80)]
    assert max(map(cells, lines(plot, 60))) <= 60
    assert "dearer" in embedded(plot)
    rows = values_of(plot).cells
    assert [cell.value for cell in rows[1][1:]] == [0.4, 80]
    assert pareto_plot([made("accuracy", rights)]) is None
    free = made("cost", dict.fromkeys(prices, 0.0))
    assert pareto_plot([made("accuracy", rights), free]) is None
