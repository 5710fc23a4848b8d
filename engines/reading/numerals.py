"""Numbers written as words: `twenty-three`, `two thirds`, 二十三, 三分之二, 百分之五十.

Each to its exact value.
"""

from __future__ import annotations

import re
from fractions import Fraction


def listed(words: str) -> list[str]:
    """The words of a text, for lists that read better as one."""
    return words.split()


_SMALL = {
    word: value
    for value, word in enumerate(
        listed(
            """
    zero one two three four five six seven eight nine ten eleven twelve thirteen
    fourteen fifteen sixteen seventeen eighteen
        nineteen"""
        )
    )
}
_TENS = {
    word: value
    for value, word in zip(
        range(20, 100, 10),
        listed("twenty thirty forty fifty sixty seventy eighty ninety"),
        strict=True,
    )
}
SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_PARTS = {
    word: value
    for value, word in enumerate(
        listed(
            """half third quarter fifth sixth seventh eighth ninth tenth eleventh
            twelfth"""
        ),
        2,
    )
}
_PARTS |= {"fourth": 4, "twentieth": 20}
_PARTS |= {"hundredth": 100, "thousandth": 1000}
_PLURALS = {
    "halves": 2,
    **{name + "s": value for name, value in _PARTS.items() if name != "half"},
}
_LISTED = sorted(
    [*_SMALL, *_TENS, *SCALES, "hundred", "dozen", *_PARTS, *_PLURALS, "point"],
    key=len,
    reverse=True,
)
STEMS = [
    word
    for word in _LISTED
    if not any(other in word for other in _LISTED if other != word)
]
"""Every number in words contains one of these."""
_WORD = "(?:" + "|".join(_LISTED) + ")"
ENGLISH = (
    rf"(?<![\w-])(?:half\s+an?\s+(?=dozen\b|million\b|billion\b)|an?\s+(?=(?:half"
    rf"|third|quarter|hundred|thousand|million|billion|dozen)\b))?"
    rf"(?:{_WORD}(?:\s+and\s+an?\s+|\s+and\s+|\s*-\s*|\s+"
    rf"|(?![\w-])))+(?<=[a-z])(?![\w-])"
)
"""A run of number words; whether it is a number is for `english` to say."""

ORDINALS = {
    word: number
    for number, word in enumerate(
        listed(
            """first second third fourth fifth sixth seventh eighth ninth tenth eleventh
            twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth
            nineteenth twentieth"""
        ),
        1,
    )
} | {f"twenty-{word}": 20 + n for n, word in enumerate(("first", "second", "third"), 1)}

_DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
}
_CHINESE_TENS = {"十": 10, "百": 100, "千": 1000}
NUMERAL = "[零〇一二两三四五六七八九十百千万亿]"
_POINT = "(?:点[零〇一二三四五六七八九]+)?"
CHINESE = (
    rf"(?:百分之{NUMERAL}+{_POINT}|{NUMERAL}+分之{NUMERAL}+|一半|{NUMERAL}+{_POINT})"
)
"""A run of Chinese number signs; whether it is a number is for `chinese` to say."""


def english(text: str) -> tuple[Fraction, int | None] | None:
    """The value of English number words and its digits after the point (None: a
    fraction); None if they make no number.
    """
    found = re.findall(r"[a-z]+", text.casefold())
    if found[0] == "half" and len(found) > 1 and found[1] in ("a", "an"):
        count = _cardinal(["one", *found[2:]])
        if count is None:
            return None
        return (Fraction(count, 2), 0)
    if found and found[0] in ("a", "an"):
        found[0] = "one"
    found = ["one" if word in ("a", "an") else word for word in found]
    if "point" in found:
        place = found.index("point")
        whole, tail = (
            _cardinal(found[:place]),
            [_SMALL.get(word, 10) for word in found[place + 1 :]],
        )
        if whole is None or not tail or max(tail) > 9:
            return None
        return Fraction(f"{whole}." + "".join(map(str, tail))), len(tail)
    if found[-1] in _PARTS or found[-1] in _PLURALS:
        return _parts(found)
    value = _year(found) or _cardinal([word for word in found if word != "and"])
    if value is None or found[-1] == "and":
        return None
    return (Fraction(value), 0)


def _year(found: list[str]) -> int | None:
    """`nineteen forty-six`: the century, and two digits after it."""
    century, rest = _SMALL.get(found[0], _TENS.get(found[0], 0)), _cardinal(found[1:])
    if 11 <= century <= 20 and rest is not None and 10 <= rest <= 99:
        return 100 * century + rest
    return None


def _parts(found: list[str]) -> tuple[Fraction, None] | None:
    """`half`, `two thirds`, `two and a half`."""
    bottom, head = {**_PARTS, **_PLURALS}[found[-1]], found[:-1]
    if not head:
        if bottom == 2:
            return (Fraction(1, 2), None)
        return None
    whole = 0
    if "and" in head:
        place = head.index("and")
        before = _cardinal(head[:place])
        if before is None:
            return None
        whole, head = before, head[place + 1 :]
    top = _cardinal(head)
    if top is None or top <= 0 or (whole and top >= bottom):
        return None
    return (whole + Fraction(top, bottom), None)


def _cardinal(found: list[str]) -> int | None:
    """`two hundred (and) five thousand ten`.

    None for impossible sequences, such as `two three`.
    """
    total, group, last, limit = 0, 0, 10**15, 1000
    if not found:
        return None
    for place, word in enumerate(found, 1):
        if word in _SMALL or word in _TENS:
            value = _SMALL.get(word, _TENS.get(word, 0))
            if (
                value >= limit
                or (limit <= 10 and word not in _SMALL)
                or (value == 0 and len(found) > 1)
            ):
                return None
            group, limit = group + value, 10 if word in _TENS else 0
        elif word == "hundred":
            if not 0 < group < 100:
                return None
            group, limit = group * 100, 100
        elif word == "dozen":
            if place == len(found) and total == 0 and group:
                return group * 12
            if found == ["dozen"]:
                return 12
            return None
        elif word in SCALES:
            if not group or SCALES[word] >= last:
                return None
            last = SCALES[word]
            total, group, limit = total + group * last, 0, 1000
        else:
            return None
    return total + group


def chinese(text: str) -> tuple[Fraction, int | None] | None:
    """The value of Chinese number signs and its digits after the point (None: a
    fraction); None if they make no number.
    """
    if text == "一半":
        return Fraction(1, 2), None
    if text.startswith("百分之"):
        inner = chinese(text[3:])
        if inner is None or inner[1] is None:
            return None
        return (inner[0] / 100, inner[1] + 2 if inner[1] else 0)
    bottom, parted, top = text.partition("分之")
    if parted:
        under, over = _CHINESE_TENS.get(bottom) or _han(bottom), _han(top)
        if not under or over is None:
            return None
        return (Fraction(over, under), None)
    whole, pointed, tail = text.partition("点")
    value = _han(whole)
    if value is None:
        return None
    if pointed:
        return Fraction(
            f"{value}." + "".join(str(_DIGITS[sign]) for sign in tail)
        ), len(tail)
    return Fraction(value), 0


def _han(text: str) -> int | None:
    """二十三, 一百零五, 两万五, never 五一 (a date) and never 百 (no number by itself); four digits
    or more stand as they are: 二〇二四.
    """
    if len(text) >= 4 and all(sign in _DIGITS for sign in text) and "两" not in text:
        return int("".join(str(_DIGITS[sign]) for sign in text))
    for sign, scale in (("亿", 10**8), ("万", 10**4)):
        head, parted, tail = text.partition(sign)
        if parted:
            over, under = _han(head), _tail(tail, scale)
            if not over or under is None or under >= scale:
                return None
            return over * scale + under
    return _below_ten_thousand(text)


def _tail(text: str, scale: int) -> int | None:
    if not text:
        return 0
    if len(text) == 1 and text in _DIGITS:
        return _DIGITS[text] * scale // 10
    return _han(text.lstrip("零〇"))


def _below_ten_thousand(text: str) -> int | None:
    total, last, digit, zero = 0, 10**4, None, False
    for position, sign in enumerate(text):
        if sign in "零〇":
            if digit is not None or (zero and position):
                return None
            zero = True
        elif sign in _DIGITS:
            if digit is not None:
                return None
            digit = _DIGITS[sign]
        else:
            scale = _CHINESE_TENS.get(sign, 0)
            if (
                not scale
                or scale >= last
                or (digit is None and not (scale == 10 and position == 0))
            ):
                return None
            total, last, digit, zero = (
                total + (1 if digit is None else digit) * scale,
                scale,
                None,
                False,
            )
    if digit is not None:
        if text[-1] == "两" and len(text) > 1:
            return None
        if total and last > 10 and not zero:
            digit *= last // 10  # 一百二 is 120
        total += digit
    if text and (total or text in ("零", "〇")):
        return total
    return None
