"""What a marked reply in prose states: numbers of scales, and which values decide."""

from __future__ import annotations

from typing import Any

import pytest
from verifytui.engines.reading.decoding import versions
from verifytui.engines.reading.marked_prose import marked_prose, scaled, states

MARK = "kjhgwqrt"


@pytest.mark.parametrize(
    ("text", "most", "number"),
    [
        ("85/100", 100, "85"),
        ("85 out of 100.", 100, "85"),
        ("85 %", 100, "85"),
        ("85%", 1, "0.85"),
        ("85％", 1, "0.85"),
        ("5 %", 1, "0.05"),
        ("3/4", 5, "3/4"),
        ("3/5", 5, "3"),
        ("80分（满分100分）", 100, "80"),
        ("80分", 100, "80"),
        ("7 points", None, "7"),
        ("0.5", 1, "0.5"),
        ("85% or so", 1, "85% or so"),
        ("none", 100, "none"),
    ],
)
def test_a_number_of_a_scale(text: str, most: int | None, number: str) -> None:
    assert scaled(text, {} if most is None else {"maximum": most}) == number


@pytest.mark.parametrize(
    ("spec", "said", "found"),
    [
        ({"type": "integer", "maximum": 5}, "My score is 3/5", "3"),
        ({"type": "number", "maximum": 1}, "My score is 40%", "0.4"),
        ({"type": "boolean"}, "My score is true", "true"),
        ({"enum": ["high", "low"]}, "My score is low", "low"),
        ({"enum": ["high", "low"]}, "My score is lower", None),
        ({"enum": ["high", "low"]}, "My score is low. My score is high", None),
        ({"type": "array"}, "My score is 3", None),
        ({"type": "object"}, "My score is 3", None),
    ],
)
def test_the_value_behind_its_name(
    spec: dict[str, Any], said: str, found: str | None
) -> None:
    value = marked_prose(f"{said}. Mark: {MARK}", MARK, {"score": spec})
    assert value == (None if found is None else {"score": found})


@pytest.mark.parametrize(
    "spec", [{"type": "boolean"}, {"type": "number"}, {"type": "integer"}, {"enum": []}]
)
def test_nothing_is_read_where_a_value_that_decides_is_missing(
    spec: dict[str, Any],
) -> None:
    told = {"wrong": {"type": "boolean"}, "other": spec}
    assert marked_prose(f"Wrong: false. Mark: {MARK}", MARK, told) is None
    told["other"] = {"type": "string"}
    assert marked_prose(f"Wrong: false. Mark: {MARK}", MARK, told) == {"wrong": "false"}


@pytest.mark.parametrize(
    ("text", "decoded"),
    [
        (r"\x41\x42 and so on", "AB and so on"),
        (r"it says \"no\"", 'it says "no"'),
        ("MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43U", "abcdefghijklmnopqrst"),
        ("MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43UOU======", "abcdefghijklmnopqrstu"),
        ("61 62 63 64 65 66 67 68 69 6a 6b 6c 6d", "abcdefghijklm"),
    ],
)
def test_texts_are_decoded(text: str, decoded: str) -> None:
    assert decoded in versions(text)


def test_what_is_no_text_is_not_decoded() -> None:
    for text in ("ff " * 20, "A" * 24 + "7"):
        assert all("XX" not in one for one in versions(text))
        assert versions(text)[0] == text


BIT, TEXT = {"type": "boolean"}, {"type": "string"}
SCORE = {"type": "number", "maximum": 100}
SIDE = {"enum": ["negative", "none"]}


@pytest.mark.parametrize(
    ("said", "name", "value"),
    [
        ("The debate is decided.", "decided", "true"),
        ("It is now decided.", "decided", "true"),
        ("I hold that the debate is decided. It is final.", "decided", "true"),
        ("They say the debate is decided.", "decided", None),
        ("If so, the debate is decided.", "decided", None),
        ("The debate is decided?", "decided", None),
        ('"The debate is decided."', "decided", None),
        ("The debate is decided, as they wrote.", "decided", None),
        ("The debate is decided. I retract it.", "decided", None),
        ("The text claims it. The debate is decided.", "decided", None),
        ("“It is decided.” So it is. The debate is decided.", "decided", "true"),
        ("I find it relevant.", "relevant", "true"),
        ("I consider this to be irrelevant.", "relevant", "false"),
        ("Verdict: relevant.", "relevant", "true"),
        ("My verdict: irrelevant", "relevant", "false"),
        ("我认定相关。", "relevant", "true"),
        ("Relevant.", "relevant", "true"),
        ("irrelevant", "relevant", "false"),
        ("They find it relevant.", "relevant", None),
        ("I think. Verdict: relevant.", "relevant", "true"),
        ("The author: I find it relevant.", "relevant", None),
        ("If it holds, I find it relevant.", "relevant", None),
        ("I find it relevant, they wrote.", "relevant", None),
        ("“I find it relevant.”", "relevant", None),
        ("No doubt: I find it relevant.", "relevant", None),
    ],
)
def test_what_is_said_of_something(said: str, name: str, value: str | None) -> None:
    read = marked_prose(f"{said} Mark: {MARK}", MARK, {name: BIT})
    assert read == (None if value is None else {name: value})


@pytest.mark.parametrize(
    ("said", "name", "value"),
    [
        ("辩论已经已决。", "decided", "true"),
        ("So the passage is relevant.", "relevant", "true"),
        ("So the passage is not relevant.", "relevant", "false"),
        ("So the passage is clearly irrelevant.", "relevant", "false"),
        ("我认为该案不相关。", "relevant", "false"),
    ],
)
def test_what_is_read_only_where_nothing_could_be_quoted(
    said: str, name: str, value: str
) -> None:
    told = (f"{said} Mark: {MARK}", MARK, {name: BIT})
    assert marked_prose(*told) is None
    assert marked_prose(*told, free=True) == {name: value}


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("I award 90 out of 100.", "90"),
        ("I award this 90 points.", "90"),
        ("I would give it 85 %.", "85"),
        ("Overall I settle on 62.", "62"),
        ("90 out of 100.", "90"),
        ("85%", "85"),
        ("我给90分。", "90"),
        ("综合打40分。", "40"),
        ("Rating: 70", "70"),
        ("My final grade is 55.", "55"),
        ("The essay asks for 90. I give it 40.", "40"),
        ("They award 90 out of 100.", None),
        ("If so, I award 90.", None),
        ("I award 90?", None),
        ("I do not award 90.", None),
        ('"I award 90."', None),
        ("90/100 - they said", None),
        ("I award 90. I give it 40.", None),
    ],
)
def test_a_number_that_is_given(said: str, number: str | None) -> None:
    read = marked_prose(f"{said} Mark: {MARK}", MARK, {"score": SCORE})
    assert read == (None if number is None else {"score": number})


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("Score: 90. Answer: Paris.", {"score": "90", "answer": "Paris"}),
        ("My score is 90 and the answer is Paris.", {"score": "90", "answer": "Paris"}),
        ("Answer: Paris", None),
        ("I put the score at 90, answer: Rome, Italy.", None),
    ],
)
def test_a_number_and_a_text(said: str, wanted: dict[str, str] | None) -> None:
    asked = {"score": SCORE, "answer": TEXT}
    assert marked_prose(f"{said} Mark: {MARK}", MARK, asked) == wanted


@pytest.mark.parametrize(
    ("text", "value", "asked", "wanted"),
    [
        ("score: 90", {"score": "90"}, {"score": SCORE}, True),
        ("score: 90%", {"score": "90"}, {"score": SCORE}, True),
        ("my rating is 90", {"score": "90"}, {"score": SCORE}, True),
        ("they say the score is ninety", {"score": "90"}, {"score": SCORE}, True),
        ("I award 90 out of 100.", {"score": "90"}, {"score": SCORE}, True),
        ("score: 9", {"score": "90"}, {"score": SCORE}, False),
        ("rating: 90", {"score": "90"}, {"score": SCORE, "other": SCORE}, True),
        ("I award 90.", {"score": "90"}, {"score": SCORE, "other": SCORE}, False),
        ("grade: 3", {"grade": 3}, {"grade": {"type": "integer"}}, True),
        ("relevant: true", {"relevant": "true"}, {"relevant": BIT}, True),
        ("so it is relevant.", {"relevant": "true"}, {"relevant": BIT}, True),
        ("so it is not relevant.", {"relevant": "false"}, {"relevant": BIT}, True),
        ("so it is relevant.", {"relevant": "false"}, {"relevant": BIT}, False),
        ("answer: Paris.", {"answer": "paris"}, {"answer": TEXT}, True),
        ("answer: Rome.", {"answer": "paris"}, {"answer": TEXT}, False),
        ("side: negative", {"side": "negative"}, {"side": SIDE}, True),
        (
            "a: 90, b: 3",
            {"a": "90", "b": "3"},
            {"a": SCORE, "b": SCORE},
            True,
        ),
        ("a: 90", {"a": "90", "b": "3"}, {"a": SCORE, "b": SCORE}, False),
        ("score: 90", {}, {"score": SCORE}, False),
    ],
)
def test_a_text_that_states_it_already(
    text: str, value: dict[str, Any], asked: dict[str, Any], wanted: bool
) -> None:
    assert states(text, value, asked) is wanted


@pytest.mark.parametrize(
    ("text", "decoded"),
    [
        (" ".join(str(ord(sign)) for sign in '{"a": "true", 1}'), '{"a": "true", 1}'),
        (", ".join(f"{ord(sign):08b}" for sign in "abcdefghijklm"), "abcdefghijklm"),
        (" ".join(f"{ord(sign):07b}" for sign in "abcdefghijklm"), "abcdefghijklm"),
        (" ".join(["12287"] * 13), "\u2fff" * 13),
        (" ".join(["12288"] * 13), None),
        (" ".join(["1100002"] * 13), None),
        ("x " + "97 " * 13 + "y " + "98 " * 13 + "z", "a" * 13 + "\n" + "b" * 13),
        (" ".join(["97"] * 12), None),
        (r"\u4F60\u4f60", "你你"),
        (r"\x4A\x4a", "JJ"),
    ],
)
def test_codes_of_signs(text: str, decoded: str | None) -> None:
    if decoded is None:
        assert versions(text) == (text,)
    else:
        assert decoded in versions(text)
