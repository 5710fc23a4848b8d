"""The order of systems by the labels of two raters, held against scipy."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from scipy.stats import kendalltau
from verifytui.cli.app import main
from verifytui.engines.metrics.compare import RaterLevels, compare
from verifytui.engines.metrics.ranking import expected_ndcg
from verifytui.engines.metrics.system_order import CUT, system_order, tau_b
from verifytui.tests.support.rankings import write_qrels, write_run

DRAW = random.Random(3)
QUERIES = [f"q{n}" for n in range(15)]
CASES = [f"d{n}" for n in range(12)]
PEOPLE = {query: {case: DRAW.randrange(4) for case in CASES} for query in QUERIES}
MACHINE = {
    query: {
        case: min(3, level + (DRAW.random() < 0.4))
        for case, level in levels.items()
        if case != "d11"
    }
    for query, levels in PEOPLE.items()
}
SYSTEMS = {
    f"s{n}": {
        query: [(case, PEOPLE[query][case] + DRAW.gauss(0, n)) for case in CASES]
        for query in QUERIES
    }
    for n in range(6)
}


def rater(name: str, labels: dict[str, dict[str, int]]) -> RaterLevels:
    pairs = {(query, case): n for query, of in labels.items() for case, n in of.items()}
    return RaterLevels(name, dict(pairs))


def test_tau_is_that_of_scipy() -> None:
    for first, second in (
        ([1, 2, 3, 4], [1, 3, 2, 4]),
        ([1, 1, 2, 3], [2, 1, 1, 4]),
        ([0.1, 0.2, 0.3], [3, 2, 1]),
    ):
        assert tau_b(first, second) == pytest.approx(
            kendalltau(first, second).statistic
        )
    assert tau_b([1, 1], [1, 2]) is None


def test_systems_are_ordered_by_the_pairs_that_both_have_rated() -> None:
    runs = {
        name: {
            query: [[case] for case, _ in sorted(listed, key=lambda one: -one[1])]
            for query, listed in of.items()
        }
        for name, of in SYSTEMS.items()
    }
    found = system_order(
        rater("people", PEOPLE), rater("machine", MACHINE), runs, resamples=200
    )
    for at, labels in enumerate((PEOPLE, MACHINE)):
        for name, of in runs.items():
            each = [
                expected_ndcg(
                    [tier for tier in of[query] if tier != ["d11"]],
                    {case: labels[query][case] for case in CASES if case != "d11"},
                    CUT,
                )
                for query in QUERIES
            ]
            assert found.ndcg[name][at] == pytest.approx(sum(each) / len(each))
    wanted = kendalltau(*zip(*found.ndcg.values(), strict=True)).statistic
    assert found.tau.value == pytest.approx(wanted)
    assert found.tau.low is not None
    assert found.tau.low <= wanted <= (found.tau.high or 0)


def test_agreement_shows_overrating_and_the_order_of_systems(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [
        str(write_qrels(tmp_path / f"{name}.tsv", labels))
        for name, labels in (("people", PEOPLE), ("machine", MACHINE))
    ]
    runs = []
    for name, of in SYSTEMS.items():
        listed = {
            query: sorted(one, key=lambda each: -each[1]) for query, one in of.items()
        }
        runs += ["--run", str(write_run(tmp_path / f"{name}.trec", listed))]
    assert main(["agreement", *names, *runs, "--output", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    one, order = found["comparisons"][0], found["system_orders"][0]
    pairs = [
        (PEOPLE[query][case], level)
        for query, of in MACHINE.items()
        for case, level in of.items()
    ]
    means = [sum(column) / len(pairs) for column in zip(*pairs, strict=True)]
    assert one["mean_levels"] == pytest.approx(means)
    apart = one["mean_difference"]
    assert apart["value"] == pytest.approx(means[1] - means[0])
    assert apart["low"] > 0
    assert order["queries"] == len(QUERIES)
    assert order["tau"]["value"] is not None
    assert main(["agreement", *names, *runs]) == 0
    told = capsys.readouterr().out
    assert "Levels side by side" in told
    assert "Kendall's tau of the two orders" in told
    assert main(["agreement", *names, *runs[:2]]) == 2
    assert "two runs or more" in capsys.readouterr().err


def test_means_without_a_pair() -> None:
    found = compare(rater("a", {}), rater("b", {}), resamples=0)
    assert (found.means(), found.higher.value) == ([], None)
