"""Agreement on many labels: what equal ratings add is computed once, and the figures
are those of adding item by item."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence

import pytest
from verifytui.engines.metrics import agreement
from verifytui.engines.metrics.agreement import Ratings
from verifytui.engines.metrics.bootstrap import figure, resampled
from verifytui.engines.metrics.by_query import by_query
from verifytui.engines.metrics.compare import (
    NO_VARIATION,
    Pair,
    RaterLevels,
    disputes,
    overall,
)
from verifytui.engines.metrics.levels import bit
from verifytui.engines.metrics.trec import read_qrels
from verifytui.tests.support.alpha import krippendorff_alpha


def raters(many: int, queries: int = 30, candidates: int = 20) -> list[RaterLevels]:
    """Each leaves some pairs out, leaves some unread, and mostly agrees."""
    chance = random.Random(many)
    found = [RaterLevels(f"rater {n}") for n in range(many)]
    for place in range(queries * candidates):
        pair = (f"q{place // candidates}", f"c{place}")
        level = chance.randrange(4)
        for one in found:
            if chance.random() < 0.9:
                other = chance.choice([None, 0, 1, 2, 3])
                one.labels[pair] = level if chance.random() < 0.7 else other
    return found


def pairs_of(given: Sequence[RaterLevels]) -> list[Pair]:
    return list(dict.fromkeys(pair for one in given for pair in one.labels))


def kind_of(level: int | None, name: str) -> int | None:
    if level is None or name == "levels":
        return level
    return bit(level, "material" if name == "material" else "legal")


def item_by_item(
    given: Sequence[RaterLevels],
    name: str,
    parts: Callable[[Ratings], list[float] | None],
    value: Callable[[Sequence[float]], float | None],
) -> object:
    """The figure, added up pair by pair."""
    clusters: dict[str, list[list[float]]] = {}
    for pair in pairs_of(given):
        part = parts([kind_of(one.labels.get(pair), name) for one in given])
        if part is not None:
            clusters.setdefault(pair[0], []).append(part)
    added = [agreement.add(found) for found in clusters.values()]
    return figure(
        value(agreement.add(added)),
        lambda: map(value, resampled(added, 50)),
        NO_VARIATION,
        len(added),
    )


@pytest.mark.parametrize("many", [2, 3, 4, 5])
def test_the_figures_are_those_of_adding_item_by_item(many: int) -> None:
    given = raters(many)
    found = overall(given, resamples=50)
    for name in ("material", "legal", "levels"):
        assert found.fleiss[name] == item_by_item(
            given, name, agreement.fleiss_parts, agreement.fleiss_from
        )
        assert found.alpha[name] == item_by_item(
            given, name, agreement.alpha_parts, agreement.alpha_from
        )


@pytest.mark.parametrize("many", [2, 4])
def test_each_query_is_as_its_items_alone_say(many: int) -> None:
    given = raters(many)
    for one in by_query(given):
        pairs = [pair for pair in pairs_of(given) if pair[0] == one.query]
        items = [[rater.labels.get(pair) for rater in given] for pair in pairs]
        assert one.alpha["levels"] == krippendorff_alpha(items)
        rated = [[level for level in item if level is not None] for item in items]
        shared = [item for item in rated if len(item) > 1]
        assert one.pairs == len(shared)
        assert one.differ == sum(len(set(item)) > 1 for item in shared)


def test_equal_ratings_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Counter[str] = Counter()
    for name in ("alpha_parts", "fleiss_parts"):
        plain = getattr(agreement, name)

        def counting(
            ratings: Ratings, name: str = name, plain: object = plain
        ) -> object:
            asked[name] += 1
            return plain(ratings)  # type: ignore[operator]

        monkeypatch.setattr(agreement, name, counting)
    given = raters(2, queries=100, candidates=50)
    overall(given, resamples=0)
    by_query(given)
    different = 5 * 5  # two raters, four levels and none
    assert asked["fleiss_parts"] <= 3 * different
    assert asked["alpha_parts"] <= 6 * different


def test_pairs_on_which_all_agree_are_no_disputes() -> None:
    given = raters(3)
    found = {(one.query, one.candidate) for one in disputes(given)}
    for pair in pairs_of(given):
        levels = [one.labels[pair] for one in given if one.labels.get(pair) is not None]
        assert (pair in found) == (len(set(levels)) > 1)


def test_a_line_of_qrels_is_read_however_its_level_is_written() -> None:
    assert read_qrels("q 0 a 1\r\nq 0 b 2.0\n\nq Q0 c 03", "x") == {
        ("q", "a"): 1,
        ("q", "b"): 2,
        ("q", "c"): 3,
    }
