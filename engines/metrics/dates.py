"""Dates and times of day, each in one notation."""

from __future__ import annotations

import re

from ...texts.patterns import lazy
from ..reading import numerals

_MONTH_NAMES = numerals.listed(
    """january february march april may june july august september october november
    december"""
)
_MONTHS = {
    **{name: number for number, name in enumerate(_MONTH_NAMES, 1)},
    **{name[:3]: number for number, name in enumerate(_MONTH_NAMES, 1)},
    "sept": 9,
}
_DAYS = numerals.listed("monday tuesday wednesday thursday friday saturday sunday")
_WEEKDAY = (
    "|".join(f"{day}|{day[:3]}\\b\\.?" for day in _DAYS) + r"|tues\b\.?|thurs?\b\.?"
)
_MONTH = rf"(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4})"
_HAN = "[零〇一二三四五六七八九十]"
_DATES = tuple(
    re.compile(
        r"(?:it\s+(?:is|was|happened|occurred|took place)\s+)?(?:on\s+"
        r"|in\s+)?(?:the\s+)?"
        rf"(?:(?P<weekday>{_WEEKDAY}),?\s+)?(?:the\s+)?{pattern}"
    )
    for pattern in (
        rf"{_DAY}[\s-]+(?:of\s+)?{_MONTH}(?:,?[\s-]+(?:in\s)?{_YEAR})?",
        rf"{_MONTH}\s+(?:the\s+)?{_DAY}(?:,?\s+{_YEAR})?",
        rf"{_MONTH},?\s+(?:of\s+)?{_YEAR}",
        rf"{_YEAR},\s+{_MONTH}\s+{_DAY}",
        r"(?P<first>\d{1,2})(?P<sep>[-/.])(?P<second>\d{1,2})(?P=sep)" + _YEAR,
        rf"{_YEAR}(?P<sep>[-/.])(?P<month>\d{{1,2}})(?P=sep){_DAY}",
    )
)
_BEGINS = lazy(rf"(?<!\w)(?:\d{{1,4}}|{'|'.join(_MONTHS)})|{_HAN}{{4}}年")
_SPOKEN_DAY = lazy(rf"(?:the\s+)?({'|'.join(numerals.ORDINALS)})\s+of\s+")
_DATE_HAN = lazy(
    rf"[于在]?(?:(?P<year>\d{{4}}|{_HAN}{{4}})\s*年\s*)?(?P<month>\d{{1,2}}"
    rf"|{_HAN}{{1,2}})\s*月"
    rf"(?:份|\s*(?P<day>\d{{1,2}}|{_HAN}{{1,3}})\s*[日号])?"
)


def date(text: str) -> tuple[object, ...] | None:
    """Year, month, day and weekday, as far as they are said."""
    if not ("月" in text or text[:1].isalnum()):
        return None
    spoken = _SPOKEN_DAY.match(text)
    if spoken is not None:
        text = f"{numerals.ORDINALS[spoken[1]]} {text[spoken.end() :]}"
    chinese = _DATE_HAN.fullmatch(text)
    if chinese is not None:
        year, month, day = (
            _han_number(chinese[one]) for one in ("year", "month", "day")
        )
        return _checked_date(year, month, day)
    for pattern in _DATES:
        match = pattern.fullmatch(text)
        if match is not None:
            given = match.groupdict()
            if "first" in given:
                return _of_two(
                    int(given["first"]), int(given["second"]), int(given["year"])
                )
            return _checked_date(
                _number(given.get("year")),
                _MONTHS.get(given["month"]) or int(given["month"]),
                _number(given.get("day")),
                given.get("weekday"),
            )
    return None


def only_date(text: str) -> tuple[object, ...] | None:
    """The only date with a year in a sentence; None without one, or with several."""
    found: set[tuple[object, ...] | None] = set()
    place = 0
    while (begin := _BEGINS.search(text, place)) is not None:
        ends = [
            match.end()
            for pattern in (*_DATES, _DATE_HAN)
            if (match := pattern.match(text, begin.start())) and match["year"]
        ]
        place = max(ends, default=begin.end())
        if ends:
            found.add(date(text[begin.start() : place]))
    return found.pop() if len(found) == 1 else None


def _of_two(first: int, second: int, year: int) -> tuple[object, ...] | None:
    """14.03.1879 and 3/14/1879; None where both numbers may be the month."""
    if first > 12 >= second or first == second:
        return _checked_date(year, second, first)
    if second > 12 >= first:
        return _checked_date(year, first, second)
    return None


def _checked_date(
    year: int | None, month: int | None, day: int | None, weekday: str | None = None
) -> tuple[object, ...] | None:
    if month is None or not 1 <= month <= 12 or not 1 <= (day or 1) <= 31:
        return None
    if year is None and day is None:
        return None
    weekday = weekday and weekday[:3]
    # a weekday follows from the date, so it is not compared where there is a year
    return year, month, day, weekday if year is None else None


def _number(text: str | None) -> int | None:
    if text is None:
        return None
    return int(text)


def _han_number(text: str | None) -> int | None:
    if text is None or text.isdecimal():
        return _number(text)
    read = numerals.chinese(text)
    if read is None:
        return None
    return int(read[0])


_CLOCK = lazy(
    r"(?:at\s+)?(?P<hour>\d{1,2})(?:\s*[:.]\s*(?P<minute>\d{2}))?(?:\s*:\s*00)?"
    r"\s*(?:(?P<half>[ap])\.?\s?m\b\.?|in\s+the\s+(?P<part>morning|afternoon|evening)"
    r"|(?P<clock>o'?clock))?"
)
_CLOCK_HAN = lazy(
    rf"(?P<part>早上|早晨|上午|凌晨|中午|下午|午后|傍晚|晚上)?\s*(?P<hour>\d{{1,"
    rf"2}}|{_HAN}{{1,3}})"
    rf"(?:[:：](?P<past>\d{{2}})|[点时](?:整|钟)?(?:(?P<half>半)|(?P<minute>\d{{1,"
    rf"2}}|{_HAN}{{1,3}})分?)?)"
)
_NAMED_TIMES = {"noon": 720, "midday": 720, "midnight": 0, "正午": 720, "午夜": 0}
_WORDED = lazy(
    r"(?:at\s)?(?:a\s)?(?P<past>half past|quarter past|quarter to)\s+"
    r"(?P<hour>[a-z]{3,6}|\d{1,2})"
    r"(?:\s*(?P<half>[ap])\.?m\b\.?|\s+in\s+the\s+(?P<part>morning|afternoon|evening))?"
)
_PAST = {"half past": 30, "quarter past": 15, "quarter to": -15}
_LATE = frozenset({"p", "afternoon", "evening", "下午", "午后", "傍晚", "晚上"})


def clock(text: str) -> tuple[object, ...] | None:
    """The minutes since midnight, and whether the half of the day is known: `3:30 pm`,
    `15:30`. A bare number is no time."""
    text = text.strip().removesuffix(".")
    named = _NAMED_TIMES.get(text)
    if named is not None:
        return named, True
    found = _CLOCK.fullmatch(text)
    if found is not None and (found["minute"] or text[-1:].isalpha()):
        part = found["half"] or found["part"]
        return _time(int(found["hour"]), int(found["minute"] or 0), part)
    found = _WORDED.fullmatch(text)
    if found is not None:
        read = numerals.english(found["hour"]) if found["hour"].isalpha() else None
        hour = (
            _number(found["hour"])
            if read is None and found["hour"].isdecimal()
            else read and int(read[0])
        )
        if hour is None:
            return None
        return _time(hour, _PAST[found["past"]], found["half"] or found["part"])
    found = _CLOCK_HAN.fullmatch(text)
    if found is None:
        return None
    hour = _han_number(found["hour"])
    minute = _han_number(found["minute"] or found["past"])
    if hour is None:
        return None
    return _time(hour, 30 if found["half"] else minute or 0, found["part"])


def _time(hour: int, minute: int, part: str | None) -> tuple[object, ...] | None:
    if hour > 24 or not -60 < minute < 60:
        return None
    known = part is not None or hour > 12 or hour == 0
    if part in _LATE and hour < 12:
        hour += 12
    if part in ("a", "morning", "上午", "早上", "早晨", "凌晨") and hour == 12:
        hour = 0
    return hour * 60 + minute, known
