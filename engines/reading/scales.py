"""Reads a number of a scale as people write it: `85/100`, `90 %`, `three out of 3`,
九十五分.
"""

from __future__ import annotations

import re

from .fields import JsonSchema
from .numerals import NUMERAL, chinese, english

NUMERIC = ("number", "integer")
_SMALL = "zero|one|two|three|four|five|six|seven|eight|nine"
_TEENS = (
    "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
)
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_SHARE = rf"(?:(?:an?|{_SMALL}) )?(?:half|halves|thirds?|quarters?|fifths?|tenths?)"
_DIGITS = r"(?:\d{1,3}(?:\.\d{1,9})?|(?<![\w.])\.\d{1,9})"
AMOUNT = (
    rf"(?:{_DIGITS}"
    rf"|(?:(?:{_TENS})(?:[ -](?:{_SMALL}))?|{_SHARE}|(?:an?|one) hundred|{_TEENS}"
    rf"|{_SMALL})"
    rf"(?: point(?: (?:{_SMALL})){{1,4}})?(?![a-z-])"
    rf"|(?:百分之)?{NUMERAL}{{1,4}}(?:点{NUMERAL}{{1,4}})?)"
)
"""A number up to some hundreds, in digits or in words."""
_OF = rf"(?:/|out of|of(?: a)?)\s*(?P<of>{AMOUNT})\b(?: points?)?"
_ASIDE = (
    r"[(（](?:满分|总分|共|max(?:imum)?|out of|of|on|from|to|the|an?|scale|points?|分|制"
    rf"|[\s\d./:：–—-]|{AMOUNT}){{1,12}}[)）]"
)
"""Brackets that say no more than what the scale is."""
_UNIT = (
    rf"(?:\s*(?:(?:points? )?{_OF}|(?P<percent>[%％]|per ?cent\b)|(?P<tenths>成)|分"
    rf"|points?\b))?"
    rf"(?:\s*(?P<aside>{_ASIDE}))?"
)
UNIT = re.sub(r"\?P<\w+>", "?:", _UNIT)
"""Text after a number that names its scale."""
_SCALED = re.compile(
    rf"(?i)(?P<value>{AMOUNT}){_UNIT}"
    r"(?:,? on (?:a|the) scale (?:of|from) 0 ?(?:to|-|–) ?\d{1,3})?[.。]?",
)


def decides(spec: JsonSchema) -> bool:
    """True for a value that is chosen, and no text."""
    return spec.get("type") in ("boolean", *NUMERIC) or "enum" in spec


def scaled(value: str, spec: JsonSchema) -> str:
    """A number of a scale in digits; the text itself where it is none of this scale."""
    match = _SCALED.fullmatch(value.strip())
    if match is None:
        return value
    number = amount(match["value"])
    if number is None:
        return value
    most = spec.get("maximum")
    share = match["value"].startswith("百分之")
    of = amount(match["of"]) if match["of"] else None
    if match["percent"] or share:
        of = 100.0
    if match["tenths"]:
        of = 10.0
    beside = {float(one) for one in re.findall(_DIGITS, match["aside"] or "")}
    beside -= {0, number, most}
    if beside and (of or len(beside) > 1):
        return value
    of = of or (beside.pop() if beside else None)
    if not of and most == 1 and 10 < number <= 100:
        of = 100.0  # `85` where 0.85 was asked for
    if of and most == 1:
        return f"{number / of:.12g}"
    if of and of != most:
        if most is None or not 0 < number <= of <= 100:
            return value
        number = number * most / of
        if number != int(number):
            return value
    return f"{number:.12g}"


def amount(text: str) -> float | None:
    """The number that a text states, in digits or in words; None if it states none."""
    text = text.strip().casefold().removeprefix("百分之")
    if re.fullmatch(_DIGITS, text):
        return float(text)
    if not text:
        return None
    read = english(text) if text.isascii() else chinese(text)
    if read is None:
        return None
    return float(read[0])
