"""nDCG, P and MAP against ir-measures, scikit-learn and LeCaRD's own figures; ties;
runs read from files.
"""

from __future__ import annotations

import json
import random
import statistics
from collections.abc import Callable
from itertools import permutations, product
from pathlib import Path

import ir_measures
import pytest
from ir_measures import AP, P, nDCG
from sklearn.metrics import ndcg_score
from verifytui.engines.metrics.ranking import (
    QueryFigures,
    RunLine,
    by_rank,
    condensed,
    expected_average_precision,
    expected_ndcg,
    expected_precision,
    flat,
    means,
    rising,
    tiers,
)
from verifytui.engines.metrics.trec import read_run, run
from verifytui.sessions.errors import BadInput

AT = (1, 5, 10, 20, 30)


def ordered(rows: list[RunLine]) -> list[str]:
    """Candidates in the order of the file."""
    return flat(tiers(rows))


def strict(rankings: dict[str, list[str]]) -> dict[str, list[list[str]]]:
    """Lists without ties, as tiers."""
    return {query: [[one] for one in ranking] for query, ranking in rankings.items()}


def ndcg(ranking: list[str], labels: dict[str, int], k: int) -> float:
    return expected_ndcg([[one] for one in ranking], labels, k)


def precision(
    ranking: list[str], labels: dict[str, int], k: int, relevant: int = 3
) -> float:
    return expected_precision([[one] for one in ranking], labels, k, relevant)


def average_precision(
    ranking: list[str], labels: dict[str, int], relevant: int = 3
) -> float:
    return expected_average_precision([[one] for one in ranking], labels, relevant)


def theirs(
    rankings: dict[str, list[str]], labels: dict[str, dict[str, int]], level: int
) -> dict[str, float]:
    """Figures of ir-measures, by query and name.

    The scores are strictly ordered: its own rule for ties is another one.
    """
    found = {
        query: {one: -float(place) for place, one in enumerate(ranking)}
        for query, ranking in rankings.items()
    }
    wanted = [AP(rel=level), *(nDCG @ k for k in AT), *(P(rel=level) @ k for k in AT)]
    return {
        f"{one.query_id} {one.measure}": one.value
        for one in ir_measures.iter_calc(wanted, labels, found)
    }


def ours(
    rankings: dict[str, list[str]], labels: dict[str, dict[str, int]], level: int
) -> dict[str, float]:
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
    """Lists shorter and longer than the labels, unlabelled candidates, queries without
    gain or without anything relevant.
    """
    chance = random.Random(length)
    labels = {
        str(q): {
            f"d{n}": chance.choice([0, 0, 1, 2, 3][: 5 - q % 4]) for n in range(30)
        }
        for q in range(12)
    }
    rankings = {
        query: chance.sample([f"d{n}" for n in range(80)], length) for query in labels
    }
    assert ours(rankings, labels, level) == pytest.approx(
        theirs(rankings, labels, level), abs=1e-9
    )


def test_ndcg_is_that_of_scikit_learn_where_it_breaks_ties_alike() -> None:
    chance = random.Random(5)
    gains = [chance.randint(0, 3) for _ in range(40)]
    labels = {f"d{n}": gain for n, gain in enumerate(gains)}
    scores = [chance.random() for _ in gains]
    ranking = ordered([RunLine(f"d{n}", score, 0) for n, score in enumerate(scores)])
    for k in AT:
        assert ndcg(ranking, labels, k) == pytest.approx(
            ndcg_score([gains], [scores], k=k, ignore_ties=True), abs=1e-12
        )


def test_ties_go_by_rank_in_the_file_then_by_id() -> None:
    rows = [
        RunLine("b", 1, 2),
        RunLine("a", 1, 2),
        RunLine("c", 1, 1),
        RunLine("z", 2, 9),
        RunLine("10", 0, 3),
        RunLine("9", 0, 3),
    ]
    assert ordered(rows) == ["z", "c", "a", "b", "10", "9"]
    assert ordered(rows[::-1]) == ordered(rows)


def orders(listed: list[list[str]]) -> list[list[str]]:
    """Every order that equal scores could have."""
    return [
        [one for tier in made for one in tier]
        for made in product(*(list(permutations(tier)) for tier in listed))
    ]


@pytest.mark.parametrize(
    "sizes", [[1, 1, 1], [2], [4, 1], [1, 3, 2], [5], [2, 2, 2], [3, 4]]
)
@pytest.mark.parametrize("seed", range(3))
def test_figures_with_ties_are_their_means_over_all_orders_of_equal_scores(
    sizes: list[int], seed: int
) -> None:
    chance = random.Random(seed)
    names = [f"d{n}" for n in range(sum(sizes))]
    listed = [[names.pop() for _ in range(size)] for size in sizes]
    labels = {
        one: chance.randint(0, 3)
        for one in [*flat(listed), "unranked"]
        if chance.random() < 0.8
    }
    every = orders(listed)
    for level in (1, 2, 3):
        mean = statistics.fmean(average_precision(one, labels, level) for one in every)
        assert expected_average_precision(listed, labels, level) == pytest.approx(
            mean, abs=1e-12
        )
        for k in (1, 2, 3, 5, 9):
            mean = statistics.fmean(precision(one, labels, k, level) for one in every)
            assert expected_precision(listed, labels, k, level) == pytest.approx(
                mean, abs=1e-12
            )
    for k in (1, 2, 3, 5, 9):
        found = [ndcg(one, labels, k) for one in every]
        assert expected_ndcg(listed, labels, k) == pytest.approx(
            statistics.fmean(found), abs=1e-12
        )
        whole = means({"q": listed}, {"q": labels}, (k,))
        worst, best = (
            whole.by_order["worst"]["q"].ndcg[k],
            whole.by_order["best"]["q"].ndcg[k],
        )
        assert (worst, best) == (
            pytest.approx(min(found), abs=1e-12),
            pytest.approx(max(found), abs=1e-12),
        )


def test_ndcg_with_ties_is_that_of_scikit_learn_which_averages_over_them() -> None:
    chance = random.Random(8)
    for _ in range(20):
        gains = [chance.randint(0, 3) for _ in range(30)]
        scores = [chance.randint(0, 3) for _ in gains]
        labels = {f"d{n}": gain for n, gain in enumerate(gains)}
        listed = tiers([RunLine(f"d{n}", score, n) for n, score in enumerate(scores)])
        for k in AT:
            assert expected_ndcg(listed, labels, k) == pytest.approx(
                ndcg_score([gains], [scores], k=k), abs=1e-12
            )


def rated(
    shared: Path, level: Callable[[int], int]
) -> tuple[dict[str, list[list[str]]], dict[str, dict[str, int]]]:
    """LeCaRD's labelled candidates, in the order of its file, as somebody ranks them
    who gives `level(label)`.
    """
    labels = json.loads((shared / "lecard" / "labels_top30.json").read_text())
    found = {
        query: tiers(
            [
                RunLine(one, level(label), place)
                for place, (one, label) in enumerate(known.items())
            ]
        )
        for query, known in labels.items()
    }
    return found, labels


def at_30(query: QueryFigures | None) -> float:
    assert query is not None
    return round(query.ndcg[30], 3)


def test_a_constant_rater_has_the_figure_of_a_random_order_on_lecard(
    shared: Path,
) -> None:
    rankings, labels = rated(shared, lambda _: 1)
    if len(labels) != 53:
        pytest.skip("these figures are those of 53 queries")
    found = means(rankings, labels, (30,))
    assert (
        at_30(found.ranked),
        at_30(found.orders["random"]),
        at_30(found.orders["file"]),
    ) == (0.871, 0.871, 0.883)
    assert found.tied == 1


def test_a_rater_who_is_right_about_two_or_more_has_a_range_on_lecard(
    shared: Path,
) -> None:
    rankings, labels = rated(shared, lambda label: int(label >= 2))
    if len(labels) != 53:
        pytest.skip("these figures are those of 53 queries")
    found = means(rankings, labels, (30,))
    assert (
        at_30(found.orders["worst"]),
        at_30(found.ranked),
        at_30(found.orders["best"]),
    ) == (0.916, 0.956, 1.0)


def test_the_order_in_which_candidates_stand_in_a_file_changes_nothing_but_the_file_order(
    shared: Path,
) -> None:
    """A file that is sorted by the gold labels inflates nothing."""
    rankings, labels = rated(shared, lambda label: int(label >= 2))
    by_gold = {
        query: [sorted(tier, key=lambda one: -labels[query][one]) for tier in listed]
        for query, listed in rankings.items()
    }
    one, other = means(rankings, labels, (10, 30)), means(by_gold, labels, (10, 30))
    assert one.ranked == pytest.approx(other.ranked)
    assert (
        one.orders["file"]
        != other.orders["file"]
        == pytest.approx(other.orders["best"])
    )


def test_without_ties_every_order_is_that_of_the_file() -> None:
    labels = {"1": {"a": 3, "b": 0, "c": 2}, "2": {"x": 1, "y": 3}}
    found = means(strict({"1": ["b", "a", "c"], "2": ["y", "x"]}), labels, (1, 2))
    assert (
        found.ranked
        == found.orders["file"]
        == found.orders["worst"]
        == found.orders["best"]
        != found.orders["random"]
    )
    assert found.tied == 0


def test_intervals_of_means_are_over_queries() -> None:
    chance = random.Random(3)
    labels = {
        str(q): {f"d{n}": chance.randint(0, 3) for n in range(10)} for q in range(40)
    }
    found = means(
        {query: [[one] for one in known] for query, known in labels.items()},
        labels,
        (5,),
    )
    single = [one.ndcg[5] for one in found.queries.values()]
    draws = [statistics.fmean(chance.choices(single, k=40)) for _ in range(4000)]
    low, high = found.intervals.ndcg[5] or (0, 0)
    assert (low, high) == pytest.approx(
        tuple(statistics.quantiles(draws, n=40))[0::38], abs=0.015
    )
    assert means(strict({"1": ["a"]}), {"1": {"a": 1}}, (5,)).intervals.ndcg[5] is None


def test_a_run_looks_reversed_where_its_scores_rise_with_its_ranks() -> None:
    rows = [RunLine(f"d{n}", n / 7, n) for n in range(1, 8)]
    assert rising(rows)
    assert rising(rows[::-1])
    assert not rising(by_rank(rows))
    assert not rising([one._replace(score=-one.score) for one in rows])
    assert not rising([one._replace(score=2.0) for one in rows])
    assert not rising([one._replace(rank=0) for one in rows])
    chance = random.Random(1)
    assert not rising([RunLine(str(n), chance.random(), n) for n in range(50)])


def test_by_hand() -> None:
    labels = {"a": 3, "b": 2, "c": 0, "d": 1, "e": 3}
    ranking = ["b", "x", "a", "c"]
    assert condensed(ranking, labels) == ["b", "a", "c"]
    assert ndcg(ranking, labels, 3) == pytest.approx(
        (2 + 3 / 2) / (3 + 3 / 1.5849625007 + 2 / 2)
    )
    assert precision(ranking, labels, 3) == 1 / 3
    assert precision(ranking, labels, 10, 1) == 2 / 10
    assert average_precision(ranking, labels) == (1 / 3) / 2
    assert (
        ndcg([], labels, 10)
        == precision([], labels, 10)
        == average_precision([], labels)
        == 0
    )
    assert ndcg(ranking, {"a": 0}, 10) == average_precision(ranking, {"a": 2}) == 0


def test_means_count_what_is_nought_missing_and_unknown() -> None:
    labels = {"1": {"a": 3, "b": 0}, "2": {"a": 0}, "3": {"a": 2}, "4": {"a": 3}}
    rankings = {"1": ["a", "x"], "2": ["a"], "3": ["a"], "9": ["a"]}
    found = means(strict(rankings), labels, (1, 2))
    assert (found.missing, found.unknown, found.no_gain, found.no_relevant) == (
        ["4"],
        ["9"],
        ["2"],
        ["2", "3"],
    )
    assert found.ranked is not None
    assert found.all is not None
    assert found.ranked.ndcg == {1: pytest.approx(2 / 3), 2: pytest.approx(2 / 3)}
    assert found.all.ndcg[1] == pytest.approx(2 / 4)
    assert (found.ranked.average_precision, found.all.precision[2]) == (
        pytest.approx(1 / 3),
        0.125,
    )
    assert found.unlabelled == 1 / 4
    assert means({}, labels, (1,)).ranked is None


def lecard(
    shared: Path, name: str, *, worst_first: bool = False
) -> tuple[dict[str, list[str]], dict[str, dict[str, int]]]:
    folder = shared / "lecard"
    found = read_run(folder / name, worst_first=worst_first)
    return {query: ordered(rows) for query, rows in found.items()}, json.loads(
        (folder / "labels_top30.json").read_text()
    )


PUBLISHED = {
    ("bm25", 53, True): "0.7395/0.7965/0.8826",
    ("lm", 53, True): "0.7737/0.8154/0.8944",
    ("bm25", 54, True): "0.6926/0.7623/0.8550",
    ("lm", 54, True): "0.7231/0.7778/0.8610",
    ("bm25", 53, False): "0.5153/0.5471/0.5720",
    ("lm", 53, False): "0.5546/0.6173/0.6644",
}
"""nDCG@10/20/30 by run, number of queries (which half of them) and whether the lists
are condensed.
"""


@pytest.mark.parametrize("name", ["bm25", "lm"])
@pytest.mark.parametrize("condense", [True, False])
def test_figures_of_lecard(shared: Path, name: str, condense: bool) -> None:
    rankings, labels = lecard(
        shared, f"run_{name}_top100.json", worst_first=name == "bm25"
    )
    if (name, len(labels), condense) not in PUBLISHED:
        pytest.skip(f"no figures are known for these {len(labels)} queries")
    found = means(strict(rankings), labels, (10, 20, 30), condense=condense).ranked
    assert found is not None
    assert (
        "/".join(f"{found.ndcg[k]:.4f}" for k in (10, 20, 30))
        == PUBLISHED[name, len(labels), condense]
    )


@pytest.mark.parametrize(
    "name", ["run_sailer.trec", "run_bm25_top100.json", "run_bert.json"]
)
def test_real_runs_are_those_of_ir_measures(shared: Path, name: str) -> None:
    rankings, labels = lecard(shared, name, worst_first="bm25" in name)
    assert ours(rankings, labels, 3) == pytest.approx(
        theirs(rankings, {query: labels[query] for query in rankings}, 3), abs=1e-9
    )
    lists = {
        query: condensed(ranking, labels[query]) for query, ranking in rankings.items()
    }
    assert ours(lists, labels, 3) == pytest.approx(
        theirs(lists, {query: labels[query] for query in rankings}, 3), abs=1e-9
    )


def test_runs_of_trec(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text(
        "\ufeff1 Q0 b 1 0.5 me\n1 Q0 a 2 0.5 me\r\n\n2\tQ0\ta\t7\t-1e3\tme\n1 Q0 "
        "c 3 9\n"
    )
    assert {query: ordered(rows) for query, rows in read_run(path).items()} == {
        "1": ["c", "b", "a"],
        "2": ["a"],
    }


def test_a_run_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    text = run("1", [("b", 3), ("a", 3), ("c", 0.25)]) + run("2", [("x", 1)])
    assert text.splitlines()[1] == "1 Q0 a 2 3 verifytui"
    path.write_text(text)
    assert {query: ordered(rows) for query, rows in read_run(path).items()} == {
        "1": ["b", "a", "c"],
        "2": ["x"],
    }


def test_runs_in_json(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"1": [30, "4", 5], "2": {"a": 1, "b": 2}}')
    assert {query: ordered(rows) for query, rows in read_run(path).items()} == {
        "1": ["30", "4", "5"],
        "2": ["b", "a"],
    }
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
def test_mistakes_in_runs_are_named(
    tmp_path: Path, text: str, words: list[str]
) -> None:
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
