"""Answers in the forms that models are trained to end with.

These are `\\boxed{24}`, `#### 24`, `<answer>24</answer>` and `{"answer": 24}`.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from ..reading.quotations import Quoted

MOST_WORDS = 12
"""Most words of an answer behind `####`."""

_INNER = r"(?:[^{}]|\{(?:[^{}]|\{[^{}]*+\})*+\})*+"
_BOXED = re.compile(rf"\\(?:boxed|fbox)\s*\{{({_INNER})\}}")
_PERCENT = re.compile(r"[\s$\\)\]]*+%")
_TAG = re.compile(
    r"<(?:(?:final_?)?answer|result)>([^<]{0,2000})</(?:(?:final_?)?answer|result)>",
    re.IGNORECASE,
)
_HASHES = re.compile(r"(?:.*\s|\s*)####\s*(?P<rest>[^#\s].*)")
_KEYS = frozenset(
    {"answer", "finalanswer", "correctanswer", "final", "result", "答案", "最终答案"}
)
_DENIED = re.compile(
    r"\b(?:not|never|wrong|incorrect|opponents?|other side|says?|said|claims?"
    r"|instead of|rather than|if)\b|n't\b|不是|并非|对方|正方|反方|错|若|如果",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^`{3,}+\w*+\s*+\Z", re.MULTILINE)
_MINE = re.compile(
    r"\b(?:my|the)\s(?:final\s)?(?:answer|result|solution)\b|我的|^(?:最终)?答案|结果",
    re.IGNORECASE,
)
"""Before a fenced block: it is the reply's own."""


class MarkedLine(NamedTuple):
    """A line with content, and its start."""

    start: int
    text: str


class MarkedAnswer(NamedTuple):
    """An answer, and the place of what marks it."""

    start: int
    end: int
    answer: str


def lines(text: str) -> list[MarkedLine]:
    """The lines of a text without those of white space and marks alone."""
    found: list[MarkedLine] = []
    start = 0
    for line in text.splitlines(keepends=True):
        if line.strip(" \t\r\n*_`#>=-"):
            found.append(MarkedLine(start, line.rstrip("\r\n")))
        start += len(line)
    return found


def tagged(text: str, quoted: Quoted) -> MarkedAnswer | None:
    """The last `<answer>…</answer>` that the text does not quote."""
    found = None
    for one in _TAG.finditer(text):
        if not quoted.covers(one.start()):
            found = one
    if found is None:
        return None
    return MarkedAnswer(found.start(), found.end(), found[1].strip())


def keyed(text: str, quoted: Quoted) -> MarkedAnswer | None:
    """The answer of a JSON object that ends the text, bare or in a fence."""
    end = len(text.rstrip(" \t\r\n`"))
    if not text.endswith("}", 0, end):
        return None
    start = text.rfind("\n{", 0, end) + 1
    if not text.startswith("{", start):
        return None
    if quoted.covers(start) and not _own_fence(text, start, quoted):
        return None
    try:
        value = json.loads(text[start:end])
    except (ValueError, RecursionError):
        return None
    given = {_text(one) for key, one in value.items() if _plain(key) in _KEYS}
    if not given and len(value) == 1 and not text[:start].strip("`json \n"):
        given = {_text(*value.values())}
    answer = given.pop() if len(given) == 1 else None
    if answer:
        return MarkedAnswer(start, len(text), answer)
    return None


def _own_fence(text: str, start: int, quoted: Quoted) -> bool:
    """True if the last fenced block is nothing but the object, and no line announces it
    as somebody else's."""
    opened = _FENCE.search(text, 0, start)
    if opened is None:
        return False
    before = text[: opened.start()].rstrip()
    line = before.rpartition("\n")[2]
    announced = line.rstrip("*_ ").endswith((":", "："))
    mine = _MINE.search(line) is not None and _DENIED.search(line) is None
    return (mine or not announced) and not quoted.covers(len(before) - 1)


def _plain(key: str) -> str:
    return re.sub(r"[\s_-]+", "", key).casefold()


def _text(value: object) -> str | None:
    if isinstance(value, list) and value and all(map(_text, value)):
        return ", ".join(str(one).strip() for one in value)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return str(value).strip()


def in_line(listed: list[MarkedLine], place: int, quoted: Quoted) -> str | None:
    """What a line puts in a box, or behind `####` if it is the last one."""
    begin, line = listed[place]
    found = [
        one for one in _BOXED.finditer(line) if not quoted.covers(begin + one.start())
    ]
    if found:
        before, behind = line[: found[0].start()], line[found[-1].end() :]
        if _DENIED.search(before) or _DENIED.search(behind):
            return None
        percent = "%" if _PERCENT.match(behind) else ""
        return ", ".join(dict.fromkeys(one[1].strip() for one in found)) + percent
    hashes = _HASHES.fullmatch(line) if place == len(listed) - 1 else None
    if hashes is None or quoted.covers(begin + hashes.start("rest")):
        return None
    if len(hashes["rest"].split()) > MOST_WORDS:
        return None
    if hashes["rest"].rstrip().endswith((":", "：")):
        return None
    return hashes["rest"]


def unboxed(text: str) -> str:
    """The content of the only box of an answer, if there is nothing else in it."""
    match = _BOXED.search(text)
    if match is None:
        return text
    around = text[: match.start()] + text[match.end() :]
    if around.strip(" $*.。[]()\\"):
        return text
    return match[1].strip()
