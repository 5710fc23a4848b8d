"""Finds the values that a text states: the name of each field, with a fitting value.

Whose statement it is, and whether it is meant, is for others to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from .fields import JsonSchema, pattern
from .scales import AMOUNT, NUMERIC, UNIT, scaled
from .vocabulary import synonyms, value_words

SENTENCE = re.compile(r"[;；。！!\n|]|(?<=[?？])|\.(?!\d)")
"""What ends a sentence."""
TURN = re.compile(
    r"(?i)\b(?:so|thus|hence|therefore|but|yet|however|which|and (?=that\b|this\b|it\b)"
    r"|since|because)\b|所以|因此|因而|但|因为|故",
)
_CONNECTS = (
    r"[\s*_`\"'“”?？]{0,4}(?:(?:(?:is|was|as|of|at|it|this|be|should|will|would"
    r"|therefore"
    r"|thus|now|comes? to)\b"
    r"|[给是为打评定])\s{0,2}){0,4}(?:(?<![\"'“])an? )?[\s:：=＝→>(（*_`\"'“”-]{0,6}"
)
_LEAD = re.compile(r"^[^\w$€£¥(（\[{“\"'√\\-]+")
_COMMA = re.compile("[,，]")
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_GIVES = (
    r"verdict|ruling|gives?|gave|given|award(?:s|ed)?|rated?|assign|put"
    r"|go(?:ing)? with|settle|land|deserves?"
    r"|earns?|gets?|merits?|worth|scores?|给|打|评|得|记"
)
_SCALE = re.compile(
    r"(?i)\b(?:on|from|in|of|out of) (?:a|an|the|your|this)?\s?(?:scale (?:of"
    r"|from) )?0\s?"
    r"(?:–|-|to)\s?\d{1,3}(?: scale)?|满分[为是]?[\d零〇一二两三四五六七八九十百]{1,4}分?",
)
_NUMBER = re.compile(
    rf"(?i)(?<![a-z\d.])(?P<value>{AMOUNT})(?P<unit>{UNIT})(?![a-z\d%]|\.\d)"
)
_BEFORE = re.compile(r"(?i)\s*(?:points? )?(?:for|on|in|as)\s(?:\w+\s){0,2}$")
_AND = re.compile(r"(?i)[\s,，、]*(?:and|&|和|与|及)?\s*")
_POLES = {
    "relevant": (
        "relevant|pertinent|related|on[- ]topic|相关|有关|切题",
        "irrelevant|unrelated|off[- ]topic|无关|不相干|离题|跑题",
    ),
    "correct": (
        "correct|right|true|accurate|正确|对的|无误|(?<=[判算答])对了?",
        "incorrect|wrong|false|inaccurate|mistaken|错误|错的|有误|不对|(?<=[判算答])错了?",
    ),
}
"""Words that judge something, for and against it."""
_ENDED = (
    r"(?![a-zA-Z\d_-])(?=[*_\"”’]{0,3}\s?(?:[.,;!)(，。；）—–\n]|$|(?:to|for|because"
    r"|since|as|and|but|in|with"
    r"|given|here|overall|enough)\b|的?(?:[。，；,]|$)))"
)
_LINK = re.compile(
    r"(?i)(?:\b(?:is|was|are|were|be|remains?|makes?|find|found|judged?|am|declared?"
    r"|deem(?:ed)?"
    r"|consider(?:ed)?|call(?:ed)?|as|so|hence|thus|therefore|verdict|result|it)"
    r"(?:n['’]t)?\b|['’]s\b|[:：→=—-]|\A\W*)(?:\s?[\w'’-]+){0,3}\s?[*_\"“]{0,3}$",
)
NOT = re.compile(r"(?i)\b(?:not|never|hardly|cannot|neither|nor)\b|n['’]t\b|[不没非未]")
_TEXT = (
    r"(?:[\"“'][^\"”'\n]{1,300}[\"”']|(?:[^;；。\n|.,，(（\"“”<>]|[.,](?=\d)){1,300}"
    r"(?=[ *_`\"”]*(?:[;；。\n|]|\.(?!\d)|,{5}|$)))"
)
"""A quotation, or all up to the end of the clause; text with a comma behind it is in
doubt.
"""


class Statement(NamedTuple):
    """A value that a text states for a name, and the place where it does."""

    name: str
    value: str
    start: int
    end: int


def statements(text: str, properties: JsonSchema) -> Iterator[Statement]:
    """Everything that the sentences of a text state."""
    numbers = {
        name: one for name, one in properties.items() if one.get("type") in NUMERIC
    }
    for start, end in _between(SENTENCE, text, 0, len(text)):
        for name, spec in properties.items():
            if spec.get("type") == "string" and "enum" not in spec:
                yield from _texts(text, start, end, name)
        for first, last in _between(TURN, text, start, end):
            if numbers:
                yield from _numbers(text, first, last, numbers)
            for name, spec in properties.items():
                if spec.get("type") == "boolean":
                    yield from _truths(text, first, last, name)
                elif "enum" in spec:
                    yield from _members(text, first, last, name, spec["enum"])


def _between(
    parting: re.Pattern[str], text: str, start: int, end: int
) -> Iterator[tuple[int, int]]:
    """The parts of a text between what parts it."""
    for found in parting.finditer(text, start, end):
        if start < found.start():
            yield start, found.start()
        start = found.end()
    if start < end:
        yield start, end


def _texts(text: str, start: int, end: int, name: str) -> Iterator[Statement]:
    for found in _text_of(name).finditer(text, start, end):
        said = _LEAD.sub("", found["value"]).strip(" *_`\"'“”,，")
        if said:
            yield Statement(name, said, *found.span())


@lru_cache(maxsize=256)
def _text_of(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?i)(?<!no ){_named(name)}{_CONNECTS}(?P<value>{_TEXT})")


def _named(name: str) -> str:
    return rf"(?<![a-z\d_-])(?:{pattern(synonyms(name))})(?![a-z])"


def _numbers(text: str, start: int, end: int, specs: JsonSchema) -> Iterator[Statement]:
    only = next(iter(specs)) if len(specs) == 1 else ""
    places = list(_names(tuple(specs)).finditer(text, start, end))
    waiting: list[re.Match[str]] = []
    for at, place in enumerate(places):
        until = places[at + 1].start() if at + 1 < len(places) else end
        since = places[at - 1].end() if at else start
        waiting.append(place)
        name = _name_of(place, specs)
        one = _one_number(text, place.end(), until, specs[name])
        before = _NUMBER.search(text, since, place.start())
        if one is None and before and _BEFORE.match(text, before.end(), place.start()):
            one = _one_number(text, *before.span(), specs[name])
        if one is not None:
            for each in waiting:
                yield Statement(_name_of(each, specs), one[0], each.start(), one[1])
        if one is not None or not _AND.fullmatch(text, place.end(), until):
            waiting = []
    if not places and only:
        one = _one_number(text, start, end, specs[only], units=True)
        if one is not None:
            yield Statement(only, one[0], one[2], one[1])


def _name_of(found: re.Match[str], specs: JsonSchema) -> str:
    groups = zip(specs, found.groups(), strict=True)
    return next((name for name, said in groups if said), next(iter(specs)))


def _one_number(
    text: str, start: int, end: int, spec: JsonSchema, *, units: bool = False
) -> tuple[str, int, int] | None:
    """The only number of a scale in the first clause that has one, its end and its
    start; those with their scale go before others, digits before words.
    """
    aside = [one.span() for one in _SCALE.finditer(text, start, end)]
    for first, last in _between(_COMMA, text, start, end):
        kinds: list[dict[str, re.Match[str]]] = [{}, {}, {}]
        for found in _NUMBER.finditer(text, first, last):
            value = scaled(found[0].strip(" .。"), spec)
            if not any(a <= found.start() < b for a, b in aside) and _fits(value, spec):
                kind = 0 if found["unit"].strip() else 1 if found[0][0].isdigit() else 2
                kinds[kind][value] = found
        values = next(filter(None, kinds[:1] if units else kinds), {})
        for value, found in values.items():
            return (value, found.end(), found.start()) if len(values) == 1 else None
    return None


def _fits(value: str, spec: JsonSchema) -> bool:
    """True for a number of a scale."""
    if not _DIGITS.fullmatch(value) or (spec.get("type") == "integer" and "." in value):
        return False
    return float(value) <= (spec.get("maximum") or float(value))


@lru_cache(maxsize=256)
def _names(names: tuple[str, ...]) -> re.Pattern[str]:
    """The names of numbers in prose; for the only one, verbs of giving, too."""
    parts = [f"({pattern(synonyms(name))})" for name in names]
    if len(names) == 1:
        parts.append(_GIVES)
    return re.compile(rf"(?i)(?<![a-z])(?:{'|'.join(parts)})(?![a-z])")


def _truths(text: str, start: int, end: int, name: str) -> Iterator[Statement]:
    """`true` or `false`, as a part says it of what is judged."""
    for found in _named_truth(name).finditer(text, start, end):
        yes = found["yes"] is not None
        yield Statement(name, str(yes).casefold(), *found.span())
    for found in _poles(name).finditer(text, start, end):
        before = text[max(found.start() - 60, start) : found.start()]
        clause = re.split("[,，]", before)[-1]
        link = _LINK.search(clause)
        if found[0].isascii() and link is None:
            continue
        near = clause[link.start() :] if link and found[0].isascii() else clause[-8:]
        yes = (found["for"] is not None) != bool(NOT.search(near))
        yield Statement(name, str(yes).casefold(), *found.span())


@lru_cache(maxsize=256)
def _named_truth(name: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?i){_named(name)}{_CONNECTS}(?:(?P<yes>true|yes|是|真|对)|false|no|否|假"
        rf"|错)(?!\w)",
    )


@lru_cache(maxsize=16)
def _poles(name: str) -> re.Pattern[str]:
    for_it, against = _POLES.get(name, (pattern(synonyms(name)), "(?!)"))
    return re.compile(
        rf"(?i)(?:(?<![\w-])|(?<=[\u4e00-\u9fff]))(?:(?:{against})"
        rf"|(?P<for>{for_it})){_ENDED}"
    )


def _members(
    text: str, start: int, end: int, name: str, members: Iterable[str]
) -> Iterator[Statement]:
    """The member of an enumeration in a part that has the name and no other one."""
    named = re.compile(rf"(?i){_named(name)}").search(text, start, end)
    if named is None:
        return
    clause = re.compile("[,，]|$").search(text, named.end(), end)
    for first, last in ((start, end), (named.end(), clause.start() if clause else end)):
        found = {
            one: at
            for one in members
            if (at := _word_of(one).search(text, first, last)) is not None
        }
        if len(found) == 1:
            ((one, at),) = found.items()
            rest = text[start : at.start()] + text[at.end() : end]
            if one == "none" or not NOT.search(rest):
                places = (*named.span(), *at.span())
                yield Statement(name, one, min(places), max(places))
            return


def names_member(text: str, spec: JsonSchema) -> bool:
    """True if a text has a word for one of the values of an enumeration."""
    return any(_word_of(one).search(text) for one in spec.get("enum", ()))


@lru_cache(maxsize=256)
def _word_of(value: str) -> re.Pattern[str]:
    return re.compile(rf"(?i)(?<![a-z])(?:{value_words(value)})(?![a-z])")
