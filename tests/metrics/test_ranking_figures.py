"""nDCG, P and MAP against ir-measures, scikit-learn and LeCaRD's own figures; ties; runs read from files."""

from __future__ import annotations

import json
import random
from pathlib import Path

import ir_measures
import pytest
from ir_measures import AP, P, nDCG
from sklearn.metrics import ndcg_score
from verifytui.engines.metrics.ranking import Ranked, average_precision, condensed, means, ndcg, ordered, precision
from verifytui.engines.metrics.trec import read_run, run
from verifytui.sessions.errors import BadInput

AT = (1, 5, 10, 20, 30)


def theirs(rankings: dict[str, list[str]], labels: dict[str, dict[str, int]], level: int) -> dict[str, float]:
    """Figures of ir-measures, by query and name. The scores are strictly ordered: its own rule for ties is another one."""
    found = {query: {one: -float(place) for place, one in enumerate(ranking)} for query, ranking in rankings.items()}
    wanted = [AP(rel=level), *(nDCG @ k for k in AT), *(P(rel=level) @ k for k in AT)]
    return {f"{one.query_id} {one.measure}": one.value for one in ir_measures.iter_calc(wanted, labels, found)}


def ours(rankings: dict[str, list[str]], labels: dict[str, dict[str, int]], level: int) -> dict[str, float]:
    figures = {}
    for query, ranking in rankings.items():
        known = labels[query]
        figures[f"{query} AP(rel={level})"] = average_precision(ranking, known, level)
        for k in AT:
            figures[f"{query} nDCG@{k}"] = ndcg(ranking, known, k)
            figures[f"{query} P(rel={level})@{k}"] = precision(ranking, known, k, level)
    return figures


@pytest.mark.parametrize("level", [2, 3])
@pytest.mark.parametrize("length", [3, 25, 60])
def test_figures_are_those_of_ir_measures(length: int, level: int) -> None:
    """Lists shorter and longer than the labels, unlabelled candidates, queries without gain or without anything relevant."""
    chance = random.Random(length)
    labels = {str(q): {f"d{n}": chance.choice([0, 0, 1, 2, 3][: 5 - q % 4]) for n in range(30)} for q in range(12)}
    rankings = {query: chance.sample([f"d{n}" for n in range(80)], length) for query in labels}
    assert ours(rankings, labels, level) == pytest.approx(theirs(rankings, labels, level), abs=1e-9)


def test_ndcg_is_that_of_scikit_learn_where_it_breaks_ties_alike() -> None:
    chance = random.Random(5)
    gains = [chance.randint(0, 3) for _ in range(40)]
    labels = {f"d{n}": gain for n, gain in enumerate(gains)}
    scores = [chance.random() for _ in gains]
    ranking = ordered([Ranked(f"d{n}", score, 0) for n, score in enumerate(scores)])
    for k in AT:
        assert ndcg(ranking, labels, k) == pytest.approx(ndcg_score([gains], [scores], k=k, ignore_ties=True), abs=1e-12)


def test_ties_go_by_rank_in_the_file_then_by_id() -> None:
    rows = [Ranked("b", 1, 2), Ranked("a", 1, 2), Ranked("c", 1, 1), Ranked("z", 2, 9), Ranked("10", 0, 3), Ranked("9", 0, 3)]
    assert ordered(rows) == ["z", "c", "a", "b", "10", "9"]
    assert ordered(rows[::-1]) == ordered(rows)


def test_by_hand() -> None:
    labels = {"a": 3, "b": 2, "c": 0, "d": 1, "e": 3}
    ranking = ["b", "x", "a", "c"]
    assert condensed(ranking, labels) == ["b", "a", "c"]
    assert ndcg(ranking, labels, 3) == pytest.approx((2 + 3 / 2) / (3 + 3 / 1.5849625007 + 2 / 2))
    assert precision(ranking, labels, 3) == 1 / 3
    assert precision(ranking, labels, 10, 1) == 2 / 10
    assert average_precision(ranking, labels) == (1 / 3) / 2
    assert ndcg([], labels, 10) == precision([], labels, 10) == average_precision([], labels) == 0
    assert ndcg(ranking, {"a": 0}, 10) == average_precision(ranking, {"a": 2}) == 0


def test_means_count_what_is_nought_missing_and_unknown() -> None:
    labels = {"1": {"a": 3, "b": 0}, "2": {"a": 0}, "3": {"a": 2}, "4": {"a": 3}}
    rankings = {"1": ["a", "x"], "2": ["a"], "3": ["a"], "9": ["a"]}
    found = means(rankings, labels, (1, 2))
    assert (found.missing, found.unknown, found.no_gain, found.no_relevant) == (["4"], ["9"], ["2"], ["2", "3"])
    assert found.ranked is not None
    assert found.all is not None
    assert found.ranked.ndcg == {1: pytest.approx(2 / 3), 2: pytest.approx(2 / 3)}
    assert found.all.ndcg[1] == pytest.approx(2 / 4)
    assert (found.ranked.average_precision, found.all.precision[2]) == (pytest.approx(1 / 3), 0.125)
    assert found.unlabelled == 1 / 4
    assert means({}, labels, (1,)).ranked is None


def lecard(shared: Path, name: str, *, worst_first: bool = False) -> tuple[dict[str, list[str]], dict[str, dict[str, int]]]:
    folder = shared / "lecard"
    found = read_run(folder / name, worst_first=worst_first)
    return {query: ordered(rows) for query, rows in found.items()}, json.loads((folder / "labels_top30.json").read_text())


PUBLISHED = {
    ("bm25", 53, True): "0.7395/0.7965/0.8826",
    ("lm", 53, True): "0.7737/0.8154/0.8944",
    ("bm25", 54, True): "0.6926/0.7623/0.8550",
    ("lm", 54, True): "0.7231/0.7778/0.8610",
    ("bm25", 53, False): "0.5153/0.5471/0.5720",
    ("lm", 53, False): "0.5546/0.6173/0.6644",
}
"""nDCG@10/20/30 by run, number of queries (which half of them) and whether the lists are condensed."""


@pytest.mark.parametrize("name", ["bm25", "lm"])
@pytest.mark.parametrize("condense", [True, False])
def test_figures_of_lecard(shared: Path, name: str, condense: bool) -> None:
    rankings, labels = lecard(shared, f"run_{name}_top100.json", worst_first=name == "bm25")
    if (name, len(labels), condense) not in PUBLISHED:
        pytest.skip(f"no figures are known for these {len(labels)} queries")
    found = means(rankings, labels, (10, 20, 30), condense=condense).ranked
    assert found is not None
    assert "/".join(f"{found.ndcg[k]:.4f}" for k in (10, 20, 30)) == PUBLISHED[name, len(labels), condense]


@pytest.mark.parametrize("name", ["run_sailer.trec", "run_bm25_top100.json", "run_bert.json"])
def test_real_runs_are_those_of_ir_measures(shared: Path, name: str) -> None:
    rankings, labels = lecard(shared, name, worst_first="bm25" in name)
    assert ours(rankings, labels, 3) == pytest.approx(theirs(rankings, {query: labels[query] for query in rankings}, 3), abs=1e-9)
    lists = {query: condensed(ranking, labels[query]) for query, ranking in rankings.items()}
    assert ours(lists, labels, 3) == pytest.approx(theirs(lists, {query: labels[query] for query in rankings}, 3), abs=1e-9)


def test_runs_of_trec(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("\ufeff1 Q0 b 1 0.5 me\n1 Q0 a 2 0.5 me\r\n\n2\tQ0\ta\t7\t-1e3\tme\n1 Q0 c 3 9\n")
    assert {query: ordered(rows) for query, rows in read_run(path).items()} == {"1": ["c", "b", "a"], "2": ["a"]}


def test_a_run_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    text = run("1", [("b", 3), ("a", 3), ("c", 0.25)]) + run("2", [("x", 1)])
    assert text.splitlines()[1] == "1 Q0 a 2 3 verifytui"
    path.write_text(text)
    assert {query: ordered(rows) for query, rows in read_run(path).items()} == {"1": ["b", "a", "c"], "2": ["x"]}


def test_runs_in_json(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"1": [30, "4", 5], "2": {"a": 1, "b": 2}}')
    assert {query: ordered(rows) for query, rows in read_run(path).items()} == {"1": ["30", "4", "5"], "2": ["b", "a"]}
    path.write_text('{"1": [30, "4", 5]}')
    assert ordered(read_run(path, worst_first=True)["1"]) == ["5", "4", "30"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 Q0 a 1 0.5 me\n1 Q0 a 2 0.4 me\n", ["line 2", "“a”", "twice"]),
        ("1 Q0 a 1 high me\n", ["line 1", "score", "“high”"]),
        ("1 Q0 a first 1 me\n", ["line 1", "rank", "“first”"]),
        ("1 Q0 a 1 nan me\n", ["line 1", "“nan”"]),
        ("1 Q0 a 1 inf me\n", ["line 1", "“inf”"]),
        ("1 0 a 2\n", ["line 1", "query Q0 candidate rank score tag"]),
        ('{"1": [3, 4, 3]}', ["“1”", "“3”", "twice"]),
        ('{"1": [3], "1": [4]}', ["“1”", "twice"]),
        ('{"1": 3}', ["“1”", "best first"]),
        ('{"1": [null]}', ["“1”", "no id"]),
        ('{"1": {"a": "high"}}', ["“1”", "“high”"]),
        ('{"1": [3]', ["not JSON"]),
        ("", ["empty"]),
    ],
)
def test_mistakes_in_runs_are_named(tmp_path: Path, text: str, words: list[str]) -> None:
    path = tmp_path / "a.run"
    path.write_text(text)
    with pytest.raises(BadInput) as error:
        read_run(path)
    assert [word for word in ("a.run", *words) if word not in str(error.value)] == []


def test_worst_first_is_for_lists(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    for text in ("1 Q0 a 1 0.5 me\n", '{"1": {"a": 1}}'):
        path.write_text(text)
        with pytest.raises(BadInput, match=r"worst-first|best first"):
            read_run(path, worst_first=True)
