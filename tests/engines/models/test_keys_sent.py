"""How keys are found in what comes from outside: each way of writing them, wherever a
stream is cut; and what is no key stays.
"""

from __future__ import annotations

import base64
import random
import re
import time
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from verifytui.engines.models import keys
from verifytui.engines.models.keys import (
    HIDDEN,
    KeyRedactor,
    hide,
    looks_like_key,
    sent,
    sent_from,
    sent_with,
    without_keys,
)

KEY = "sk-proj-Zq8v+x2/Lw71mPk0"
RAW = KEY.encode()

WAYS = {
    "plain": KEY,
    "backwards": KEY[::-1],
    "hexadecimal": RAW.hex(),
    "HEXADECIMAL": RAW.hex().upper(),
    "base64": base64.b64encode(RAW).decode(),
    "base64 without padding": base64.b64encode(RAW).decode().rstrip("="),
    "base64 for addresses": base64.urlsafe_b64encode(RAW).decode(),
    "base64 in lines": base64.encodebytes(RAW * 3).decode(),
    "percent": quote(KEY, safe=""),
    "percent all": "".join(f"%{byte:02x}" for byte in RAW),
    "percent twice": "".join(f"%25{byte:02X}" for byte in RAW),
    "percent of base64": quote(base64.b64encode(RAW).decode(), safe=""),
    "json": "".join(f"\\u{byte:04x}" for byte in RAW),
    "python": "".join(f"\\x{byte:02x}" for byte in RAW),
    "html": "".join(f"&#{byte};" for byte in RAW),
    "html in hexadecimal": "".join(f"&#x{byte:X};" for byte in RAW),
    "slashes escaped": KEY.replace("/", "\\/"),
    "a character a line": "\n".join(KEY),
    "lines of Windows": "\r\n   ".join([KEY[:9], KEY[9:]]),
    "line breaks written out": "\\n".join(KEY),
    "spaces": " ".join(KEY),
    "no-break spaces": "\xa0".join(KEY),
    "zero width": "\u200b".join(KEY),
    "zero width written out": "\\u200b".join(KEY),
    "soft hyphens": "\xad".join(KEY),
    "tags": "\U000e0041".join(KEY),
    "colours of a terminal": "\x1b".join(KEY),
    "upper case": KEY.upper(),
    "other case": KEY.swapcase(),
    "base64 in other case": base64.b64encode(RAW).decode().swapcase(),
    "bytes with colons": RAW.hex(":"),
    "bytes with 0x": " ".join(f"0x{byte:02x}" for byte in RAW),
    "bytes with 0X and commas": ", ".join(f"0X{byte:02X}" for byte in RAW),
    "bytes in a row with 0x": "".join(f"0x{byte:02x}" for byte in RAW),
    "one number": f"0x{RAW.hex()}",
    "base64 with dots": ".".join(base64.b64encode(RAW).decode()),
    "backwards with dashes": "-".join(KEY[::-1]),
    "quoted-printable": "".join(f"={byte:02X}" for byte in RAW),
    "in a table": " | ".join(KEY),
    "thirty stars": ("*" * 30).join(KEY),
} | {
    f"between {mark}": mark.join(KEY)
    for mark in (*"-.,;:_/|'\"`~+=#<>()[]", "**", "__", "', '", "\u2014", "\uff0c")
}
AMID = [
    base64.b64encode(before + RAW + after).decode()
    for before in (b"", b"u", b"us", b"user:")
    for after in (b"", b"x", b":more")
]


@pytest.fixture(autouse=True)
def _this_key_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    spread, close = keys._ways()
    for name, empty in (("_known", set()), ("_spread", spread), ("_close", close)):
        monkeypatch.setattr(keys, name, empty)
    sent(KEY)


@pytest.mark.parametrize("way", WAYS)
def test_a_key_is_found_however_it_is_written(way: str) -> None:
    for before, after in (
        ("It is ", ", I think."),
        ("", ""),
        ("sk-proj", "!"),
        ("50%2", "%"),
        ("\\", "\\"),
        ('{"key": "', '"}'),
    ):
        text, altered = hide(before + WAYS[way] + after)
        assert altered
        assert HIDDEN in text
        assert hide(text) == (text, False)
        if before == "It is ":
            left = re.sub(r"is (?:0[xX]|=)\[", "is [", text)
            assert left.strip() == "It is [key hidden], I think." or way in (
                "base64 in lines",
                "base64 with dots",
            )


@pytest.mark.parametrize("code", AMID)
def test_a_key_in_base64_amid_other_data(code: str) -> None:
    text, altered = hide(f"Authorization: Basic {code}")
    assert altered
    left = text.removeprefix("Authorization: Basic ").replace(HIDDEN, "")
    assert len(left) <= len(code) - len(KEY), (
        "what is left holds other data, and bits of the key's ends"
    )


@pytest.mark.parametrize("way", [*WAYS, "amid"])
def test_wherever_a_stream_is_cut_the_key_is_found(way: str) -> None:
    text = f"So: {WAYS.get(way) or AMID[7]} is it, sk-learn says so. "
    whole, _ = hide(text)
    assert HIDDEN in whole
    for pieces in (*((text[:at], text[at:]) for at in range(len(text))), tuple(text)):
        hiding = KeyRedactor()
        assert "".join(map(hiding.feed, pieces)) + hiding.finish() == whole
        assert hiding.altered


alphabet = st.sampled_from(
    [
        *"sk-proj7%\\&#;x25u0 \n",
        "\u200b",
        KEY,
        KEY[:9],
        KEY[9:],
        WAYS["percent"],
        WAYS["base64"],
        WAYS["json"],
        "word ",
    ]
)


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.lists(alphabet, max_size=6).map("".join), max_size=8))
def test_a_stream_gives_what_the_whole_text_gives(pieces: list[str]) -> None:
    hiding = KeyRedactor()
    assert (
        "".join(map(hiding.feed, pieces)) + hiding.finish(),
        hiding.altered,
    ) == hide("".join(pieces))
    assert KEY not in hide("".join(pieces))[0]


def test_of_ordinary_text_hardly_anything_is_held_back() -> None:
    hiding = KeyRedactor()
    words = (
        "The speed of Alice is 1.5 m/s, 50 % of what Bob's is; see sk-learn & "
        "hf_hub_download for more.\n\n"
    )
    behind = given = 0
    most = 0
    for word in re.split(" ", words * 50):
        given += len(hiding.feed(f"{word} "))
        behind += len(word) + 1
        most = max(most, behind - given)
    assert most <= len("sk- "), "only what may be a beginning, until the next character"


@pytest.mark.parametrize(
    "text",
    [
        "hf_hub_download",
        "sk-learn-contrib",
        "sk-1234567890abcdef1234567890abcdef is how OpenAI's keys look",
        "gsk_" + "a1" * 20,
        "Bearer abc123def456",
    ],
)
def test_what_only_looks_like_a_key_stays_in_replies(text: str) -> None:
    assert hide(text) == (text, False)


def test_messages_of_faults_hide_what_has_a_keys_shape() -> None:
    for name in (
        "hf_hub_download",
        "sk-learn-contrib",
        "pk-something-else",
        "the bearer of this",
        "sk-learn-1.4.2",
    ):
        assert without_keys(f"{name} is missing", {}) == f"{name} is missing"
        assert not looks_like_key(name)
    for key in (
        "sk-proj-4f9a8b7c6d5e4f3a2b1c",
        "hf_THISISTHEKEY0123456789",
        "sk-loop*********6789",
        "AIzaSyA1234567890abcdefghijk",
        "Bearer x1y2z3w4v5",
    ):
        assert without_keys(f"wrong: {key}", {}) == "wrong: [key hidden]"
        assert looks_like_key(key)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("not-needed", "That is not needed here, Not-Needed."),
        ("sk-no-key-required", "SK no key required"),
        ("test-key", "The TEST KEY is a test.key."),
        ("password1", "Pass word 1"),
    ],
)
def test_a_key_that_could_be_words_is_found_only_as_it_is(key: str, text: str) -> None:
    sent(key)
    assert hide(text) == (text, False)
    assert hide(f"{text} It is {key}.") == (f"{text} It is {HIDDEN}.", True)
    spaced = " ".join(key)
    assert hide(f"It is {spaced}.") == (f"It is {HIDDEN}.", True)


def test_characters_far_apart_are_no_key() -> None:
    text = ("*" * 65).join(KEY)
    assert hide(text) == (text, False)


def test_keys_of_the_environment_are_looked_for_before_any_is_sent() -> None:
    other, named = "second-provider-4f9a8b7c", "of-the-retriever-77aa"
    sent_from({"OTHER_API_KEY": other, "LAB": named, "PATH": "/usr/bin:/bin"}, ["LAB"])
    said = f"{'.'.join(other)} {named.upper()} /usr/bin:/bin"
    assert hide(said) == (f"{HIDDEN} {HIDDEN} /usr/bin:/bin", True)


def test_short_ones_and_what_no_key_is_are_not_looked_for() -> None:
    sent("none", "1234567", "", None)
    assert hide("none of 1234567") == ("none of 1234567", False)


def test_the_keys_of_a_request_are_those_in_its_headers_and_its_address() -> None:
    basic = base64.b64encode(b"me:open-sesame").decode()
    headers = {
        "Authorization": "Bearer first-key-1",
        "X-Api-Key": "second-key-2",
        "X-Title": "VerifyTUI",
        "Proxy-Authorization": f"Basic {basic}",
    }
    sent_with(
        headers, "https://me:third%2Dkey@a.example/?key=fourth-key-4&page=thirteenth"
    )
    said = (
        "first-key-1 second-key-2 VerifyTUI open-sesame third-key fourth-key-4 "
        "thirteenth " + basic
    )
    assert hide(said)[0] == " ".join(
        [HIDDEN, HIDDEN, "VerifyTUI", HIDDEN, HIDDEN, HIDDEN, "thirteenth", HIDDEN]
    )


LONG = {
    "words": "word 50% & so " * 80_000,
    "escapes": "%41" * 300_000,
    "spaces": "s " * 500_000,
    "backslashes": "\\" * 1_000_000,
    "keys": KEY * 20_000,
    "almost keys": KEY[:-1] * 20_000,
    "separators": "-" * 1_000_000,
    "a separator each": "a." * 500_000,
    "almost keys spread": "-".join(KEY[:-1]) * 20_000,
    "bytes": "0x73 " * 200_000,
    "zeros": "0" * 1_000_000,
    "beginnings of bytes": "0x" * 500_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", LONG)
def test_a_megabyte_takes_seconds_at_most(kind: str) -> None:
    began = time.process_time()
    hide(LONG[kind])
    assert time.process_time() - began < 10


def test_random_texts_hold_no_key() -> None:
    letters = random.Random(7)
    for _ in range(200):
        text = "".join(
            letters.choice("skproj-7%\\&#;x25u0 \nZq8v+x2/Lw71mPk0") for _ in range(300)
        )
        assert hide(text) == (text, False)
