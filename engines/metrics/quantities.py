"""Numbers with their units, as they are in an answer: the exact value, how many
digits were written after the point, and the unit.

A per cent sign and a scale (`1.5 million`, `7 dozen`) are part of the value: 50 % is
1/2 and not 50. Units of one system are converted exactly (`units`): 60 minutes are 1
hour, but miles are not compared with kilometres. Nothing is evaluated but one fraction
and one power, both of bounded size.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from ...texts.patterns import lazy
from ..reading import numerals
from ..reading.numerals import listed
from .units import BY_WORD, CURRENCIES, NO_UNIT, Unit, converted, table, unit_at


class Quantity(NamedTuple):
    """One value.

    `places`: digits after the point as written, 0 for a whole number, None for a
    fraction.
    """

    value: Fraction
    places: int | None
    unit: Unit = NO_UNIT


def agree(quantity: Quantity, other: Quantity) -> bool:
    """Whether two values are the same to a reader.

    Units must not contradict each other; a missing unit fits any. Whole numbers only
    exactly. Decimals: the longer one, rounded half up to the digits of the shorter,
    equals it, and they differ by at most 0.5 %. A fraction counts as longer than any
    decimal.
    """
    if _units_agree(quantity.unit, other.unit):
        return _values_agree(quantity, other)
    return _converted_agree(quantity, other)


def _converted_agree(quantity: Quantity, other: Quantity) -> bool:
    """Whether two quantities in different units of one system are exactly equal."""
    if quantity.unit[1] or other.unit[1]:
        return False
    first, second = converted(quantity.unit[0]), converted(other.unit[0])
    if first is None or second is None or first[0] != second[0]:
        return False
    return quantity.value * first[1] == other.value * second[1]


def _values_agree(quantity: Quantity, other: Quantity) -> bool:
    if quantity.value == other.value:
        return True
    if quantity.places is None and other.places is None:
        return False
    short, long = (
        (quantity, other)
        if other.places is None
        or (quantity.places is not None and quantity.places < other.places)
        else (other, quantity)
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
        quantity.value - other.value
    ) * 200 <= abs(long.value)


def _half_up(value: Fraction, places: int) -> Fraction:
    scaled = abs(value) * 10**places
    rounded = Fraction(
        (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator),
        10**places,
    )
    if value < 0:
        return -rounded
    return rounded


def _units_agree(unit: Unit, other: Unit) -> bool:
    if NO_UNIT in (unit, other):
        return True
    if unit[0] != other[0]:
        return False
    return unit[1] <= other[1] or other[1] <= unit[1]


# ------------------------------------------------------------------ text made plain


@lru_cache(maxsize=256)
def plain(text: str) -> str:
    """The text without LaTeX and emphasis, one form for each sign, one space for many.
    ½ stays apart from a digit before it, and 10² becomes 10^2.
    """
    folded = _without_latex(text.replace("\u2212", "-")).strip()
    if "to the power of" in folded:
        folded = _TO_THE_POWER.sub("^", folded)
    if folded.endswith("M"):
        folded = _MOLAR.sub(r"\1 \2mol/L", folded)
    if " power" in folded:
        folded = _TENTH_POWER.sub(r"^\1", folded)
    if not folded.isascii():
        joined = _THIN.sub("", "".join(map(_form, folded)))
        joined = _RAISED.sub("", joined)
        joined = PICTURE.sub("", joined) or joined
        folded = unicodedata.normalize("NFKC", joined).translate(_SIGNS).strip()
        folded = _UNIT_ASIDE.sub(r"\1", _DEGREES_HAN.sub(_degrees_han, folded))
        folded = _EVERY_HAN.sub(r"\2每\1", folded.replace("时速", "每小时"))
    if _MARKED.search(folded):
        for _ in range(3):
            folded = _EMPHASIS.sub(r"\2", folded)
    if _WIDE.search(folded):
        lines = (" ".join(line.split()) for line in folded.split("\n"))
        return "\n".join(filter(None, lines))
    return folded


@lru_cache(maxsize=4096)
def _form(sign: str) -> str:
    """A sign; a fraction or a raised one as it is typed.

    A lowered one is as `H2O` has it.
    """
    form = unicodedata.decomposition(sign)
    if form.startswith("<fraction>"):
        return " " + unicodedata.normalize("NFKC", sign).replace("\u2044", "/")
    if form.startswith("<super>"):
        return "^" + unicodedata.normalize("NFKC", sign)
    if form.startswith("<sub>"):
        return unicodedata.normalize("NFKC", sign)
    return sign


PICTURE = lazy("[\u2600-\u27bf\u2b50\U0001f000-\U0001faff\ufe0f]")
_RAISED = lazy(r"(?<=\^[-\u2212\d])\^|(?<=\^[-\u2212\d]\d)\^")
"""Between the signs of one power: `10⁻³`, `2¹⁰`."""
_TENTH_POWER = lazy(r"(?<=\w) to the (\d{1,3})(?:st|nd|rd|th) power")
_TO_THE_POWER = lazy(r"(?<=\w) to the power of (?=\w)")
_MOLAR = lazy(r"(\d\.\d{1,9}) ?(m?)M$")
_EVERY_HAN = lazy(
    r"每(小时|分钟|秒)(?:钟|走|跑|行驶)?(\d{1,9}(?:\.\d{1,9})?(?:公里|千米|米|英里))"
)
"""每小时100公里, which is 100公里每小时."""
_UNIT_ASIDE = lazy(r"(?<=\d)\(([\u3400-\u9fff]{1,4})\)")
"""60(元)"""
_DEGREES_HAN = lazy(
    r"(摄氏|华氏)(零下|负)?(\d{1,9}(?:\.\d{1,9})?|[零一二三四五六七八九十百两]{1,9})度"
)


def _degrees_han(found: re.Match[str]) -> str:
    """摄氏25度 as 25摄氏度."""
    return f"{'-' if found[2] else ''}{found[3]}{found[1]}度"


_MARKED = lazy(r"[*_`]")
_WIDE = lazy(r"\s\s")
"""Many patterns look for white space twice, which in a run of it takes long."""
_THIN = lazy(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))")
"""Between the groups of a long number."""
_SIGNS = str.maketrans(
    "\u2010\u2011\u2012\u2013\u2212\u2044\u2215\u2236\u00f7\u2019\u2018", "-----//:/''"
)
_EMPHASIS = lazy(
    r"(?<![\w*])(\*{1,3}+|_{1,3}+|`{1,3}+)(?=\S)"
    r"((?:[^*`_]|(?<=[^\W_])_++(?=[^\W_]))++)(?<=\S)\1(?![\w*])"
)
"""Up to the next mark, so that a text of opening marks alone is read once."""


_LATEX_SIGNS = table(
    """pi=π infty=∞ le=≤ leq=≤ ge=≥ geq=≥ ne=≠ neq=≠ pm=± in=∈ cup=∪ cap=∩ theta=θ
    alpha=α beta=β lt=< gt=> left= right= displaystyle= emptyset=∅ varnothing=∅ to=→
    rightarrow=→"""
)
_SIGNED = lazy(r"\\(" + "|".join(sorted(_LATEX_SIGNS, reverse=True)) + r")(?![a-zA-Z])")
_SPACING = lazy(r"\\(?:q?quad(?![a-zA-Z])|~)")
_SQRT = lazy(r"\\sqrt\s*(?:\{\s*([^{}]{1,60}?)\s*\}|(\d))")
_FUNCTIONS = lazy(
    r"\\(arccos|arcsin|arctan|cos|cot|csc|exp|lg|ln|log|sec|sin|tan)(?![a-zA-Z])"
)


def _radical(found: re.Match[str]) -> str:
    inside = found[1] or found[2]
    if inside.isalnum():
        return f"√{inside}"
    return f"√({inside})"


_DELIMITERS = (("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]"))
_MATRIX = lazy(
    r"\\begin\{(?:[pbB]?matrix|array)\}(?:\{[clr|]{1,20}\})?([^{}]{1,"
    r"300})\\end\{(?:[pbB]?matrix|array)\}"
)


_INLINE = lazy(
    r"\$(?=[^$\n]{0,200}?[\\^=])([^$\n]{1,200}+)\$|\\\(([^\\\n]{1,200}+)\\\)"
)


def _matrix(found: re.Match[str]) -> str:
    """A matrix as `[[1,2],[3,4]]`."""
    rows = (row for row in found[1].split("\\\\") if row.strip())
    return (
        "["
        + ",".join(f"[{','.join(map(str.strip, row.split('&')))}]" for row in rows)
        + "]"
    )


_NESTED = tuple(
    (re.compile(pattern), made)
    for pattern, made in (
        (r"\\(?:boxed|fbox)\s*\{([^{}]*)\}", r"\1"),
        (r"(?<=\d)\s*\\[dt]?frac\s*\{\s*(\d+)\s*\}\s*\{\s*(\d+)\s*\}", r" \1/\2"),
        (
            r"\\[dt]?frac\s*\{\s*(-?\d+(?:\.\d+)?)\s*\}\s*\{\s*(\d+(?:\.\d+)?)\s*\}",
            r"\1/\2",
        ),
        (
            r"\\[dt]?frac\s*\{\s*([\d√]{1,20}|\d{0,9}π)\s*\}\s*\{\s*(\d{1,9})\s*\}",
            r"\1/\2",
        ),
        (r"\\[dt]?frac\s*(\d)\s*(\d)(?!\d)", r"\1/\2"),
        (r"\\[dt]?frac\s*\{([^{}]{1,60})\}\s*\{([^{}]{1,60})\}", r"(\1)/(\2)"),
        (
            r"\\(?:text|ce|mathrm|mathcal"
            r"|textbf|mathbf|textit|operatorname)\s*\{([^{}]*)\}",
            r" \1",
        ),
        (r"\^\s*\{\s*([+-]?\d{1,3}|[a-z])\s*\}", r"^\1"),
        (r"\^\s*\{([^{}]{1,60})\}", r"^(\1)"),
        (r"_\s*\{\s*(\w{1,9})\s*\}", r"_\1"),
    )
)
"""Commands with braces; three rounds reach three levels."""
_FLAT = tuple(
    (re.compile(pattern), made)
    for pattern, made in (
        (_FUNCTIONS.pattern, r" \1"),
        (r"\\(?:times|cdot)(?![a-zA-Z])", "×"),
        (r"\\approx(?![a-zA-Z])", "≈"),
        (r"\^\s*\\circ(?![a-zA-Z])", "°"),
        (r"\\[,;:! ]", " "),
        (r"\\([%${}])", r"\1"),
        (r"\{,\}", ","),
    )
)


def _without_latex(text: str) -> str:
    text = _undelimited(text.strip())
    if not ("\\" in text or "^{" in text or "_{" in text):
        return text
    text = _MATRIX.sub(_matrix, _INLINE.sub(r"\1\2", text))
    text = _SPACING.sub(" ", _SIGNED.sub(lambda found: _LATEX_SIGNS[found[1]], text))
    text = _SQRT.sub(_radical, text)
    for _ in range(3):
        for pattern, made in _NESTED:
            text = pattern.sub(made, text)
    for pattern, made in _FLAT:
        text = pattern.sub(made, text)
    return text


def _undelimited(text: str) -> str:
    """A formula without the signs that begin and end it."""
    if "$" not in text and "\\" not in text:
        return text
    for left, right in _DELIMITERS:
        inner = text[len(left) : -len(right)]
        if (
            text.startswith(left)
            and text.endswith(right)
            and len(text) > len(left) + len(right)
            and left not in inner
        ):
            text = inner.strip()
    return text


# ------------------------------------------------------------------ numbers

_HAN = "\u3400-\u9fff"
_CLASSIFIERS = (
    "个只名位颗张本条支瓶把件间辆种杯桌棵头匹台道朵双对组批架艘群袋盒箱片粒根座家户项"
    "门堂页篇句首段层排列枚杆"
)

CHANGING = frozenset(
    listed(
        """
    about above almost and april as august base below besides between beyond but by bc
    bce ad ce am pm clock cubed december dozen
        dozens double e eighth excluding except exceeding factorial february few fewer
        fifth first fourth friday greater half halves
        hundred hundreds hundredth if incorrect instead into is it january july june
        larger least less log march may million millions
        billion billions minus monday more most nd never nearly neither no nor not
        november o'clock october off on or oct over pct
        percent percentage pi plus point points quarter quarters rather rd root saturday
        seldom september several squared st sunday
        tenth tenths th than thursday third thirds thousand thousands to trillion
        trillions triple tuesday twice under unless up
        version wednesday without wrong x y z false bps bp mod isn't aren't wasn't don't
        doesn't didn't can't cannot won't impossible
        unlikely jan feb mar apr jun jul aug sep sept nov dec
        ago later earlier hence before after early late"""
    )
)
"""Words after which a number no longer says what it says alone: they change it, deny
it, or make a date or a name of it.
"""
_CHANGING_HAN = lazy(
    r"[百千万亿兆半多几余上下左不或至到成分之约点月号日时世级楼届版第非没无别错否前后]"
)

_DIGITS = (
    r"(?:\d{1,3}(?: \d{3})+(?![\d,./])|\d{1,3}(?:,\d{3})+(?![\d,])|\d{1,2}(?:,\d{2})+,"
    r"\d{3}(?![\d,])|\d+)(?:\.\d+)?|\.\d+"
)
_CURRENCY = (
    r"(?:US\$|[$€£¥₹]|(?<![A-Za-z])(?:USD|EUR|GBP|RMB|CNY|INR|Rs\.?)(?![A-Za-z]))"
)
_NUMERAL = lazy(
    rf"(?P<currency>{_CURRENCY})?\s*(?P<sign>[+-]|\b(?:minus|negative)\s|负|零"
    rf"下)?\s*(?P<currency2>{_CURRENCY})?\s*(?P<hundredths>百分之)?\s*"
    rf"(?:(?P<whole>\d+)\s+(?P<top>\d+)\s*/\s*(?P<bottom>\d+)"
    rf"|(?P<base>\d{{1,6}})\s*(?:\^|\*\*)\s*(?P<power>[+-]?\d{{1,3}})"
    rf"|(?P<one>{_DIGITS})(?:(?:e(?P<exp>[+-]?\d{{1,3}}))|\s*[×x*]\s*10\s*(?:\^"
    rf"|\*\*)\s*(?P<ten>[+-]?\d{{1,3}}))?(?:\s*/\s*(?P<two>\d+(?:\.\d+)?))?"
    rf"|(?P<han>{numerals.CHINESE})|(?P<english>{numerals.ENGLISH}))",
    re.IGNORECASE,
)
_PERCENT = lazy(
    r"\s*(?P<percent>%|‰|percent\b|pct\b|per\s+cent\b)(?!\s*point|\s*-\s*point)",
    re.IGNORECASE,
)
_SCALE = lazy(
    r"\s*-?\s*(?P<scale>(?:dozen|hundred|thousand|million|billion"
    r"|trillion)(?![A-Za-z])|百万|千万|十万|万亿|万|亿|千(?![米克瓦])|百)",
    re.IGNORECASE,
)
_LETTERS = lazy(r"(?P<scale>k|m|mn|b|bn)(?![a-z])", re.IGNORECASE)
"""A scale behind an amount of money: `$2.5M`. Without a currency only `10k` is one."""
_THOUSANDS = lazy(r"(?P<scale>k)(?![A-Za-z])")
_OF_A = lazy(r"\s+(?:of\s+)?an?\s+", re.IGNORECASE)
"""Between a fraction in words and its unit: `three quarters of an hour`."""
_SCALES = {
    scale: int(factor)
    for scale, factor in table(
        """k=1000 m=1000000 mn=1000000 b=1000000000 bn=1000000000 dozen=12 hundred=100
        百=100 千=1000 万=10000 十万=100000 百万=1000000 千万=10000000 亿=100000000
        万亿=1000000000000"""
    ).items()
} | numerals.SCALES


_STEMS = "|".join(numerals.STEMS)
_ASCII_NUMBER = lazy(rf"\d|{_STEMS}", re.ASCII)
_NUMBER = lazy(rf"\d|{numerals.NUMERAL}|{_STEMS}", re.IGNORECASE)
_DECADE = lazy(r"\s*\d{3}0'?s\b")
"""The 1990s are no seconds."""


def numerals_in(text: str) -> Iterator[tuple[int, Quantity | None, int]]:
    """Every number in a plain text: where it begins, what it is with the known unit
    behind it, and where that ends.

    None where the signs make no value: the text says something with a number that is
    not understood.
    """
    if not _may_have_number(text):
        return
    place = 0
    while match := _NUMERAL.search(text, place):
        start = match.start() + len(match[0]) - len(match[0].lstrip())
        quantity, end = _made(match, text)
        yield start, quantity, end
        place = max(end, match.end())


def number_at_start(text: str) -> tuple[Quantity, int] | None:
    """The number that a plain text begins with, and where it ends; None without one."""
    match = _NUMERAL.match(text)
    if match is None or match[0][:1].isspace():
        return None
    quantity, end = _made(match, text)
    return None if quantity is None else (quantity, end)


@lru_cache(maxsize=4096)
def has_number(text: str) -> bool:
    """Whether there is a number in a plain text, be it understood or not."""
    return _may_have_number(text) and _NUMERAL.search(text) is not None


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
        paid = (CURRENCIES[named], frozenset[str]()) if named else NO_UNIT
        return Quantity(value, places, paid), end
    letters = _LETTERS if named else _THOUSANDS
    scaled = _SCALE.match(text, end) or letters.match(text, end)
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
    unit, end_of_unit = _unit_behind(found, text, end)
    if named:
        if unit != NO_UNIT and unit[0] != CURRENCIES[named]:
            return None, end_of_unit
        unit = (CURRENCIES[named], frozenset())
    elif _is_name(text[end:end_of_unit], value):
        return None, end_of_unit
    return Quantity(value, places, unit), end_of_unit


def _unit_behind(found: re.Match[str], text: str, end: int) -> tuple[Unit, int]:
    """The known unit behind a number and where it ends."""
    if (found["english"] or found["two"]) and (of_a := _OF_A.match(text, end)):
        unit, after = unit_at(text, of_a.end())
        if unit != NO_UNIT:
            return unit, after
    return unit_at(text, end)


def _is_name(unit: str, value: Fraction) -> bool:
    """`50 Cent`: a unit in the singular with a capital letter is not how a quantity is
    written.
    """
    word = unit.strip()
    return (
        len(word) > 3
        and word.isascii()
        and word.istitle()
        and not word.endswith("s")
        and abs(value) > 1
        and word.casefold() in BY_WORD
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
        written = found["one"].replace(",", "").replace(" ", "")
        shift = int(found["exp"] or found["ten"] or 0)
        before, _, behind = written.partition(".")
        value = Fraction(int(before + behind), 10 ** len(behind))
        if shift:
            value *= Fraction(10) ** shift
        places = max(0, len(behind) - shift)
        if found["two"]:
            return (value / Fraction(found["two"]), None)
        return (value, places)
    except ZeroDivisionError:
        return None


# ---------------------------------------------------------- a text that is one quantity


@lru_cache(maxsize=4096)
def whole(text: str) -> Quantity | None:
    """The quantity that a plain text is, with nothing else but up to four words of what
    is counted; None if it is not one.
    """
    text = text.strip(" \"'“”‘’")
    if not 0 < len(text) <= 120:
        return None
    shared = _SHARE.fullmatch(text)
    if shared is not None and (share := _share(*shared.groups())):
        return share
    found = number_at_start(text)
    if found is None:
        return None
    quantity, end = found
    rest = text[end:]
    if not rest.strip():
        return quantity
    if converted(quantity.unit[0]) is not None and (joined := _AND.match(rest)):
        small = whole(rest[joined.end() :])
        if small is not None:
            return _sum(quantity, small)
    counted = _counted(rest, quantity, spelt=text[0].isalpha())
    if counted is None or (
        counted
        and quantity.unit[0] in CURRENCIES.values()
        and quantity.unit[0] not in ("yuan", "rupee")
        and not rest.startswith((" in ", " for ", " on "))
    ):
        return None
    return quantity._replace(unit=(quantity.unit[0], quantity.unit[1] | counted))


_SHARE = lazy(r"(\S+?(?: \S+)??) (out of|of|in) (?:the )?(\S+(?: \S+)?)")


def _share(few: str, word: str, many: str) -> Quantity | None:
    """`3 out of 5` as 3/5."""
    one, other = whole(few), whole(many)
    if one is None or other is None or one.unit != NO_UNIT or not other.value:
        return None
    if word != "out of" and other.unit != NO_UNIT:
        return None
    return Quantity(one.value / other.value, None)


_AND = lazy(r"\s*,?\s*(?:and\s+|又|零)?(?=[\d一二三四五六七八九十]|[a-z]+[ -])")


def _sum(large: Quantity, small: Quantity) -> Quantity | None:
    """`3 hours 20 minutes` in the smaller unit; None where the units make no sum."""
    if small.unit[1] or large.places is None:
        return None
    first, second = converted(large.unit[0]), converted(small.unit[0])
    if first is None or second is None or first[0] != second[0]:
        return None
    if not 0 <= small.value * second[1] < first[1] or large.value < 0:
        return None
    if first[0] == "dollars":
        return Quantity(large.value + small.value / 100, 2, large.unit)
    value = large.value * first[1] / second[1] + small.value
    return Quantity(value, small.places, small.unit)


_COUNTED = lazy(r"(?!.*from now$)[A-Za-zÀ-ɏ]+(?:[ -][A-Za-zÀ-ɏ]+){0,3}")


def _counted(rest: str, quantity: Quantity, spelt: bool) -> frozenset[str] | None:
    """The words of what is counted; None if a word among them changes the number, or
    could be a part of a name (四川, `one hopes`).
    """
    rest = rest.strip()
    if "\u3400" <= rest[:1] <= "\u9fff":
        if _CHANGING_HAN.search(rest) or not re.fullmatch(rf"[{_HAN}]{{1,9}}", rest):
            return None
        bare = rest.lstrip(_CLASSIFIERS)
        if bare == rest and quantity.unit[0] is None:
            return None
        return frozenset({bare} if bare else ())
    if not _COUNTED.fullmatch(rest):
        return None
    if has_number(rest):
        return None
    words = re.split(r"[ -]", rest)
    if any(
        word.casefold() in CHANGING or len(word) == 1 or not word.islower()
        for word in words
    ) or (spelt and quantity.value == 1):
        return None
    return frozenset(word.removesuffix("s") for word in words)
