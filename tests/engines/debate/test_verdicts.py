"""What judges and observers say, in our form and in that of the original code."""

from __future__ import annotations

import pytest
from verifytui.engines.debate.verdicts import (
    candidates,
    discriminative,
    extractive,
    rating,
    side,
)
from verifytui.engines.reading import Unread

SIDES = ("affirmative", "negative")


def test_our_own_form() -> None:
    found = discriminative(
        '{"preference": true, "supported_side": "negative", "reason": "r", '
        '"answer": "8"}',
        SIDES,
    )
    assert not isinstance(found, Unread)
    assert (
        found.preference,
        found.supported_side,
        found.reason,
        found.answer,
        found.read,
    ) == (True, "negative", "r", "8", "json")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "{'Whether there is a preference': 'No', 'Supported Side': '', "
            "'Reason': 'r', 'Correct Translation': ''}",
            (False, None, None),
        ),
        (
            "{'Whether there is a preference': 'No', 'Supported Side': '', "
            "'Reason': 'r', 'Correct Translation': 'It rains.'}",
            (False, None, "It rains."),
        ),
        (
            '{"Whether there is a preference": "Yes", "Supported Side": '
            '"Negative", "Reason": "r", "debate_answer": "8"}',
            (True, "negative", "8"),
        ),
        (
            '{"Whether there is a preference": "Yes", "Supported Side": '
            '"Affirmative side", "Reason": "", "debate_translation": "x"}',
            (True, "affirmative", "x"),
        ),
        (
            "{'Whether there is a preference': 'Yes', 'Supported Side': "
            "'Affirmative and Negative', 'Correct Translation': 'x'}",
            (True, "tie", "x"),
        ),
        (
            '{"Whether there is a preference": "No", "Supported Side": "-", '
            '"Reason": "r", "debate_answer": "-"}',
            (False, None, None),
        ),
        (
            '{"preference": "是", "supported_side": "反方", "reason": "因为", '
            '"answer": "1.5"}',
            (True, "negative", "1.5"),
        ),
        (
            '{"preference": "否", "支持方": "", "理由": "", "答案": ""}',
            (False, None, None),
        ),
        (
            '{"preference": false, "supported_side": "none", "reason": "r", '
            '"answer": "none"}',
            (False, None, None),
        ),
        (
            '{"preference": true, "supported_side": "negative", "reason": "r", '
            '"answer": "none"}',
            (True, "negative", "none"),
        ),
        (
            '{"preference": true, "supported_side": "negative", "reason": "r", '
            '"answer": 8}',
            (True, "negative", "8"),
        ),
        (
            '{"preference": true, "supported_side": null, "reason": null, '
            '"answer": null}',
            (True, None, None),
        ),
        ('{"preference": false, "reason": "still open"}', (False, None, None)),
    ],
)
def test_forms_of_the_original_code_and_of_models(
    text: str, wanted: tuple[bool, str | None, str | None]
) -> None:
    found = discriminative(text, SIDES)
    assert not isinstance(found, Unread)
    assert (found.preference, found.supported_side, found.answer) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "I prefer the negative side, whose answer is 8.",
        "preference: yes\nanswer: 8",
        '{"preference": "Yes or No", "supported_side": "Affirmative or Negative", '
        '"reason": "", "answer": "8"}',
        '{"preference": "", "supported_side": "negative", "reason": "", "answer": "8"}',
        '{"preference": null, "supported_side": "negative", "answer": "8"}',
        '{"supported_side": "negative", "reason": "r", "answer": "8"}',
        '{"preference": true, "answer": ["8", "6"]}',
        '{"preference": true, "answer": true}',
    ],
)
def test_no_clear_verdict_is_unread(text: str) -> None:
    assert isinstance(discriminative(text, SIDES), Unread)


def test_the_extractive_judge_needs_an_answer_that_may_be_empty() -> None:
    found = extractive('{"Reason": "r", "Correct Translation": "It rains."}', SIDES)
    assert not isinstance(found, Unread)
    assert (found.preference, found.supported_side, found.answer) == (
        None,
        None,
        "It rains.",
    )
    empty = extractive('{"reason": "r", "supported_side": "none", "answer": ""}', SIDES)
    assert not isinstance(empty, Unread)
    assert empty.answer is None
    assert isinstance(extractive('{"reason": "r"}', SIDES), Unread)


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("affirmative", "affirmative"),
        ("The Affirmative side", "affirmative"),
        ("Negative.", "negative"),
        ("NEGATIVE SIDE", "negative"),
        ("aff", "affirmative"),
        ("正方", "affirmative"),
        ("反方", "negative"),
        ("", None),
        ("-", None),
        ("None", None),
        ("neither", None),
        ("tie", "tie"),
        ("both", "tie"),
        ("平局", "tie"),
        ("Affirmative and Negative", "tie"),
        ("affirmative/negative", "tie"),
        ("正方和反方", "tie"),
        (["affirmative", "negative"], "tie"),
        (["negative"], "negative"),
        ([], None),
        ("not the affirmative", None),
        ("debater3", None),
        ("the second", None),
        (3, None),
        (None, None),
        ("affirmative or none", None),
    ],
)
def test_sides(said: object, wanted: str | None) -> None:
    assert side(said, SIDES) == wanted


def test_more_debaters_have_sides_too() -> None:
    four = (*SIDES, "debater3", "debater4")
    assert side("Debater 3", four) == "debater3"
    assert side("辩手 4", four) == "debater4"
    assert side("debater5", four) is None


@pytest.mark.parametrize(
    ("text", "wanted", "read"),
    [
        ('{"candidates": ["2 m/s", "1.5 m/s", "2 m/s"]}', ["2 m/s", "1.5 m/s"], "json"),
        ('["2 m/s", "1.5 m/s"]', ["2 m/s", "1.5 m/s"], "json"),
        ("['2 m/s', '1.5 m/s']", ["2 m/s", "1.5 m/s"], "literal"),
        (
            '{"affirmative": "2 m/s", "negative": "1.5 m/s"}',
            ["2 m/s", "1.5 m/s"],
            "json",
        ),
        (
            '{"candidates": [{"side": "affirmative", "answer": "2 m/s"}, {"side": '
            '"negative", "answer": 1.5}]}',
            ["2 m/s", "1.5"],
            "json",
        ),
        ('```json\n["2 m/s", "1.5 m/s"]\n```', ["2 m/s", "1.5 m/s"], "sliced"),
        ('Here: {"candidates": ["2 m/s"]} That is all.', ["2 m/s"], "sliced"),
        (
            'Affirmative: "It rains."\nNegative: "It is raining."',
            ["It rains.", "It is raining."],
            "sliced",
        ),
        (
            'Translation candidate 1: "It rains."\nTranslation candidate 2: "It: '
            'rains."',
            ["It rains.", "It: rains."],
            "sliced",
        ),
        (
            "Translation candidates:\n1. It rains.\n2. It is raining.",
            ["It rains.", "It is raining."],
            "sliced",
        ),
        (
            "- **Candidate A:** 2 m/s\n- **Candidate B:** 1.5 m/s",
            ["2 m/s", "1.5 m/s"],
            "sliced",
        ),
        ("Affirmative: -2\n1. -3\n- Option C: **-4**", ["-2", "-3", "-4"], "sliced"),
        ("正方：下雨了。\n反方：正在下雨。", ["下雨了。", "正在下雨。"], "sliced"),
    ],
)
def test_lists_of_candidates(text: str, wanted: list[str], read: str) -> None:
    assert candidates(text) == (wanted, read)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "We have two translation candidates: Candidate A and Candidate B.",
        "Both are good. Note: they differ little.",
        '{"candidates": []}',
        '{"reason": "r", "answer": "2 m/s"}',
        "{}",
    ],
)
def test_no_list_is_unread(text: str) -> None:
    assert isinstance(candidates(text), Unread)


def test_ratings() -> None:
    assert rating('{"disagreement": 0.5}') == (0.5, "json")
    assert rating('{"disagreement": 1}', structured=True) == (1.0, "schema")
    assert rating('{"disagreement": "0"}') == (0.0, "json")
    for text in (
        "0.5",
        "They disagree a lot.",
        '{"disagreement": 1.2}',
        '{"disagreement": true}',
        '{"disagreement": "nan"}',
        "{}",
    ):
        assert isinstance(rating(text), Unread), text


@pytest.mark.parametrize("name", ["disagreement", "value", "Value", "分歧"])
def test_a_rating_under_each_of_its_names(name: str) -> None:
    assert rating(f'{{"{name}": 0.25}}') == (0.25, "json")


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("The\n affirmative \t side.", "affirmative"),
        ("affirmative\nand\tnegative", "tie"),
        (["negative", "Negative."], "negative"),
        (["negative", "affirmative"], "tie"),
        (["negative", "somebody"], None),
        ([], None),
        (7, None),
    ],
)
def test_the_side_however_it_is_written(said: object, found: str | None) -> None:
    assert side(said, SIDES) == found
