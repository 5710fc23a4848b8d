"""Results of other programs are compared: their answers, and their own scores."""

from __future__ import annotations

import csv
import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binomtest
from verifytui.cli.app import main

DATA = Path(__file__).resolve().parents[1] / "data"
INSPECT = DATA / "inspect_ai-0.3.285"
HARNESS = DATA / "lm_eval-0.4.13"
PROMPTFOO = DATA / "promptfoo-0.1"


@pytest.fixture
def compared(capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*arguments: str | Path) -> dict[str, dict[str, Any]]:
        assert main(["compare", *map(str, arguments), "--output", "json"]) == 0
        rows = map(json.loads, capsys.readouterr().out.splitlines())
        return {row["measure"]: row for row in rows if "measure" in row}

    return run


def lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_any_column_of_numbers_is_a_measure(compared: Any, tmp_path: Path) -> None:
    """Of each file its own values, also where the items have a question alone."""
    right = {"first": [1, 0, 1, 0, 0, 1], "second": [1, 1, 1, 1, 0, True]}
    files = [
        lines(
            tmp_path / f"{name}.jsonl",
            [
                {"id": n, "question": f"{n}?", "exact_match": one, "loss": n + 0.5}
                for n, one in enumerate(marks)
            ],
        )
        for name, marks in right.items()
    ]
    found = compared(*files)
    assert {"exact_match", "loss"} <= found.keys()
    row = found["exact_match"]
    assert (row["a"]["value"], row["b"]["value"]) == (3 / 6, 5 / 6)
    assert (row["wins"], row["losses"]) == (2, 0)
    assert row["p"] == pytest.approx(binomtest(2, 2).pvalue)
    assert [*compared(*files, "--measure", "loss")] == ["loss"]


def test_a_table_has_measures_too(compared: Any, tmp_path: Path) -> None:
    for name, marks in (("a", ("true", "0.5")), ("b", ("false", ""))):
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["id", "good", "note"])
            writer.writerows([(1, marks[0], "x"), (2, "true", "y"), (3, "false", "1")])
    found = compared(tmp_path / "a.csv", tmp_path / "b.csv")
    assert [*found] == ["good"], "a column with a word in it is none"
    assert found["good"]["difference"]["value"] == pytest.approx(-1 / 3)


def test_a_parquet_file_is_read(
    compared: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="needs the extra `parquet`")
    parquet = pytest.importorskip("pyarrow.parquet")
    files = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for file, marks in zip(files, ([0.5, None, 1.0], [1.5, 2.0, 2.0]), strict=True):
        columns = {"id": [1, 2, 3], "answer": ["x", None, "z"], "gain": marks}
        parquet.write_table(pyarrow.table(columns), file)
    found = compared(*files, "--measure", "gain")
    assert found["gain"]["difference"]["value"] == pytest.approx(1)
    files[1].write_bytes(b"PAR1 and no more")
    assert main(["compare", *map(str, files)]) == 2
    assert "b.parquet" in capsys.readouterr().err


def test_an_id_alone_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [lines(tmp_path / name, [{"id": "a"}]) for name in ("x", "y")]
    assert main(["compare", *map(str, files)]) == 2
    assert "has no answer" in capsys.readouterr().err


def test_samples_of_the_harness(compared: Any) -> None:
    first, second = (HARNESS / f"samples_sums_{n}.jsonl" for n in ("first", "second"))
    found = compared(first, second)
    assert found["accuracy"]["a"]["value"] == 5 / 8
    assert found["accuracy"]["b"]["value"] == 7 / 8
    (row,) = compared(first, second, "--measure", "exact_match").values()
    assert row["p"] == pytest.approx(binomtest(2, 2).pvalue)


def test_scores_of_several_filters_keep_their_names(
    compared: Any, tmp_path: Path
) -> None:
    path = HARNESS / "samples_sums_filters.jsonl"
    other = tmp_path / "other.jsonl"
    other.write_text(path.read_text().replace('"exact_match": 1.0', '"exact_match": 0'))
    names = ["exact_match,strict-match", "exact_match,flexible-extract"]
    for name, value in zip(names, (0, 0.5), strict=True):
        (row,) = compared(path, other, "--measure", name).values()
        assert (row["a"]["value"], row["b"]["value"]) == (value, 0)


def test_results_of_promptfoo(compared: Any) -> None:
    found = compared(PROMPTFOO / "results.json", PROMPTFOO / "rows.jsonl")
    assert (found["score"]["a"]["value"], found["score"]["b"]["value"]) == (2 / 3, 1)
    assert found["success"]["wins"] == 1
    assert found["tone"]["difference"]["value"] == 0


def test_several_providers_in_one_file_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [json.loads(line) for line in (PROMPTFOO / "rows.jsonl").open()]
    both = lines(tmp_path / "both.jsonl", [*rows, *rows])
    assert main(["compare", str(both), str(PROMPTFOO / "rows.jsonl")]) == 2
    assert "several providers" in capsys.readouterr().err


def test_a_log_of_inspect_in_json_has_the_mean_of_its_epochs(
    compared: Any, tmp_path: Path
) -> None:
    log = json.loads((INSPECT / "epochs.json").read_text("utf-8"))
    log["samples"][0]["scores"]["match"]["value"] = "I"
    log["samples"][1]["scores"]["match"]["value"] = "P"
    other = tmp_path / "other.json"
    other.write_text(json.dumps(log))
    (row,) = compared(INSPECT / "epochs.json", other, "--measure", "match").values()
    # s0: C and C, then I and C; s1: I and I, then P and I
    assert row["a"]["value"] == pytest.approx(0.5)
    assert row["b"]["value"] == pytest.approx((0.5 + 0.25) / 2)


@pytest.mark.skipif(
    find_spec("inspect_ai") is not None, reason="inspect_ai is installed"
)
def test_an_eval_log_names_the_extra(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *map(str, sorted(INSPECT.glob("*.eval")))]) == 2
    assert "[inspect]" in capsys.readouterr().err


@pytest.mark.skipif(find_spec("inspect_ai") is None, reason="needs the extra `inspect`")
def test_two_eval_logs_are_compared(compared: Any) -> None:
    found = compared(*sorted(INSPECT.glob("*.eval")))
    assert (found["accuracy"]["a"]["value"], found["accuracy"]["wins"]) == (0.5, 2)
