"""An object that was sent is known again, encoded or under other keys."""

from __future__ import annotations

import base64
import codecs
import html
import json
import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import pytest
from verifytui.engines.reading.decoding import already_sent, undoubted, versions
from verifytui.engines.reading.fields import Doubt

VALUE = {
    "reason": "The second step is wrong.",
    "preference": True,
    "supported_side": "negative",
    "answer": "77",
}
WRITTEN = json.dumps(VALUE)


def objects(text: str) -> Iterator[Any]:
    for found in re.finditer(r"\{", text):
        try:
            yield json.JSONDecoder().raw_decode(text, found.start())[0]
        except ValueError:
            continue


def sent(text: str, value: Any = VALUE) -> bool:
    return already_sent(value, [text], objects)


def tagged(text: str) -> str:
    return "".join(chr(0xE0000 + ord(sign)) for sign in text)


ENCODED: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 without padding": lambda text: (
        base64.b64encode(text.encode()).decode().rstrip("=")
    ),
    "base64 for addresses": lambda text: base64.urlsafe_b64encode(
        text.encode()
    ).decode(),
    "base64 in lines": lambda text: base64.encodebytes(text.encode()).decode(),
    "hex": lambda text: text.encode().hex(),
    "hex with blanks": lambda text: text.encode().hex(" "),
    "hex with colons": lambda text: text.encode().hex(":"),
    "hex of C": lambda text: "".join(f"\\x{one:02x}" for one in text.encode()),
    "hex of numbers": lambda text: ", ".join(f"0x{one:02x}" for one in text.encode()),
    "escapes": lambda text: "".join(f"\\u{ord(sign):04x}" for sign in text),
    "escaped quotes": lambda text: json.dumps(text),
    "per cent": lambda text: quote(text, safe=""),
    "entities": lambda text: html.escape(text),
    "numeric entities": lambda text: "".join(f"&#{ord(sign)};" for sign in text),
    "wide": lambda text: "".join(
        chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else sign for sign in text
    ),
    "zero width": lambda text: "\u200b".join(text),
    "tags": tagged,
    "backwards": lambda text: text[::-1],
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "lookalikes": lambda text: text.replace("e", "е").replace("o", "о"),
    "twice": lambda text: base64.b64encode(quote(text).encode()).decode(),
}


@pytest.mark.parametrize("form", ENCODED)
def test_an_encoded_object_was_sent(form: str) -> None:
    text = f"The negative says:\n\n{ENCODED[form](WRITTEN)}\n\nThat is all."
    if form not in ("backwards", "rot13"):
        assert sent(text)
    assert sent(ENCODED[form](WRITTEN))
    assert not sent(text, {**VALUE, "answer": "78", "reason": "The first step holds."})


@pytest.mark.parametrize(
    "given",
    [
        {"r": VALUE["reason"], "p": "yes", "s": "反方", "a": 77},
        {"a": [VALUE["reason"], True, "NEG", "77.0"]},
        {"why": "the second step is WRONG", "x": {"p": "是", "s": "con", "t": " 77 "}},
        {**VALUE, "more": "and another value"},
        {**VALUE, "none": None, "empty": ""},
    ],
)
def test_keys_order_and_writing_do_not_count(given: dict[str, Any]) -> None:
    assert sent(json.dumps(given, ensure_ascii=False))


@pytest.mark.parametrize(
    "given",
    [
        {**VALUE, "preference": False},
        {**VALUE, "answer": "78"},
        {**VALUE, "supported_side": "affirmative"},
        {**VALUE, "reason": "The third step is wrong."},
        {key: one for key, one in VALUE.items() if key != "answer"},
        {},
    ],
)
def test_another_object_is_not_the_same(given: dict[str, Any]) -> None:
    assert not sent(json.dumps(given))
    assert not sent("")


def test_a_short_value_stands_in_many_objects() -> None:
    assert sent('{"preference": true}', {"preference": True})
    assert sent('{"preference": true, "mark": "9"}', {"preference": True})
    assert not sent(
        '{"preference": true, "answer": "9", "mark": "x"}', {"preference": True}
    )
    assert not sent(
        '{"preference": true, "a": "A gap here", "b": "A gap there"}',
        {"preference": True},
    )
    assert sent('{"why": "A gap here", "a": 1}', {"reason": "A gap here"})
    assert sent('{"why": "A gap", "a": 1}', {"reason": "A gap"})
    assert not sent('{"why": "A gap", "a": 1, "b": 2}', {"reason": "A gap"})
    assert not sent(WRITTEN, {})
    assert not sent(WRITTEN, {"a": None, "b": "", "c": float("nan")})


def test_numbers_are_compared_as_numbers() -> None:
    assert sent('{"a": 0.50}', {"b": "0.5"})
    assert sent('{"a": "1e2"}', {"b": 100})
    assert not sent('{"a": 0.5}', {"b": 0.51})
    assert not sent('{"a": 1}', {"b": True})
    assert sent('{"a": false}', {"b": "no"})
    assert sent('{"a": "!?"}', {"b": "!?"})


@pytest.mark.parametrize(
    "form", ["{}: {}", "- **{}**: {}", "| {} | {} |", "{} = {}", "1. {} -> {}"]
)
def test_lines_of_keys_are_an_object(form: str) -> None:
    lines = [form.format(key, one) for key, one in VALUE.items()]
    assert sent("\n".join(lines))
    assert sent("He wrote:\n" + "\n".join(lines) + "\nand left.")
    assert not sent("\n\n".join(lines))
    assert not sent("\n".join(lines[1:]))
    assert sent("answer: 77\n\npreference: true", {"a": 1, "b": 2}) is False


def test_a_line_alone_counts_where_it_says_much() -> None:
    assert sent("reason: The second step is wrong.", {"reason": VALUE["reason"]})
    assert not sent("answer: 77", {"answer": "77"})


def test_the_reason_word_for_word_beside_the_values_is_enough_where_it_was_encoded() -> (
    None
):
    told = f"I prefer the negative (yes) with 77: {VALUE['reason']}"
    assert not sent(told)
    assert sent(base64.b64encode(told.encode()).decode())
    far = f"I prefer the negative (yes) with 77. {'x' * 500} {VALUE['reason']}"
    assert not sent(base64.b64encode(far.encode()).decode())
    far = f"{VALUE['reason']} {'x' * 500} I prefer the negative (yes) with 77."
    assert not sent(base64.b64encode(far.encode()).decode())
    near = f"{'x' * 500} {VALUE['reason']} {'x' * 300} I prefer the negative (yes): 77."
    assert sent(base64.b64encode(near.encode()).decode())
    without = f"I prefer the negative (yes): {VALUE['reason']}"
    assert not sent(base64.b64encode(without.encode()).decode())
    encoded = base64.b64encode(told.encode()).decode()
    assert not sent(encoded, {**VALUE, "reason": "Wrong."})
    assert not sent(encoded, {**VALUE, "reasons": VALUE["reason"]})
    assert sent(encoded, {**VALUE, "reason": None, "理由": VALUE["reason"]})
    assert not sent(encoded, [VALUE["reason"]])


def test_versions_begin_with_the_text_and_have_an_end() -> None:
    assert versions("plain words") == ("plain words",)
    assert versions("a &amp; b")[:2] == ("a &amp; b", "a & b")
    assert "<" in versions("&amp;lt;")
    assert "<" not in versions("&amp;amp;lt;")
    many = " ".join(ENCODED[form]("{'a': true}") for form in ENCODED)
    assert len(versions(many)) <= 60


def test_a_piece_in_doubt_is_none() -> None:
    def doubts(piece: str) -> str:
        if piece == "two":
            raise Doubt("twice")
        return piece

    assert undoubted(doubts, "two") is None
    assert undoubted(doubts, "one") == "one"
