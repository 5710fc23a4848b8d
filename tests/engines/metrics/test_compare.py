"""Raters against each other: what is left out and counted, undefined figures, what to
adjudicate; the heatmap.
"""

from __future__ import annotations

import random

import pytest
from verifytui.engines.metrics.bootstrap import ONE_CLUSTER
from verifytui.engines.metrics.compare import (
    NO_ITEMS,
    NO_PAIRS,
    NO_VARIATION,
    RaterDispute,
    RaterLevels,
    Single,
    compare,
    disputes,
    overall,
    pooled,
    too_few,
)
from verifytui.engines.metrics.heatmap import heatmap, shade
from verifytui.engines.reports.agreement import agreement_report
from verifytui.engines.reports.document import DataTable
from verifytui.sessions.events.labels import Label, Voice


def rater(
    name: str, *levels: int | None, first: int = 0, times: int = 1
) -> RaterLevels:
    """Candidates are numbered from `first`; the same levels in `times` queries."""
    return RaterLevels(
        name,
        {
            (f"q{t or ''}", f"c{n}"): level
            for t in range(times)
            for n, level in enumerate(levels, first)
        },
    )


def test_pairs_left_out_are_counted() -> None:
    found = compare(
        rater("a", 0, 1, None, 3), rater("b", 0, 2, 2, None, 1, 1, first=0), resamples=0
    )
    assert (found.pairs, found.unread, found.only_first, found.only_second) == (
        2,
        2,
        0,
        2,
    )
    assert found.levels == [[1, 0, 0, 0], [0, 0, 1, 0], [0] * 4, [0] * 4]
    assert found.raw == {"material": 0.5, "legal": 0.5, "levels": 0.5}
    assert found.kappa["levels"].low is None


def test_below_ten_pairs_no_coefficient_is_shown_and_the_table_is() -> None:
    nine = compare(rater("a", 0, 1, 2, times=3), rater("b", 0, 1, 1, times=3))
    assert {figure[:2] for figure in nine.kappa.values()} == {(None, too_few(9))}
    assert sum(map(sum, nine.levels)) == 9
    assert "9 pairs" in too_few(9)
    whole = overall([rater("a", 0, 1, 2, times=3), rater("b", 0, 1, 1, times=3)])
    assert {
        figure.reason for figure in (*whole.fleiss.values(), *whole.alpha.values())
    } == {too_few(9)}
    ten = compare(rater("a", 0, 1, times=5), rater("b", 0, 1, times=5))
    assert ten.kappa["levels"].value == 1


def test_undefined_says_why() -> None:
    alike = compare(rater("a", 1, 1, times=5), rater("b", 1, 1, times=5))
    assert {figure[:3] for figure in alike.kappa.values()} == {
        (None, NO_VARIATION, None)
    }
    assert alike.raw["levels"] == 1
    assert {figure.value for figure in alike.gwet.values()} == {1}
    apart = compare(rater("a", 1, 1), rater("b", 1, 1, first=5))
    assert {figure.reason for figure in apart.kappa.values()} == {NO_PAIRS}
    assert {figure.reason for figure in apart.gwet.values()} == {NO_PAIRS}
    assert (apart.only_first, apart.only_second, apart.raw["levels"]) == (2, 2, None)
    both = overall([rater("a", 1, 1, times=5), rater("b", 1, 1, times=5)])
    assert {
        figure.reason for figure in (*both.fleiss.values(), *both.alpha.values())
    } == {NO_VARIATION}
    none = overall([rater("a", 1), rater("b", 1, first=5)])
    assert {
        figure.reason for figure in (*none.fleiss.values(), *none.alpha.values())
    } == {NO_ITEMS}


def test_one_bit_may_vary_where_the_other_does_not() -> None:
    found = compare(rater("a", 0, 1, 0, times=4), rater("b", 0, 1, 1, times=4)).kappa
    assert found["legal"].reason == NO_VARIATION
    assert found["material"].value == found["levels"].value is not None


def test_whoever_gave_one_level_to_all_is_named() -> None:
    found = compare(rater("a", 2, 2, 2, times=4), rater("b", 0, 2, 3, times=4))
    assert found.single() == [Single("a", "levels", 2)]
    assert found.kappa["levels"].value == 0
    bits = compare(rater("a", 1, 3, 1, times=4), rater("b", 0, 2, 0, times=4))
    assert bits.single() == [Single("a", "material", 1), Single("b", "material", 0)]
    assert compare(rater("a", 0, 3), rater("b", 3, 0)).single() == []


def test_base_rates_are_those_of_each_rater_on_the_pairs_of_both() -> None:
    first, second = compare(rater("a", 0, 1, 3, None), rater("b", 3, 3, 2, 1)).rates()
    assert first.levels == pytest.approx([1 / 3, 1 / 3, 0, 1 / 3])
    assert first.bits == pytest.approx({"material": 2 / 3, "legal": 1 / 3})
    assert second.bits == pytest.approx({"material": 2 / 3, "legal": 1})
    assert compare(rater("a", 0), rater("b", 0, first=5)).rates() == []


def test_resamples_without_variation_are_left_out_of_the_interval() -> None:
    levels = [0] * 11 + [1]
    by_query = [
        RaterLevels(name, {(f"q{n}", "c"): level for n, level in enumerate(levels)})
        for name in "ab"
    ]
    figure = compare(*by_query).kappa["levels"]
    assert figure.value == 1
    assert 0 < figure.resamples < 1000


def test_pairs_of_one_query_have_no_interval() -> None:
    chance = random.Random(1)
    one, other = (
        rater(name, *(chance.randint(0, 3) for _ in range(50))) for name in "ab"
    )
    figure = compare(one, other).kappa["levels"]
    assert figure.value is not None
    assert (figure.low, figure.high, figure.resamples, figure.no_interval) == (
        None,
        None,
        0,
        ONE_CLUSTER,
    )
    assert compare(one, other).queries == 1


def test_intervals_are_wider_where_a_query_is_rated_alike_or_not_as_a_whole() -> None:
    """Twenty queries, ten of them agreed on completely and ten by chance alone."""
    chance = random.Random(6)
    levels = {
        (f"q{q}", f"c{n}"): chance.randint(0, 3) for q in range(20) for n in range(30)
    }
    said = {
        pair: level if int(pair[0][1:]) % 2 else chance.randint(0, 3)
        for pair, level in levels.items()
    }

    def width(first: RaterLevels, second: RaterLevels) -> float:
        figure = compare(first, second).kappa["levels"]
        assert figure.low is not None
        assert figure.high is not None
        return figure.high - figure.low

    def apart(labels: dict[tuple[str, str], int]) -> dict[tuple[str, str], int | None]:
        return {
            (query + candidate, candidate): level
            for (query, candidate), level in labels.items()
        }

    by_query = width(RaterLevels("a", dict(levels)), RaterLevels("b", dict(said)))
    by_pair = width(RaterLevels("a", apart(levels)), RaterLevels("b", apart(said)))
    assert by_query > 2.5 * by_pair


def test_all_raters_together() -> None:
    raters = [
        rater("a", 0, 1, 2, 3, times=5),
        rater("b", 0, 1, 2, 2, times=5),
        rater("c", 0, 1, None, 3, times=5),
    ]
    found = overall(raters)
    assert (found.complete, found.shared) == (15, 20)
    assert 0 < found.fleiss["levels"].value < found.alpha["levels"].value < 1
    # irrCAC 0.4.4: CAC(levels, weights="quadratic").gwet(), and "identity" of the bit.
    assert found.gwet["levels"].value == pytest.approx(0.9363957597)
    assert found.gwet["material"].value == pytest.approx(0.6756756757)
    two = overall(raters[:2]).gwet["levels"]
    assert two == compare(*raters[:2]).gwet["levels_quadratic"]
    assert (
        found.alpha["legal"].low
        <= found.alpha["legal"].value
        <= found.alpha["legal"].high
    )


def test_several_couples_are_weighed_by_their_pairs_and_by_chance_and_undefined_ones_are_counted() -> (
    None
):
    chance = random.Random(3)
    a, b = (
        rater(name, *(chance.randint(0, 3) for _ in range(4)), times=10)
        for name in "ab"
    )
    flat = RaterLevels("c", dict.fromkeys(a.labels, 2))
    also_flat = RaterLevels("d", dict.fromkeys(a.labels, 2))
    alone = compare(a, b).kappa["levels"]
    both = pooled([(a, b), (flat, also_flat)])
    assert both.kappa["levels"].value == pytest.approx(alone.value)
    assert (both.couples, both.undefined["levels"], both.pairs) == (2, 1, 40)
    assert sum(map(sum, both.levels)) == 80
    three = [(a, b), (a, flat), (b, flat)]
    parts = [compare(*couple) for couple in three]
    expected = [
        1
        - sum(r * c for r, c in zip(*(of.levels for of in found.rates()), strict=True))
        for found in parts
    ]
    observed = [1 - (found.raw["levels"] or 0) for found in parts]
    assert pooled(three).kappa["levels"].value == pytest.approx(
        1 - sum(observed) / sum(expected)
    )
    assert pooled([(rater("a", 0), rater("b", 1))]).kappa["levels"].reason == too_few(1)


def test_disputes_come_most_different_first() -> None:
    raters = [
        rater("a", 0, 0, 1, 2, 1, None, 0),
        rater("b", 0, 3, 2, 3, 3, 2, 2),
        rater("c", 0, 3, 2, 2, 1, 1, 2),
    ]
    found = disputes(raters)
    assert found[0] == RaterDispute(
        "q", "c1", {"a": 0, "b": 3, "c": 3}, 3, ["material", "legal"]
    )
    assert [one.candidate for one in found] == ["c1", "c4", "c6", "c2", "c5", "c3"]
    assert [(one.spread, one.bits) for one in found[1:]] == [
        (2, ["legal"]),
        (2, ["legal"]),
        (1, ["material", "legal"]),
        (1, ["material", "legal"]),
        (1, ["material"]),
    ]


def test_heatmap_reads_without_colour() -> None:
    lines = heatmap([[1204, 3], [0, 400]], "human (down), machine (across)")
    assert lines[0] == "human (down), machine (across)"
    assert lines[2:] == [" 0  ██ 1204  ░░    3", " 1        0  ▒▒  400"]
    assert lines[1].split() == ["0", "1"]
    assert len({len(line) for line in lines[1:]}) == 1


def test_only_nought_is_blank() -> None:
    assert [shade(count, 1000) for count in (0, 1, 251, 501, 1000)] == list(" ░▒▓█")
    assert (shade(0, 0), shade(1, 1)) == (" ", "▓")


def test_what_is_decided_and_who_is_undecided() -> None:
    anna = RaterLevels(
        "anna", {("q", "a"): 3, ("q", "b"): None, ("q", "c"): 1}, kind="person"
    )
    bert = RaterLevels(
        "bert", {("q", "a"): 0, ("q", "b"): 2, ("q", "c"): 1}, kind="person"
    )
    votes = [
        Voice(annotator="anna", value=3, time=""),
        Voice(annotator="bert", value=0, time=""),
    ]
    gold = RaterLevels(
        "adjudicated",
        {("q", "a"): 3},
        kind="gold",
        decisions={("q", "a"): Label(candidate="a", value=3, decides=votes)},
    )
    machine = RaterLevels(
        "machine", {("q", "b"): None, ("q", "c"): None}, kind="machine"
    )
    found = {
        one.candidate: one
        for one in disputes([anna, bert, machine], [anna, bert, machine, gold])
    }
    assert {name: one.decided for name, one in found.items()} == {"a": True, "b": False}
    assert found["b"].labels == {"anna": None, "bert": 2}
    anna.labels["q", "a"] = 2
    assert not any(one.decided for one in disputes([anna, bert], [anna, bert, gold]))
    report = agreement_report(
        [anna, bert],
        [compare(anna, bert)],
        overall([anna, bert]),
        disputes([anna, bert], [gold]),
    )
    tables = [part for part in report.parts if isinstance(part, DataTable)]
    assert [cell.text for cell in tables[0].cells[0]][:3] == ["anna", "2", "1"]
    (dispute,) = [row for row in tables[-1].cells if row[1].text == "b"]
    assert [cell.text for cell in dispute[2:4]] == ["undecided", "2"]
