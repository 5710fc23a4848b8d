"""Pairs of cases: split, pool, draws, scores, sets and the last look."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import bm25s
import numpy
import pytest
from verifytui.engines.cases.importers.cases import CaseFile
from verifytui.learning.synth.cases.drawing import draw_pairs, possible
from verifytui.learning.synth.cases.judged_pairs import JudgedPair, PairSet
from verifytui.learning.synth.cases.leaks import Leak, leaks
from verifytui.learning.synth.cases.pair_plan import PairPlan, choose, keep, kept
from verifytui.learning.synth.cases.pool import pool_of
from verifytui.learning.synth.cases.presort import (
    Bm25,
    ScoredPair,
    best_first,
    read_drawn,
    read_scores,
    write_drawn,
)
from verifytui.learning.synth.cases.scoring import by_encoder, scorer_of
from verifytui.learning.synth.cases.sets import (
    Size,
    apportioned,
    draw_sets,
    largest,
    read_sizes,
)
from verifytui.learning.synth.cases.sources import Sources
from verifytui.learning.synth.cases.train_test_splits import split_queries
from verifytui.learning.synth.cases.words import WordNumbers
from verifytui.sessions.errors import BadInput

LETTERS = (
    "甲乙丙丁戊己庚辛壬癸子丑寅卯辰巳午未申酉戌亥天地玄黄宇宙洪荒日月盈昃列张寒来暑往"
    "秋收冬藏"
)


def text(seed: object, length: int = 60) -> str:
    """A text that nothing else is near to."""
    chance = random.Random(str(seed))
    return "".join(chance.choice(LETTERS) for _ in range(length))


def world(queries: int = 20, cases: int = 5) -> Sources:
    """Queries with as many labelled candidates each, no text near to another one."""
    asked = {
        f"q{at:02}": CaseFile(f"q{at:02}", text(f"q{at}")) for at in range(queries)
    }
    candidates = {query: [f"{query}c{at}" for at in range(cases)] for query in asked}
    known = {
        case: CaseFile(case, text(case))
        for listed in candidates.values()
        for case in listed
    }
    labels = {
        (query, case): at % 4
        for query, listed in candidates.items()
        for at, case in enumerate(listed)
    }
    return Sources(asked, known, labels, candidates)


def test_a_tenth_of_the_queries_is_held_out_twice_and_the_split_is_the_same_everywhere() -> (
    None
):
    queries = world(107, 1).queries
    split = split_queries(queries, WordNumbers(), 0)
    assert Counter(split.values()) == {"train": 85, "validation": 11, "test": 11}
    assert split == split_queries(dict(reversed(queries.items())), WordNumbers(), 0)
    assert split != split_queries(queries, WordNumbers(), 1)


def test_queries_that_say_the_same_stand_together() -> None:
    queries = dict(world(20).queries)
    for at in range(10, 20):
        queries[f"q{at}"] = CaseFile(f"q{at}", queries[f"q{at - 10:02}"].text + "。")
    split = split_queries(queries, WordNumbers(), 3)
    assert all(split[f"q{at}"] == split[f"q{at - 10:02}"] for at in range(10, 20))
    with pytest.raises(BadInput, match="2 queries with labels, 2"):
        split_queries(world(2).queries, WordNumbers(), 0)


def test_nothing_that_is_held_out_gets_into_the_pool() -> None:
    before = world()
    split = split_queries(before.queries, WordNumbers(), 0)
    train, held = (
        [query for query, name in split.items() if (name == "train") == wanted]
        for wanted in (True, False)
    )
    one, other, third, fourth = train[:4]
    shared, like_case, like_query, holds_query, double = (
        f"{one}c{at}" for at in range(5)
    )
    judgment = f"{held[1]}c0"
    cases = {
        **before.cases,
        like_case: CaseFile(like_case, before.cases[f"{held[0]}c0"].text + "又"),
        like_query: CaseFile(like_query, before.queries[held[1]].text),
        holds_query: CaseFile(
            holds_query,
            text("before", 300) + before.queries[held[0]].text + text("after", 300),
        ),
        double: CaseFile(double, before.cases[f"{other}c0"].text + "。"),
        third: CaseFile(third, text("another text under the id of a query")),
        judgment: CaseFile(
            judgment,
            text("head", 300) + before.queries[fourth].text + text("tail", 300),
        ),
    }
    candidates = {
        **before.candidates,
        held[0]: [*before.candidates[held[0]], shared],
        one: [*before.candidates[one], third],
    }
    queries = {
        **before.queries,
        other: CaseFile(other, before.cases[f"{held[1]}c1"].text),
    }
    sources = Sources(queries, cases, before.labels, candidates)
    pool = pool_of(sources, split, WordNumbers(), lambda case, numbers: None)
    first, second = sorted((double, f"{other}c0"))
    assert pool.left_out == {
        shared: "held-out",
        like_case: "near-held-out",
        like_query: "near-held-out",
        holds_query: "near-held-out",
        third: "id-of-a-query",
        second: "near-another",
    }
    assert first in pool.cases
    assert pool.barred_queries == sorted([other, fourth])
    assert set(pool.cases) == {
        case for query in train for case in before.candidates[query]
    } - set(pool.left_out)
    kept_labels = pool.labelled(sources.labels, split, "train")
    assert {case for _, case in kept_labels if case.startswith(one)} == {double}
    assert not any(query in (other, fourth) for query, _ in kept_labels)
    assert len(pool.labelled(sources.labels, split, "test")) == 10


def test_each_pair_is_drawn_once_and_none_with_itself() -> None:
    names = [f"c{at}" for at in range(40)]
    drawn = list(draw_pairs(names, 300, 5))
    assert drawn == list(draw_pairs(names[::-1], 300, 5))
    assert len({frozenset(pair) for pair in drawn}) == 300
    assert all(one != other for one, other in drawn)
    assert 100 < sum(one < other for one, other in drawn) < 200
    every = list(draw_pairs(names, 10_000, 5))
    assert len({frozenset(pair) for pair in every}) == len(every) == possible(40) == 780


def test_bm25_of_pairs_is_that_of_the_library() -> None:
    chance = random.Random(1)
    texts = {
        f"c{at}": [chance.randrange(50) for _ in range(chance.randrange(3, 40))]
        for at in range(30)
    }
    ours = Bm25()
    for name, numbers in texts.items():
        ours.add(name, numpy.array(numbers))
    theirs = bm25s.BM25(k1=0.9, b=0.4, method="lucene")
    theirs.index(
        [[str(one) for one in numbers] for numbers in texts.values()],
        show_progress=False,
    )
    pairs = list(draw_pairs(list(texts), 200, 0))
    expected = [
        theirs.get_scores([str(one) for one in texts[query]])[list(texts).index(case)]
        for query, case in pairs
    ]
    assert ours.scores(pairs) == pytest.approx(expected, rel=1e-5)


def test_scores_come_from_a_table_and_pairs_without_one_stand_last(
    tmp_path: Path,
) -> None:
    table = tmp_path / "scores.csv"
    drawn = best_first(
        [
            ScoredPair("a,b", "c", 1.5),
            ScoredPair("d", 'e"', None),
            ScoredPair("f", "g", 2.5),
        ]
    )
    write_drawn(table, drawn)
    assert [one.query for one in read_drawn(table)] == ["f", "a,b", "d"]
    assert read_drawn(table) == drawn
    table.write_text("score,query,case\n3,f,g\n-1,x,y\n", "utf-8")
    assert read_scores(table) == {("f", "g"): 3, ("x", "y"): -1}
    scorer = scorer_of(str(table))
    assert scorer is not None
    assert scorer([("f", "g"), ("g", "f")], {}) == [3, None]
    for wrong, words in (
        ("a,b\n1,2\n", "columns"),
        ("query,case,score\na,b,nan\n", "line 2"),
        ("query,case,score\na\n", "line 2"),
    ):
        table.write_text(wrong, "utf-8")
        with pytest.raises(BadInput, match=words):
            read_scores(table)
    table.write_text("query,case,score\na,b,1\na,b,2\n", "utf-8")
    with pytest.raises(BadInput, match="line 3"):
        read_scores(table)


class Letters:
    """An encoder whose blocks say which letter a text begins and ends with."""

    size = len(LETTERS)

    def encode(
        self, texts: list[str], *, progress: object = None
    ) -> list[numpy.ndarray]:
        return [
            numpy.eye(self.size, dtype="float32")[
                [LETTERS.index(text[0]), LETTERS.index(text[-1])]
            ]
            for text in texts
        ]

    def score(self, query: numpy.ndarray, document: numpy.ndarray) -> float:
        return float((query @ document.T).max())


def test_an_encoder_scores_each_pair_by_its_blocks() -> None:
    cases = {
        name: CaseFile(name, said)
        for name, said in {
            "a": "甲乙丙",
            "b": "丙乙丁",
            "c": "戊己庚",
            "d": "庚乙甲",
        }.items()
    }
    pairs = [("a", "b"), ("c", "a"), ("d", "c"), ("a", "d"), ("b", "c")]
    told: list[tuple[int, int]] = []
    assert by_encoder(Letters(), lambda done, every: told.append((done, every)))(
        pairs, cases
    ) == [1, 0, 1, 1, 0]
    assert told == [(4, 4)]


def test_a_choice_is_read_as_it_was_kept(tmp_path: Path) -> None:
    sources, plan = world(), PairPlan(pairs=200, top=20, check=7)
    made = choose(sources, plan, "bm25", None, WordNumbers())
    assert kept(tmp_path) is None
    keep(tmp_path, made)
    again = kept(tmp_path)
    assert again == made
    asked = made.asked(sources, plan)
    assert [one.label is None for one in asked] == [False] * 7 + [True] * 20
    assert all(made.splits[one.query] == "train" for one in asked[:7])
    scores = [one.score for one in asked[7:]]
    assert scores == sorted(scores, reverse=True)
    assert len({one.id for one in asked}) == 27


def machine(levels: dict[int | None, int]) -> list[JudgedPair]:
    return [
        JudgedPair(query=f"a{level}", case=f"c{at}", level=level)
        for level, count in levels.items()
        for at in range(count)
    ]


def test_sets_have_the_shares_of_people_and_smaller_ones_are_part_of_larger_ones() -> (
    None
):
    gold = [0] * 13 + [1] * 20 + [2] * 33 + [3] * 34
    judged = machine({0: 500, 1: 300, 2: 400, 3: 350, None: 50})
    found = draw_sets(judged, gold, read_sizes("100,1k,400:random"), 0)
    small, large, chance = (one.drawn for one in found)
    assert [one.name for one in (small, large, chance)] == [
        "train-100",
        "train-1k",
        "train-400",
    ]
    assert Counter(one.level for one in small.pairs) == {0: 13, 1: 20, 2: 33, 3: 34}
    assert Counter(one.level for one in large.pairs) == {0: 130, 1: 200, 2: 330, 3: 340}
    pairs = {(one.query, one.case) for one in large.pairs}
    assert {(one.query, one.case) for one in small.pairs} <= pairs
    assert len(chance.pairs) == 400
    assert None not in {one.level for one in chance.pairs}
    assert draw_sets(judged[::-1], gold, read_sizes("100,1k,400:random"), 0) == found


def test_a_set_is_made_smaller_so_that_the_shares_hold() -> None:
    gold = [0] * 10 + [2] * 40 + [3] * 50
    small = draw_sets(
        machine({0: 500, 1: 9, 2: 20, 3: 300}), gold, [Size("200", 200, True)], 0
    )[0]
    assert small.missing == {2: 60}
    counts = Counter(one.level for one in small.drawn.pairs)
    assert counts == apportioned({0: 10, 2: 40, 3: 50}, sum(counts.values()))
    assert counts[2] == 20
    without = draw_sets(machine({0: 500, 3: 300}), gold, [Size("120", 120, True)], 0)[0]
    assert without.missing == {2: 48}
    assert Counter(one.level for one in without.drawn.pairs) == {0: 20, 3: 100}
    nothing = draw_sets([], gold, [Size("120", 120, True), Size("9", 9, False)], 0)
    assert [one.drawn.pairs for one in nothing] == [[], []]


def test_a_smaller_set_is_as_large_as_can_be() -> None:
    chance = random.Random(2)
    for _ in range(60):
        gold = {
            level: chance.randrange(1, 12) for level in range(chance.randrange(1, 5))
        }
        there = {level: chance.randrange(9) for level in gold}
        fits = [
            size
            for size in range(101)
            if all(
                count <= there[level]
                for level, count in apportioned(gold, size).items()
            )
        ]
        assert largest(gold, there, 100) == max(fits)
        assert sum(apportioned(gold, 100).values()) == 100


@pytest.mark.parametrize("wrong", ["", "2k,,3", "0", "2k,2k", "2m", "2k:half", "-5"])
def test_sizes_that_are_none(wrong: str) -> None:
    with pytest.raises(BadInput, match="--sets"):
        read_sizes(wrong)


def test_a_leak_is_found_by_its_id_and_by_its_words() -> None:
    sources = world(4)
    people = {
        name: PairSet(
            name=name,
            pairs=[JudgedPair(query=query, case=f"{query}c0", level=1, by="people")],
        )
        for name, query in (("train", "q00"), ("validation", "q01"), ("test", "q02"))
    }
    clean = [
        *people.values(),
        PairSet(
            name="train-2k", pairs=[JudgedPair(query="q00c0", case="q00c1", level=2)]
        ),
    ]
    assert leaks(clean, sources.queries, sources.cases, WordNumbers()) == []
    cases = {
        **sources.cases,
        "copy": CaseFile("copy", sources.cases["q02c0"].text + "终"),
    }
    wrong = [
        *people.values(),
        PairSet(
            name="train-2k", pairs=[JudgedPair(query="copy", case="q01c0", level=2)]
        ),
    ]
    assert leaks(wrong, sources.queries, cases, WordNumbers()) == [
        Leak("case copy", "case q02c0", "near"),
        Leak("case q01c0", "case q01c0", "same"),
    ]
    cases = {
        **sources.cases,
        "q00c0": CaseFile("q00c0", text("before", 300) + sources.queries["q01"].text),
    }
    assert leaks(clean, sources.queries, cases, WordNumbers()) == [
        Leak("case q00c0", "query q01", "near")
    ]
    cases = {
        **sources.cases,
        "q02c0": CaseFile("q02c0", text("before", 300) + sources.queries["q00"].text),
    }
    assert leaks(clean, sources.queries, cases, WordNumbers()) == [
        Leak("query q00", "case q02c0", "near")
    ]
    queries = {**sources.queries, "q02": CaseFile("q02", sources.queries["q01"].text)}
    assert leaks(people.values(), queries, sources.cases, WordNumbers()) == [
        Leak("query q01", "query q02", "near")
    ]
