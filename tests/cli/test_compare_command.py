"""`verifytui compare`: what it prints in every form, and when it fails."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from verifytui.cli.app import main
from verifytui.tests.support.commanding import rows
from verifytui.tests.support.solo_runs import write_lines


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    """Outputs of which 8 of 20 and 20 of 20 are right; the first answer is hostile."""
    made = []
    for name, wrong in (("a", 12), ("b", 0)):
        lines: list[dict[str, Any]] = [
            {
                "id": f"i{n}",
                "topic": "2 + 2",
                "answers": ["4"],
                "cluster": f"c{n}",
                "answer": "<b>5</b> | \x1b[31m" if n < wrong else "4",
            }
            for n in range(20)
        ]
        made.append(write_lines(tmp_path / f"{name}.jsonl", lines))
    return made[0], made[1]


def test_people_read_both_values_the_difference_and_a_verdict(
    runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", *map(str, runs)]) == 0
    told = capsys.readouterr().out
    for words in (
        "b.jsonl against a.jsonl",
        "20 items in both",
        "right: better",
        "40.0%",
        "+60.0",
        "exact McNemar",
        "12 better, 8 the same, 0 worse",
    ):
        assert words in told
    assert main(["compare", "--lang", "zh", *map(str, runs)]) == 0
    assert "正确：更好" in capsys.readouterr().out


def test_programs_read_an_object_a_measure(
    runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        main(
            [
                "compare",
                *map(str, runs),
                "--measure",
                "accuracy",
                "--measure",
                "decided",
                "--output",
                "json",
            ]
        )
        == 0
    )
    first, second = rows(capsys.readouterr().out)
    assert (first["measure"], first["verdict"], first["test"], first["needed_n"]) == (
        "accuracy",
        "better",
        "mcnemar",
        None,
    )
    assert (first["a"]["value"], first["a"]["n"], first["difference"]["value"]) == (
        0.4,
        20,
        0.6,
    )
    assert first["p_corrected"] == pytest.approx(2 * first["p"])
    assert (first["wins"], first["ties"], first["losses"]) == (12, 8, 0)
    assert (second["measure"], second["verdict"]) == ("decided", "unclear")


@pytest.mark.parametrize("form", ["md", "html"])
def test_documents_show_the_items_that_flipped_and_run_nothing(
    runs: tuple[Path, Path], form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", *map(str, runs), "--output", form]) == 0
    told = capsys.readouterr().out
    assert "i11" in told
    assert "i12" not in told
    assert "<b>" not in told
    assert "<script" not in told
    assert "\x1b" not in told


def test_a_gate_fails_where_a_run_is_worse_or_cannot_be_measured(
    runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = map(str, runs)
    assert main(["compare", one, other, "--fail-if-worse", "accuracy"]) == 0
    assert main(["compare", other, one]) == 0
    assert main(["compare", other, one, "--fail-if-worse", "accuracy"]) == 1
    assert "a.jsonl is worse than b.jsonl by 60.0%" in capsys.readouterr().err
    assert (
        main(["compare", other, one, "--fail-if-worse", "accuracy", "--margin", ".7"])
        == 0
    )
    assert main(["compare", one, other, "--fail-if-worse", "cost"]) == 1
    assert "cannot be measured" in capsys.readouterr().err


def test_what_cannot_be_compared_is_bad_input(
    runs: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = map(str, runs)
    for arguments in (
        [one],
        [one, one],
        [one, str(tmp_path)],
        [one, other, "--margin", "2"],
        [one, other, "--measure", "x"],
    ):
        assert main(["compare", *arguments]) == 2
        assert capsys.readouterr().err.count("\n") == 1
