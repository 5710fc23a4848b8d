"""A reply whose prose says something else than its object says neither."""

from __future__ import annotations

from typing import Any

import pytest
from verifytui.engines.reading.contradiction import contradicted
from verifytui.engines.reading.fields import Field

YES = {"true": True, "yes": True, "false": False, "no": False}


def bit(value: Any) -> bool:
    if str(value).casefold() not in YES:
        raise ValueError(value)
    return YES[str(value).casefold()]


def side(value: Any) -> str | None:
    words = str(value).casefold()
    if words in ("affirmative", "negative"):
        return words
    return None


FIELDS = {
    "preference": Field(("preference",), bit, also=("decision",)),
    "supported_side": Field(("supported_side",), side, needed=False),
    "disagreement": Field(("disagreement", "分歧"), float, needed=False),
    "answer": Field(("answer", "final_answer"), str, needed=False, text=True),
    "reason": Field(("reason",), str, needed=False, remark=True),
}
VALUE = {
    "preference": True,
    "supported_side": "negative",
    "disagreement": 0.5,
    "answer": "77",
    "reason": "A gap.",
}


def found(prose: str, **value: Any) -> str | None:
    return contradicted(prose, FIELDS, {**VALUE, **value})


@pytest.mark.parametrize(
    ("prose", "key"),
    [
        ("preference: false", "preference"),
        ("Preference = no", "preference"),
        ("**Preference**: `false`", "preference"),
        ("preference -> false", "preference"),
        ("| preference | false |", "preference"),
        ("<preference>false</preference>", "preference"),
        ("preference?\nfalse", "preference"),
        ("preference:\nfalse", "preference"),
        ("My preference is no, because it is open.", "preference"),
        ("preference (no)", "preference"),
        ("preference – no", "preference"),
        ("Decision: no", "decision"),
        ("supported side: affirmative", "supported_side"),
        ("supported_side is affirmative", "supported_side"),
        ("disagreement: 0.7", "disagreement"),
        ("分歧是 0.7", "分歧"),
        ("answer: 78", "answer"),
        ("Final answer: 78.", "final_answer"),
        ("preference: true\npreference: false", "preference"),
        ("preference: perhaps", "preference"),
        ("preference: true\nsupported_side: affirmative", "supported_side"),
        ("preference: true\nanswer: 77\ndisagreement: 0.7", "disagreement"),
        ("answer\npreference\nfalse", "preference"),
    ],
)
def test_another_value_is_found(prose: str, key: str) -> None:
    assert found(prose) == key
    assert found(f"I have read both.\n\n{prose}\n") == key


@pytest.mark.parametrize(
    "prose",
    [
        "",
        "preference: true",
        "preference: yes, because of the gap",
        "Preference (yes)",
        "My preference is clear to everybody.",
        "preference matters",
        "The word preferences is not the key.",
        "reason: something else",
        "supported side: negative.",
        "disagreement: 0.50",
        "disagreement of 0.5, which is half",
        'answer: "77"',
        "Answer: 77.",
        "The answer is not easy to find.",
        "Disagreement: about 0.5 in all",
        "answer:",
    ],
)
def test_the_same_value_or_none_is_no_contradiction(prose: str) -> None:
    assert found(prose) is None


@pytest.mark.parametrize(
    ("label", "meant"),
    [
        ("preference", True),
        ("prefernce", True),  # one letter left out
        ("preferance", True),  # one changed
        ("preferrence", True),  # one too many
        ("perference", True),  # two swapped
        ("prefrnce", True),  # two left out
        ("perferance", True),  # swapped and changed
        ("prefrnc", False),  # three left out
        ("prxfxrxnce", False),  # three changed
        ("deference", False),
        ("reference", False),
        ("my preferance", True),
        ("our preferred solution", False),
    ],
)
def test_a_misspelt_key_is_that_key(label: str, meant: bool) -> None:
    assert found(f"{label}: false") == ("preference" if meant else None)
    assert found(f"{label}: true") is None


@pytest.mark.parametrize(
    ("label", "meant"),
    [
        ("answr", True),
        ("anwser", True),
        ("answers", True),
        ("answerz", True),
        ("ansr", False),
        ("anxxer", False),
    ],
)
def test_a_short_key_may_have_one_wrong_letter(label: str, meant: bool) -> None:
    assert found(f"{label}: 78") == ("answer" if meant else None)


def test_what_the_object_does_not_hold_is_not_contradicted() -> None:
    assert contradicted("preference: false", FIELDS, {"answer": "77"}) is None
    assert contradicted("reason: other", FIELDS, {"reason": "A gap."}) is None
    assert contradicted("preference: false", {}, {}) is None


def test_an_empty_answer_may_be_called_so() -> None:
    for word in ("none", "-", "n/a", "empty", "无"):
        assert found(f"answer: {word}", answer=None) is None
        assert found(f"answer: {word}", answer="") is None
    assert found("answer: 78", answer=None) == "answer"
    assert found("supported_side: nobody", supported_side=None) is None


def test_what_is_said_of_others_is_no_contradiction() -> None:
    assert found("The negative's preference: false") is None


def test_prose_against_a_value_contradicts_it() -> None:
    import re

    against = Field(
        ("preference",),
        bit,
        contrary=lambda value: re.compile("open") if value else None,
    )
    fields = {"preference": against}
    assert contradicted("It is open.", fields, {"preference": True}) == "preference"
    assert contradicted("It is open.", fields, {"preference": False}) is None
    assert contradicted("It is shut.", fields, {"preference": True}) is None
