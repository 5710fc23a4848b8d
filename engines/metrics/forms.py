"""Answers that are written in several ways and are no single number.

These are dates, times before and after, choices, yes and no, roots, intervals and lists.
Each is read only where the whole answer has the form. What is in doubt (5/3/2024, which
may be in March or in May) has none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Literal, NamedTuple

from . import numerals
from .quantities import CHANGING, whole

Kind = Literal["date", "span", "choice", "polarity", "root", "interval", "list"]


class Form(NamedTuple):
    """What an answer says, in one notation. `loose`: the order of a list says nothing;
    `name`: the variable whose values it lists."""

    kind: Kind
    value: tuple[object, ...]
    loose: bool = False
    name: str | None = None


def same_form(one: Form, other: Form) -> bool:
    """Whether two forms of one kind say the same."""
    if one.kind != "list":
        return one.value == other.value
    (first, opened), (second, closed) = _list_parts(one), _list_parts(other)
    if {opened, closed} == {"{", "("}:
        return False
    if None not in (one.name, other.name) and one.name != other.name:
        return False
    if one.loose and other.loose:
        return Counter(first) == Counter(second)
    return first == second


def _list_parts(form: Form) -> tuple[tuple[object, ...], str]:
    bracket = form.value[0]
    return form.value[1:], bracket if isinstance(bracket, str) else ""


def form_of(text: str) -> Form | None:
    """The form of a plain answer without its label; None if it has none of these."""
    text = text.strip()
    if not 0 < len(text) <= 200 or "\n" in text:
        return None
    text = text.rstrip(".。 ")
    folded = text.casefold()
    return (
        _date(folded)
        or _span(folded)
        or _choice(folded)
        or _polarity(folded.rstrip("!！ "))
        or _root(folded)
        or _interval(text)
        or _list(text)
    )


# ------------------------------------------------------------------ dates

_MONTH_NAMES = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTHS = {
    **{name: number for number, name in enumerate(_MONTH_NAMES, 1)},
    **{name[:3]: number for number, name in enumerate(_MONTH_NAMES, 1)},
    "sept": 9,
}
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_MONTH = rf"(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4})"
_HAN = "[零〇一二三四五六七八九十]"
_DATES = tuple(
    re.compile(
        r"(?:it\s+(?:is|was|happened|occurred|took place)\s+)?(?:on\s+|in\s+)?(?:the\s+)?"
        rf"(?:(?P<weekday>{'|'.join(_DAYS)}),?\s+)?(?:the\s+)?{pattern}"
    )
    for pattern in (
        rf"{_DAY}[\s-]+(?:of\s+)?{_MONTH}(?:,?[\s-]+{_YEAR})?",
        rf"{_MONTH}\s+(?:the\s+)?{_DAY}(?:,?\s+{_YEAR})?",
        rf"{_MONTH},?\s+(?:of\s+)?{_YEAR}",
        rf"{_YEAR}(?P<sep>[-/.])(?P<month>\d{{1,2}})(?P=sep){_DAY}",
    )
)
_DATE_HAN = re.compile(
    rf"[于在]?(?:(?P<year>\d{{4}}|{_HAN}{{4}})\s*年\s*)?(?P<month>\d{{1,2}}|{_HAN}{{1,2}})\s*月"
    rf"(?:份|\s*(?P<day>\d{{1,2}}|{_HAN}{{1,3}})\s*[日号])?"
)


def _date(text: str) -> Form | None:
    if not ("月" in text or text[:1].isalnum()):
        return None
    chinese = _DATE_HAN.fullmatch(text)
    if chinese is not None:
        year, month, day = (
            _han_number(chinese[one]) for one in ("year", "month", "day")
        )
        return _checked_date(year, month, day)
    for pattern in _DATES:
        found = pattern.fullmatch(text)
        if found is not None:
            given = found.groupdict()
            return _checked_date(
                _number(given.get("year")),
                _MONTHS.get(given["month"]) or int(given["month"]),
                _number(given.get("day")),
                given.get("weekday"),
            )
    return None


def _checked_date(
    year: int | None, month: int | None, day: int | None, weekday: str | None = None
) -> Form | None:
    if month is None or not 1 <= month <= 12 or not 1 <= (day or 1) <= 31:
        return None
    if year is None and day is None:
        return None
    # a weekday follows from the date, so it is not compared where there is a year
    return Form("date", (year, month, day, weekday if year is None else None))


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)


def _han_number(text: str | None) -> int | None:
    if text is None or text.isdecimal():
        return _number(text)
    read = numerals.chinese(text)
    return None if read is None else int(read[0])


_SPAN = re.compile(
    r"(?P<length>.{1,40}?)\s*"
    r"(?:\b(?P<side>ago|earlier|before|later|after)|[以之]?(?P<han>[前后]))"
)
_SIDES = {"前": "ago", "earlier": "before", "后": "after", "later": "after"}


def _span(text: str) -> Form | None:
    """`5 years ago`, which is not `5 years`."""
    found = _SPAN.fullmatch(text)
    length = whole(found["length"]) if found is not None else None
    if found is None or length is None:
        return None
    side = found["side"] or found["han"]
    return Form("span", (length.value, length.unit, _SIDES.get(side, side)))


# ------------------------------------------------------------------ choices, yes and no

_CHOICES = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?:i\s+(?:choose|chose|pick|select|would choose|go with)\s+|(?:it'?s|it is)\s+)?"
        r"(?:(?:the\s+)?(?:(?:correct|right|best|final)\s+)?(?:answer|option|choice|letter)"
        r"\s*(?:is\b|:)?\s*){0,3}[(（\[]?\s*(?P<letter>[a-h])\s*[)）\]]?"
        r"(?:\s+is\s+(?:correct|right|the (?:correct |right )?answer))?",
        r"(?:因此|所以|故|应该?|我|本题|正确|答案|选项|选择?|是|为|[:：,，\s])*"
        r"[(（]?\s*(?P<letter>[a-h])\s*[)）]?\s*(?:选?项)?(?:正确)?",
    )
)


def _choice(text: str) -> Form | None:
    for pattern in _CHOICES:
        found = pattern.fullmatch(text)
        if found is not None:
            return Form("choice", (found["letter"],))
    return None


_WHO = r"(?:it|he|she|they|we|you|i|this|that|there|these|those)"
_AUXILIARY = (
    r"(?:is|are|am|was|were|do|does|did|can|could|will|would|has|have|had|should|must)"
)
_YES = re.compile(
    rf"(?:yes|yeah|yep)(?:[\s,.!，]+(?:indeed|definitely|certainly|absolutely|correct"
    rf"|{_WHO}\s+{_AUXILIARY}(?:\s+indeed)?|(?:that|it|this)(?:'s|\s+is)\s+(?:right|correct|true)))?"
    r"|是的?|对的?|没错|(?:是的?|对的?)[,，\s]*(?:没错|对的?|正确|是的?)"
)
_NO = re.compile(
    rf"(?:no|nope)(?:[\s,.!，]+(?:(?:definitely|certainly|absolutely)\s+not|not at all"
    rf"|{_WHO}\s+{_AUXILIARY}(?:\s+not|n't)|{_WHO}\s+(?:cannot|can't|won't|isn't)"
    r"|(?:that|it|this)(?:'s|\s+is)\s+(?:wrong|false|incorrect|not\s+(?:right|correct|true))))?"
    r"|否|不|不是的?|不对|不[,，\s]*(?:不是的?|对)"
)


def _polarity(text: str) -> Form | None:
    if _YES.fullmatch(text):
        return Form("polarity", ("yes",))
    return Form("polarity", ("no",)) if _NO.fullmatch(text) else None


# ------------------------------------------------------------------ roots

_RADICAND = (
    r"(?:\(\s*(?P<inside>\d{1,9}(?:\.\d{1,9})?)\s*\)|(?P<bare>\d{1,9}(?:\.\d{1,9})?))"
)
_ROOT = re.compile(
    r"(?:[a-z]\s*=\s*)?(?P<sign>[+-])?\s*(?P<open>\()?\s*"
    r"(?:(?P<factor>\d{1,9}(?:\.\d{1,9})?)\s*(?:/\s*(?P<under>\d{1,9}))?\s*[*×·]?\s*)?"
    rf"(?:√|sqrt|根号|the square root of|square root of)\s*{_RADICAND}"
    r"\s*(?(open)\))\s*(?:/\s*\(?\s*(?P<bottom>\d{1,9})\s*\)?)?"
)


def _root(text: str) -> Form | None:
    """The sign and the square of a root with a factor, so that √8 is 2√2."""
    found = _ROOT.fullmatch(text)
    if found is None:
        return None
    under, bottom = int(found["under"] or 1), int(found["bottom"] or 1)
    if not under or not bottom:
        return None
    factor = Fraction(found["factor"] or 1) / (under * bottom)
    square = factor * factor * Fraction(found["inside"] or found["bare"])
    return Form("root", (found["sign"] == "-", square))


# ------------------------------------------------------------------ intervals and lists

_END = r"[^,，;；()（）\[\]]{1,30}"
_INTERVAL = re.compile(
    rf"(?:[a-z]\s*(?:∈|is in|in)\s*)?(?P<open>[\[(（])\s*(?P<low>{_END})\s*[,，;；]\s*"
    rf"(?P<high>{_END})(?P<close>[\])）])"
)
_BETWEEN = re.compile(
    r"(?P<low>[^<>≤≥=]{1,30})(?P<first><=|≤|<)\s*[a-z]\s*"
    r"(?P<second><=|≤|<)(?P<high>[^<>≤≥=]{1,30})"
)
_BEYOND = re.compile(r"[a-z]\s*(?P<sign><=|>=|≤|≥|<|>)\s*(?P<end>[^<>≤≥=]{1,30})")
_INFINITE = re.compile(r"(?P<sign>[+-])?\s*(?:∞|infinity|inf|oo|无穷大?)")


def _interval(text: str) -> Form | None:
    found = _INTERVAL.fullmatch(text)
    if found is not None:
        ends = _end(found["low"]), _end(found["high"])
        closed = found["open"] == "[", found["close"] == "]"
        return _interval_of(ends, closed)
    found = _BETWEEN.fullmatch(text)
    if found is not None:
        ends = _end(found["low"]), _end(found["high"])
        return _interval_of(ends, (found["first"] != "<", found["second"] != "<"))
    found = _BEYOND.fullmatch(text)
    if found is None:
        return None
    end, closed_there = (
        _end(found["end"]),
        len(found["sign"]) == 2 or found["sign"] in "≤≥",
    )
    if found["sign"][0] in ">≥":
        return _interval_of((end, ("∞", 1)), (closed_there, False))
    return _interval_of((("∞", -1), end), (False, closed_there))


def _interval_of(
    ends: tuple[object | None, object | None], closed: tuple[bool, bool]
) -> Form | None:
    return None if None in ends else Form("interval", (*ends, *closed))


def _end(text: str) -> object | None:
    """An end as it is compared; None for words."""
    text = text.strip()
    infinite = _INFINITE.fullmatch(text)
    if infinite is not None:
        return ("∞", -1 if infinite["sign"] == "-" else 1)
    quantity = whole(text)
    if quantity is not None:
        return (quantity.value, quantity.unit)
    root = _root(text)
    if root is not None:
        return root.value
    made = re.sub(r"\s+", "", text)
    return made if re.fullmatch(r"[+-]?(?:\d{0,9}π(?:/\d{1,9})?|[a-z])", made) else None


_BRACKETS = {"{": "}", "[": "]", "(": ")"}
_JOINED = re.compile(r"\s*[,，]?\s*(?:\s(?:and|&)\s|以及|[和与])\s*")
_COMMA = re.compile(r"\s*[,，、;；]\s*")
_BARE_COMMA = re.compile(r"\s*(?:,(?!\d{3}(?!\d))|[，、;；])\s*")
_NO_LIST = re.compile(
    r"\b(?:not|or|but|between|from|if|either|neither|nor|never|no|than|more|less|except|without)\b"
    r"|n't\b|[?？!<>≤≥±]|不|非|或|但|之间|除了|没",
    re.IGNORECASE,
)
_NAMED = re.compile(r"([a-z](?:_?\d)?)\s*=\s*")
MOST_ITEMS = 30


def _list(text: str) -> Form | None:
    """A list in brackets, or parted by commas or `and`; loose in braces and with `and`."""
    bracket = text[:1] if _BRACKETS.get(text[:1]) == text[-1:] else ""
    inner = text[1:-1] if bracket else text
    if (
        _NO_LIST.search(inner)
        or re.search(r"[{}\[\]()]", inner)
        or whole(text) is not None
    ):
        return None
    joined = _JOINED.split(inner)
    comma = _COMMA if bracket else _BARE_COMMA
    items = [item.strip() for part in joined for item in comma.split(part)]
    if not 1 < len(items) <= MOST_ITEMS or not all(items):
        return None
    names = {found[1] if (found := _NAMED.match(item)) else None for item in items}
    name = names.pop() if len(names) == 1 else None
    if name is not None:
        items = [_NAMED.sub("", item, count=1) for item in items]
    keys = list(_keys(items))
    if any(key is None for key in keys):
        return None
    opened = "(" if bracket in ("[", "(") else bracket
    return Form(
        "list", (opened, *keys), loose=bracket == "{" or len(joined) > 1, name=name
    )


def _keys(items: list[str]) -> Iterator[object | None]:
    """Each item as it is compared; None for more than a name or a number."""
    for item in items:
        quantity = whole(item)
        if quantity is not None:
            yield (quantity.value, quantity.unit)
            continue
        words = re.findall(r"[^\W_]+|[^\w\s\"'“”‘’.]", item.casefold())
        changed = any(word in CHANGING for word in words) and any(
            sign.isdigit() for sign in item
        )
        yield None if changed or not 0 < len(words) <= 6 else " ".join(words)
