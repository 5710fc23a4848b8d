"""Answers to a question: its choices, its unit, what it repeats.

`asked_answers.jsonl` was written beside the rules. `unseen_answers.jsonl` is by
somebody else; its rows with even numbers were never read. `questions_by_others.jsonl`
is by a third person, and the rules were not changed for any of its rows; `read` says
which were looked at.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from verifytui.engines.figures.common import step_of
from verifytui.engines.figures.measure import Item
from verifytui.engines.metrics.containment import accepted_step
from verifytui.engines.metrics.questions import read
from verifytui.engines.solo.replies import answer_in

HERE = Path(__file__).parent


def _taken(rows: list[dict[str, Any]]) -> int:
    return sum(
        accepted_step(
            answer,
            row.get("accepted") or [row["reference"]],
            question=row["question"],
        )
        is not None
        for row in rows
        if (answer := answer_in(row["reply"], False, "direct", row["question"]))
    )


def _rows(name: str, same: bool) -> list[dict[str, Any]]:
    lines = (HERE / name).read_text("utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row["same"] is same]


@pytest.mark.slow
def test_own_answers_are_counted_as_measured() -> None:
    right, wrong = (_rows("asked_answers.jsonl", same) for same in (True, False))
    assert (len(right), len(wrong)) == (339, 351)
    assert _taken(right) >= 289
    assert _taken(wrong) <= 7


@pytest.mark.slow
@pytest.mark.parametrize(
    ("odd", "right", "wrong"), [(1, 102, 0), (0, 165, 2)], ids=["read", "never read"]
)
def test_answers_by_others_are_counted_as_measured(
    odd: int, right: int, wrong: int
) -> None:
    taken = [
        _taken(
            [row for row in _rows("unseen_answers.jsonl", same) if row["n"] % 2 == odd]
        )
        for same in (True, False)
    ]
    assert taken[0] >= right
    assert taken[1] <= wrong


@pytest.mark.slow
@pytest.mark.parametrize(
    ("looked_at", "right", "wrong"),
    [(True, 79, 5), (False, 73, 7)],
    ids=["read", "never read"],
)
def test_answers_in_free_words_are_counted_as_measured(
    looked_at: bool, right: int, wrong: int
) -> None:
    taken = [
        _taken(
            [
                row
                for row in _rows("questions_by_others.jsonl", same)
                if row["read"] is looked_at
            ]
        )
        for same in (True, False)
    ]
    assert taken[0] >= right
    assert taken[1] <= wrong


def _step(question: str, accepted: str, answer: str) -> str | None:
    return accepted_step(answer, [accepted], question=question)


@pytest.mark.parametrize(
    ("question", "accepted", "answer"),
    [
        ("Which barks? (A) cat (B) dog", "B", "dog"),
        ("Which barks? (A) cat (B) dog", "dog", "Option B"),
        ("Which is heavier, gold or silver?", "gold", "the former"),
        ("Which is heavier, gold or silver?", "gold", "Gold is heavier than silver."),
        ("How many minutes does it run?", "120", "2 hours"),
        ("How many minutes does it run?", "120", "It runs 120 minutes, or two hours."),
        ("Is water wet?", "yes", "Water is wet."),
        ("Is the argument valid?", "invalid", "No, it isn't."),
        ("Which river is it?", "River Thames", "the Thames"),
        ("Name the colours.", "red, green, blue", "Blue, red and green."),
        ("Who painted it?", "Edvard Munch", "It was painted by Munch."),
        ("How many moons has Mars?", "2", '{"planet": "Mars", "count": 2}'),
        ("他会游泳吗?", "会", "他会游泳。"),
        ("火车几小时到达?", "3", "180分钟"),
    ],
)
def test_a_question_says_what_is_right(
    question: str, accepted: str, answer: str
) -> None:
    assert _step(question, accepted, answer) is not None


@pytest.mark.parametrize(
    ("question", "accepted", "answer"),
    [
        ("Which barks? (A) cat (B) dog", "(B) dog", "(B) cat"),
        ("Which is heavier, gold or silver?", "gold", "Gold is lighter than silver."),
        ("Which planet is closest?", "Mercury", "Venus is closest; Mercury is second."),
        ("Who runs it?", "Jane Smith", "Jane Smith was fired; Bob Brown runs it now."),
        ("How many years did it last?", "7", "7 months"),
        ("How many apples are there?", "15", "15 pears"),
        ("When did the library open?", "1923", "It closed in 1923."),
        ("When did it open?", "1923", "Work began in 1923, and it opened in 1925."),
        ("Is water wet?", "yes", "Water isn't wet."),
        ("Did the team win the cup?", "Yes", "They almost won the cup."),
        ("Who painted it?", "Edvard Munch", "It was Anna Munch."),
        ("Who wrote it?", "Jane Austen", "It's Jane Austen. On second thought, Eliot."),
        ("这本书的作者是谁?", "鲁迅", "鲁迅作序，作者是老舍。"),
    ],
)
def test_a_question_says_what_is_wrong(
    question: str, accepted: str, answer: str
) -> None:
    assert _step(question, accepted, answer) is None


def test_a_measure_passes_the_question_on() -> None:
    fields = {"topic": "How many years did it last?", "answers": ["7"]}
    assert step_of("7 months", Item("i", "i", "", fields)) is None
    assert step_of("7 years", Item("i", "i", "", fields)) == "value"
    assert step_of("7 months", Item("i", "i", "", {"answers": ["7"]})) == "value"
    asked = {"question": "Is water wet?", "answers": ["yes"]}
    assert step_of("Water is wet.", Item("i", "i", "", asked)) == "contains"


def test_no_question_says_nothing() -> None:
    assert read("") == read(" ")
    assert (read("").words, read("").choices, read("").closed) == ((), {}, False)


def test_a_heading_or_a_field_may_be_the_answer() -> None:
    question = "Who won the 2018 World Cup?"
    reply = "# France\n\nThey beat Croatia in the final."
    assert answer_in(reply, False, "direct", question) == "France"
    fields = "**Winner:** France\n**Year:** 2018"
    assert answer_in(fields, False, "direct", "Name the winner.") == "France"
