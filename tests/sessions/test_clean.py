"""Nothing that moves a terminal gets through."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from verifytui.sessions.clean import clean, editable, scrub


def test_escape_sequences_lose_their_teeth() -> None:
    assert clean("a\x1b]52;c;ZXZpbA==\x07b\x9b31mc") == "a]52;c;ZXZpbA==b31mc"


def test_line_breaks_of_all_kinds_become_one_kind() -> None:
    assert clean("a\r\nb\rc\x85d\u2028e\tf") == "a\nb\nc\nd\ne\tf"
    assert clean("a\r\nb\tc\n", newlines=False) == "a b c "


def test_text_that_reads_differently_from_what_it_says() -> None:
    assert clean("pay \u202eeve\u202c \u2066bob\u2069") == "pay eve bob"


def test_honest_text_is_untouched() -> None:
    text = "吃掉敌人一个师 🙂 e\u0301 2*3*4 [1] 👩\u200d🔬\n\tx"
    assert clean(text) is text


@given(st.text(alphabet=st.characters()))
def test_no_control_character_is_left(text: str) -> None:
    left = clean(text)
    assert not [
        c
        for c in left
        if (ord(c) < 32 and c not in "\n\t")
        or 0x7F <= ord(c) <= 0x9F
        or 0xD800 <= ord(c) <= 0xDFFF
    ]
    assert "\n" not in clean(text, newlines=False)
    assert "\t" not in clean(text, newlines=False)
    left.encode()


def test_scrub_says_whether_it_changed_anything() -> None:
    assert scrub("a\ud800b") == ("a\ufffdb", True)
    assert scrub("a🙂b") == ("a🙂b", False)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("pass\u200bword", "passU+200Bword"),
        ("\ufeffbegins", "U+FEFFbegins"),
        ("a\u2060\u200db", "aU+2060 U+200Db"),
        (
            "ok" + "".join(chr(0xE0000 + ord(char)) for char in "no"),
            "okU+E006E U+E006F",
        ),
        ("x\U000e0101y", "xU+E0101y"),
        ("a\ufe0f", "aU+FE0F"),
        ("\u3164", "U+3164"),
        (
            "🏴" + "".join(chr(0xE0000 + ord(char)) for char in "obey") + "!",
            "🏴U+E006F U+E0062 U+E0065 U+E0079!",
        ),
    ],
)
def test_what_nobody_sees_is_named(text: str, shown: str) -> None:
    assert clean(text) == shown
    assert clean(text, mark="|").replace("|", "") == shown
    assert editable(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥 1\ufe0f⃣ 👩🏽\u200d🚀",
        "🏴" + "".join(chr(0xE0000 + ord(char)) for char in "gbeng") + "\U000e007f",
        "می\u200cخواهم क्\u200dष ශ්\u200dරී",
        "葛\U000e0100城市",
    ],
)
def test_joiners_and_selectors_stay_where_emoji_and_scripts_need_them(
    text: str,
) -> None:
    assert clean(text) == text
