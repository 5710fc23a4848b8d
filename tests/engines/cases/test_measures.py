"""Measures of pairs of cases: levels and bits against those of the data, kappa, and the
agreement of repeats.
"""

from __future__ import annotations

from itertools import combinations

import pytest
from sklearn.metrics import cohen_kappa_score
from verifytui.engines.cases.measures import MEASURES
from verifytui.engines.figures.aggregate import Aggregate, whole
from verifytui.engines.figures.measure import Item
from verifytui.engines.metrics.agreement import bits, confusion, pooled_kappa
from verifytui.engines.metrics.compare import RaterLevels
from verifytui.engines.metrics.gwet import gwet_table
from verifytui.sessions.events import Failure
from verifytui.sessions.events.relevance import RelevanceResult
from verifytui.sessions.new import new_header
from verifytui.sessions.session import Prompts, Session

GOLD = [3, 3, 2, 1, 0, 0, 2, 3, 1, 1, 2]
JUDGED = [3, 2, 2, 0, 0, 1, 2, 3, 1, 3, 0]
TIME = "2026-11-22T00:00:00.000Z"


def judged(level: int | None) -> Session:
    header = new_header(
        workspace="relevance",
        title="x",
        task={},
        lineup={},
        settings={},
        prompts=Prompts(set="zh", hash="", templates={}),
    )
    return Session(
        header, [RelevanceResult(number=1, time=TIME, ranking=["1"], scores=[level])]
    )


def item(gold: int | None) -> Item:
    return Item("a", "a", "", {"candidates": [{"id": "1", "text": "x", "gold": gold}]})


def figure(name: str, judgements: list[int | None]) -> Aggregate:
    measure = MEASURES[name]
    told = [
        ("q", one)
        for gold, level in zip(GOLD, judgements, strict=True)
        for one in measure.of(judged(level), item(gold))
    ]
    return whole(measure, told)


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("level", lambda n: n),
        ("material", lambda n: n % 2),
        ("legal", lambda n: n // 2),
    ],
)
def test_kappa_of_a_run_is_that_of_its_table(name: str, part: object) -> None:
    one, other = ([part(level) for level in levels] for levels in (GOLD, JUDGED))
    found = figure(f"kappa_{name}", list(JUDGED))
    assert (found.value, found.n) == (pytest.approx(cohen_kappa_score(one, other)), 11)


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_weighted_kappa_is_that_of_scikit_learn(weights: str) -> None:
    found = figure(f"kappa_level_{weights}", list(JUDGED))
    wanted = cohen_kappa_score(GOLD, JUDGED, weights=weights)
    assert found.value == pytest.approx(wanted)


def test_gwets_figure_of_a_run_is_that_of_its_table() -> None:
    table = confusion(GOLD, JUDGED)
    found = figure("gwet_level_quadratic", list(JUDGED))
    assert found.value == pytest.approx(gwet_table(table, "quadratic"))
    material = figure("gwet_material", list(JUDGED)).value
    assert material == pytest.approx(gwet_table(bits(table, "material")))
    assert whole(MEASURES["gwet_legal"], []).value is None


def test_no_kappa_of_fewer_than_ten_pairs() -> None:
    measure = MEASURES["kappa_level"]
    told = [
        ("q", one)
        for gold, level in zip(GOLD[:9], JUDGED[:9], strict=True)
        for one in measure.of(judged(level), item(gold))
    ]
    assert (whole(measure, told).value, whole(measure, told).n) == (None, 9)


def repeats(name: str, *runs: list[int | None], queries: int = 11) -> Aggregate:
    """The figure of repeats of the same pairs."""
    measure = MEASURES[name]
    items = [
        (pair(at, f".r{number}", queries), one)
        for number, levels in enumerate(runs, 1)
        for at, level in enumerate(levels)
        for one in measure.of(judged(level), pair(at, ""))
    ]
    assert measure.across is not None
    told = [(item.cluster, one) for item, one in measure.across(items)]
    return whole(measure, told)


def pair(at: int, end: str, queries: int = 11) -> Item:
    query = {"id": f"q{at % queries}", "text": "x"}
    fields = {
        "query": query,
        "candidates": [{"id": str(at), "text": "x", "gold": GOLD[at]}],
    }
    return Item(f"p{at}{end}", query["id"], str(at), fields)


THIRD = [3, 2, None, 1, 0, 0, 3, 3, 2, 1, 2]


@pytest.mark.parametrize("name", ["level", "material", "legal"])
def test_reliability_is_the_pooled_kappa_of_every_two_repeats(name: str) -> None:
    found = repeats(f"reliability_{name}", GOLD, JUDGED, THIRD)
    raters = [
        RaterLevels(
            str(number), {("q", str(at)): level for at, level in enumerate(levels)}
        )
        for number, levels in enumerate((GOLD, JUDGED, THIRD))
    ]
    assert found.value == pytest.approx(_value(name, raters))
    assert (found.n, found.clusters) == (11, 11)
    assert found.low < found.value < found.high


def test_validity_is_the_pooled_kappa_of_each_repeat_and_the_labels() -> None:
    found = repeats("validity_level", JUDGED, THIRD)
    tables = [
        confusion(GOLD, JUDGED),
        confusion(GOLD, THIRD),
    ]
    assert found.value == pytest.approx(pooled_kappa(tables))
    assert found.n == 11


def test_without_repeats_there_is_no_reliability_and_validity_is_kappa() -> None:
    for name in ("reliability_level", "validity_level", "ties_broken"):
        assert repeats(name, JUDGED).n == 0


def test_temperatures_do_not_mix_in_a_table() -> None:
    measure = MEASURES["reliability_level"]
    told = [
        (pair(at, f"{temperature}.r{number}"), one)
        for temperature, runs in ((".t0", (GOLD, GOLD)), (".t0.5", (GOLD, JUDGED)))
        for number, levels in enumerate(runs, 1)
        for at, level in enumerate(levels)
        for one in measure.of(judged(level), pair(at, ""))
    ]
    assert measure.across is not None
    listed = measure.across(told)
    assert len(listed) == 2 * len(GOLD)
    found = whole(measure, [(item.cluster, one) for item, one in listed])
    tables = [confusion(GOLD, GOLD), confusion(GOLD, JUDGED)]
    assert found.value == pytest.approx(pooled_kappa(tables))


def test_unread_and_failed_repeats_are_missing() -> None:
    measure = MEASURES["reliability_level"]
    [unread] = measure.of(judged(None), pair(0, ""))
    assert (unread.value, unread.state) == (None, "unread")
    found = repeats("reliability_level", [*JUDGED[:10], None], [*JUDGED[:10], 2])
    assert (found.n, dict(found.missing)) == (10, {"unread": 1})
    assert found.value == 1


def test_the_mean_of_repeats_breaks_ties_of_the_first() -> None:
    """p0, p3, p6 and p9 are of one query: 2 2 2 1 and 2 3 - 1."""
    first: list[int | None] = [2, None, None, 2, None, None, 2, None, None, 1, None]
    second: list[int | None] = [2, None, None, 3, None, None, None, None, None, 1, None]
    found = repeats("ties_broken", first, second, queries=3)
    assert (found.value, found.n) == (pytest.approx(2 / 3), 1)


def test_scored_counts_unread_pairs_as_not_scored() -> None:
    found = figure("scored", [*JUDGED[:10], None])
    assert (found.value, found.n) == (pytest.approx(10 / 11), 11)
    assert figure("score_2", [*JUDGED[:10], None]).value == pytest.approx(0.3)
    assert figure("raw_agreement_level", [*JUDGED[:10], None]).n == 10
    assert figure("level_right", [*JUDGED[:10], None]).n == 11


def _value(name: str, raters: list[RaterLevels]) -> float | None:
    part = {"material": lambda n: n % 2, "legal": lambda n: n // 2}.get(name)
    disagreed = expected = 0.0
    for one, other in combinations(raters, 2):
        pairs = [
            (one.labels[key], other.labels[key])
            for key in one.labels
            if None not in (one.labels[key], other.labels[key])
        ]
        if part is not None:
            pairs = [(part(a), part(b)) for a, b in pairs]
        disagreed += sum(a != b for a, b in pairs)
        expected += sum(a != d for a, _ in pairs for _, d in pairs) / len(pairs)
    return 1 - disagreed / expected


def test_what_is_not_read_is_counted_and_left_out_and_no_variation_is_undefined() -> (
    None
):
    found = figure("kappa_level", [*JUDGED[:10], None])
    assert (found.n, dict(found.missing)) == (10, {"unread": 1})
    assert (
        whole(
            MEASURES["kappa_level"],
            [("q", one) for one in MEASURES["kappa_level"].of(judged(2), item(2))],
        ).value
        is None
    )
    assert list(MEASURES["kappa_level"].of(judged(2), item(None))) == []
    failed = Session(
        judged(2).header,
        [
            Failure(
                number=1, time=TIME, role="annotator", kind="timeout", message="late"
            )
        ],
    )
    assert [
        (one.value, one.state) for one in MEASURES["kappa_level"].of(failed, item(2))
    ] == [(None, "failed")]
