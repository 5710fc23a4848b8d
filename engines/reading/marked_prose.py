"""Reads a marked reply that is prose: `My score is 3. Mark: kqvmzrtw`.

A mark shows that the reply is not copied, and no more: with it, too, a reply may say
what somebody else wants, or that it leaves the matter open. So a value counts only
outside of quotations, behind its own name, with nothing before it that is not known to
announce it; where the reply speaks of others, only in a sentence in which it speaks of
itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from .announcing import announces
from .fields import pattern
from .quotations import Quoted

SCALES = ("score", "rating", "grade", "评分", "得分", "分数")
"""Common words for the only number that is asked for."""

_LONGEST = 5_000
_AMOUNT = r"\d{1,3}(?:\.\d{1,9})?"
_SCALED = re.compile(
    rf"(?P<value>{_AMOUNT})\s*(?:(?:/|out of|of)\s*(?P<of>\d{{1,3}})\b"
    rf"|(?P<percent>[%％])"
    r"|分|points?)?\s*(?:[(（](?:满分|out of|of)?\s*(?P<full>\d{1,3})分?[)）])?[.。]?",
    re.IGNORECASE,
)
_CONNECTS = (
    r"[\s*_`\"'“”]{0,4}(?:(?:(?:is|was|as|of|at|it|this)\b|[给是为打评])\s{0,2}){0,3}"
    r"(?:a |an )?[\s:：=＝→>(（*_`\"'“”-]{0,6}"
)
_ENDS = re.compile(r"[;；。！？!?\n|，,]|\.(?!\d)|[()（）]")
_SENTENCE = re.compile(r"[。！？!?\n]|\.(?!\d)")
_OPEN = re.compile(
    r"\b(?:withh[eo]ld|postpone|abstain|decline|refuse|blank|(?:leave|is|stays?"
    r"|remains?)"
    r" (?:it |this )?(?:still )?open|no verdict|(?:not|n't|cannot) (?:yet )?"
    r"(?:decide|judge|rule|grade|rate|score|say)|undecided|send me)\b"
    r"|暂不|不作判断|不予|拒绝|保留意见|未决|无法|待定",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"\b(?:writes?|wrote|written|says?|said|claims|asks?|asked|reads?|wants?|would have"
    r"|contains?|itself|himself|they|quot\w+|translat\w+|decod\w+)\b"
    r"|文中|原文|对方|引用|写|要求|声称|译|解码",
    re.IGNORECASE,
)
_NOT = frozenset(("false", "no", "否"))
"""Where nothing is decided, there need be no text."""
_RIGHT = re.compile(r"\b(?:right|correct)\b", re.IGNORECASE)
_OWN = re.compile(r"\b(?:my|mine|i)\b|我", re.IGNORECASE)


def scaled(value: str, spec: Mapping[str, Any]) -> str:
    """A number of a scale as that number: `85/100`, `85 %`, `80分`; else the text
    itself.
    """
    found = _SCALED.fullmatch(value.strip())
    if found is None:
        return value
    most = spec.get("maximum")
    of = found["of"] or found["full"] or (found["percent"] and "100")
    if of and most == 1 and found["percent"]:
        return f"{float(found['value']) / 100:g}"
    if not of or int(of) == most:
        return found["value"]
    return value


def marked_prose(
    text: str, mark: str, properties: Mapping[str, Any]
) -> dict[str, Any] | None:
    """The values that a reply states in prose; None where one that decides is missing.

    Two values for one name are none.
    """
    lists = any(one.get("type") in ("array", "object") for one in properties.values())
    if lists or len(text) > _LONGEST or _OPEN.search(text):
        return None
    quoted = Quoted(text)
    text = without_mark(text, mark)
    cautious = _OTHERS.search(_outside(text, quoted)) is not None
    value: dict[str, Any] = {}
    for name, spec in properties.items():
        decides = _decides(spec)
        said = {
            one
            for one in _said(text, name, spec, properties, quoted)
            if one[1] or not cautious
        }
        values = {one[0] for one in said}
        if len(values) == 1:
            value[name] = values.pop()
        elif decides or values or _named(text, name, quoted):
            return None
    decided = not _NOT & {one.casefold() for one in value.values()}
    lacks = value.keys() != properties.keys()
    if lacks and decided:
        return None
    return value or None


def _decides(spec: Mapping[str, Any]) -> bool:
    return spec.get("type") in ("boolean", "number", "integer") or "enum" in spec


def without_mark(text: str, mark: str) -> str:
    """The text with commas in the place of the mark and the words for it."""
    said = (
        rf"(?:(?:under|with|the)\s){{0,3}}(?:mark|token|标"
        rf"记)?\s?(?:\(mark\))?[\s:：=→>*_`(（\[]{{0,9}}{mark}"
    )
    return re.sub(
        rf"[(（\[]?{said}[*_`)）\]]{{0,4}}[:：]?",
        lambda found: "," * len(found[0]),
        text,
        flags=re.IGNORECASE,
    )


def _outside(text: str, quoted: Quoted) -> str:
    return "".join(
        " " if quoted.covers(place) else sign for place, sign in enumerate(text)
    )


def _named(text: str, name: str, quoted: Quoted) -> bool:
    """True if the text speaks of what it gives no value."""
    places = re.finditer(rf"\b(?:{pattern((name,))})\b", text, re.IGNORECASE)
    return any(not quoted.covers(found.start()) for found in places)


def _said(
    text: str,
    name: str,
    spec: Mapping[str, Any],
    properties: Mapping[str, Any],
    quoted: Quoted,
) -> Iterator[tuple[str, bool]]:
    """Every value behind a name, and whether the reply speaks of itself there."""
    end = 0
    for found in _pattern(name, spec, properties).finditer(text):
        start = found.start("name")
        if quoted.covers(start) or start < end:
            continue
        lead = _RIGHT.sub(" ", _ENDS.split(text[end:start])[-1]).strip(" *_`:：-→")
        if lead and not announces(lead):
            continue
        sentence = _SENTENCE.split(text[:start])[-1]
        end = found.end()
        said = found["value"].strip(" *_`\"'“”")
        if said:
            yield scaled(said, spec), _OWN.search(sentence) is not None


def _pattern(
    name: str, spec: Mapping[str, Any], properties: Mapping[str, Any]
) -> re.Pattern[str]:
    numbers = [one for one in properties.values() if one.get("type") in _NUMBERS]
    names = [name]
    if spec.get("type") in _NUMBERS:
        value = (
            rf"{_AMOUNT}(?:\s*/\s*\d{{1,3}}|\s*out of \d{{1,3}}|\s*[%％])?(?![\w/%.]\w)"
        )
        names += SCALES if len(numbers) == 1 else ()
    elif spec.get("type") == "boolean":
        value = r"(?:true|yes|false|no|是|否)(?!\w)"
    elif "enum" in spec:
        value = rf"(?:{'|'.join(map(re.escape, map(str, spec['enum'])))})(?!\w)"
    else:
        value = _TEXT
    return re.compile(
        rf"(?<![a-zA-Z\d_-])(?P<name>{pattern(names)}){_CONNECTS}(?P<value>{value})",
        re.IGNORECASE,
    )


_TEXT = (
    r"(?:[\"“'][^\"”'\n]{1,300}[\"”']|(?:[^;；。\n|.,，(（]|[.,](?=\d)){1,300}"
    r"(?=[ *_`]*(?:[;；。\n|]|\.(?!\d)|,{5}|$)))"
)
"""A quotation, or all up to the end of the clause; text with a comma behind it is in
doubt.
"""
_NUMBERS = ("number", "integer")
