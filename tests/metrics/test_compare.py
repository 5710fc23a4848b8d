"""Raters against each other: what is left out and counted, undefined figures, what to adjudicate; the heatmap."""

from __future__ import annotations

from verifytui.engines.metrics.compare import NO_ITEMS, NO_PAIRS, NO_VARIATION, Dispute, Rater, compare, disputes, mean_kappas, overall
from verifytui.engines.metrics.heatmap import heatmap, shade


def rater(name: str, *levels: int | None, first: int = 0) -> Rater:
    """Candidates are numbered from `first`."""
    return Rater(name, {("q", f"c{n}"): level for n, level in enumerate(levels, first)})


def test_pairs_left_out_are_counted() -> None:
    found = compare(rater("a", 0, 1, None, 3), rater("b", 0, 2, 2, None, 1, 1, first=0), resamples=0)
    assert (found.pairs, found.unread, found.only_first, found.only_second) == (2, 2, 0, 2)
    assert found.levels == [[1, 0, 0, 0], [0, 0, 1, 0], [0] * 4, [0] * 4]
    assert found.raw == {"material": 0.5, "legal": 0.5, "levels": 0.5}
    assert found.kappa["levels"].low is None


def test_undefined_says_why() -> None:
    alike = compare(rater("a", 1, 1), rater("b", 1, 1))
    assert {figure[:3] for figure in alike.kappa.values()} == {(None, NO_VARIATION, None)}
    assert alike.raw["levels"] == 1
    apart = compare(rater("a", 1, 1), rater("b", 1, 1, first=5))
    assert {figure.reason for figure in apart.kappa.values()} == {NO_PAIRS}
    assert (apart.only_first, apart.only_second, apart.raw["levels"]) == (2, 2, None)
    both = overall([rater("a", 1, 1), rater("b", 1, 1)])
    assert {figure.reason for figure in (*both.fleiss.values(), *both.alpha.values())} == {NO_VARIATION}
    none = overall([rater("a", 1), rater("b", 1, first=5)])
    assert {figure.reason for figure in (*none.fleiss.values(), *none.alpha.values())} == {NO_ITEMS}


def test_one_bit_may_vary_where_the_other_does_not() -> None:
    found = compare(rater("a", 0, 1, 0), rater("b", 0, 1, 1)).kappa
    assert found["legal"].reason == NO_VARIATION
    assert found["material"].value == found["levels"].value is not None


def test_resamples_without_variation_are_left_out_of_the_interval() -> None:
    figure = compare(rater("a", 0, 0, 0, 1), rater("b", 0, 0, 0, 1)).kappa["levels"]
    assert figure.value == 1
    assert 0 < figure.resamples < 1000


def test_all_raters_together() -> None:
    raters = [rater("a", 0, 1, 2, 3), rater("b", 0, 1, 2, 2), rater("c", 0, 1, None, 3)]
    found = overall(raters)
    assert (found.complete, found.shared) == (3, 4)
    assert 0 < found.fleiss["levels"].value < found.alpha["levels"].value < 1
    assert found.alpha["legal"].low <= found.alpha["legal"].value <= found.alpha["legal"].high


def test_mean_over_couples_leaves_undefined_ones_out() -> None:
    raters = [rater("a", 0, 1, 1), rater("b", 0, 1, 1), rater("c", 0, 1, 0)]
    compared = [compare(raters[i], raters[j], resamples=0) for i, j in ((0, 1), (0, 2), (1, 2))]
    values = [one.kappa["material"].value for one in compared]
    means = mean_kappas(compared)
    assert means["material"] == (sum(values) / 3, 3)
    assert means["legal"] == (None, 0)


def test_disputes_come_most_different_first() -> None:
    raters = [rater("a", 0, 0, 1, 2, 1, None, 0), rater("b", 0, 3, 2, 3, 3, 2, 2), rater("c", 0, 3, 2, 2, 1, 1, 2)]
    found = disputes(raters)
    assert found[0] == Dispute("q", "c1", {"a": 0, "b": 3, "c": 3}, 3, ["material", "legal"])
    assert [one.candidate for one in found] == ["c1", "c4", "c6", "c2", "c5", "c3"]
    assert [(one.spread, one.bits) for one in found[1:]] == [
        (2, ["legal"]),
        (2, ["legal"]),
        (1, ["material", "legal"]),
        (1, ["material", "legal"]),
        (1, ["material"]),
    ]


def test_heatmap_reads_without_colour() -> None:
    lines = heatmap([[1204, 3], [0, 400]], "human", "machine")
    assert lines[0] == "human (down), machine (across)"
    assert lines[2:] == [" 0  ██ 1204  ░░    3", " 1        0  ▒▒  400"]
    assert lines[1].split() == ["0", "1"]
    assert len({len(line) for line in lines[1:]}) == 1


def test_only_nought_is_blank() -> None:
    assert [shade(count, 1000) for count in (0, 1, 251, 501, 1000)] == list(" ░▒▓█")
    assert (shade(0, 0), shade(1, 1)) == (" ", "▓")
