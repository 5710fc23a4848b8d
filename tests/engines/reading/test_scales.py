"""Numbers of a scale, as people write them."""

from __future__ import annotations

import pytest
from verifytui.engines.reading.scales import scaled


@pytest.mark.parametrize(
    ("most", "said", "number"),
    [
        (100, "ninety-two", "92"),
        (100, "ninety two out of a hundred", "92"),
        (100, "九十五分", "95"),
        (100, "一百分", "100"),
        (100, "百分之九十", "90"),
        (100, "85/100", "85"),
        (100, "85 per cent", "85"),
        (100, "80分（满分100）", "80"),
        (100, "4/5", "80"),
        (1, "90%", "0.9"),
        (1, "零点九", "0.9"),
        (1, "90 out of 100", "0.9"),
        (1, "zero point nine", "0.9"),
        (3, "three (3 on the 0–3 scale)", "3"),
        (3, "2 of three", "2"),
        (3, "两分", "2"),
    ],
)
def test_a_number_of_the_scale(most: int, said: str, number: str) -> None:
    assert scaled(said, {"type": "number", "maximum": most}) == number


@pytest.mark.parametrize(
    ("most", "said"),
    [
        (3, "3/5"),
        (3, "85/100"),
        (3, "three (2 on the 0–3 scale)"),
        (100, "满分"),
        (100, "5/4"),
        (100, "ninety-two or so"),
        (100, "80 (full marks)"),
        (100, "两三分"),
    ],
)
def test_any_other_text_stays_as_it_is(most: int, said: str) -> None:
    assert scaled(said, {"type": "number", "maximum": most}) == said
