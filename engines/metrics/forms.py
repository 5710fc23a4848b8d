"""Answers that are written in several ways and are no single number.

These are dates, times, spans between two of them, bounds, ordinals, ratios, choices,
yes and no, formulas, intervals and lists. Each is read only where the whole answer has
the form. What is in doubt (5/3/2024, which may be in March or in May) has none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from ...texts.patterns import lazy
from ..reading import numerals
from .aliases import aliases
from .dates import clock, date
from .expressions import formula, same_formula
from .names import keeps_its_order, same_name
from .quantities import CHANGING, Quantity, agree, whole
from .units import NO_UNIT

Kind = Literal[
    "date",
    "clock",
    "between",
    "bound",
    "ordinal",
    "ratio",
    "substance",
    "matrix",
    "era",
    "period",
    "quantifier",
    "unanswered",
    "span",
    "choice",
    "polarity",
    "formula",
    "interval",
    "list",
]


class NormalForm(NamedTuple):
    """The content of an answer in one notation. `loose`: the order of a list does not
    matter. `name`: the variable whose values are listed.
    """

    kind: Kind
    value: tuple[object, ...]
    loose: bool = False
    name: str | None = None


_PI = lazy(r"(?<![A-Za-z])pi(?![A-Za-z])", re.IGNORECASE)


def same_form(form: NormalForm, other: NormalForm) -> bool:
    """Whether two forms of one kind say the same."""
    if form.kind == "formula":
        return same_formula(str(form.value[0]), str(other.value[0]))
    if form.kind in ("choice", "polarity"):
        (said, more), (other_said, other_more) = form.value, other.value
        if said != other_said or not more or not other_more:
            return said == other_said
        return same_name(str(more), str(other_more))
    if form.kind in ("bound", "between"):
        return len(form.value) == len(other.value) and all(
            map(_same_end, form.value, other.value)
        )
    if form.kind != "list":
        return form.value == other.value
    (first, opened), (second, closed) = _list_parts(form), _list_parts(other)
    if {opened, closed} == {"{", "("}:
        return False
    if (opened == "or") != (closed == "or") and not (form.name or other.name):
        return False  # 2 or 5 are the solutions x = 2 or x = 5, but not 2 and 5
    if None not in (form.name, other.name) and form.name != other.name:
        return False
    if form.loose and other.loose:
        return Counter(first) == Counter(second)
    if (form.loose or other.loose) and "(" not in (opened, closed):
        return Counter(first) == Counter(second)
    return first == second


def _same_end(one: object, other: object) -> bool:
    if isinstance(one, Quantity) and isinstance(other, Quantity):
        return agree(one, other)
    return one == other


def _list_parts(form: NormalForm) -> tuple[tuple[object, ...], str]:
    bracket = form.value[0]
    return form.value[1:], bracket if isinstance(bracket, str) else ""


@lru_cache(maxsize=4096)
def form_of(text: str) -> NormalForm | None:
    """The form of a plain answer without its label; None if it has none of these."""
    text = text.strip()
    if not 0 < len(text) <= 200 or "\n" in text:
        return None
    text = _PI.sub("π", text.rstrip(".。 "))
    folded = text.casefold()
    for kind, read in _SIMPLE.items():
        value = read(folded)
        if value is not None:
            return NormalForm(kind, value)
    return _substance(text) or _interval(text) or _list(text) or _formula(text)


# --------------------------------------------------------------- times before and after

_SPAN = lazy(
    r"(?P<length>.{1,40}?)\s*"
    r"(?:\b(?P<side>ago|earlier|before|later|after)|[以之]?(?P<han>[前后]))"
)
_SIDES = {"前": "ago", "earlier": "before", "后": "after", "later": "after"}


def _span(text: str) -> tuple[object, ...] | None:
    """`5 years ago`, which is not `5 years`."""
    match = _SPAN.fullmatch(text)
    length = whole(match["length"]) if match is not None else None
    if match is None or length is None:
        return None
    side = match["side"] or match["han"]
    return length.value, length.unit, _SIDES.get(side, side)


# ------------------------------------------------------------------ choices, yes and no

_CHOICES = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?:i\s+(?:choose|chose|pick|select|would choose|go with)\s+|(?:it'?s|it "
        r"is)\s+)?"
        r"(?:(?:the\s+)?(?:(?:correct|right|best|final)\s+)?(?:answer|option"
        r"|choice|letter)"
        r"\s*(?:is\b|:)?\s*){0,3}[(（\[]?\s*(?P<letter>[a-h])\s*[)）\]]?"
        r"(?:\s+is\s+(?:correct|right|the (?:correct |right )?answer))?",
        r"(?:因此|所以|故|应该?|我|本题|正确|答案|选项|选择?|是|为|[:：,，\s])*"
        r"[(（]?\s*(?P<letter>[a-h])\s*[)）]?\s*(?:选?项)?(?:正确)?",
    )
)


_WITH_TEXT = lazy(
    r"(?:(?:the\s+)?(?:(?:correct|right|best|final)\s+)?(?:answer|option"
    r"|choice)\s*(?:is\b|:)?\s*)?"
    r"(?:[(（](?P<one>[a-h])[)）][,:]?|(?P<two>[a-h])[)）:]"
    r"|(?P<three>[a-h])\.(?=\s+[a-z\d]))"
    r"\s*(?P<text>(?![(（]?[a-h][)）:.])\S.{0,99})"
)
"""`B) 42`: a choice with what it says."""


def _choice(text: str) -> tuple[object, ...] | None:
    """The letter of a choice, and what it says."""
    found = _WITH_TEXT.fullmatch(text)
    if found is not None:
        return found["one"] or found["two"] or found["three"], found["text"]
    for pattern in _CHOICES:
        found = pattern.fullmatch(text)
        if found is not None:
            return found["letter"], ""
    return None


_WHO = r"(?:it|he|she|they|we|you|i|this|that|there|these|those)"
_AUXILIARY = (
    r"(?:is|are|am|was|were|do|does|did|can|could|will|would|has|have|had|should|must)"
)
_YES = lazy(
    rf"{_WHO}\s+{_AUXILIARY}"
    r"|(?:yes|yeah|yep|affirmative|indeed|absolutely|certainly|definitely|of course)"
    rf"(?:\s+(?:indeed|definitely|certainly|absolutely|correct|{_WHO}\s+{_AUXILIARY}))?"
    r"|是的?|对的?|没错"
)
_NO = lazy(
    rf"{_WHO}\s+{_AUXILIARY}(?:\s+not|n't)"
    r"|(?:no|nope)(?:\s+(?:never|way|not at all))?|(?:definitely|certainly"
    r"|absolutely)\s+not|(?:no\s+)?not at all|否|不|不是的?|不对|不会的?"
)
_STOP = lazy(r"[,.;:，。；]\s*|\s+[-–—]+\s+|—+|\s+(?=because\s)|!\s+")
_HEDGED = lazy(
    r"\b(?:but|if|maybe|perhaps|only|unless|sometimes|sure|know|except|although|though"
    r"|however|or|partly|partially|mostly|depends|depending|(?:yes|no|wait)"
    r"(?=[,.!]|$)|might|may)\b|但|如果|可能|也许|除非|有时|不过|只|不知|不确定|取决"
)
_DENIED = lazy(r"^(?:\S+\s){0,2}(?:not|never|none|\S+n't)\b|^.{0,3}(?!没错)[不没非]")
_AFFIRMED = lazy(rf"^(?:\d|{_WHO}\s+{_AUXILIARY}$)")


def _polarity(text: str) -> tuple[object, ...] | None:
    """Yes or no, and the reason that may follow it."""
    stop = _STOP.search(text)
    said = (text[: stop.start()] if stop else text).rstrip("!！ ")
    why = text[stop.end() :] if stop else ""
    truth = _truth(said)
    if truth is None:
        truth = "yes" if _YES.fullmatch(said) else "no" if _NO.fullmatch(said) else None
    if truth is None or (why and _HEDGED.search(why)):
        return None
    against = _DENIED if truth == "yes" else _AFFIRMED
    if against.search(why):
        return None
    return truth, why


# ------------------------------------------------------------------ from and to, bounds

_FROM = lazy(r"(?:from|between|during|in)\s+|[从自]")
_TO = lazy(r"\s+(?:to|until|till|through|and)\s+|\s*[-~〜—]{1,2}\s*|\s*[至到]\s*")


def _between(text: str) -> tuple[object, ...] | None:
    """`from 1914 until 1918`: two years, dates, times or numbers, the earlier one
    first.
    """
    lead = _FROM.match(text)
    if lead is not None:
        text = text[lead.end() :]
    pieces = _TO.split(text)
    if len(pieces) == 2 and len(pieces[0]) == 4 and len(pieces[1]) == 2:
        # 1914-18
        pieces[1] = pieces[0][:2] + pieces[1] if text[:4].isdecimal() else pieces[1]
    if len(pieces) != 2 or (lead is None and " and " in text):
        return None
    times = [clock(piece) for piece in pieces]
    if None not in times:
        # where one is after noon by its number (16:00), so is the notation of both
        known = any(time and time[1] for time in times)
        return tuple((time[0], known) for time in times if time)
    dates = [date(piece) for piece in pieces]
    if None not in dates:
        return tuple(dates)
    low, high = (whole(piece) for piece in pieces)
    if low is None or high is None or not 0 <= low.value < high.value:
        return None
    return low._replace(unit=high.unit) if low.unit == NO_UNIT else low, high


_BOUNDS = tuple(
    (re.compile(pattern), sign)
    for pattern, sign in (
        (
            r"(?:at least|(?:no|not) (?:less|fewer) than|a minimum of|>=|≥|至少|不"
            r"少于)\s*(.+)",
            ">=",
        ),
        (
            r"(?:at most|up to|no more than|a maximum of|<=|≤|至多|最多|不超过)\s*(.+)",
            "<=",
        ),
        (
            r"(?:more than|over|greater than|above|exceeding|>|超过|多于|大于)\s*(.+)",
            ">",
        ),
        (r"(?:less than|fewer than|under|below|<|少于|不到|小于)\s*(.+)", "<"),
        (r"(.+?)\s+or\s+(?:more|above|over|greater)", ">="),
        (r"(.+?)\s+or\s+(?:less|fewer|below|under)", "<="),
        (r"(.+?)\s+(?:at\s+least|minimum)", ">="),
    )
)


def _bound(text: str) -> tuple[object, ...] | None:
    """`at least 5`, `5 or more`, `≥ 5`."""
    if len(text) > 60:
        return None
    for pattern, sign in _BOUNDS:
        match = pattern.fullmatch(text)
        quantity = whole(match[1]) if match is not None else None
        if quantity is not None:
            return sign, quantity
    return None


# ------------------------------------------------------------------ ordinals and ratios

_ORDINAL = lazy(
    r"(?:(?:in|on)\s+)?(?:the\s+)?"
    rf"(?:(?P<digits>\d{{1,4}})(?:st|nd|rd|th)|(?P<word>{'|'.join(numerals.ORDINALS)}))"
    r"(?:\s+(?:one|place|position|option|choice|answer))?(?P<rest>(?:\s+[a-z]{1,"
    r"20}){0,3})"
)
_ORDINAL_HAN = lazy(
    r"第(?P<number>\d{1,4}|[一二三四五六七八九十百]{1,6})(?P<rest>\w{0,6})"
)


def _ordinal(text: str) -> tuple[object, ...] | None:
    """`2nd`, `second place`, 第二."""
    found = _ORDINAL.fullmatch(text)
    if found is not None:
        number = int(found["digits"] or numerals.ORDINALS[found["word"]])
        return number, " ".join(found["rest"].split())
    found = _ORDINAL_HAN.fullmatch(text)
    if found is None:
        return None
    read = numerals.chinese(found["number"])
    if read is None and not found["number"].isdecimal():
        return None
    rest = "" if found["rest"] in ("个", "名", "位") else found["rest"]
    return int(found["number"] if read is None else read[0]), rest


_RATIO = lazy(
    r"(?:(?:a|the)\s+)?(?:ratio\s+(?:of\s+)?)?(\d{1,9}(?:\.\d{1,"
    r"9})?(?:\s*:\s*\d{1,9}(?:\.\d{1,9})?){1,4})"
    r"|(?:(?:(?:a|the)\s+)?ratio\s+of\s+)?(\d{1,9}\s+to\s+\d{1,9})"
    r"|((?:\d{1,9}|[一二两三四五六七八九十]{1,3})\s*比\s*(?:\d{1,9}|[一二两三四五六七八九十]{1,3}))"
)


def _ratio(text: str) -> tuple[object, ...] | None:
    match = _RATIO.fullmatch(text)
    if match is None:
        return _spoken_ratio(text)
    said = match[1] or match[2] or match[3]
    parts = re.split(r"\s*(?::|to|比)\s*", said)
    return tuple(part if "." in part else str(_number_of(part)) for part in parts)


_ERA = lazy(
    r"(?:in\s+)?(?:the year\s+)?(?:(?P<ad>ad|a\.d\.)\s*(?P<after>\d{1,4})"
    r"|(?P<year>\d{1,4})\s*(?P<era>bce?|b\.\s?c\.(?:\s?e\.?)?|b\.c|ad|a\.d\.?|ce"
    r"|c\.e\.?))"
    r"|(?:公元)?(?P<before>(?<!\w)前|(?<=公元)前?)(?P<han>\d{1,4}|[零〇一二三四五六七八九十百千]{1,7})年?"
)


def _spoken_ratio(text: str) -> tuple[object, ...] | None:
    """`three to two`, which is no span of numbers."""
    parts = [whole(part) for part in text.split(" to ")]
    if len(parts) != 2 or not all(part and part.places == 0 for part in parts):
        return None
    return tuple(str(part.value) for part in parts if part)


_CENTURY = lazy(
    rf"(?:the\s+)?(?:(?P<number>\d{{1,2}})(?:st|nd|rd|th)"
    rf"|(?P<word>{'|'.join(numerals.ORDINALS)}))"
    r"[\s-]+(?:century|c\.?)|(?:the\s+)?(?P<hundreds>\d{2})00'?s"
    r"|(?P<han>\d{1,2}|[一二三四五六七八九十]{1,3})世纪"
)
_DECADE = lazy(
    r"(?:the\s+)?(?P<decade>\d{3}0)'?s|(?P<year>\d{3}0)年代"
    r"|(?P<han>\d{1,2}|[一二三四五六七八九十]{1,3})世纪(?P<tens>\d0|[一二三四五六七八九]十)年代"
)


def _number_of(text: str) -> int:
    read = numerals.chinese(text)
    return int(text if read is None else read[0])


def _period(text: str) -> tuple[object, ...] | None:
    """A century or a decade: `the 1700s`, 十八世纪; `1990s`, 二十世纪九十年代."""
    found = _CENTURY.fullmatch(text)
    if found is not None:
        if found["hundreds"]:
            return ("century", int(found["hundreds"]) + 1)
        said = found["number"] or found["han"]
        return "century", _number_of(said) if said else numerals.ORDINALS[found["word"]]
    found = _DECADE.fullmatch(text)
    if found is None:
        return None
    if found["han"]:
        year = 100 * _number_of(found["han"]) - 100 + _number_of(found["tens"])
    else:
        year = int(found["decade"] or found["year"])
    return "decade", year


def _era(text: str) -> tuple[object, ...] | None:
    """`44 BC`, 公元前44年."""
    match = _ERA.fullmatch(text)
    if match is None:
        return None
    year = _number_of(match["after"] or match["year"] or match["han"])
    before = match["before"] or (match["era"] or "").startswith("b")
    return year, "bc" if before else "ad"


_TRUE = frozenset(numerals.listed("true correct √ ✓ ✔ 正确 正确的 真 真的"))
_FALSE = frozenset(
    numerals.listed("false incorrect untrue × ✗ ✘ 错误 错误的 错 错的 不正确 假 假的")
)
_STATEMENT = lazy(
    r"(?:(?:the|this|that)\s+(?:statement|claim|sentence)\s+is\s+|(?:it|this"
    r"|that)(?:\s+is|'s)\s+"
    r"|是"
    r"|(?:该|这个?|此)(?:说法|陈述|命题|观点|句话)是?)"
)


def _truth(text: str) -> str | None:
    """Yes for `true` and `the statement is correct`."""
    lead = _STATEMENT.match(text)
    text = text[lead.end() :] if lead else text
    if text in _TRUE or (lead is not None and text == "right"):
        return "yes"
    if text in _FALSE or text.removeprefix("not ") in _TRUE:
        return "no"
    return None


_QUANTIFIER = lazy(
    r"(?P<word>neither|none|both)(?:\s+one|\s+of\s+(?:them|these|those"
    r"|the\s+(?:two|above)))?"
    r"(?:\s+(?:is|are)\s+(?:correct|right|true))?"
)


def _quantifier(text: str) -> tuple[object, ...] | None:
    """`neither of them`."""
    match = _QUANTIFIER.fullmatch(text)
    if match is not None:
        return (match["word"],)
    return None


_UNANSWERED = lazy(
    r"unknown|未知|(?:[^\u3400-\u9fff]{0,60}\b)?(?:\w+n't|not|cannot)\s+(?:be(?:en)?\s+)?"
    r"(?:say|mention|stated?|specif|given|determin|tell|indicat)\w*\b(?!.*\bbut\b)"
    r".{0,80}|.{0,20}(?:没有?|未|无法|不能)(?:提到|提及|说明|给出|确定|判断)(?!.*但).{0,20}"
)


def _unanswered(text: str) -> tuple[object, ...] | None:
    """`not mentioned`, `the text doesn't say what he carried`."""
    return ("unknown",) if _UNANSWERED.fullmatch(text) else None


_MATRIX = lazy(r"\[\s*(\[[^\[\]]{1,60}\](?:\s*,\s*\[[^\[\]]{1,60}\]){0,9})\s*\]")


def _matrix(text: str) -> tuple[object, ...] | None:
    """`[[1, 2], [3, 4]]`, row by row."""
    match = _MATRIX.fullmatch(text)
    if match is None:
        return None
    rows = re.findall(r"\[([^\[\]]*)\]", match[1])
    return tuple(tuple(re.split(r"\s*,\s*", row.strip())) for row in rows)


_SIMPLE: dict[Kind, Callable[[str], tuple[object, ...] | None]] = {
    "date": date,
    "era": _era,
    "period": _period,
    "quantifier": _quantifier,
    "unanswered": _unanswered,
    "matrix": _matrix,
    "clock": clock,
    "between": _between,
    "bound": _bound,
    "ordinal": _ordinal,
    "ratio": _ratio,
    "span": _span,
    "choice": _choice,
    "polarity": _polarity,
}

# ----------------------------------------------------------------- substances, formulas

_ELEMENTS = frozenset(
    numerals.listed(
        """
        H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn
        Ga Ge As Se Br Kr Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La
        Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po
        At Rn Fr Ra Ac Th Pa U Np Pu D
        """
    )
)
_PART = lazy(r"([A-Z][a-z]?)|[()]|_?(\d{1,3})")
_CHARGE = lazy(r"(?:\^\s*\(?)?(?:\^?\d?\^?[+-])\)?$")


def _substance(text: str) -> NormalForm | None:
    """`H2O`, which is `H₂O`, and `Co`, which is not `CO`."""
    charge = _CHARGE.search(text)
    body = text[: charge.start()] if charge else text
    place, elements = 0, 0
    while place < len(body):
        match = _PART.match(body, place)
        if match is None or (match[1] and match[1] not in _ELEMENTS):
            return None
        elements += bool(match[1])
        place = match.end()
    if not elements or len(body) < 2 or len(body) > 40:
        return None
    sign = re.sub(r"[\^()\s]", "", charge[0]) if charge else ""
    return NormalForm("substance", (body.replace("_", ""), sign))


_RADIANS = lazy(r"(?:(?<=[π)])|(?<=π/\d))\s*rad(?:ian)?s?$")


def _formula(text: str) -> NormalForm | None:
    text = _RADIANS.sub("", text)
    if whole(text) is not None or formula(text) is None:
        return None
    named = _NAMED.match(text)
    if named is not None and whole(text[named.end() :]) is not None:
        return None
    return NormalForm("formula", (text,))


# ------------------------------------------------------------------ intervals and lists

_END = r"[^,，;；()（）\[\]]{1,30}"
_INTERVAL = lazy(
    rf"(?:[a-z]\s*(?:∈|is in|in)\s*)?(?P<open>[\[(（])\s*(?P<low>{_END})\s*[,，;；]\s*"
    rf"(?P<high>{_END})(?P<close>[\])）])"
)
_BETWEEN = lazy(
    r"(?P<low>[^<>≤≥=]{1,30})(?P<first><=|≤|<)\s*[a-z]\s*"
    r"(?P<second><=|≤|<)(?P<high>[^<>≤≥=]{1,30})"
)
_BEYOND = lazy(r"[a-z]\s*(?P<sign><=|>=|≤|≥|<|>)\s*(?P<end>[^<>≤≥=]{1,30})")
_BELOW = lazy(r"(?P<end>[^<>≤≥=]{1,30}?)\s*(?P<sign><=|>=|≤|≥|<|>)\s*[a-z]")
_COMPARED = tuple(
    (re.compile(rf"\s+(?:is|must be)\s+(?:{words})\s+", re.IGNORECASE), f" {sign} ")
    for sign, words in (
        ("≥", r"greater\s+than\s+or\s+equal\s+to|at\s+least"),
        ("≤", r"less\s+than\s+or\s+equal\s+to|at\s+most"),
        (">", r"(?:greater|more|larger)\s+than"),
        ("<", r"(?:less|smaller)\s+than"),
    )
)
_INFINITE = lazy(r"(?P<sign>[+-])?\s*(?:∞|infinity|inf|oo|无穷大?)")


_UNION = lazy(r"\s*∪\s*|\s+or\s+(?=[a-z(\[])|\s*或\s*")
_EVERY = lazy(
    r"all\s+(?:real\s+)?(?:numbers\s+|values\s+)?(?:x\s+)?(?:(?:that|which)\s+are\s+)?"
    r"(?=(?:less|greater|at|more|larger|smaller|[a-z])\s)",
    re.IGNORECASE,
)
_BUILT = lazy(r"\{\s*[a-z]\s*[|:∣]\s*([^{}]{1,60})\}")


def _interval(text: str) -> NormalForm | None:
    parts = (
        [_interval(one) for one in _UNION.split(text)] if _UNION.search(text) else []
    )
    if parts and None not in parts:
        return NormalForm("interval", tuple(part.value for part in parts if part))
    every = _EVERY.match(text)
    if every is not None:
        text = (
            text[every.end() :]
            if text[every.end() + 1] == " "
            else "x is " + text[every.end() :]
        )
    built = _BUILT.fullmatch(text)
    if built is not None:
        return _interval(built[1].strip())
    found = _INTERVAL.fullmatch(text)
    if found is not None:
        ends = _end(found["low"]), _end(found["high"])
        closed = found["open"] == "[", found["close"] == "]"
        return _interval_of(ends, closed)
    found = _BETWEEN.fullmatch(text)
    if found is not None:
        ends = _end(found["low"]), _end(found["high"])
        return _interval_of(ends, (found["first"] != "<", found["second"] != "<"))
    for pattern, sign in _COMPARED:
        text = pattern.sub(sign, text, count=1)
    found = _BEYOND.fullmatch(text)
    greater = ">≥"
    if found is None:
        found, greater = _BELOW.fullmatch(text), "<≤"
    if found is None:
        return None
    end, closed_there = (
        _end(found["end"]),
        len(found["sign"]) == 2 or found["sign"] in "≤≥",
    )
    if found["sign"][0] in greater:
        return _interval_of((end, ("∞", 1)), (closed_there, False))
    return _interval_of((("∞", -1), end), (False, closed_there))


def _interval_of(
    ends: tuple[object | None, object | None], closed: tuple[bool, bool]
) -> NormalForm | None:
    if None in ends:
        return None
    return NormalForm("interval", (*ends, *closed))


def _end(text: str) -> object | None:
    """An end as it is compared; None for words."""
    text = text.strip()
    infinite = _INFINITE.fullmatch(text)
    if infinite is not None:
        return ("∞", -1 if infinite["sign"] == "-" else 1)
    quantity = whole(text)
    if quantity is not None:
        return (quantity.value, quantity.unit)
    if (found := formula(text)) is not None:
        return found
    made = re.sub(r"\s+", "", text)
    if re.fullmatch(r"[+-]?(?:\d{0,9}π(?:/\d{1,9})?|[a-z])", made):
        return made
    return None


_ELEMENT = lazy(r"^(?:[a-z]\s*(?:∈|is in)|the set)\s*(?=\{)")
_BRACKETS = {"{": "}", "[": "]", "(": ")"}
_JOINED = lazy(r"\s*[,，]?\s*(?:\s(?:and|&|(?:and )?then|as well as)\s|以及|[和与])\s*")
_COMMA = lazy(r"\s*[,，、;；]\s*")
_BARE_COMMA = lazy(r"\s*(?:,(?!\d{3}(?!\d))|[，、;；])\s*")
_NO_LIST = lazy(
    r"\b(?:not|or|but|between|from|if|either|neither|nor|never|no|than|more|less"
    r"|except|without)\b"
    r"|n't\b|[?？!<>≤≥±]|不|非|或|但|之间|除了|没",
    re.IGNORECASE,
)
_NAMED = lazy(r"([a-z](?:_?\d)?)\s*=\s*")
MOST_ITEMS = 30


def _list(text: str) -> NormalForm | None:
    """A list in brackets, or parted by commas or `and`; loose in braces and with
    `and`.
    """
    text = _ELEMENT.sub("", text)
    bracket = text[:1] if _BRACKETS.get(text[:1]) == text[-1:] else ""
    inner = text[1:-1] if bracket else _solutions(_BOTH.sub(r"\1 and -\1", text))
    if not bracket and _NUMBERED.match(inner):
        inner = _NUMBERED.sub(", ", inner).removeprefix(", ")
    either = [whole(piece) for piece in _OR.split(inner)] if not bracket else []
    if len(either) > 1 and None not in either:
        values = ((one.value, one.unit) for one in either if one)
        return NormalForm("list", ("or", *values), loose=True)
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
    if _NAMED.match(items[0]) and all(whole(item) for item in items[1:]):
        items = [
            items[0],
            *(f"{items[0].partition('=')[0]}={item}" for item in items[1:]),
        ]
    names = {match[1][0] if (match := _NAMED.match(item)) else None for item in items}
    name = names.pop() if len(names) == 1 else None
    point = [item[:1] for item in items] in (["x", "y"], ["x", "y", "z"])
    if name is not None or (point and None not in names):
        items = [_NAMED.sub("", item, count=1) for item in items]
    keys = list(_keys(items))
    if any(key is None for key in keys):
        return None
    if len(joined) > 1 and not bracket and keeps_its_order(items):
        return None
    loose = not point and (
        bracket == "{" or ((len(joined) > 1 or name is not None) and "&" not in inner)
    )
    return NormalForm("list", (bracket, *keys), loose=loose, name=name)


_BOTH = lazy(r"^±\s*(\w+)$")
_NUMBERED = lazy(r"(?:^|\s*[,;]?\s+)\d{1,2}[.)]\s+(?=[^\W\d_])")
"""`1. red 2. white`"""
_SOLUTION = lazy(r"[a-z](?:_?\d)?\s*=")
_OR = lazy(r"\s*,?\s+or\s+|\s*或者?\s*", re.IGNORECASE)


def _solutions(text: str) -> str:
    """`x = 2 or x = 3` as `x = 2 and x = 3`, `x = ±2` as `x = 2 and x = -2`."""
    if _SOLUTION.match(text) is None:
        return text
    name, _, value = text.partition("=")
    if value.strip().startswith("±"):
        bare = value.strip()[1:].strip()
        return f"{name}={bare} and {name}=-{bare}"
    pieces = _OR.split(text)
    if len(pieces) < 2:
        return text
    if not any("=" in piece for piece in pieces[1:]):
        pieces = [pieces[0], *(f"{name}={piece}" for piece in pieces[1:])]
    return " and ".join(pieces)


def _keys(items: list[str]) -> Iterator[object | None]:
    """Each item as it is compared; None for more than a name or a number."""
    for item in items:
        quantity = whole(item)
        if quantity is not None:
            yield (quantity.value, quantity.unit)
            continue
        if names := aliases(item):
            yield names[0].casefold()
            continue
        words = re.findall(r"[^\W_]+|[^\w\s\"'“”‘’.]", item.casefold())
        changed = any(word in CHANGING for word in words) and any(
            sign.isdigit() for sign in item
        )
        yield None if changed or not 0 < len(words) <= 6 else " ".join(words)
