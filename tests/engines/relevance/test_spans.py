"""Facts found again in the text of a case."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from verifytui.engines.reading.places import plain
from verifytui.engines.relevance.spans import Finder, find

TEXT = (
    "\u88ab\u544a\u4eba\u5468\u67d0\uff0c\u4e8e\u51cc\u6668 2 \u65f6\u8bb8"
    "\uff0c\u6cbf\u6392\u6c34\u7ba1\u6500\u722c\u81f3\u4e09\u697c\u3002"
    "He took a RING, and 6,200 in cash."
)


@pytest.mark.parametrize(
    ("fact", "found"),
    [
        (
            "\u6cbf\u6392\u6c34\u7ba1\u6500\u722c\u81f3\u4e09\u697c",
            "\u6cbf\u6392\u6c34\u7ba1\u6500\u722c\u81f3\u4e09\u697c",
        ),
        (" took a RING ", "took a RING"),
        (
            "\u51cc\u66682\u65f6\u8bb8 \u6cbf\u6392\u6c34\u7ba1",
            "\u51cc\u6668 2 \u65f6\u8bb8\uff0c\u6cbf\u6392\u6c34\u7ba1",
        ),
        ("\u51cc\u6668\uff12\u65f6\u8bb8", "\u51cc\u6668 2 \u65f6\u8bb8"),
        ("he took a ring", "He took a RING"),
        ("6200 in cash", "6,200 in cash"),
        (
            "\u5468\u67d0\u6cbf\u6392\u6c34\u7ba1\u6500\u722c\u81f3\u4e09\u697c\u884c\u7a83",
            "\u6cbf\u6392\u6c34\u7ba1\u6500\u722c\u81f3\u4e09\u697c",
        ),
        ("\u6cbf\u6392\u6c34\u7ba1\u5230\u4e09\u697c\u5165\u5ba4\u884c\u7a83", None),
        ("something else altogether", None),
        ("\u4e09\u697c", "\u4e09\u697c"),
        ("", None),
        ("...", None),
        ("?!", None),
    ],
)
def test_where_a_fact_stands(fact: str, found: str | None) -> None:
    place = Finder(TEXT).find(fact)
    assert (TEXT[slice(*place)] if place else None) == found


def test_items() -> None:
    items = find(TEXT, ["He took a RING", "nowhere to be found"])
    assert [(item.text, item.start, item.end) for item in items] == [
        ("He took a RING", TEXT.index("He"), TEXT.index("RING") + 4),
        ("nowhere to be found", None, None),
    ]
    assert find("", ["x"])[0].start is None


def test_the_longest_run_is_taken() -> None:
    text = "abcdefgh ---- abcdefghijkl"
    place = Finder(text).find("abcdefghijklXY")
    assert place is not None
    assert text[slice(*place)] == "abcdefghijkl"


@given(st.text(max_size=60), st.text(max_size=60), st.text(min_size=1, max_size=40))
def test_what_stands_there_is_found(before: str, after: str, fact: str) -> None:
    text = before + fact + after
    place = Finder(text).find(fact)
    if not fact.strip():
        assert place is None
    else:
        assert place is not None
        assert plain(text[slice(*place)]) == plain(fact)


def test_a_long_case_is_searched_fast() -> None:
    text = "".join(chr(0x4E00 + (n * 7919) % 20000) for n in range(100_000))
    facts = [text[n * 500 : n * 500 + 30] + "\u4e00" * 15 for n in range(100)] + [
        "\u4e8c" * 400
    ] * 5
    began = time.process_time()
    found = find(text, facts)
    assert time.process_time() - began < 2
    assert sum(item.start is not None for item in found) == 100
