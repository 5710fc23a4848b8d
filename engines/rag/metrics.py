"""How far an answer agrees with accepted ones. Marks of citations (`[2]`) are no part of an answer and are left out first.

`contains` is the accuracy of CoV-RAG (Appendix D: lower case, punctuation dropped, containment), held to whole words; `webglm` is the raw
substring that WebGLM's evaluation code takes; `exact_match` and `f1` follow SQuAD's normalisation (Rajpurkar et al., 2016), Chinese,
Japanese and Korean by characters.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

_CJK = "\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_CJK_CHARACTER = re.compile(f"[{_CJK}]")
_CITATION = re.compile(r"\s?\[\s?\d{1,4}(?:\s?[,\uff0c\u3001-]\s?\d{1,4}){0,99}\s?\]")
_TOKEN = re.compile(rf"[{_CJK}]|\d+(?:\.\d+)+|(?:(?![{_CJK}_])\w)+")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_INITIALS = re.compile(r"(?<![^\W\d_])([^\W\d_])\.(?=[^\W\d_](?![^\W\d_]))")
_APOSTROPHES = re.compile("(?<=\\w)['\u2019](?=\\w)")
_HYPHENS = re.compile("(?<=[^\\W\\d_])[-\u2010\u2011](?=[^\\W\\d_])")
_ARTICLES = frozenset({"a", "an", "the"})


class Length(NamedTuple):
    """How long a text is: `unit` is `words`, or `characters` (white space not counted) for a text mostly in Chinese or the like."""

    size: int
    unit: str


def cjk(text: str) -> bool:
    """True for a text mostly in Chinese, Japanese or Korean: as many such characters as other words, and at least one."""
    characters = len(_CJK_CHARACTER.findall(text))
    return characters > 0 and characters >= len(_CJK_CHARACTER.sub(" ", text).split())


def plain(text: str) -> str:
    """The text without its marks of citations."""
    return _CITATION.sub("", text)


def contains(answer: str, accepted: Sequence[str]) -> bool:
    """True if an accepted answer stands in the answer: case-folded, punctuation dropped, whole words ("5" is not in "1950" nor in "3.5"),
    Chinese, Japanese and Korean without boundaries. A hyphen may be a space or nothing."""
    return any(_within(_tokens(one, joint), _tokens(plain(answer), joint)) for one in accepted for joint in (" ", ""))


def webglm(answer: str, accepted: Sequence[str]) -> bool:
    """True if an accepted answer is a substring of the answer, letter by letter."""
    return any(one != "" and one in plain(answer) for one in accepted)


def exact_match(answer: str, accepted: Sequence[str]) -> bool:
    """True if the answer is an accepted one, but for case, punctuation, articles and white space."""
    given = _squad(plain(answer))
    return any(given == _squad(one) for one in accepted)


def f1(answer: str, accepted: Sequence[str]) -> float:
    """The harmonic mean of precision and recall in words (characters for Chinese and the like), for the accepted answer that fits best."""
    given = _squad(plain(answer))
    return max((_f1(given, _squad(one)) for one in accepted), default=0.0)


def length(text: str) -> Length:
    """Words, or characters where those are what one counts."""
    bare = plain(text)
    if cjk(bare):
        return Length(sum(not character.isspace() for character in bare), "characters")
    return Length(len(bare.split()), "words")


def _folded(text: str) -> str:
    """Composed, full-width forms made narrow, case-folded. Not NFKC: that would make 61/2 of 6½."""
    composed = unicodedata.normalize("NFC", text)
    narrow = "".join(unicodedata.normalize("NFKC", one) if "\uff00" <= one <= "\uffef" else one for one in composed)
    return narrow.casefold()


def _tokens(text: str, joint: str) -> list[str]:
    folded = _APOSTROPHES.sub("", _INITIALS.sub(r"\1", _THOUSANDS.sub("", _folded(text))))
    return _TOKEN.findall(_HYPHENS.sub(joint, folded))


def _within(part: list[str], whole: list[str]) -> bool:
    if not part:
        return False
    width = len(part)
    return any(whole[place : place + width] == part for place in range(len(whole) - width + 1) if whole[place] == part[0])


def _squad(text: str) -> list[str]:
    kept = "".join(one for one in _folded(text) if one not in string.punctuation and not unicodedata.category(one).startswith("P"))
    return [word for word in _CJK_CHARACTER.sub(r" \g<0> ", kept).split() if word not in _ARTICLES]


def _f1(given: list[str], wanted: list[str]) -> float:
    if not given or not wanted:
        return float(given == wanted)
    common = sum((Counter(given) & Counter(wanted)).values())
    return 2 * common / (len(given) + len(wanted))
