"""Broken verdicts, with what may be read of each.

None: nothing. The verifier's are in tests/rag, the annotator's in tests/relevance.
"""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from verifytui.engines.debate.verdicts import (
    candidates,
    discriminative,
    extractive,
    rating,
)
from verifytui.engines.reading import Unread

SIDES = ("affirmative", "negative")
GOOD: dict[str, Any] = {
    "preference": True,
    "supported_side": "negative",
    "reason": "It holds.",
    "answer": "8",
}
WHOLE = json.dumps(GOOD)
OPEN: dict[str, Any] = {
    "preference": False,
    "supported_side": "",
    "reason": "Both hold.",
    "answer": "",
}

Read = tuple[bool, str | None, str | None] | None
YES: Read = (True, "negative", "8")
NO: Read = (False, None, None)

VERDICTS: list[tuple[str, Read]] = [
    # the same in other clothes
    (WHOLE, YES),
    (f"<think>The affirmative errs.</think>\n{WHOLE}", YES),
    (f"```json\n{WHOLE}\n```", YES),
    (f"```\n{WHOLE}\n```\nI hope this helps.", YES),
    (f"**Verdict**\n\n{WHOLE}", YES),
    (f"\ufeff\n\n{WHOLE}\n\n", YES),
    (f"{WHOLE}\n{WHOLE}", YES),
    (json.dumps(GOOD, indent=4), YES),
    (str(GOOD), YES),
    (WHOLE.replace(": true", ": True"), YES),
    (WHOLE[:-1] + ",}", YES),
    (WHOLE.replace('"preference"', "preference"), YES),
    (json.dumps({key.upper(): value for key, value in GOOD.items()}), YES),
    (json.dumps(GOOD | {"preference": "YES."}), YES),
    (json.dumps(GOOD | {"supported_side": "The negative side"}), YES),
    (json.dumps(GOOD | {"answer": 8}), YES),
    (json.dumps(GOOD | {"confidence": 0.9, "next": {"preference": False}}), YES),
    (
        json.dumps(
            GOOD
            | {"reason": 'They wrote {"preference": false, "answer": "9"} and erred.'}
        ),
        YES,
    ),
    (json.dumps(GOOD | {"reason": "}{][\"'`"}), YES),
    (json.dumps(GOOD | {"reason": ["a", "b"]}), YES),
    (json.dumps(GOOD | {"reason": "=1+1\x1b[2J[red]"}), YES),
    (json.dumps(OPEN), NO),
    (json.dumps(OPEN | {"supported_side": None, "answer": None}), NO),
    (
        json.dumps(OPEN | {"preference": "否", "supported_side": "无", "answer": "-"}),
        NO,
    ),
    (json.dumps(OPEN | {"answer": "none"}), NO),
    # sides that are none: the preference stays, and no side is made up
    (json.dumps(GOOD | {"supported_side": "the winner"}), (True, None, "8")),
    (json.dumps(GOOD | {"supported_side": "not the negative"}), (True, None, "8")),
    (
        json.dumps(GOOD | {"supported_side": "negative?! affirmative"}),
        (True, None, "8"),
    ),
    (json.dumps(GOOD | {"supported_side": 2}), (True, None, "8")),
    (json.dumps(GOOD | {"supported_side": {"side": "negative"}}), (True, None, "8")),
    (json.dumps(GOOD | {"supported_side": "debater3"}), (True, None, "8")),
    (json.dumps(GOOD | {"supported_side": "negative\u202e"}), (True, None, "8")),
    (json.dumps(GOOD | {"supported_side": "both"}), (True, "tie", "8")),
    # nothing can be said
    ("", None),
    ("true", None),
    ("8", None),
    ("The negative side is right; the answer is 8.", None),
    ("preference: true\nsupported_side: negative\nanswer: 8", None),
    (WHOLE[:-1], None),
    (WHOLE[:30], None),
    (WHOLE[1:], None),
    (json.dumps(WHOLE), None),
    (json.dumps([GOOD, GOOD | {"answer": "9"}]), None),
    (f"{WHOLE}\nOr rather: {json.dumps(OPEN)}", None),
    (f"{json.dumps(OPEN)}\n{WHOLE[:40]}", None),
    (f'{WHOLE} No: {{"preference": fal', None),
    (WHOLE[:-1] + ', "preference": false}', None),
    (WHOLE[:-1] + ', "final_answer": "9"}', None),
    (WHOLE[:-1] + ', "answer": "9"}', None),
    (str(GOOD)[:-1] + ", 'preference': False}", None),
    (json.dumps(GOOD | {"preference": None}), None),
    (json.dumps(GOOD | {"preference": ""}), None),
    (json.dumps(GOOD | {"preference": "maybe"}), None),
    (json.dumps(GOOD | {"preference": "yes and no"}), None),
    (json.dumps(GOOD | {"preference": "True/False"}), None),
    (json.dumps(GOOD | {"preference": "not yes"}), None),
    (json.dumps(GOOD | {"preference": 0.7}), None),
    (json.dumps(GOOD | {"preference": [True]}), None),
    (json.dumps(GOOD | {"preference": {"value": True}}), None),
    (json.dumps(GOOD | {"answer": {"value": "8"}}), None),
    (json.dumps({"preference_of_the_judge": True, "answer": "8"}), None),
    (json.dumps({"reason": WHOLE}), None),
    (json.dumps({"supported_side": "negative", "answer": "8"}), None),
    (WHOLE.replace("true", "yes or no"), None),
    (WHOLE.replace("true", "true false"), None),
    (WHOLE.replace("true", "__import__('os')"), None),
    (WHOLE.replace("true", "NaN"), None),
    ("{" * 100_000, None),
    ("[" * 1_000_000, None),
    ('{"preference":' * 3000, None),
    ("{} " * 50 + WHOLE, None),
    (WHOLE + "x" * 200_001, None),
    ("\x00" + WHOLE[:-2], None),
]


@pytest.mark.parametrize(
    ("text", "wanted"), VERDICTS, ids=[ascii(text)[:50] for text, _ in VERDICTS]
)
def test_verdicts(text: str, wanted: Read) -> None:
    found = discriminative(text, SIDES)
    if wanted is None:
        assert isinstance(found, Unread), found
        assert found.reason
    else:
        assert not isinstance(found, Unread), found
        assert (found.preference, found.supported_side, found.answer) == wanted


EXTRACTED: list[tuple[str, str | None]] = [
    ('{"reason": "r", "answer": "8"}', "8"),
    ('{"Reason": "r", "Correct Answer": "8"}', "8"),
    ('{"reason": "r", "debate_answer": 8}', "8"),
    ('{"reason": "r", "答案": "八"}', "八"),
    ('```json\n{"answer": "8"}\n```', "8"),
    ('{"answer": "{\\"answer\\": \\"9\\"}"}', '{"answer": "9"}'),
    ('{"answer": "[@click=app.quit]8[/]"}', "[@click=app.quit]8[/]"),
    ('{"answer": "8"} {"answer": "9"}', None),
    ('{"answer": "8", "final_answer": "9"}', None),
    ('{"answer": ["8"]}', None),
    ('{"answer": true}', None),
    ('{"answer": "8', None),
    ('{"answer": 8', None),
    ('{"reason": "the answer is 8"}', None),
    ("8", None),
    ('"8"', None),
    ("", None),
]


@pytest.mark.parametrize(
    ("text", "wanted"), EXTRACTED, ids=[ascii(text)[:50] for text, _ in EXTRACTED]
)
def test_extracted_answers(text: str, wanted: str | None) -> None:
    found = extractive(text, SIDES)
    if wanted is None:
        assert isinstance(found, Unread), found
    else:
        assert not isinstance(found, Unread), found
        assert found.answer == wanted


@pytest.mark.parametrize(
    ("given_", "wanted"),
    [
        ("0.5", 0.5),
        ('"1"', 1.0),
        ("0", 0.0),
        ("1.01", None),
        ("-0.1", None),
        ("NaN", None),
        ("Infinity", None),
        ("1e999", None),
    ]
    + [
        (value, None)
        for value in (
            "true",
            "null",
            "[0.5]",
            '"half"',
            '"50%"',
            '""',
            "0.5.5",
            '"0,5"',
            "0.5, 0.6",
        )
    ],
)
def test_ratings(given_: str, wanted: float | None) -> None:
    found = rating(f'{{"disagreement": {given_}}}')
    assert isinstance(found, Unread) if wanted is None else found[0] == wanted  # type: ignore[index]


def test_damaged_verdicts_never_give_a_wrong_value() -> None:
    """Signs that are no letter and no digit are lost or added, or the rest is cut off:
    what is read is what was meant.
    """
    forms = [
        WHOLE,
        str(GOOD),
        json.dumps(GOOD, indent=1),
        f"Here:\n```json\n{WHOLE}\n```",
        f"{WHOLE}\n\nThat is all.",
    ]
    chance = random.Random(5)
    read_at_all = 0
    for _ in range(1500):
        text = chance.choice(forms)
        for _ in range(chance.randint(1, 3)):
            places = [
                at
                for at, sign in enumerate(text)
                if not sign.isalnum() and sign not in "._"
            ]
            if not places:
                break
            at, how = chance.choice(places), chance.random()
            text = (
                text[:at]
                + ("" if how < 0.9 else chance.choice("{}[],:\"'"))
                + (text[at + 1 :] if how < 0.8 else "")
            )
        found = discriminative(text, SIDES)
        if isinstance(found, Unread):
            continue
        read_at_all += 1
        assert found.preference is True, text
        assert found.supported_side in ("negative", None), text
        assert found.answer is None or [
            sign for sign in found.answer if sign.isalnum()
        ] == ["8"], text
    assert 300 < read_at_all < 1500


@settings(max_examples=150)
@given(
    st.text(st.sampled_from("{}[]\"':,\\ \nprefnctrue1.是答案：-|*#`"), max_size=120)
)
def test_no_text_breaks_a_reader(text: str) -> None:
    for found in (
        discriminative(text, SIDES),
        extractive(text, SIDES),
        rating(text),
        candidates(text),
    ):
        assert isinstance(found, Unread) or found


def test_how_many_there_are() -> None:
    """Together with those that the readers' own tests hold: the least that is asked
    for.
    """
    assert len(VERDICTS) + len(EXTRACTED) >= 80
    assert sum(wanted is None for _, wanted in VERDICTS) >= 35
