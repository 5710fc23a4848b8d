"""Decides whether two answers say the same, in three steps.

Figures count each step apart.

1. `exact`: the same text but for case, width, punctuation and white space.
2. `value`: what is said around an answer is set aside (`The answer is …`,
   `approximately`, 约, a remark in parentheses), and numbers are compared as
   `quantities.agree` does. An answer that names several values is the same only if all
   of them agree with the other answer, or if both are the same alternatives (`6 or
   12`). In doubt they are not the same: a denial, a comparison, a date or a name with a
   number in it has no value.
3. `model`: a model is asked. That step is elsewhere; here is only its name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

from ...texts.patterns import lazy
from ..reading.numerals import listed
from .expressions import constant
from .forms import NormalForm, form_of, same_form
from .names import same_name
from .quantities import (
    CHANGING,
    Quantity,
    agree,
    has_number,
    number_at_start,
    numerals_in,
    plain,
    whole,
)
from .sentences import BEFORE_HAN
from .stated_answer import closing
from .units import converted

Step = Literal["exact", "value", "contains", "model"]
STEPS: tuple[Step, ...] = ("exact", "value", "contains", "model")
"""The steps by which an answer is accepted, in order. `contains`: see `containment`;
`model`: a model said so (`--equivalence`)."""

LONGEST = 300
"""Characters of an answer in which a value is looked for."""


def same(one: str, other: str) -> bool:
    """Whether two answers say the same, without a model."""
    return step(one, other) is not None


def step(one: str, other: str) -> Step | None:
    """The first step at which two answers are the same; None if they are not.

    No model is asked.
    """
    if one == other:
        return "exact"
    if _DIGITS.fullmatch(one) and _DIGITS.fullmatch(other):
        if int(one) == int(other):
            return "value"
        return None
    first, second = _Answer.of(one), _Answer.of(other)
    if first.form is not None or second.form is not None:
        alike = _same_form(first.form, second.form)
        if alike is not None:
            reached: Step = "exact" if first.words == second.words else "value"
            return reached if alike else None
    if _one_is_a_formula(first, second):
        return "value" if _same_value(first, second) else None
    said = _choice_with_text(first, second)
    if said is not None and same(*said):
        return "value"
    if first.words == second.words and _alike(first.number, second.number):
        return "exact"
    # x = 3 is not y = 3
    if len({first.variable, second.variable} - {None}) == 2:
        return None
    return "value" if _same_statement(first, second) else None


def _same_statement(answer: _Answer, other: _Answer) -> bool:
    if answer.stated_words == other.stated_words and _alike(
        answer.stated_number, other.stated_number
    ):
        return True
    return _agree(answer.values, other.values) or _same_name(answer, other)


def _same_name(answer: _Answer, other: _Answer) -> bool:
    """Whether both are the same name; numbers and forms are not names."""
    if answer.values is not None or other.values is not None:
        return False
    forms = {form.kind for form in (answer.form, other.form) if form is not None}
    if forms - {"list", "ordinal", "substance", "choice"} or (
        answer.form and other.form
    ):
        return False
    return same_name(answer.stated, other.stated)


_DIGITS = lazy(r"[0-9]{1,18}")


def _one_is_a_formula(answer: _Answer, other: _Answer) -> bool:
    """Whether only one of two is a formula, whose words are not to be compared: `x - y`
    is not `x y`."""
    forms = (answer.form, other.form)
    return [form.kind if form else None for form in forms].count("formula") == 1


def _same_value(answer: _Answer, other: _Answer) -> bool:
    """Whether a formula has the value of the other text: `7!` and `5040`, `x = 2` and
    `2`.
    """
    if _agree(answer.values, other.values):
        return True
    formula, plain_one = (answer, other) if answer.form else (other, answer)
    if formula.form is None or plain_one.stated_number is None:
        return False
    value = constant(str(formula.form.value[0]))
    return value is not None and plain_one.stated_number == Quantity(value, 0)


def _choice_with_text(answer: _Answer, other: _Answer) -> tuple[str, str] | None:
    """What a choice says and the other answer, which is no choice: `(B) 42` and
    `42`.
    """
    for first, second in ((answer, other), (other, answer)):
        if first.form and first.form.kind == "choice" and first.form.value[1]:
            return str(first.form.value[1]), second.stated
    return None


def _same_form(one: NormalForm | None, other: NormalForm | None) -> bool | None:
    """Whether two forms are the same; None where the words and values decide."""
    if one is None or other is None or one.kind != other.kind:
        return _of_two_kinds(one, other)
    return same_form(one, other) or (None if one.kind == "list" else False)


def _of_two_kinds(one: NormalForm | None, other: NormalForm | None) -> bool | None:
    forms = {form.kind: form for form in (one, other) if form is not None}
    if forms.keys() == {"ratio", "between"}:
        parts = [whole(str(part)) for part in forms["ratio"].value]
        return parts == list(forms["between"].value)
    if forms.keys() == {"interval", "list"} and not forms["list"].loose:
        low, high, *closed = forms["interval"].value
        return closed == [False, False] and (low, high) == forms["list"].value[1:]
    if "era" in forms and forms["era"].value[1] == "ad" and len(forms) == 1:
        return None
    if forms.keys() & {"interval", "era"}:
        return False
    return None


def _alike(quantity: Quantity | None, other: Quantity | None) -> bool:
    """For equal words: true if both are the same number, or neither is one.

    `> 4` and `4`, `5 MW` and `5 mW` have equal words.
    """
    if quantity is None or other is None:
        return quantity is other
    return agree(quantity, other)


def first_step(answer: str, accepted: Iterable[str]) -> Step | None:
    """The earliest step at which an answer equals an accepted one; None if it equals
    none.
    """
    reached: Step | None = None
    for each in accepted:
        at = step(answer, each)
        if at == "exact":
            return at
        reached = reached or at
    return reached


class _Answer:
    """What an answer says, each part worked out once and only where it is asked for."""

    @staticmethod
    @lru_cache(maxsize=4096)
    def of(text: str) -> _Answer:
        return _Answer(text)

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _plain(self) -> str:
        made = plain(self._text)
        turned = _TURNED.fullmatch(made)
        if turned is not None:
            return f"{turned[2]} = {turned[1]}"
        return made

    @cached_property
    def words(self) -> str:
        return _words(self._plain) or self._text.strip()

    @cached_property
    def number(self) -> Quantity | None:
        """The number that the whole answer is."""
        return whole(_trimmed(self._plain, "()*"))

    @cached_property
    def variable(self) -> str | None:
        """`x` for `x = 3`, which is not the same as `y = 3`."""
        if "=" not in self._plain:
            return None
        match = _LETTER.match(_trimmed(unlabelled(_trimmed(self._plain, "#"))))
        if match:
            return match[1].casefold()
        return None

    @cached_property
    def stated(self) -> str:
        """The answer without what is said around it."""
        return _said(self._text)

    @cached_property
    def stated_words(self) -> str:
        return _words(self.stated)

    @cached_property
    def stated_number(self) -> Quantity | None:
        return whole(self.stated)

    @cached_property
    def form(self) -> NormalForm | None:
        """Its form; None if it has none (see `forms`)."""
        named = closing(self._text) if "\n" in self._text.strip() else None
        made = self._plain if named is None else plain(named)
        if len(made) <= LONGEST:
            return form_of(_ROUNDED.sub("", _labelled(made)))
        return None

    @cached_property
    def values(self) -> _Values | None:
        return _reading(self.stated)


# ------------------------------------------------------------------ texts


@lru_cache(maxsize=4096)
def _words(text: str) -> str:
    folded = text.casefold()
    digits = any(sign.isdigit() for sign in folded)
    kept: list[str] = []
    for position, sign in enumerate(folded):
        if sign in "-+" and not folded[:position].strip() and "∞" in folded[:4]:
            kept.append(sign if sign == "-" else "")
        elif sign == " " or sign.isalnum():
            kept.append(sign)
        elif unicodedata.category(sign)[0] == "P" and not (
            (digits and _counts(folded, position))
            or (sign == "#" and folded[position - 1 : position].isalpha())
        ):
            kept.append("" if sign in "'’" else " ")
        else:
            kept.append(sign)
    made = " ".join("".join(kept).split())
    if not made.isascii():
        made = _BESIDE_HAN.sub("", made)
    return made or folded


_BESIDE_HAN = lazy(r"(?<=[\u2e80-\u9fff])\s+|\s+(?=[\u2e80-\u9fff])")


def _counts(text: str, position: int) -> bool:
    """True if a punctuation mark may change the value of a number."""
    sign, before, after = (
        text[position],
        text[position - 1 : position],
        text[position + 1 : position + 2],
    )
    if sign in "-/%*!":
        return True
    return after.isdigit() or (
        before.isdigit() and sign not in ".,;:?…)]}\"'。，；：？、”’"
    )


# -------------------------------------------------------- what is said around an answer

_NOUN = (
    r"(?:answer|result|solution|value|total|sum|outcome|estimate|number|amount"
    r"|probability|percentage|date|translation|ratio|speed|length|distance|price|cost"
    r"|area|volume|age|height|weight|temperature|mass|density|perimeter|radius|mean"
    r"|median|mode|average|limit|integral|derivative|product|quotient|remainder"
    r"|interval|range|set|formula|name|year|time|capital|city|country|author)s?"
)
_IS = (
    r"(?:is|was|are|equals|becomes|would be|will be|should be|must be|comes to|comes "
    r"out as|turns out to be|remains)"
)
_THEN = (
    r"(?:(?:so|thus|therefore|hence|finally|overall|in conclusion|in short|in summary"
    r"|indeed|yes)\b[,:]?\s+)"
)
_STILL = r"(?:\s+(?:still|therefore|thus|then|clearly|simply|indeed|now|actually))?"
_LABEL = lazy(
    rf"{_THEN}*(?:(?:my|our|the|its|this|final|correct|right|exact|overall|present"
    rf"|current|best|short)\s+)*{_NOUN}"
    rf"(?:\s*[:=≈]\s*|\s+{_IS}{_STILL}\s*:?\s+)"
    r"|(?:(?:所以|因此|综上所述|综上|可见|那么|即)[,，]?)?(?:最终|最后|正确|目前"
    r"|我|我们|本题|此题|该题)*的?(?:答案|结果|结论|总数|判断)"
    r"(?:仍然|依然|仍|还|应该|应当|应|就)*(?:[:：]|是[:：]?|为[:：]?)\s*|答[:：]\s*",
    re.IGNORECASE,
)
"""Names an answer: what follows is the answer, be it a number or not."""
_LEAD = lazy(
    rf"{_THEN}|(?:an?|options?)\s+(?=[\d$€£])|(?:it|this|that|there|they"
    rf"|which|he|she|we|you)(?:\s+(?:is|are|was|were|equals|needs?|gets?|takes?|has"
    rf"|have)|'s|'re)\s+"
    r"|(?:is|are|equals?|equal to|exactly|precisely|just|only|a total of|in total,"
    r"?|that is(?: to say)?,?|i\.?\s?e\.?,?|namely,?"
    r"|or|meaning)\s+"
    r"|(?:approximately|about|around|roughly|circa|approx\.?|ca\.)\s*|[≈~≃≅≒=:]\s*"
    r"|(?:所以|因此|也就是说?|即是?|也即|换言之|大约是?|大概是?|大致是?"
    r"|约等于|约为|约是|约|近似于?|等于|恰好是?|选"
    r"|正好是?|刚好是?|一共有?|总共有?|共有?|应为|应该是|它是|这是|是|为|或)[,"
    r"，:：]?\s*",
    re.IGNORECASE,
)
"""Said before a number without changing it."""
_TRAIL = lazy(
    r"\s*(?:左右|吧|,?\s*or so|,?\s*in total|,?\s*in all|,?\s*altogether|,"
    r"?\s*approximately|,?\s*exactly|,?\s*roughly)$",
    re.IGNORECASE,
)
_REMARK = lazy(
    r"^(?P<head>.*\S)\s*[(（](?:that is(?: to say)?|i\.?\s?e\.?|or|=|≈|即|也就是"
    r"|或)?[,，:]?\s*(?P<inside>[^()（）]+)[)）]\s*\.?$",
    re.IGNORECASE,
)
_HEAD = " \t,，;；:：\"'“”‘’"
_EDGE = _HEAD + ".。"
_VARIABLE = lazy(r"[a-z]\w{0,20}\s*=\s*(?=\S)", re.IGNORECASE)
"""`x = 4` gives 4."""
_TURNED = lazy(r"(-?\d[\d./]{0,15})\s*=\s*([a-z])")
"""`3 = x`, which is `x = 3`."""
_ROUNDED = lazy(r"(?<=[π√)\d])\s*(?:≈|\(≈|, or about|, approximately)\s*\d+\.\d+\)?$")
"""Behind a formula: `π/4 ≈ 0.785`."""
_LETTER = lazy(r"([a-z](?:_?\d)?)\s*=\s*(?=\S)", re.IGNORECASE)
"""A variable of one letter."""


def _trimmed(text: str, also: str = "") -> str:
    """Without white space, quotation marks and punctuation at its ends; a point before
    a digit stays.
    """
    return text.lstrip(_HEAD + also).rstrip(_EDGE + also)


def unlabelled(text: str) -> str:
    """A plain text without the words that name an answer: `The answer is 4.` is `4.`"""
    if not text[:1].isalpha():
        return text
    match = _LABEL.match(text)
    if match and match.end() < len(text):
        return text[match.end() :]
    return text


def _labelled(text: str) -> str:
    """A plain text without its label, with its brackets."""
    made = text
    for _ in range(3):
        before, made = made, unlabelled(made.lstrip(_HEAD + "#").rstrip(_HEAD))
        if made == before:
            break
    return made


_COMMON_ERA = lazy(r"公元(?=[\d一二])|人民币(?=\d)")


_WORKED = lazy(r"^\d[\d\s.]{0,15}(?:[+*/×-]\s*\d[\d\s.]{0,15}){1,5}=\s*(?=\d)")
"""`6 × 8 = 48` gives 48."""


def _said(text: str) -> str:
    """The plain answer: without its label, quotation marks, closing punctuation, and a
    remark that only repeats it.
    """
    stated = closing(text) if "\n" in text.strip() else None
    if len(stated or text) > LONGEST:
        return text
    made = _WORKED.sub("", _COMMON_ERA.sub("", plain(stated or text)))
    for _ in range(3):
        before, made = made, _trimmed(unlabelled(_trimmed(made.lstrip(_HEAD + "#"))))
        if made == before:
            break
    made = _trimmed(_IN_BRACKETS.sub(r"\1", made))
    remark = _REMARK.match(made)
    if remark and _repeats(remark["head"], remark["inside"]):
        made = remark["head"]
    if any(sign.isdigit() for sign in made):
        return _bare(made)
    return made


_IN_BRACKETS = lazy(r"^\(([^()]*)\)$")
_ABOUT = lazy(r"(?:about|approximately|roughly|around|约|大约)\s*")


def _repeats(head: str, inside: str) -> bool:
    """Whether a remark says the same as what it follows, or the same in a unit that is
    not converted: `98 °C (about 208 °F)`.
    """
    if _words(head) == _words(inside) or same_name(head, inside):
        return True
    one, other = whole(head), whole(_ABOUT.sub("", inside, count=1))
    if one is None or other is None or None in (one.unit[0], other.unit[0]):
        return False
    first, second = converted(one.unit[0]), converted(other.unit[0])
    return one.unit != other.unit and (
        first is None or second is None or first[0] != second[0]
    )


def _bare(text: str) -> str:
    """Without the words before and behind a number that do not change it.

    Only for a text that begins with a number then.
    """
    made = text
    for _ in range(6):
        if made[:1].isdigit():
            break
        found = _LEAD.match(made) or _VARIABLE.match(made)
        if not found or found.end() == len(made):
            break
        made = made[found.end() :]
    made = _trimmed(_TRAIL.sub("", _trimmed(made, "()（）[]")))
    return made if number_at_start(made) else text


# ------------------------------------------------------------------ values


class _Values(NamedTuple):
    """What a text gives as a number. `loose`: other words stand around it."""

    listed: tuple[Quantity, ...]
    loose: bool
    alternatives: bool


_SPLIT = lazy(
    r"\s*(?:(?P<alternative>\bor\b|或者?)|[()（）\[\]\n;；、=≈]|[,，](?=\s|[^\d])"
    r"|[:：](?=\s|[^\d])|[.。!](?=\s)|。"
    r"|\bi\.?\s?e\.?,?|\bthat is(?: to say)?,?|\bwhich is\b|\bnamely\b"
    r"|\bequivalently\b|\bequals?\b"
    r"|也?即是?|也就是说?|等于|亦即|换言之)\s*",
    re.IGNORECASE,
)
_SIGNS_THAT_CHANGE = lazy(r"[≠≥≤<>±√∞∑π^!?？\\|#…]|n't\b|\.\.")
_HAN_THAT_CHANGE = lazy(
    r"[不没非无未别错否至超少多大小高低以除若如第几余半倒吗呢谁减乘平根首末前后每"
    r"或倍而]|负|认为|也许|或许|可能|恐怕|未必|对方|反方|正方"
)
_DENYING = (
    CHANGING
    - {"about", "to", "by", "on", "off", "into", "is", "it", "up", "points"}
    - {"before", "after", "later", "earlier"}
) | frozenset(
    listed(
        """
    claim claimed claims cannot could doubt each either every guess how if maybe might
    mine mistake mod modulo neither nobody
        none nothing number opponent opposite other others perhaps per possibly reject
        rejected said say says side some someone
        square than their thinks thought trap twice thrice until was were what when
        where whether which while who why would yet room
                chapter figure page table level version route case option question part
        type class grade phase channel flight line area one
        """
    )
)
"""Where one of these is in a sentence with a number, the sentence may deny, ask or
compare the number.
"""
_BEFORE = frozenset(
    listed(
        """
    is are be equals equal gives give gave gets get got makes make made needs need
    needed requires require required takes take
        took revolves rotates turns completes complete has have had contains contain
        holds lasts costs weighs earns drives travels
        runs eats eat spends buys sells pays loses owes there exactly just only about
        approximately around roughly of to has reach
        reaches only totals complete earn earned uses use used find finds remain remains
        left there's it's that's after in at for
        with is: becomes"""
    )
)
"""Words after which a number is the sentence's answer; verbs in -s count as well."""
_UNIT_WANTED = frozenset({"after", "in", "at", "for", "with"})
_HARMLESS_HAN = lazy(
    r"一共|最后|一起|一样|一定|一般|一直|唯一|统一|一些|半径|大圆|小圆|大约|如下"
)


def _reading(text: str) -> _Values | None:
    """The values that a plain answer names; None if it is not a number, or not one for
    certain.
    """
    if not text or len(text) > LONGEST or not has_number(text):
        return None
    single = whole(text)
    if single is not None:
        return _Values((single,), False, False)
    return _parts(text) or _sentence(text)


def _parts(text: str) -> _Values | None:
    """`1/11 (that is, 9.09 %)`, `x = 4`, `6 or 12`: parts of which each is a value, or
    a few words that change none.
    """
    listed: list[Quantity] = []
    remarks = False
    pieces = _SPLIT.split(text)
    for piece in pieces[0::2]:
        part = (
            _bare(_trimmed(piece, "()（）[]"))
            if any(sign.isalnum() for sign in piece)
            else ""
        )
        value = whole(part) if part else None
        if value is not None:
            listed.append(value)
        elif part and not _harmless(part):
            return None
        elif part:
            remarks = True
    if listed:
        return _Values(tuple(listed), remarks, any(pieces[1::2]))
    return None


def _harmless(text: str) -> bool:
    """True for words that say nothing of a number beside them: no number, no unit, no
    denial.
    """
    text = _HARMLESS_HAN.sub(_blank, text).strip(" ()（）[]")
    measured = whole("2 " + text.split(" ")[0])
    if (
        has_number(text)
        or _SIGNS_THAT_CHANGE.search(text)
        or (measured is not None and measured.unit[0])
    ):
        return False
    if _HAN_THAT_CHANGE.search(text) or "up to" in text.casefold():
        return False
    listed = re.findall(r"[^\W\d_]+(?:'[a-z]+)?", text.casefold())
    return len(listed) <= 25 and not any(
        word in _DENYING or word.endswith("n't") for word in listed
    )


_EVERY = lazy(r"\s+(?:every|each)\s+(day|week|month|year|hour|time)\b")
_OF = lazy(r"\s+of\b")
"""`40 pounds of flour` are no money."""
_BESIDE_TIME = lazy(
    r"\s+(?:ago|before|after|later|earlier|early|late|hence|from\s+now)\b"
    r"|[以之]?[前后]|'\s+\w",
    re.IGNORECASE,
)


_NOT_BUT = lazy(
    r"(?:it(?:'s| is) )?not [^,.;]{1,40}?,? but (?:rather )?(?P<said>[^,.;]{1,40})\.?"
    r"|不是[^，。；]{1,20}[，,]?而是(?P<han>[^，。；]{1,20})。?",
    re.IGNORECASE,
)
"""`Not 16 but 17.`"""


def _sentence(text: str) -> _Values | None:
    """A sentence that states one number: `Circle A revolves 4 times.`"""
    denied = _NOT_BUT.fullmatch(text)
    if denied is not None:
        return _reading(denied["said"] or denied["han"])
    text = _HARMLESS_HAN.sub(_blank, text)
    found = list(numerals_in(text))
    start, quantity, end = found[0] if len(found) == 1 else (0, None, 0)
    if quantity is None or "\n" in text:
        return None
    before, after = text[:start], _EVERY.sub(r" a \1", text[end:])
    if (
        _BESIDE_TIME.match(after)
        or (quantity.unit[0] == "£" and _OF.match(after))
        or not _stands_free(before, after)
        or not _harmless(before)
        or not _harmless(after)
    ):
        return None
    if "\u3400" <= after[:1] <= "\u9fff" or (
        re.match(r"[\s-]*[^\W\d_]", after) and quantity.unit[0] is None
    ):
        counted = re.match(r"\s+[a-z]+|[\u3400-\u9fff]+", after)
        with_noun = whole(text[start:end] + counted[0]) if counted else None
        if with_noun is None:
            return None
        quantity = with_noun
    last = before.split()[-1].casefold() if before.split() else ""
    if before and "\u3400" <= before.rstrip()[-1:] <= "\u9fff":
        if before.rstrip()[-1] in BEFORE_HAN or before[:2] in ("所以", "因此"):
            return _Values((quantity,), True, False)
        return None
    if before.rstrip(" \"'*") and not (
        last in _BEFORE
        or (last.endswith("s") and len(last) > 3 and before.split()[-1].islower())
    ):
        return None
    if last in _UNIT_WANTED and quantity.unit == (None, frozenset()):
        return None
    return _Values((quantity,), True, False)


def _blank(found: re.Match[str]) -> str:
    return "〓" * len(found[0])


def _stands_free(before: str, after: str) -> bool:
    """True if no letter, digit or sign that could belong to the number touches it."""
    left = (
        before[-1:] == ""
        or before[-1] in " \"'(（“‘"
        or "\u3400" <= before[-1] <= "\u9fff"
    )
    right = (
        after[:1] == ""
        or after[0] in " .,;\"')）”’。，；"
        or "\u3400" <= after[0] <= "\u9fff"
    )
    return (
        left
        and right
        and not re.match(r"\.\w|\s*[/^*×+=-]", after)
        and not re.search(r"[/^*×+=-]\s*$", before)
    )


def _agree(one: _Values | None, other: _Values | None) -> bool:
    if one is None or other is None or (one.loose and other.loose):
        return False
    if all(agree(first, second) for first in one.listed for second in other.listed):
        return True
    if not (one.alternatives and other.alternatives):
        return False
    return all(
        any(agree(first, second) for second in other.listed) for first in one.listed
    ) and all(
        any(agree(first, second) for first in one.listed) for second in other.listed
    )
