"""Closing lines and equal answers."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from verifytui.engines.debate.rounds import closing, same, single_line
from verifytui.engines.metrics.quantities import whole


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("I think so.\n\nAnswer: 1.5 m/s", "1.5 m/s"),
        ("…\nTranslation: It rains.\n\n", "It rains."),
        ("…\n答案：1.5", "1.5"),
        ("…\n译文: 下雨了。", "下雨了。"),
        ("…\n最终答案：四圈", "四圈"),
        ("…\n**Answer:** 1.5 m/s", "1.5 m/s"),
        ("…\n**Answer: 1.5 m/s**", "1.5 m/s"),
        ("…\n**Final answer**: **1.5 m/s**", "1.5 m/s"),
        ("…\n> Answer: `1.5`", None),
        ('…\nTranslation: "It rains."', "It rains."),
        ('…\nTranslation: "Go", he said, "now"', '"Go", he said, "now"'),
        ("…\nAnswer:\n1.5 m/s", "1.5 m/s"),
        ("…\n**Translation:**\n\nIt rains.\n---", "It rains."),
        ("Answer: 2 m/s\nNo, that was wrong.\nAnswer: 1.5 m/s", "1.5 m/s"),
        ("Answer: 2 m/s\nThat was the answer, but I am not sure.", None),
        ("Answer:\n2 m/s\nThat was the answer, but I am not sure.", None),
        ("The answer is 1.5 m/s.", "1.5 m/s"),
        (
            "He walks and the belt moves. So the answer is 1.5 m/s.\nThat is all.",
            "1.5 m/s",
        ),
        ("My answer is: 1.5 m/s", "1.5 m/s"),
        ("The answer is 1.5 m/s because he walks.", "1.5 m/s"),
        ("答案是1.5米每秒。", "1.5米每秒"),
        ("所以我的答案是：四圈。", "四圈"),
        ("…\n### Answer\n1.5 m/s", "1.5 m/s"),
        ("…\n## Final answer\n\n**1.5 m/s**", "1.5 m/s"),
        ("…\n**Answer**\n1.5 m/s", "1.5 m/s"),
        ("…\nAnswer: 1.5 m/s\nThank you for reading.", "1.5 m/s"),
        ("…\n### Answer\n1.5 m/s\n\nThis follows from the above.", "1.5 m/s"),
        ("…\nAnswer: 1.5 m/s. It follows from the above.", "1.5 m/s"),
        ("…\n答案：1.5。这由上文得出。", "1.5"),
        ("Translation: It rains. It pours.", "It rains. It pours."),
        ("Answer: 2 m/s\nLet me check.\nAnswer: 1.5 m/s\nThat is it.", "1.5 m/s"),
        ("The answer is 2 m/s.\n…\nThe answer is 1.5 m/s.", "1.5 m/s"),
        ("The answer is 2 m/s.\nAnswer: 1.5 m/s", "1.5 m/s"),
        ("Answer: 1.5 m/s\nThe answer is 2 m/s, says the other side.", "1.5 m/s"),
        ("The other side closes with:\nAnswer: 2 m/s\nI see it differently.", None),
        ("> Answer: 2 m/s\nI see it differently.", None),
        ("Answer: 2 m/s\nThat is wrong.", None),
        ("The answer is not 1.5 m/s.", None),
        ("The answer is wrong.", None),
        ("The answer is 2 m/s according to my opponent.", None),
        ("The answer is 2 m/s. No, that was a mistake.", None),
        ("答案不是四。", None),
        ("答案是什么？", None),
        ("The answer is not 4. The answer is 5.", "5"),
        ("I have no answer: nobody has.", None),
        ("…\nAnswer:", None),
        ("…\nAnswer: …", None),
        ("…\nTranslation: -", None),
        ("", None),
        ("\n \n", None),
    ],
)
def test_closing_lines(text: str, wanted: str | None) -> None:
    assert closing(text) == wanted


def test_a_single_line() -> None:
    assert single_line("\n It rains.\n") == "It rains."
    assert single_line("It rains.\nIt pours.") is None
    assert single_line(" ") is None


EQUAL = [
    ("约3", "3"),
    ("about 2", "2"),
    ("四", "4"),
    ("3/2", "1.5"),
    ("1.5", "150 %"),
    ("150%", "3/2"),
    ("1.5 m/s", "1.5"),
    ("1.5 m/s", "3/2 meters per second"),
    ("1,200", "1200"),
    ("１．５", "1.5"),
    ("$\\frac{3}{2}$", "1.5"),
    ("\\boxed{4}", "4"),
    ("\\boxed{\\frac{1}{2}}", "50 \\%"),
    ("1½", "1.5"),
    ("1 1/2 tons", "1.5 t"),
    ("-2", "−2"),
    ("+2", "2.0"),
    (".5", "0.5 tons"),
    ("x = 4", "4"),
    ("4.", "4"),
    ("(4)", "4"),
    ("4 times", "4 revolutions"),
    ("4圈", "4"),
    ("$5", "5 dollars"),
    ("1e3", "1,000"),
    ("百分之50", "0.5"),
    ("50 percent", "50%"),
    ("0.5 TONS", "0.5 tons."),
    ("68.57%", "0.6857"),
    ("It rains.", "it  rains"),
    ("Don't go!", "Dont go"),
    ("下雨 了。", "下雨了"),
    ("ＡＢＣ", "abc"),
    ("6 or 12", "6 or 12."),
    ("50:50", "50:50"),
    ("“It rains.”", "It rains"),
    ("well-known", "well known"),
]

UNEQUAL = [
    ("1.5", "15"),
    ("3/2", "2/3"),
    ("50", "50 %"),
    ("50", "0.5"),
    ("0.33", "1/3"),
    ("1,5", "15"),
    ("1,5", "1.5"),
    ("1.500", "1500"),
    ("-2", "2"),
    ("2 million", "2"),
    ("2 or more", "2"),
    ("2 or 3", "2"),
    ("2 dozen", "2"),
    ("5!", "5"),
    ("10²", "102"),
    ("10²", "10"),
    ("1½", "11/2"),
    ("2π", "2"),
    ("2x", "2"),
    ("5k", "5"),
    ("3万", "3"),
    ("3半", "3"),
    ("3点5", "3"),
    ("1.5 m", "1.5 km"),
    ("2 days", "2 weeks"),
    ("5 °C", "5 °F"),
    ("$2", "2 cents"),
    ("1/0", "0"),
    ("50:50", "50"),
    ("6 or 12", "6 or 1.2"),
    ("x = -2 or 3", "x = 2 or 3"),
    ("2-3", "23"),
    ("2/3/4", "2/34"),
    ("It rains", "It pours"),
    ("1.5.2", "1.52"),
    ("1e999999999", "1"),
    ("3 squared", "3"),
    ("10_000", "10"),
    ("2 thirds", "2"),
    ("5 bps", "5"),
    ("C++", "C"),
    ("3:00", "3"),
    ("$3$ or $4$", "34"),
    ("5 %", "5"),
    ("百分之5%", "0.05"),
]


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_equal(one: str, other: str) -> None:
    assert same(one, other)
    assert same(other, one)


@pytest.mark.parametrize(("one", "other"), UNEQUAL)
def test_unequal(one: str, other: str) -> None:
    assert not same(one, other)
    assert not same(other, one)


@given(st.fractions(max_denominator=10**6), st.fractions(max_denominator=10**6))
def test_numbers_are_equal_exactly_when_their_values_are(
    one: Fraction, other: Fraction
) -> None:
    read = whole(str(one))
    assert read is not None
    assert (read.value, read.unit) == (one, (None, frozenset()))
    assert same(str(one), str(other)) == (one == other)


@given(
    st.decimals(
        allow_nan=False,
        allow_infinity=False,
        min_value=-(10**9),
        max_value=10**9,
        places=4,
    )
)
def test_decimals_thousands_and_percent(value: object) -> None:
    plain = Fraction(str(value))
    found = [whole(f"{value:,}"), whole(f"{value} %"), whole(f"{value} m/s")]
    assert [one and (one.value, one.unit[0]) for one in found] == [
        (plain, None),
        (plain / 100, None),
        (plain, "m/s"),
    ]


@given(st.text(max_size=40), st.text(max_size=40))
def test_no_text_breaks_it_and_everything_equals_itself(one: str, other: str) -> None:
    assert same(one, one)
    assert same(one, other) == same(other, one)
    closing(one)
    single_line(one)


@given(
    st.text("123456789", min_size=1, max_size=8),
    st.text(".,/%!²½-+ :^", min_size=1, max_size=3),
)
def test_signs_beside_digits_are_not_dropped(digits: str, signs: str) -> None:
    """A sign between digits makes another answer, but for the comma or the space of
    thousands.
    """
    thousands = signs in (",", " ") and len(digits) == 3
    assert same(f"{digits}{signs}{digits}", digits + digits) == thousands
