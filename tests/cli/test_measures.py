"""`agreement` and `ranking`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from commanding import Done, command, refused

A = "1 0 a 0\n1 0 b 3\n1 0 c 1\n2 0 a 2\n2 0 b 2\n2 0 only-a 1\n"
B = (
    '{"query": 1, "candidate": "a", "label": 0}\n{"query": 1, "candidate": "b", "label": 0}\n{"query": 1, "candidate": "c", "label": 1}\n'
    + ('{"query": 2, "candidate": "a", "label": 3}\n{"query": 2, "candidate": "b", "label": null}\n')
)


def written(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    return written(tmp_path / "anna.qrels", A), written(tmp_path / "bert.jsonl", B)


def only(done: Done) -> Any:
    assert (done.returncode, done.stderr) == (0, "")
    (line,) = done.stdout.splitlines()
    return json.loads(line)


def test_agreement_of_two_files(two: tuple[Path, Path]) -> None:
    text = command("agreement", *two).stdout
    assert "4 pairs rated by both; left out: 1 unread by either, 1 only with anna, 0 only with bert" in text
    assert "anna: 6 pairs rated, 0 unread (0: 16.7%, 1: 33.3%, 2: 33.3%, 3: 16.7%)" in text
    assert "Levels: anna (down), bert (across)" in text
    assert "To adjudicate: 2 pairs, most different first" in text
    assert text.index("anna 3, bert 0  (material and legal bit)") < text.index("anna 2, bert 3  (material bit)")
    assert "sum of three annotators' labels" in text
    assert "nan" not in text.split()
    for title in ("material bit", "legal bit", "four levels", "four levels, linear weights", "four levels, quadratic weights"):
        assert re.search(rf"^  {title} +-?\d\.\d{{4}}  \[-?\d\.\d{{4}}, \d\.\d{{4}}\]$", text, re.MULTILINE), title


def test_agreement_as_json(two: tuple[Path, Path]) -> None:
    found = only(command("agreement", *two, "--output", "json"))
    (compared,) = found["comparisons"]
    assert (compared["pairs"], compared["unread"], compared["only_first"], compared["only_second"]) == (4, 1, 1, 0)
    assert compared["confusion"]["levels"] == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0]]
    assert compared["confusion"]["material"] == [[1, 1], [1, 1]]
    assert compared["kappa"]["material"]["value"] == 0
    assert compared["shares"] == [[0.25, 0.25, 0.25, 0.25], [0.5, 0.25, 0, 0.25]]
    assert compared["raw_agreement"] == {"material": 0.5, "legal": 0.75, "levels": 0.5}
    assert [one["unread"] for one in found["raters"]] == [0, 1]
    assert found["fleiss"]["pairs"] == found["alpha"]["pairs"] == 4
    assert found["adjudicate"][0] == {
        "query": "1",
        "candidate": "b",
        "labels": {"anna": 3, "bert": 0},
        "spread": 3,
        "bits": ["material", "legal"],
    }
    assert only(command("agreement", *two, "--output", "json")) == found
    plain = only(command("agreement", *two, "--resamples", "0", "--output", "json"))["comparisons"][0]["kappa"]["levels"]
    assert plain == {**compared["kappa"]["levels"], "low": None, "high": None, "resamples": 0}


def test_undefined_is_said_and_never_nan(tmp_path: Path) -> None:
    one, other = (written(tmp_path / name, "1 0 a 2\n1 0 b 2\n") for name in ("x.qrels", "y.qrels"))
    done = command("agreement", one, other)
    assert done.returncode == 0
    assert done.stdout.count("undefined (no variation)") == 5 + 3 + 3
    assert "Nothing to adjudicate" in done.stdout
    kappa = only(command("agreement", one, other, "--output", "json"))["comparisons"][0]["kappa"]
    assert kappa["levels"] == {"value": None, "reason": "undefined (no variation)", "low": None, "high": None, "resamples": 0}
    apart = command("agreement", one, written(tmp_path / "z.qrels", "7 0 a 2\n"))
    assert apart.returncode == 0
    assert "undefined (no pair that both have rated)" in apart.stdout


def test_three_raters_have_a_line_a_couple(two: tuple[Path, Path], tmp_path: Path) -> None:
    three = (*two, written(tmp_path / "carl.tsv", "query\tcandidate\tlabel\n1\ta\t0\n1\tb\t3\n1\tc\t1\n2\ta\t2\n"))
    text = command("agreement", *three).stdout
    assert re.search(r"^anna / carl +4 +2 +1\.0000", text, re.MULTILINE)
    assert "Fleiss' kappa, all raters, 4 pairs" in text
    assert "Krippendorff's alpha (ordinal), all raters, 4 pairs" in text
    found = only(command("agreement", *three, "--output", "json"))
    values = [one["kappa"]["levels"]["value"] for one in found["comparisons"]]
    assert found["mean_kappa"]["levels"] == {"value": pytest.approx(sum(values) / 3), "couples": 3}
    assert re.search(rf"^mean of those defined .*{sum(values) / 3:.4f}", text, re.MULTILINE)


def test_judges_of_one_table(shared: Path) -> None:
    table = shared / "llmjudge" / "labels.tsv"
    done = command("agreement", table, "--columns", "qid,docid,human,willia-umbrela1,Olz-gpt4o", "--output", "json")
    found = only(done)
    assert [one["name"] for one in found["raters"]] == ["human", "willia-umbrela1", "Olz-gpt4o"]
    assert all(one["kappa"]["levels"]["resamples"] == 1000 for one in found["comparisons"])
    refused(command("agreement", table, "--columns", "query,candidate,human,RMITIR-llama70B"), "labels.tsv, line ", "“5”")


def test_nothing_hostile_reaches_the_terminal(tmp_path: Path) -> None:
    bad = '{"query": "q\\u001b[31m\\u202e", "candidate": "c\\n\\u0007", "label": %d}\n'
    one, other = written(tmp_path / "a\x1b[2J.jsonl", bad % 0), written(tmp_path / "b.jsonl", bad % 3)
    done = command("agreement", one, other)
    assert done.returncode == 0
    assert not set(done.stdout) & set("\x1b\x07\u202e")
    assert "q[31m" in done.stdout
    raw = command("agreement", one, other, "--output", "json").stdout
    assert not set(raw) & set("\x1b\x07\u202e")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 0 a 4\n", ["line 1", "“4”"]),
        ("1 0 a 1\n1 0 b -1\n", ["line 2", "“-1”"]),
        ("1 0 a relevant\n", ["line 1", "“relevant”"]),
        ("1 0 a 1\n1 0 a 1\n", ["line 2", "twice"]),
        ("", ["empty"]),
    ],
)
def test_bad_labels_are_refused(two: tuple[Path, Path], tmp_path: Path, text: str, words: list[str]) -> None:
    bad = written(tmp_path / "bad.qrels", text)
    refused(command("agreement", two[0], bad), "bad.qrels", *words)
    refused(command("ranking", bad, two[0]), "bad.qrels", *words)


def test_agreement_refuses_one_rater_and_odd_columns(two: tuple[Path, Path], tmp_path: Path) -> None:
    refused(command("agreement", two[0]), "only anna")
    refused(command("agreement", two[0], two[1], "--columns", "query,,label"), "--columns")
    refused(command("agreement", tmp_path / "missing", two[0]), "missing")
    refused(command("agreement", tmp_path, two[0]), "no session of relevance")
    refused(command("agreement"))


QRELS = "1 0 a 3\n1 0 b 2\n1 0 c 0\n2 0 a 0\n3 0 a 3\n"
RUN = "1 Q0 b 1 5 me\n1 Q0 x 2 4 me\n1 Q0 a 3 4 me\n2 Q0 a 1 1 me\n9 Q0 a 1 1 me\n"


def test_ranking(tmp_path: Path) -> None:
    qrels, run = written(tmp_path / "qrels", QRELS), written(tmp_path / "run", RUN)
    found = only(command("ranking", qrels, run, "--at", "2,1,3", "--output", "json"))
    assert found["queries"]["1"] == {
        "ndcg@1": pytest.approx(2 / 3),
        "ndcg@2": pytest.approx(2 / (3 + 2 / 1.5849625007)),
        "ndcg@3": pytest.approx((2 + 3 / 2) / (3 + 2 / 1.5849625007)),
        "p@1": 0,
        "p@2": 0,
        "p@3": pytest.approx(1 / 3),
        "ap": pytest.approx(1 / 3),
    }
    assert (found["queries_missing"], found["queries_unknown"], found["queries_without_gain"]) == (["3"], ["9"], ["2"])
    assert found["means"]["map"] == pytest.approx(1 / 6)
    assert found["means_missing_as_zero"]["map"] == pytest.approx(1 / 9)
    assert found["unlabelled"] == "zero"
    text = command("ranking", qrels, run).stdout
    assert "unlabelled = 0" in text
    assert "Labelled queries that the run lacks: 1; with 0 for each of them:" in text
    assert "Queries without a label above 0, whose nDCG counts 0: 1 (2)" in text
    assert "Order: by score, then rank in the file, then id" in text


def test_ranking_condensed_and_from_another_level(tmp_path: Path) -> None:
    qrels, run = written(tmp_path / "qrels", QRELS), written(tmp_path / "run", RUN)
    found = only(command("ranking", qrels, run, "--at", "2", "--condensed", "--relevant", "2", "--output", "json"))
    assert (found["unlabelled"], found["relevant"]) == ("condensed", 2)
    assert (found["queries"]["1"]["p@2"], found["queries"]["1"]["ap"]) == (1, 1)
    text = command("ranking", qrels, run, "--condensed", "--relevant", "2").stdout
    assert "condensed lists: unlabelled candidates taken out first" in text
    assert "relevant = label 2 or 3" in text


def test_ranking_of_lecard(shared: Path) -> None:
    lecard = shared / "lecard"
    done = command("ranking", lecard / "labels_top30.json", lecard / "run_bm25_top100.json", "--worst-first", "--condensed")
    assert done.returncode == 0
    if done.stdout.startswith("53 queries"):
        assert re.search(r"nDCG +0\.7395 +0\.7965 +0\.8826", done.stdout)


def test_ranking_refuses(tmp_path: Path) -> None:
    qrels, run = written(tmp_path / "qrels", QRELS), written(tmp_path / "run", RUN)
    refused(command("ranking", qrels, written(tmp_path / "twice", RUN + "1 Q0 a 9 0 me\n")), "twice", "line 6")
    refused(command("ranking", qrels, written(tmp_path / "other", "x Q0 a 1 1 me\n")), "none of the queries")
    for at in ("0", "ten", "", "-5", "1.5"):
        refused(command("ranking", qrels, run, f"--at={at}"), "--at")
    refused(command("ranking", qrels, run, "--relevant", "4"), "--relevant")
    refused(command("ranking", qrels, run, "--worst-first"), "--worst-first")
    both = written(tmp_path / "both.tsv", "query\tcandidate\tone\ttwo\n1\ta\t1\t2\n")
    refused(command("ranking", both, run), "several raters", "one, two")
