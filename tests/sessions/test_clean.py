"""Nothing that moves a terminal gets through."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from verifytui.sessions.clean import clean, scrub


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
    assert not [c for c in left if (ord(c) < 32 and c not in "\n\t") or 0x7F <= ord(c) <= 0x9F or 0xD800 <= ord(c) <= 0xDFFF]
    assert "\n" not in clean(text, newlines=False)
    assert "\t" not in clean(text, newlines=False)
    left.encode()


def test_scrub_says_whether_it_changed_anything() -> None:
    assert scrub("a\ud800b") == ("a\ufffdb", True)
    assert scrub("a🙂b") == ("a🙂b", False)
