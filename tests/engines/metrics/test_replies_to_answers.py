"""Replies against accepted answers as accuracy compares them: found, then compared.

`written_pairs.jsonl` was written by somebody who did not know the code. Its halves are
no longer unseen: docs/measures.md says what was measured before any row was read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pytest
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
