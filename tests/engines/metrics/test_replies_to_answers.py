"""Replies against accepted answers as accuracy compares them: found, then compared.

`written_pairs.jsonl`, `unseen_replies.jsonl` and `unseen_answers.jsonl` were written by
people who did not know the code. The first is no longer unseen, nor is one half of the
others: docs/measures.md says what was measured before any row was read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pytest
from verifytui.engines.metrics.aliases import _TABLE, _key
from verifytui.engines.metrics.containment import accepted_step
from verifytui.engines.metrics.equivalence import same
from verifytui.engines.solo.replies import answer_in

HERE = Path(__file__).parent
DISPUTED = {447}
"""`12` and `12 cm²`: the rule that a missing unit fits is written down."""


class Pair(NamedTuple):
    reference: str
    reply: str


def _written(*, alike: bool) -> list[Pair]:
    lines = (HERE / "written_pairs.jsonl").read_text("utf-8").splitlines()
    return [
        Pair(row["reference"], row["reply"])
        for row in map(json.loads, lines)
        if row["same"] is alike and row["n"] not in DISPUTED
    ]


def _own(name: str) -> list[Pair]:
    lines = (HERE / "pairs" / name).read_text("utf-8").splitlines()
    return [Pair(*json.loads(line)) for line in lines]


def _accepted(pairs: Iterable[Pair]) -> list[Pair]:
    """Those whose reply is counted as right."""
    return [
        pair
        for pair in pairs
        if (answer := answer_in(pair.reply, False, "direct")) is not None
        and accepted_step(answer, [pair.reference]) is not None
    ]


RIGHT, WRONG = _written(alike=True), _written(alike=False)
FORM_RIGHT, FORM_WRONG = _own("form_right.jsonl"), _own("form_wrong.jsonl")
OWN_RIGHT, OWN_WRONG = _own("reply_right.jsonl"), _own("reply_wrong.jsonl")


def test_there_are_enough_pairs() -> None:
    assert (len(RIGHT), len(WRONG)) == (472, 946)
    assert len(OWN_RIGHT) + len(OWN_WRONG) > 300


@pytest.mark.parametrize("right", [RIGHT, OWN_RIGHT], ids=["written", "own"])
def test_right_replies_are_accepted(right: list[Pair]) -> None:
    rejected = set(right) - set(_accepted(right))
    assert len(rejected) <= 0.07 * len(right), rejected


def test_95_per_cent_of_the_right_replies_are_accepted() -> None:
    assert len(_accepted(RIGHT)) >= 0.95 * len(RIGHT)


@pytest.mark.parametrize("wrong", [WRONG, OWN_WRONG], ids=["written", "own"])
def test_hardly_a_wrong_reply_is_accepted(wrong: list[Pair]) -> None:
    accepted = _accepted(wrong)
    assert len(accepted) <= 0.005 * len(wrong), accepted


def test_hardly_two_different_answers_are_the_same() -> None:
    assert sum(same(*pair) for pair in WRONG) <= 0.005 * len(WRONG)


def test_most_forms_of_an_answer_are_accepted_and_no_other_answer() -> None:
    assert len(_accepted(FORM_RIGHT)) >= 0.92 * len(FORM_RIGHT)
    assert len(_accepted(FORM_WRONG)) <= 3


class Unseen(NamedTuple):
    accepted: list[str]
    reply: str


def _unseen(*, right: bool, half: int) -> list[Unseen]:
    lines = (HERE / "unseen_replies.jsonl").read_text("utf-8").splitlines()
    return [
        Unseen(row["accepted"], row["reply"])
        for row in map(json.loads, lines[half::2])
        if row["right"] is right
    ]


def _taken(rows: Iterable[Unseen]) -> int:
    return sum(
        accepted_step(answer, row.accepted) is not None
        for row in rows
        if (answer := answer_in(row.reply, False, "direct")) is not None
    )


@pytest.mark.parametrize(
    ("half", "right", "wrong"), [(0, 172, 0), (1, 157, 1)], ids=["read", "never read"]
)
def test_replies_by_others_are_counted_as_measured(
    half: int, right: int, wrong: int
) -> None:
    """The second half was never read, so a change that gains there is no accident."""
    assert _taken(_unseen(right=True, half=half)) >= right
    assert _taken(_unseen(right=False, half=half)) <= wrong


@pytest.mark.parametrize(
    ("odd", "right", "wrong"), [(1, 89, 0), (0, 148, 6)], ids=["read", "never read"]
)
def test_harder_replies_by_others_are_counted_as_measured(
    odd: int, right: int, wrong: int
) -> None:
    """Tables, objects, corrections, workings: the rows with even numbers were never
    read."""
    lines = (HERE / "unseen_answers.jsonl").read_text("utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["n"] % 2 == odd]
    taken = {
        alike: _taken(
            Unseen([row["reference"]], row["reply"])
            for row in rows
            if row["same"] is alike
        )
        for alike in (True, False)
    }
    assert taken[True] >= right
    assert taken[False] <= wrong


@pytest.mark.parametrize(
    ("accepted", "reply"),
    [
        ("Japan", "Korea. Japan is the Land of the Morning Calm."),
        ("Amsterdam", "The Hague (Amsterdam is just the largest city)."),
        ("Arsenal", "The leader is **City**, ahead of Arsenal."),
        ("Lyon", '{"city": "Paris", "previous_city": "Lyon"}'),
        ("56", "8 × 7 = 56. Sorry, I meant 54."),
        ("Ankara", "Ankara—no, Istanbul."),
        ("July 4, 1776", "the day after July 4, 1776"),
        ("B", "A or B"),
        ("A, C", "A and D"),
        ("No", "Nobody doubts that it is."),
        ("South Korea", "Korea"),
        ("华盛顿", "纽约是美国的首都,华盛顿是一个州。"),
    ],
)
def test_another_answer_beside_the_right_one_is_wrong(
    accepted: str, reply: str
) -> None:
    assert _taken([Unseen([accepted], reply)]) == 0


@pytest.mark.parametrize(
    ("accepted", "reply"),
    [
        ("56", "8 × 7 = 54. Sorry, I meant 56."),
        ("$7", "First 4 × $2 = $8.\n\nSo Kim receives $7 in change."),
        ("x^2 + C", "∫2x dx = C + x²"),
        ("9 November 1989", "The Berlin Wall fell on November 9, 1989."),
        ("B", "The heart, so option B."),
        ("A, C", "Both A and C are mammals."),
        ("No", "Penguins can't."),
        ("not mentioned", "The text doesn't say what the ship carried."),
        ("Victor Hugo", "Hugo"),
        ("1/4", "The chance is 1 in 4."),
        ("(-∞, -2) ∪ (1, ∞)", "x < −2 or x > 1"),
        ("60元", "原有30×2=60(元)。"),
    ],
)
def test_an_answer_is_found_where_it_stands(accepted: str, reply: str) -> None:
    assert _taken([Unseen([accepted], reply)]) == 1


@pytest.mark.parametrize(
    ("accepted", "reply"),
    [
        ("Paris", "Paris, Texas"),
        ("London", "East London, South Africa"),
        ("GDP", "GDP per capita"),
        ("硫酸", "亚硫酸"),
        ("红楼梦", "《续红楼梦》"),
        ("10 km", "5到10"),
        ("Ca2+", "Ca2-"),
    ],
)
def test_a_longer_name_is_another_one(accepted: str, reply: str) -> None:
    assert accepted_step(reply, [accepted]) is None


@pytest.mark.parametrize(
    ("accepted", "reply"),
    [
        ("北京", "Beijing"),
        ("carbon dioxide", "CO2"),
        ("0.1 mol/L", "0.1 M"),
        ("9.8 m/s^2", "9.8 ms^{-2}"),
        ("John F. Kennedy", "J.F. Kennedy"),
        ("0.001", "10⁻³"),
        ("100 km/h", "每小时100公里"),
        ("Nineteen Eighty-Four", "Orwell wrote Nineteen Eighty-Four."),
    ],
)
def test_other_names_and_notations_are_right(accepted: str, reply: str) -> None:
    assert accepted_step(reply, [accepted]) is not None


def test_no_name_is_in_the_table_twice() -> None:
    names = [
        _key(name)
        for group in _TABLE.replace("\n", " ").split(";")
        for name in {_key(one) for one in group.split(" = ")}
    ]
    assert len(names) > 2000
    assert len(names) == len(set(names))


GIVEN = [
    "The answer is {}.",
    "It is {}.",
    "So we get {}.",
    "Therefore, {}.",
    "I think it is {}.",
    "{} is the answer.",
    "{} is correct.",
    "That would be {}.",
    "**{}**",
    "Final answer: {}",
    "This gives us {}.",
    "After checking, it comes to {}.",
    "{}, I believe.",
    "It should be {}, because nothing else fits.",
]
GIVEN_IN_CHINESE = [
    "答案是{}。",
    "应该是{}。",
    "因此答案为{}。",
    "最终答案：{}。",
    "结果是{}",
]
DENIED = [
    "It is not {}.",
    "not {}",
    "It might be {}.",
    "I doubt it is {}.",
    "My opponent says {}.",
    "Some say {}, but that is wrong.",
    "Is it {}?",
    "If it were {}, we would know.",
    "everything except {}",
    "{} is wrong.",
    "It is either {} or nothing.",
    "twice {}",
    "At first I thought {}, but it is something else.",
    "{}? No.",
    "the opposite of {}",
    "The question mentions {}, which is not what is asked.",
]
DENIED_IN_CHINESE = [
    "不是{}",
    "并非{}",
    "有人说是{}，其实不是。",
    "除了{}",
    "也许是{}",
    "{}是错的",
    "是{}吗？",
    "对方认为是{}。",
]


def _put(forms: list[str], in_chinese: list[str]) -> list[Pair]:
    """Every answer of the written pairs in every form of its language."""
    return [
        Pair(reference, form.replace("{}", reference))
        for reference in sorted({pair.reference for pair in RIGHT})
        for form in (in_chinese if re.search("[\u4e00-\u9fff]", reference) else forms)
    ]


def test_an_answer_is_right_however_a_sentence_gives_it() -> None:
    given = _put(GIVEN, GIVEN_IN_CHINESE)
    assert len(given) > 1500
    assert len(_accepted(given)) >= 0.995 * len(given)


def test_an_answer_that_a_sentence_denies_or_doubts_is_never_right() -> None:
    denied = _put(DENIED, DENIED_IN_CHINESE)
    assert len(denied) > 1500
    assert _accepted(denied) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("War and Peace", "Peace and War"),
        ("Romeo and Juliet", "Juliet and Romeo"),
        ("Procter & Gamble", "Gamble & Procter"),
        ("Beauty and the Beast", "The Beast and Beauty"),
        ("Trinidad and Tobago", "Tobago and Trinidad"),
        ("(1, 2)", "(2, 1)"),
    ],
)
def test_a_title_keeps_its_order(one: str, other: str) -> None:
    assert same(one, one)
    assert not same(one, other)
    assert not same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alice and Bob", "Bob and Alice"),
        ("red, white and blue", "blue, red and white"),
        ("8 and 12", "12, 8"),
        ("x = 2 or x = -5", "{-5, 2}"),
    ],
)
def test_a_set_has_no_order(one: str, other: str) -> None:
    assert same(one, other)
    assert same(other, one)
