"""Numbers with their units, as they stand in an answer: the exact value, how many digits were written after the point, and the unit.

A per cent sign and a scale (`1.5 million`) are part of the value: 50 % is 1/2 and not 50. Units are held, never converted: 1.5 km is not
1.5 m, and 60 minutes is not compared with 1 hour. Nothing is evaluated but one fraction and one power, both of bounded size.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from . import numerals
from .numerals import listed

Unit = tuple[str | None, frozenset[str]]
"""A known unit under its one name, or None; and the other words behind the number, in the singular."""

NO_UNIT: Unit = (None, frozenset())


class Quantity(NamedTuple):
    """One value. `places`: digits after the point as written, 0 for a whole number, None for a fraction."""

    value: Fraction
    places: int | None
    unit: Unit = NO_UNIT


def agree(one: Quantity, other: Quantity) -> bool:
    """Whether two values are the same to a reader.

    Units must not contradict each other; a missing unit fits any. Whole numbers only exactly. Decimals: the longer one, rounded half up to
    the digits of the shorter, equals it, and they differ by at most 0.5 %. A fraction counts as longer than any decimal.
    """
    return _units_agree(one.unit, other.unit) and _values_agree(one, other)


def _values_agree(one: Quantity, other: Quantity) -> bool:
    if one.value == other.value:
        return True
    if one.places is None and other.places is None:
        return False
    short, long = (
        (one, other)
        if other.places is None
        or (one.places is not None and one.places < other.places)
        else (other, one)
    )
    if (
        not short.places
        or long.places == 0
        or short.places == long.places
        or short.value.denominator == 1
        or long.value.denominator == 1
    ):
        return False
    return _half_up(long.value, short.places) == short.value and abs(
        one.value - other.value
    ) * 200 <= abs(long.value)


def _half_up(value: Fraction, places: int) -> Fraction:
    scaled = abs(value) * 10**places
    rounded = Fraction(
        (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator),
        10**places,
    )
    return -rounded if value < 0 else rounded


def _units_agree(one: Unit, other: Unit) -> bool:
    if NO_UNIT in (one, other):
        return True
    if one[0] != other[0]:
        return False
    return one[1] <= other[1] or other[1] <= one[1]


# ------------------------------------------------------------------ text made plain


def plain(text: str) -> str:
    """The text without LaTeX and emphasis, one form for each sign. ½ stays apart from a digit before it, and 10² becomes 10^2."""
    folded = _without_latex(text).strip()
    if not folded.isascii():
        joined = _THIN.sub("", "".join(map(_form, folded)))
        folded = unicodedata.normalize("NFKC", joined).translate(_SIGNS).strip()
    if _MARKED.search(folded):
        for _ in range(3):
            folded = _EMPHASIS.sub(r"\2", folded)
    return folded


@lru_cache(maxsize=4096)
def _form(sign: str) -> str:
    """A sign; a fraction, a raised or a lowered one as it is typed."""
    form = unicodedata.decomposition(sign)
    if form.startswith("<fraction>"):
        return " " + unicodedata.normalize("NFKC", sign).replace("\u2044", "/")
    if form.startswith(("<super>", "<sub>")):
        mark = "^" if form.startswith("<super>") else "_"
        return mark + unicodedata.normalize("NFKC", sign)
    return sign


_MARKED = re.compile(r"[*_`]")
_THIN = re.compile(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))")
"""Between the groups of a long number."""
_SIGNS = {
    0x2010: "-",
    0x2011: "-",
    0x2012: "-",
    0x2013: "-",
    0x2212: "-",
    0x2044: "/",
    0x2215: "/",
    0x00F7: "/",
    0x2019: "'",
    0x2018: "'",
}
_EMPHASIS = re.compile(
    r"(?<![\w*])(\*{1,3}+|_{1,3}+|`{1,3}+)(?=\S)([^*`]{0,300}?\S)\1(?![\w*])"
)
"""At most 300 characters: without a bound, a text of opening marks alone would be
searched to its end from each of them."""


_LATEX_SIGNS = {
    "pi": "π", "infty": "∞", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠", "pm": "±", "in": "∈", "cup": "∪",
    "cap": "∩", "theta": "θ", "alpha": "α", "beta": "β", "lt": "<", "gt": ">", "left": "", "right": "",
    "displaystyle": "",
}  # fmt: skip
_SIGNED = re.compile(
    r"\\("
    + "|".join(sorted((one for one in _LATEX_SIGNS if one.isalpha()), reverse=True))
    + r")(?![a-zA-Z])"
)
_SPACING = re.compile(r"\\(?:q?quad(?![a-zA-Z])|~)")
_SQRT = re.compile(r"\\sqrt\s*(?:\{\s*([^{}]{1,60}?)\s*\}|(\d))")


def _radical(found: re.Match[str]) -> str:
    inside = found[1] or found[2]
    return f"√{inside}" if inside.isalnum() else f"√({inside})"


def _without_latex(text: str) -> str:
    text = text.strip()
    if "$" not in text and "\\" not in text:
        return text
    for left, right in (("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]")):
        inner = text[len(left) : -len(right)]
        if (
            text.startswith(left)
            and text.endswith(right)
            and len(text) > len(left) + len(right)
            and left not in inner
        ):
            text = inner.strip()
    if "\\" not in text:
        return text
    text = _SPACING.sub(" ", _SIGNED.sub(lambda found: _LATEX_SIGNS[found[1]], text))
    text = _SQRT.sub(_radical, text)
    for _ in range(3):
        text = re.sub(r"\\(?:boxed|fbox)\s*\{([^{}]*)\}", r"\1", text)
        text = re.sub(
            r"(?<=\d)\s*\\[dt]?frac\s*\{\s*(\d+)\s*\}\s*\{\s*(\d+)\s*\}",
            r" \1/\2",
            text,
        )
        text = re.sub(
            r"\\[dt]?frac\s*\{\s*(\d+(?:\.\d+)?)\s*\}\s*\{\s*(\d+(?:\.\d+)?)\s*\}",
            r"\1/\2",
            text,
        )
        text = re.sub(
            r"\\[dt]?frac\s*\{\s*([\d√]{1,20}|\d{0,9}π)\s*\}\s*\{\s*(\d{1,9})\s*\}",
            r"\1/\2",
            text,
        )
        text = re.sub(
            r"\\(?:text|mathrm|textbf|mathbf|textit|operatorname)\s*\{([^{}]*)\}",
            r" \1",
            text,
        )
        text = re.sub(r"\^\s*\{\s*([+-]?\d{1,3})\s*\}", r"^\1", text)
    text = re.sub(r"\\(?:times|cdot)(?![a-zA-Z])", "×", text)
    text = re.sub(r"\\approx(?![a-zA-Z])", "≈", text)
    text = re.sub(r"\^\s*\\circ(?![a-zA-Z])", "°", text)
    return (
        re.sub(r"\\[,;:! ]", " ", text)
        .replace(r"\%", "%")
        .replace(r"\$", "$")
        .replace(r"\{", "{")
        .replace(r"\}", "}")
        .replace("{,}", ",")
    )


# ------------------------------------------------------------------ units

_WORDS = {
    "m": "meter meters metre metres 米",
    "cm": "centimeter centimeters centimetre centimetres 厘米",
    "mm": "millimeter millimeters millimetre millimetres 毫米",
    "km": "kilometer kilometers kilometre kilometres 公里 千米",
    "mile": "mile miles 英里",
    "ft": "foot feet 英尺",
    "inch": "inch inches 英寸",
    "yard": "yard yards 码",
    "kg": "kilogram kilograms kilo kilos 公斤 千克",
    "g": "gram grams gramme grammes 克",
    "mg": "milligram milligrams 毫克",
    "t": "ton tons tonne tonnes 吨",
    "lb": "lbs",
    "oz": "ounce ounces 盎司",
    "s": "sec secs second seconds 秒 秒钟",
    "ms": "millisecond milliseconds 毫秒",
    "min": "min mins minute minutes 分钟",
    "h": "hr hrs hour hours 小时 钟头",
    "day": "day days 天",
    "week": "week weeks 周 星期 个星期",
    "month": "month months 个月",
    "year": "year years yr yrs 年",
    "decade": "decade decades",
    "century": "century centuries 个世纪",
    "l": "liter liters litre litres 升",
    "ml": "milliliter milliliters millilitre millilitres 毫升",
    "j": "joule joules 焦耳",
    "w": "watt watts 瓦 瓦特",
    "kw": "kilowatt kilowatts 千瓦",
    "kwh": "kwh 千瓦时",
    "v": "volt volts 伏 伏特",
    "a": "ampere amperes amp amps 安培",
    "n": "newton newtons 牛顿",
    "hz": "hertz 赫兹",
    "acre": "acre acres 英亩",
    "hectare": "hectare hectares ha 公顷",
    "byte": "byte bytes 字节",
    "bit": "bit bits 比特",
    "degree": "degree degrees 度",
    "°c": "celsius 摄氏度",
    "°f": "fahrenheit 华氏度",
    "radian": "radian radians rad 弧度",
    "$": "dollar dollars usd 美元",
    "€": "euro euros eur 欧元",
    "£": "pound pounds gbp quid 英镑",
    "cent": "cent cents 美分",
    "yuan": "yuan rmb cny 元 块 块钱 人民币",
    "yen": "yen jpy 日元",
    "rupee": "rs rs. rupee rupees inr 卢比",
    "times": "time times revolution revolutions rotation rotations turn turns 次 圈 遍 倍 回 周圈",
    "person": "person persons people 人 个人 名 位",
}  # fmt: skip
_SYMBOLS = {
    "m": "m", "cm": "cm", "mm": "mm", "km": "km", "KM": "km", "Km": "km", "mi": "mile", "ft": "ft", "yd": "yard",
    "kg": "kg", "KG": "kg", "Kg": "kg", "g": "g", "mg": "mg", "t": "t", "lb": "lb", "oz": "oz", "s": "s", "ms": "ms", "h": "h", "d": "day",
    "L": "l", "l": "l", "ml": "ml", "mL": "ml", "J": "j", "kJ": "kj", "MJ": "mj", "W": "w", "kW": "kw", "MW": "mw", "mW": "milliw",
    "V": "v", "kV": "kv", "mV": "mv", "A": "a", "mA": "ma", "N": "n", "Hz": "hz", "kHz": "khz", "MHz": "mhz", "GHz": "ghz",
    "Pa": "pa", "kPa": "kpa", "K": "kelvin", "KB": "kb", "kB": "kb", "MB": "mb", "GB": "gb", "TB": "tb", "Mb": "mbit", "Gb": "gbit",
    "kWh": "kwh", "°": "degree", "°C": "°c", "°F": "°f", "°c": "°c", "°f": "°f", "$": "$", "€": "€", "£": "£", "¥": "yuan", "¢": "cent",
    "kcal": "kcal", "cal": "cal", "mol": "mol", "dB": "db",
}  # fmt: skip
_BY_WORD = {word: unit for unit, names in _WORDS.items() for word in names.split()}
_ALIASES = {
    "mph": "mile/h",
    "mps": "m/s",
    "kph": "km/h",
    "kmh": "km/h",
    "kmph": "km/h",
    "KM/H": "km/h",
    "sqm": "m^2",
}
_CURRENCIES = {
    "$": "$", "US$": "$", "USD": "$", "€": "€", "EUR": "€", "£": "£", "GBP": "£", "¥": "yuan", "RMB": "yuan", "CNY": "yuan",
    "RS": "rupee", "RS.": "rupee", "₹": "rupee", "INR": "rupee",
}  # fmt: skip

_HAN = "\u3400-\u9fff"
_SQUARES = {
    "square": "^2",
    "sq": "^2",
    "sq.": "^2",
    "cubic": "^3",
    "平方": "^2",
    "立方": "^3",
}
_SQUARE = re.compile(r"sq|cu|[平立]", re.IGNORECASE)
_CLASSIFIERS = "个只名位颗张本条支瓶把件间辆种杯桌棵头匹台道朵双对组批架艘群袋盒箱片粒根座家户项门堂页篇句首段层排列枚杆"
_ONE = rf"[{_HAN}]{{1,9}}|°[CcFf]?|[$€£¥¢]|[A-Za-z]+\.?"
_UNIT = re.compile(rf"(?:{_ONE})(?:\^-?\d)?")
_PER = re.compile(r"\s*(?:/|\bper\b|每)\s*", re.IGNORECASE)

CHANGING = frozenset(
    listed(
        """about above almost and april as august base below besides between beyond but by bc bce ad ce am pm clock cubed december dozen
        dozens double e eighth excluding except exceeding factorial february few fewer fifth first fourth friday greater half halves
        hundred hundreds hundredth if incorrect instead into is it january july june larger least less log march may million millions
        billion billions minus monday more most nd never nearly neither no nor not november o'clock october off on or oct over pct
        percent percentage pi plus point points quarter quarters rather rd root saturday seldom september several squared st sunday
        tenth tenths th than thursday third thirds thousand thousands to trillion trillions triple tuesday twice under unless up
        version wednesday without wrong x y z false bps bp mod isn't aren't wasn't don't doesn't didn't can't cannot won't impossible
        unlikely jan feb mar apr jun jul aug sep sept nov dec
        ago later earlier hence before after early late"""
    )
)
"""Words after which a number no longer says what it says alone: they change it, deny it, or make a date or a name of it."""
_CHANGING_HAN = re.compile(
    r"[百千万亿兆半多几余上下左不或至到成分之约点月号日时世级楼届版第非没无别错否前后]"
)


def _unit_at(text: str, start: int) -> tuple[Unit, int] | None:
    """The unit that begins at `start`, with its end; None if what stands there is none. An empty unit ends where it begins."""
    place = _skip(text, start)
    known, end = _known_at(text, place)
    if known is not None:
        return (known, frozenset()), end
    return NO_UNIT, start


def _skip(text: str, place: int) -> int:
    while (
        place < len(text)
        and text[place] in " -"
        and (text[place] == " " or text[place + 1 : place + 2].isalpha())
    ):
        place += 1
    return place


def _known_at(text: str, place: int) -> tuple[str | None, int]:
    """The name of a known unit at this place, compound ones (`km/h`, `miles per hour`, 米每秒) as one; and its end."""
    first, end = _simple_at(text, place)
    if first is None:
        return None, place
    while True:
        joined = _PER.match(text, end)
        if joined is None:
            return first, end
        following, after = _simple_at(text, joined.end())
        if following is None:
            return first, end
        first, end = f"{first}/{following}", after


def _simple_at(text: str, place: int) -> tuple[str | None, int]:
    power, began = "", place
    squares = _SQUARES if _SQUARE.match(text, place) else {}
    for word, sign in squares.items():
        if text[place : place + len(word)].casefold() == word and (
            not word[-1].isascii()
            or text[place + len(word) : place + len(word) + 1] in " -"
        ):
            power, place = sign, _skip(text, place + len(word))
            break
    found = _UNIT.match(text, place)
    if found is None:
        return None, began
    raw, caret, digits = found[0].partition("^")
    if "\u3400" <= raw[0] <= "\u9fff":
        for length in range(len(raw), 0, -1):
            if raw[:length] in _BY_WORD:
                if length < len(raw):
                    caret = digits = ""
                return _BY_WORD[
                    raw[:length]
                ] + power + caret + digits, place + length + (
                    len(caret + digits) if length == len(raw) else 0
                )
        return None, began
    name = _named(raw) or _named(raw.rstrip("."))
    if name is None:
        return None, began
    end = found.end() - (raw.endswith(".") and _named(raw) is None and not caret)
    return name + (power or caret + digits), end


def _named(word: str) -> str | None:
    if word in _ALIASES or word.casefold() in _ALIASES:
        return _ALIASES.get(word) or _ALIASES[word.casefold()]
    return _SYMBOLS.get(word) or _BY_WORD.get(word.casefold())


# ------------------------------------------------------------------ numbers

_DIGITS = r"(?:\d{1,3}(?:,\d{3})+(?![\d,])|\d{1,2}(?:,\d{2})+,\d{3}(?![\d,])|\d+)(?:\.\d+)?|\.\d+"
_CURRENCY = (
    r"(?:US\$|[$€£¥₹]|(?<![A-Za-z])(?:USD|EUR|GBP|RMB|CNY|INR|Rs\.?)(?![A-Za-z]))"
)
_NUMERAL = re.compile(
    rf"(?P<currency>{_CURRENCY})?\s*(?P<sign>[+-]|\b(?:minus|negative)\s|负)?\s*(?P<currency2>{_CURRENCY})?\s*(?P<hundredths>百分之)?\s*"
    rf"(?:(?P<whole>\d+)\s+(?P<top>\d+)\s*/\s*(?P<bottom>\d+)"
    rf"|(?P<base>\d{{1,6}})\s*(?:\^|\*\*)\s*(?P<power>[+-]?\d{{1,3}})"
    rf"|(?P<one>{_DIGITS})(?:(?:e(?P<exp>[+-]?\d{{1,3}}))|\s*[×x*]\s*10\s*(?:\^|\*\*)\s*(?P<ten>[+-]?\d{{1,3}}))?(?:\s*/\s*(?P<two>\d+(?:\.\d+)?))?"
    rf"|(?P<han>{numerals.CHINESE})|(?P<english>{numerals.ENGLISH}))",
    re.IGNORECASE,
)
_PERCENT = re.compile(
    r"\s*(?P<percent>%|‰|percent\b|per\s+cent\b)(?!\s*point|\s*-\s*point)",
    re.IGNORECASE,
)
_SCALE = re.compile(
    r"\s*-?\s*(?P<scale>(?:thousand|million|billion|trillion)(?![A-Za-z])|百万|千万|十万|万亿|万|亿|千(?![米克瓦])|百)",
    re.IGNORECASE,
)
_SCALES = {
    **numerals.SCALES,
    "百": 100,
    "千": 1000,
    "万": 10**4,
    "十万": 10**5,
    "百万": 10**6,
    "千万": 10**7,
    "亿": 10**8,
    "万亿": 10**12,
}


_STEMS = "|".join(numerals.STEMS)
_ASCII_NUMBER = re.compile(rf"\d|{_STEMS}", re.ASCII)
_NUMBER = re.compile(rf"\d|{numerals.NUMERAL}|{_STEMS}", re.IGNORECASE)
_DECADE = re.compile(r"\s*\d{3}0'?s\b")
"""The 1990s are no seconds."""


def numerals_in(text: str) -> Iterator[tuple[int, Quantity | None, int]]:
    """Every number in a plain text: where it begins, what it is with the known unit behind it, and where that ends.

    None where the signs make no value: the text says something with a number that is not understood.
    """
    if not _may_have_number(text):
        return
    place = 0
    while found := _NUMERAL.search(text, place):
        start = found.start() + len(found[0]) - len(found[0].lstrip())
        quantity, end = _made(found, text)
        yield start, quantity, end
        place = max(end, found.end())


@lru_cache(maxsize=4096)
def first_numeral(text: str) -> tuple[int, Quantity | None, int] | None:
    """The first one of `numerals_in`; None where there is none."""
    return next(numerals_in(text), None)


def _may_have_number(text: str) -> bool:
    """Whether it is worth to look: most texts without a number are known in one go."""
    if text.isascii():
        return _ASCII_NUMBER.search(text.lower()) is not None
    return _NUMBER.search(text) is not None


def _made(found: re.Match[str], text: str) -> tuple[Quantity | None, int]:
    end = found.end()
    read = _value(found)
    if read is None:
        return None, end
    value, places = read
    named = (found["currency"] or found["currency2"] or "").upper()
    if end == len(text) and not found["hundredths"]:
        paid = (_CURRENCIES[named], frozenset[str]()) if named else NO_UNIT
        return Quantity(value, places, paid), end
    scaled = _SCALE.match(text, end)
    if scaled and not found["english"]:
        factor = _SCALES[scaled["scale"].casefold()]
        value, places, end = (
            value * factor,
            None if places is None else max(0, places - len(str(factor)) + 1),
            scaled.end(),
        )
    hundred = _PERCENT.match(text, end)
    if hundred and (found["hundredths"] or "百分之" in found[0]):
        return None, end
    if hundred or found["hundredths"]:
        thousand = hundred is not None and hundred["percent"] == "‰"
        value, end = (
            value / (1000 if thousand else 100),
            hundred.end() if hundred else end,
        )
        places = places and places + (3 if thousand else 2)
    if _DECADE.match(text, found.start()):
        return None, end
    unit, end_of_unit = _unit_at(text, end) or (NO_UNIT, end)
    if named:
        if unit != NO_UNIT and unit[0] != _CURRENCIES[named]:
            return None, end_of_unit
        unit = (_CURRENCIES[named], frozenset())
    elif _is_name(text[end:end_of_unit], value):
        return None, end_of_unit
    return Quantity(value, places, unit), end_of_unit


def _is_name(unit: str, value: Fraction) -> bool:
    """`50 Cent`: a unit in the singular with a capital letter is not how a quantity is written."""
    word = unit.strip()
    return (
        len(word) > 3
        and word.isascii()
        and word.istitle()
        and not word.endswith("s")
        and abs(value) > 1
        and word.casefold() in _BY_WORD
    )


def _value(found: re.Match[str]) -> tuple[Fraction, int | None] | None:
    read = _unsigned(found)
    if read is not None and found["sign"] and found["sign"].strip().casefold() != "+":
        return -read[0], read[1]
    return read


def _unsigned(found: re.Match[str]) -> tuple[Fraction, int | None] | None:
    if found["han"]:
        return numerals.chinese(found["han"])
    if found["english"]:
        return numerals.english(found["english"])
    try:
        if found["whole"]:
            return int(found["whole"]) + Fraction(
                int(found["top"]), int(found["bottom"])
            ), None
        if found["base"]:
            return Fraction(int(found["base"])) ** int(found["power"]), 0 if int(
                found["power"]
            ) >= 0 else None
        written = found["one"].replace(",", "")
        shift = int(found["exp"] or found["ten"] or 0)
        before, _, behind = written.partition(".")
        value = Fraction(int(before + behind), 10 ** len(behind))
        if shift:
            value *= Fraction(10) ** shift
        places = max(0, len(behind) - shift)
        return (
            (value / Fraction(found["two"]), None) if found["two"] else (value, places)
        )
    except ZeroDivisionError:
        return None


# ------------------------------------------------------------------ a text that is one quantity


def whole(text: str) -> Quantity | None:
    """The quantity that a plain text is, with nothing else but up to four words of what is counted; None if it is not one."""
    text = text.strip(" \"'“”‘’")
    if not 0 < len(text) <= 120:
        return None
    start, quantity, end = first_numeral(text) or (0, None, 0)
    if start != 0 or quantity is None:
        return None
    rest = text[end:]
    if not rest.strip():
        return quantity
    counted = _counted(rest, quantity, spelt=text[0].isalpha())
    if counted is None or (
        counted
        and quantity.unit[0] in _CURRENCIES.values()
        and quantity.unit[0] not in ("yuan", "rupee")
    ):
        return None
    return quantity._replace(unit=(quantity.unit[0], quantity.unit[1] | counted))


def _counted(rest: str, quantity: Quantity, spelt: bool) -> frozenset[str] | None:
    """The words of what is counted; None if a word among them changes the number, or could be a part of a name (四川, `one hopes`)."""
    rest = rest.strip()
    if "\u3400" <= rest[:1] <= "\u9fff":
        if _CHANGING_HAN.search(rest) or not re.fullmatch(rf"[{_HAN}]{{1,9}}", rest):
            return None
        bare = rest.lstrip(_CLASSIFIERS)
        if bare == rest and quantity.unit[0] is None:
            return None
        return frozenset({bare} if bare else ())
    if not re.fullmatch(r"[^\W\d_]+(?:[ -][^\W\d_]+){0,3}", rest):
        return None
    if first_numeral(rest) is not None:
        return None
    words = re.split(r"[ -]", rest)
    if any(
        word.casefold() in CHANGING or len(word) == 1 or not word.islower()
        for word in words
    ) or (spelt and quantity.value == 1):
        return None
    return frozenset(word.removesuffix("s") for word in words)
