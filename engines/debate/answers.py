"""What a speech states as its answer, and when two answers are the same.

Numbers are compared by value, exactly: 3/2 = 1.5 = 150 %, 1,200 = 1200; units are dropped, but metres are not kilometres. A per cent sign
is part of
the value: 50 % is 1/2 and not 50. Nothing is rounded: 0.33 is not 1/3. What is not a number for certain is compared as text.
"""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from functools import lru_cache

_MARKER = r"(?:(?:my|our|the|final|present|current|correct)\s+)*(?:answer|translation)|(?:最终|最后|正确|目前|我)?的?(?:答案|译文|翻译)"
_CLOSING = re.compile(rf"^[\s#>*_`\-]*(?:{_MARKER})[\s*_`]*[:：](?P<rest>.*)$", re.IGNORECASE)
_QUOTES = {'"': '"', "“": "”", "'": "'", "‘": "’", "「": "」", "『": "』", "`": "`", "«": "»"}


def closing(text: str) -> str | None:
    """The answer that the closing line of a speech states (`Answer: …`, `译文：…`), None if it does not close with one.

    The marker may stand alone on the last line but one. Markdown emphasis and one pair of quotation marks around the answer are dropped.
    """
    lines = [line for line in text.splitlines() if line.strip(" \t*_`#>=-")]
    for count in (1, 2):
        found = _CLOSING.match(lines[-count]) if len(lines) >= count else None
        if found:
            rest = _bare(found["rest"])
            if count == 1:
                return rest
            return None if rest else _bare(lines[-1])
    return None


def single_line(text: str) -> str | None:
    """The whole reply, if it is one line."""
    lines = [line for line in text.splitlines() if line.strip()]
    return _bare(lines[0]) if len(lines) == 1 else None


def same(one: str, other: str) -> bool:
    """True if two answers say the same: equal numbers, else equal words (case, punctuation, width and white space do not count)."""
    first, second = number(one), number(other)
    if first is None and second is None:
        return words(one) == words(other)
    if first is None or second is None:
        return False
    units = {_UNITS.get(unit) for unit in (first[1], second[1]) if unit} - {None}
    return first[0] == second[0] and len(units) < 2


def _bare(text: str) -> str | None:
    text = text.strip()
    for mark in ("**", "__", "*", "_", "`"):
        text = text.removeprefix(mark).strip()
        if text.count(mark) % 2:
            text = text.removesuffix(mark).strip()
    if len(text) > 1 and _QUOTES.get(text[0]) == text[-1] and text[0] not in text[1:-1] and text[-1] not in text[1:-1]:
        text = text[1:-1].strip()
    return text if any(sign.isalnum() for sign in text) else None


_UNIT_NAMES = {
    "m": "m meter meters metre metres 米",
    "cm": "cm centimeter centimeters centimetre centimetres 厘米",
    "mm": "mm millimeter millimeters millimetre millimetres 毫米",
    "km": "km kilometer kilometers kilometre kilometres 公里 千米",
    "mile": "mile miles mi 英里",
    "kg": "kg kilogram kilograms 公斤 千克",
    "g": "g gram grams 克",
    "t": "t ton tons tonne tonnes 吨",
    "s": "s sec second seconds 秒",
    "min": "min mins minute minutes 分钟",
    "h": "h hr hrs hour hours 小时",
    "day": "d day days 天",
    "week": "week weeks 周 星期",
    "month": "month months 个月",
    "year": "year years 年",
    "m/s": "m/s mps meters per second|metres per second|meter per second|米/秒|米每秒",
    "km/h": "km/h kph kmh kilometers per hour|kilometres per hour|公里/小时|千米/小时|公里每小时",
    "mph": "mph miles per hour",
    "degree": "° degree degrees 度",
    "°c": "°c", "°f": "°f",
    "$": "$ dollar dollars usd 美元",
    "€": "€ euro euros eur 欧元",
    "£": "£ pound pounds gbp 英镑",
    "cent": "cent cents 美分",
    "yuan": "¥ yuan rmb cny 元",
}  # fmt: skip


def _known() -> dict[str, str]:
    found: dict[str, str] = {}
    for unit, names in _UNIT_NAMES.items():
        first, *phrases = names.split("|")
        head = first.split(" ")
        if "per" in head:
            cut = head.index("per") - 1
            phrases.append(" ".join(head[cut:]))
            head = head[:cut]
        found.update(dict.fromkeys([*head, *phrases], unit))
    return found


_UNITS = _known()
_SCALES = """or and to not less more than least most minus plus about dozen dozens hundred hundreds thousand thousands million millions
billion billions trillion pi squared cubed half halves third thirds quarter quarters tenth tenths hundredth point pct bp bps st nd rd th"""
_NOT_UNITS = frozenset(_SCALES.split())
_NUMBER = re.compile(
    r"(?P<currency>[$€£¥])?\s*(?P<sign>[+-]?)\s*(?P<currency2>[$€£¥])?\s*"
    r"(?:(?P<whole>\d+)\s+(?P<top>\d+)\s*/\s*(?P<bottom>\d+)"
    r"|(?P<one>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)(?:e(?P<exp>[+-]?\d{1,3}))?(?:\s*/\s*(?P<two>\d+(?:\.\d+)?))?)"
    r"\s*(?P<percent>%|percent|per cent|个百分点)?\s*(?P<unit>[^\d]*)"
)


@lru_cache(maxsize=1024)
def number(text: str) -> tuple[Fraction, str | None] | None:
    """The exact value of a text that is one number and nothing else but a unit, and that unit in lower case; None if it is not."""
    if len(text) > 300:
        return None
    plain = _plain(_without_latex(text)).casefold().lstrip(" \"'“‘(（[*").rstrip(" .。,，;；:\"'”’)）]*")
    plain = re.sub(r"^[a-z]\w{0,20}\s*=\s*", "", plain)
    plain, chinese = re.subn(r"^百分之\s*", "", plain)
    found = _NUMBER.fullmatch(plain) if len(plain) <= 80 else None
    if found is None:
        return None
    unit = found["unit"].strip(" .。,，;；()（）")
    if not _is_unit(unit) or (unit and (found["currency"] or found["currency2"])):
        return None
    try:
        value = _value(found)
    except ZeroDivisionError:
        return None
    if found["percent"] or chinese:
        value /= 100
        if found["percent"] == "个百分点" or (found["percent"] and chinese):
            return None
    return value, unit or found["currency"] or found["currency2"]


def _value(found: re.Match[str]) -> Fraction:
    if found["whole"]:
        value = int(found["whole"]) + Fraction(int(found["top"]), int(found["bottom"]))
    else:
        value = Fraction(found["one"].replace(",", "")) * Fraction(10) ** int(found["exp"] or 0)
        if found["two"]:
            value /= Fraction(found["two"])
    return -value if found["sign"] == "-" else value


def _is_unit(unit: str) -> bool:
    """A unit is up to four words of letters; a word that changes the value (`million`, `or more`) is none."""
    if not unit or unit in _UNITS:
        return True
    if not re.fullmatch(r"[^\W\d_]+(?:[ /·-][^\W\d_]+){0,3}", unit):
        return False
    if re.search(r"[百千万亿十兆半多几余上下左右不或至到倍成分之约点零〇一二三四五六七八九两]", unit):
        return False
    words_of = re.split(r"[ /·-]", unit)
    return not any(word in _NOT_UNITS or (len(word) == 1 and word < "\u2e80" and word not in _UNITS) for word in words_of)


@lru_cache(maxsize=256)
def words(text: str) -> str:
    """A text with case, width, punctuation and white space made equal. Signs beside digits stay: they may be part of a number."""
    plain = _plain(_without_latex(text)).casefold()
    digits = any(sign.isdigit() for sign in plain)
    kept: list[str] = []
    for position, sign in enumerate(plain):
        if unicodedata.category(sign)[0] == "P" and not (digits and _counts(plain, position)):
            kept.append("" if sign in "'’" else " ")
        else:
            kept.append(sign)
    made = " ".join("".join(kept).split())
    made = re.sub(r"(?<=[\u2e80-\u9fff])\s+|\s+(?=[\u2e80-\u9fff])", "", made)
    return made or text.strip()


def _counts(text: str, position: int) -> bool:
    """True if a punctuation mark may change the value of a number."""
    sign, before, after = text[position], text[position - 1 : position], text[position + 1 : position + 2]
    if sign in "-/%*!":
        return True
    return after.isdigit() or (before.isdigit() and sign not in ".,;:?…)]}\"'。，；：？、”’")


def _plain(text: str) -> str:
    """NFKC, but ½ does not grow together with a digit before it and 10² does not become 102."""
    made: list[str] = []
    for sign in text:
        form = unicodedata.decomposition(sign)
        if form.startswith("<fraction>"):
            made.append(" " + unicodedata.normalize("NFKC", sign).replace("\u2044", "/"))
        elif form.startswith(("<super>", "<sub>")):
            made.append(("^" if form.startswith("<super>") else "_") + unicodedata.normalize("NFKC", sign))
        else:
            made.append(sign)
    plain = unicodedata.normalize("NFKC", "".join(made))
    return plain.translate({0x2212: "-", 0x2013: "-", 0x2044: "/", 0x2215: "/", 0x00F7: "/"}).strip()


def _without_latex(text: str) -> str:
    text = text.strip()
    for left, right in (("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]")):
        if text.startswith(left) and text.endswith(right) and len(text) > len(left) + len(right):
            text = text[len(left) : -len(right)].strip()
    for _ in range(3):
        text = re.sub(r"\\boxed\s*\{([^{}]*)\}", r"\1", text)
        text = re.sub(r"(?<=\d)\s*\\[dt]?frac\s*\{\s*(\d+)\s*\}\s*\{\s*(\d+)\s*\}", r" \1/\2", text)
        text = re.sub(r"\\[dt]?frac\s*\{\s*(\d+(?:\.\d+)?)\s*\}\s*\{\s*(\d+(?:\.\d+)?)\s*\}", r"\1/\2", text)
        text = re.sub(r"\\(?:text|mathrm|textbf|mathbf)\s*\{([^{}]*)\}", r" \1", text)
    return re.sub(r"\\[,;:! ]", " ", text).replace(r"\%", "%")
