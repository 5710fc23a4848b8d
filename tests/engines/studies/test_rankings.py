"""Runs that are rankings: compared query by query, and as conditions of a study that
plays nothing.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from verifytui.cli.app import main
from verifytui.tests.support.commanding import rows
from verifytui.tests.support.rankings import LABELS, beir, write_run

STUDY = """
format: verifytui-study/1
name: small
items: {adapter: qrels, file: .}
conditions:
  bad: {run: bad.trec}
  good: {run: good.trec}
  tied: {run: tied.trec}
measures: [ndcg_30, map]
"""
IDEAL = 3 + 1 / math.log2(3)
BAD = (1 / math.log2(3) + 3 / 2) / IDEAL
TIED = (1.5 + 1.5 / math.log2(3) + 1 / 2) / IDEAL
"""d1 and d3 tied on the first two places: each has the mean gain of both."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "small.yaml").write_text(STUDY)
    return beir(tmp_path)


@pytest.mark.parametrize("labels", ["qrels/test.tsv", "."])
def test_runs_are_paired_by_query(
    labels: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [str(folder / f"{name}.trec") for name in ("bad", "good", "tied")]
    assert (
        main(
            [
                "compare",
                *runs,
                "--qrels",
                str(folder / labels),
                "--measure",
                "ndcg@30",
                "--output",
                "json",
            ]
        )
        == 0
    )
    said = capsys.readouterr()
    good, tied = rows(said.out)
    assert (good["measure"], good["verdict"], good["wins"], good["test"]) == (
        "ndcg_30",
        "better",
        12,
        "permutation",
    )
    assert (good["a"]["value"], good["b"]["value"]) == pytest.approx((BAD, 1.0))
    assert tied["b"]["value"] == pytest.approx(TIED * 11 / 12)
    assert tied["b"]["unanswered"] == {"not-ranked": 1}
    assert "tied.trec ranks queries without labels, left out: 1" in said.err


def test_people_read_the_usual_measures_by_their_names(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [str(folder / f"{name}.trec") for name in ("good", "tied")]
    assert (
        main(["compare", *runs, "--qrels", str(folder), "--fail-if-worse", "p@1"]) == 1
    )
    told = " ".join(capsys.readouterr().out.split())
    assert all(
        words in told
        for words in (
            "tied.trec is worse than good.trec",
            "nDCG@30",
            "P@1",
            "unanswered items of tied.trec, counted",
            "1 not ranked",
        )
    )


def test_what_is_no_ranking_is_bad_input(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = str(folder / "good.trec"), str(folder / "bad.trec")
    other = str(write_run(folder / "other.trec", {"elsewhere": [("d1", 1.0)]}))
    cases = {
        "--qrels FILE": [good, bad],
        "ndcg_K, p_K, map": [good, bad, "--qrels", str(folder), "--measure", "ndcg@0"],
        "ranks none of the queries": [good, other, "--qrels", str(folder)],
        "qrels/*.tsv": [good, bad, "--qrels", str(folder / "qrels")],
    }
    for words, arguments in cases.items():
        assert main(["compare", *arguments]) == 2
        assert words in capsys.readouterr().err


def test_recorded_runs_are_the_conditions_of_a_study(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    into = tmp_path / "out"
    assert (
        main(
            [
                "study",
                str(folder / "small.yaml"),
                "--into",
                str(into),
                "--output",
                "json",
            ]
        )
        == 0
    )
    said = capsys.readouterr()
    assert "tied: 1 of 12 queries are not ranked and count as 0." in said.err
    report = json.loads(said.out)
    assert report["status"] == "done"
    assert list(report["figures"]) == ["ndcg_30", "map"]
    figures = report["figures"]["ndcg_30"]
    assert [
        figures[name]["value"] for name in ("bad", "good", "tied")
    ] == pytest.approx([BAD, 1.0, TIED * 11 / 12])
    assert figures["tied"]["unanswered"] == {"not-ranked": 1}
    assert report["differences"]["ndcg_30"]["good"]["verdict"] == "better"
    assert [one["run"]["digest"][:7] for one in report["conditions"]] == ["sha256:"] * 3


def test_a_study_is_measured_again_from_its_own_copy_and_refuses_another_run(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    into = str(folder / "out")
    begin = ["study", str(folder / "small.yaml"), "--into", into]
    assert main(begin) == 0
    (folder / "good.trec").write_bytes((folder / "bad.trec").read_bytes())
    capsys.readouterr()
    assert main(["study", "measure", into]) == 0
    assert f"{len(LABELS) * 3 * 2} measurements" in capsys.readouterr().out
    assert main(begin) == 2
    assert "is not the run that" in capsys.readouterr().err
    (folder / "good.trec").unlink()
    assert main(begin) == 2
    assert "verifytui train run" in capsys.readouterr().err


def test_a_run_that_is_missing_can_be_left_out_for_now(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "tied.trec").unlink()
    begin = ["study", str(folder / "small.yaml"), "--into", str(folder / "out")]
    assert main([*begin, "--only", "bad", "--only", "good"]) == 0
    assert "tied" in capsys.readouterr().out


@pytest.mark.scale
def test_a_run_that_is_recorded_is_not_split(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begin = ["study", str(folder / "small.yaml"), "--into", str(folder / "out")]
    assert main([*begin, "--shard", "1/2"]) == 2
    assert (
        "is a recorded run, which --shard cannot split; leave out --shard."
        in capsys.readouterr().err
    )


def test_repeats_of_a_query_have_its_one_ranking(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "small.yaml").write_text(STUDY + "repeats: 2\n")
    assert (
        main(
            [
                "study",
                str(folder / "small.yaml"),
                "--into",
                str(folder / "out"),
                "--output",
                "json",
            ]
        )
        == 0
    )
    found = json.loads(capsys.readouterr().out)["figures"]["ndcg_30"]["good"]
    assert (found["n"], found["clusters"]) == (24, 12)


CHARGES = {
    **{f"q{n}": "盗窃罪" for n in range(11)},
    **{"d1": ["盗窃罪（不起诉）"], "d2": "抢劫罪", "d3": "盗窃"},
}
"""Of q11 no charge is known. d1 (level 3) and d3 (level 0) share that of the others."""


@pytest.fixture
def charged(folder: Path) -> Path:
    """`other` has d2 first; among candidates of the charge it ranks as `good` does."""
    (folder / "charges.json").write_text(json.dumps(CHARGES))
    other = {query: [("d2", 3.0), ("d1", 2.0), ("d3", 1.0)] for query in LABELS}
    write_run(folder / "other.trec", other)
    return folder


def test_a_comparison_shows_charges_alone_and_warns_of_a_gain_that_they_explain(
    charged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [str(charged / f"{name}.trec") for name in ("other", "good")]
    asked = ["compare", *runs, "--qrels", str(charged / "qrels/test.tsv")]
    asked += ["--measure", "ndcg@30", "--output", "json"]
    assert main([*asked, "--charges", str(charged / "charges.json")]) == 0
    found = {
        (Path(one["second"]).name, one["measure"]): one
        for one in rows(capsys.readouterr().out)
    }
    good, inside = (found["good.trec", name] for name in ("ndcg_30", "ndcg_30_within"))
    assert (good["verdict"], inside["difference"]["value"]) == ("better", 0)
    assert (inside["a"]["n"], good["a"]["n"]) == (11, 12)
    assert (inside["a"]["value"], inside["b"]["value"]) == (1, 1)
    assert "charge-gain" in good["warnings"]
    only = found["other.trec, charge only", "ndcg_30"]
    assert (only["a"]["n"], only["b"]["value"]) == (11, pytest.approx(TIED))
    assert main(["compare", *runs, "--charges", str(charged / "charges.json")]) == 2
    assert "--charges needs --qrels" in capsys.readouterr().err


@pytest.mark.parametrize("known", [True, False])
def test_a_study_has_a_row_of_charges_alone(
    known: bool, charged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if not known:
        (charged / "charges.json").unlink()
    study = STUDY.replace(
        "  bad: {run: bad.trec}", "  other: {run: other.trec}"
    ).replace(
        "  tied: {run: tied.trec}", "  charge only: {run: other.trec, order: charge}"
    )
    study = study.replace("map]", "map, ndcg_30_within]")
    (charged / "small.yaml").write_text(study)
    into = ["--into", str(charged / "out"), "--output", "json"]
    assert main(["study", str(charged / "small.yaml"), *into]) == 0
    said = capsys.readouterr()
    report = json.loads(said.out)
    only = report["figures"]["ndcg_30"].get("charge only")
    if known:
        assert only["value"] == pytest.approx(TIED)
        assert report["figures"]["ndcg_30_within"]["good"]["value"] == 1.0
        warned = [(one["condition"], one["id"]) for one in report["warnings"]]
        assert ("good", "charge-gain") in warned
    else:
        assert only is None
        assert "charge only: the charges are not known" in said.err
