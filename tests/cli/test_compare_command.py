"""`verifytui compare`: what it prints in every form, and when it fails."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from verifytui.cli.app import main
from verifytui.tests.support.commanding import rows
from verifytui.tests.support.solo_runs import solo_run, write_lines


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
        "b.jsonl is better than a.jsonl on accuracy: 40.0% → 100.0%, +60.0",
        "n 20, +12 −0",
        "exact McNemar",
    ):
        assert words in told
    assert main(["compare", "--lang", "zh", *map(str, runs)]) == 0
    assert "b.jsonl 在“正确率”上好于 a.jsonl" in capsys.readouterr().out


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


def test_tables_go_into_spreadsheets_and_papers(
    runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", *map(str, runs), "--output", "csv"]) == 0
    assert "accuracy,0.4," in capsys.readouterr().out
    assert main(["compare", *map(str, runs), "--output", "latex"]) == 0
    assert "\\toprule" in capsys.readouterr().out


def test_every_pair_and_every_group(
    runs: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    third = tmp_path / "c.jsonl"
    third.write_text(runs[1].read_text("utf-8"), "utf-8")
    paths = [*map(str, runs), str(third)]
    assert main(["compare", *paths, "--all-pairs", "--output", "json"]) == 0
    pairs = {(row["first"], row["second"]) for row in rows(capsys.readouterr().out)}
    assert len(pairs) == 3
    assert main(["compare", *paths, "--by", "topic"]) == 0
    told = capsys.readouterr().out
    assert "Runs and measures" in told
    assert "2 + 2" in told
    assert main(["compare", *paths, "--by", "nothing"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


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
        main(["compare", other, one, "--fail-if-worse", "accuracy", "--margin", ".8"])
        == 0
    )
    assert main(["compare", one, other, "--fail-if-worse", "cost"]) == 1
    assert "too little was measured" in capsys.readouterr().err


def test_few_lost_items_fail_only_the_gate_that_asks_for_proof(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """3 of 100 are lost, p .25: the verdict is “inconclusive”."""
    one, other = (
        str(
            write_lines(
                tmp_path / name,
                [
                    {"id": f"i{n}", "answer": "no" if n < lost else "yes"}
                    | {"question": f"Question {n}?", "answers": ["yes"]}
                    for n in range(100)
                ],
            )
        )
        for name, lost in (("a.jsonl", 0), ("b.jsonl", 3))
    )
    assert main(["compare", one, other, "--fail-if-worse", "accuracy"]) == 0
    assert "inconclusive" in capsys.readouterr().out
    gate = ["--require-not-worse", "accuracy"]
    assert main(["compare", one, other, *gate]) == 1
    assert "may be worse than a.jsonl by 7.2%; the margin" in capsys.readouterr().err
    assert main(["compare", one, other, *gate, "--margin", ".08"]) == 0
    assert main(["compare", one, other, "--require-not-worse", "cost"]) == 1


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


def test_an_edited_result_is_refused_or_said(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = [asyncio.run(solo_run(tmp_path / name)) for name in ("a", "b")]
    file = folders[1] / "hill.yaml"
    head, mark, tail = file.read_text("utf-8").rpartition("event: result")
    file.write_text(f"{head}{mark}{tail.replace('2 m/s', '1.5 m/s')}", "utf-8")
    arguments = ["compare", *map(str, folders)]
    assert main(arguments) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert str(file) in told.err
    assert main([*arguments, "--allow-different"]) == 0
    told = capsys.readouterr()
    assert f"{file}: the result's `answer` contradicts" in told.err
