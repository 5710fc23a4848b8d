"""Reads the replies of the judge, the baseline and the observer, also with the keys of
the original MAD code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from ...sessions.events import Read
from ..reading import (
    LARGEST,
    ReadValue,
    Unread,
    bare,
    in_mode,
    only,
    parse,
    read_object,
)
from ..reading.contradiction import contradicted
from ..reading.fields import Doubt, Field
from ..reading.ownership import fences, own

_YES = frozenset({"yes", "true", "y", "是", "有", "对"})
_NO = frozenset({"no", "false", "n", "否", "没有", "无", "不"})
_NOBODY = frozenset(
    {
        "",
        "-",
        "--",
        "none",
        "neither",
        "null",
        "n/a",
        "na",
        "no one",
        "nobody",
        "unclear",
        "无",
        "没有",
        "都不",
        "均不",
        "双方都不",
    }
)
_BOTH = frozenset(
    {
        "tie",
        "both",
        "both sides",
        "draw",
        "all",
        "平局",
        "双方",
        "都",
        "两方",
        "正反双方",
    }
)
_SIDES = {
    "affirmative": ("affirmative", "aff", "pro", "positive", "正方", "正"),
    "negative": ("negative", "neg", "con", "反方", "反"),
    **{
        f"debater{number}": (f"debater{number}", f"辩手{number}")
        for number in range(3, 7)
    },
}
_ANSWER = (
    "answer",
    "final_answer",
    "correct_answer",
    "debate_answer",
    "debate_translation",
    "correct_translation",
    "final_translation",
    "translation",
    "答案",
    "正确答案",
    "最终答案",
    "译文",
    "正确译文",
    "最终译文",
)
_REASON = ("reason", "reasons", "理由", "原因")
_SIDE = ("supported_side", "支持方", "支持的一方")
_PREFERENCE = ("preference", "whether_there_is_a_preference", "是否有偏好", "偏好")


class VerdictReading(msgspec.Struct, kw_only=True):
    """A verdict that was read. None: the reply does not say."""

    preference: bool | None = None
    supported_side: str | None = None
    reason: str = ""
    answer: str | None = None
    read: Read


def discriminative(
    text: str,
    sides: Sequence[str],
    *,
    structured: bool = False,
    sent: Iterable[str] = (),
) -> VerdictReading | Unread:
    """Read a discriminative verdict.

    A preference is required. Side, reason and answer may be missing.

    `sent`: the texts that the judge received.
    """
    fields = {
        "preference": Field(_PREFERENCE, _yes_or_no, contrary=_open),
        **_common(sides, answer_needed=False),
    }
    found = read_object(text, fields, structured=structured, sent=sent)
    if isinstance(found, Unread):
        return found
    value, read = found
    answer = value.get("answer")
    if not value["preference"] and answer is not None and is_nobody(answer):
        answer = None
    return VerdictReading(
        preference=value["preference"],
        supported_side=value.get("supported_side"),
        reason=value.get("reason", ""),
        answer=answer,
        read=read,
    )


def is_nobody(answer: str) -> bool:
    """Return whether an answer means that there is none: `none`, `(none)`, 无."""
    bare = answer.strip("()（） .。").casefold()
    return bare in _NOBODY or _NO_ANSWER.fullmatch(bare) is not None


_NO_ANSWER = re.compile(
    r"(?:none|nothing|empty|blank|tbd|pending|open|undecided|not (?:yet|decided)"
    r"|no (?:answer|winner|verdict|decision))(?: (?:yet|so far|for now|given|stated))?"
    r"|空|留空|空白|暂无|未定|待定|(?:无|没有|暂无)答案"
)


def extractive(
    text: str,
    sides: Sequence[str],
    *,
    structured: bool = False,
    sent: Iterable[str] = (),
) -> VerdictReading | Unread:
    """Read an extractive verdict.

    An answer is required. An empty answer decides nothing.
    """
    found = read_object(
        text, _common(sides, answer_needed=True), structured=structured, sent=sent
    )
    if isinstance(found, Unread):
        return found
    value, read = found
    return VerdictReading(
        supported_side=value.get("supported_side"),
        reason=value.get("reason", ""),
        answer=value["answer"],
        read=read,
    )


def rating(
    text: str, *, structured: bool = False, sent: Iterable[str] = ()
) -> tuple[float, Read] | Unread:
    """Read the observer's number, 0 to 1."""
    found = read_object(
        text,
        {"value": Field(("disagreement", "value", "分歧"), _share)},
        structured=structured,
        sent=sent,
    )
    if isinstance(found, Unread):
        return found
    return (found[0]["value"], found[1])


def side(value: object, sides: Sequence[str]) -> str | None:
    """Return a role of this debate, or `tie`; None if no side is named or it is neither
    of these.
    """
    if isinstance(value, list):
        named = {side(one, sides) for one in value}
        if not named or None in named:
            return None
        if len(named) == 1:
            return named.pop()
        return "tie"
    if not isinstance(value, str):
        return None
    plain = re.sub(r"\s+", " ", value).strip(" .。\"'*").casefold()
    if plain in _NOBODY:
        return None
    if plain in _BOTH:
        return "tie"
    roles = {
        _role(part, sides)
        for part in re.split(r"\s*(?:\band\b|&|/|,|，|、|和|与)\s*", plain)
        if part
    }
    if None in roles or not roles:
        return None
    if len(roles) == 1:
        return roles.pop()
    return "tie"


def _role(name: str, sides: Sequence[str]) -> str | None:
    plain = re.sub(
        r"^(?:the|side) | (?:side|debater|team|party|candidate)$", "", name.strip()
    ).replace(" ", "")
    return next((role for role in sides if plain in _SIDES.get(role, ())), None)


def candidates(
    text: str, *, structured: bool = False, sent: Iterable[str] = ()
) -> tuple[list[str], Read] | Unread:
    """Read the list of candidate answers without duplicates: a JSON list or object, or
    lines `Name: answer` or `1. answer`.

    Two different lists are unread. `sent`: what the judge received. A list found in
    prose is unread if it also occurs in `sent`.
    """
    text = bare(text)
    if len(text) > LARGEST:
        return Unread("the reply is too long to be a list of answers")
    try:
        whole = parse(text)
        items = _items(whole[0]) if whole is not None else None
        if whole is not None and items:
            return items, in_mode(whole[1], structured)
        if whole is not None and isinstance(whole[0], dict | list):
            return Unread("the reply lists no candidate answers")
        return (
            _cut_list(text, sent)
            or _lines(text, sent)
            or Unread("the reply lists no candidate answers")
        )
    except ValueError as doubt:
        return Unread(str(doubt))


def _cut_list(text: str, sent: Iterable[str]) -> tuple[list[str], Read] | None:
    """Return the one JSON list, or object with one, in a fence or in prose."""

    def taken(piece: str) -> tuple[list[str], Read, Any] | None:
        parsed = parse(piece)
        items = _items(parsed[0]) if parsed is not None else None
        if parsed is not None and items:
            return (items, parsed[1], parsed[0])
        return None

    found = only(text, taken)
    for block in fences(text):
        # a bare list counts only in a fence: brackets in prose seldom are one
        inside = text[block.inner : block.outer].strip()
        listed = taken(inside) if inside.startswith("[") else None
        if listed is None:
            continue
        if found is not None and found.value != listed[0]:
            raise Doubt("the reply contains two lists")
        start = text.index(inside, block.inner)
        found = ReadValue(
            listed[0],
            "sliced" if listed[1] == "json" else listed[1],
            listed[2],
            start,
            start + len(inside),
        )
    if found is None:
        return None
    prose = own(text, found.start, found.end, sent)
    lines = _once(
        [one for line in prose.splitlines() if (one := _listed(line) or _bullet(line))]
    )
    if (
        (lines and lines != found.value)
        or _bracketed(prose)
        or contradicted(prose, _LISTS, {"candidates": found.value})
    ):
        raise Doubt("the reply contains two lists")
    return found.value, found.rung


def _lines(text: str, sent: Iterable[str]) -> tuple[list[str], Read] | None:
    """Return the one list in plain text: consecutive lines with only headings before
    them.
    """
    places = []
    start = 0
    for line in text.splitlines(keepends=True):
        found = _listed(line.rstrip())
        if found is not None:
            places.append((start, start + len(line.rstrip()), found))
        elif places and line.strip() and not places[-1][2].endswith("\0"):
            places.append((start, start, "\0"))
        start += len(line)
    while places and places[-1][2] == "\0":
        places.pop()
    if not places:
        return None
    if any(place[2] == "\0" for place in places) or "{" in text:
        raise Doubt("the reply contains several lists, or other text inside its list")
    own(text, places[0][0], places[-1][1], sent)
    return _once([place[2] for place in places]), "sliced"


_BULLET = re.compile(r"\s*(?:[-*+•]|\d{1,2}[.)、])\s+(?P<item>.*\S)\s*")
_LISTS = {
    "candidates": Field(
        ("candidates", "candidate answers", "answers", "候选", "候选答案"),
        str,
        text=True,
    )
}


def _bullet(line: str) -> str | None:
    match = _BULLET.fullmatch(line)
    if match:
        return match["item"].strip(' *_`"“”')
    return None


def _bracketed(prose: str) -> bool:
    """Return True if there is a list of texts in brackets."""
    return re.search(r"\[\s*[\"'“]", prose) is not None


def _items(value: object) -> list[str] | None:
    """Return the answers of a JSON value: a list of texts or of objects with an answer,
    or an object with such a list or of names with texts.

    If the list has other keys next to it, its key must say what it lists. An answer
    must not be JSON text itself.
    """
    if isinstance(value, dict):
        lists = {str(key): one for key, one in value.items() if isinstance(one, list)}
        named = [one for key, one in lists.items() if _LISTING.search(key)]
        if len(lists) == 1 and (len(value) == 1 or named):
            return _items(*lists.values())
        if lists or not all(
            _LABEL.fullmatch(re.sub(r"[\s_]+", " ", str(key)).strip()) for key in value
        ):
            return None
        value = list(value.values())
    if not isinstance(value, list):
        return None
    if (
        len(value) == 1
        and isinstance(value[0], dict)
        and any(isinstance(one, list) for one in value[0].values())
    ):
        return _items(value[0])
    found = []
    for one in value:
        if isinstance(one, dict):
            named = [
                one[key]
                for key in one
                if str(key).casefold().replace(" ", "_")
                in (*_ANSWER, "candidate", "text", "候选")
            ]
            one = named[0] if len(named) == 1 else None
        if isinstance(one, bool) or not isinstance(one, str | int | float):
            return None
        if (
            isinstance(one, str)
            and one.lstrip()[:1] in ("{", "[")
            and parse(one.strip()) is not None
        ):
            return None
        found.append(str(one).strip())
    return _once(found) or None


_LISTING = re.compile(
    r"(?i)candidate|answer|translation|option|list|items|候选|答案|译文|选项|列表",
)


_LABEL = re.compile(
    r"(?i)(?:\d{1,2} ?[.)、] ?)?(?:the )?(?:(?:affirmative|negative|debater"
    r"|translation|answer|final|possible) ?)*(?:'s )?"
    r"(?:affirmative|negative|side|debater|candidate|answer|translation|option|正"
    r"方|反方|辩手|候选|候选答案|候选译文|答案|译文|选项|译法)s?"
    r" ?的? ?(?:答案|译文)? ?\(?[0-9a-f一二三四五六]?\)?(?: ?\([^)]*\))?",
)
"""What may be before the colon of a listed answer."""
_NUMBERED = re.compile(r"\d{1,2} ?[.)、] ?(?P<answer>.+)")
_MARKUP = " \t*_>#`-"


def _listed(line: str) -> str | None:
    """Return the answer of a line `Name: answer` or `1. answer`; None for any other
    line.
    """
    line = line.lstrip(_MARKUP)
    head, *rest = re.split("[:：]", line, maxsplit=1)
    label = " ".join(head.split()).strip(_MARKUP)
    if rest and len(head) <= 80 and _LABEL.fullmatch(label):
        text = rest[0]
    else:
        numbered = _NUMBERED.match(line)
        text = numbered["answer"] if numbered else ""
    text = text.strip(" \t*_`")  # a minus sign belongs to the answer
    quoted = re.fullmatch(r"[\"“「『](?P<inside>[^\"“”「」『』]+)[\"”」』][.。]?", text)
    text = quoted["inside"].strip() if quoted else text
    if any(sign.isalnum() for sign in text):
        return text
    return None


def _once(items: list[str]) -> list[str]:
    return list(dict.fromkeys(item for item in items if item))


def _common(sides: Sequence[str], *, answer_needed: bool) -> dict[str, Field]:
    named: Callable[[Any], str | None] = lambda value: side(value, sides)  # noqa: E731
    return {
        "supported_side": Field(_SIDE, named, needed=False),
        "reason": Field(_REASON, _text, needed=False, remark=True),
        "answer": Field(_ANSWER, _answer, needed=answer_needed, text=True),
    }


_GOES_ON = re.compile(
    r"(?i)\b(?:debate|it|this) (?:goes on|must go on|should go on|shall go on"
    r"|continues|should continue|must continue)\b"
    r"|\b(?:still|remains?) open\b"
    r"|\b(?:pending|no winner|continue|carry on|another round)\b|\bneither "
    r"(?:side |party )?(?:has )?(?:won|convinced|prevailed)\b"
    r"|\b(?:not|no|n't) (?:\w+ ){0,3}preference\b|\bundecided\b"
    r"|\b(?:not|n't|cannot|nothing) (?:\w+ ){0,3}(?:decided?|decide)\b|\b(?:is"
    r"|are) void\b"
    r"|辩论(?:应当?|应该|必须|仍须?|还要)?继续|尚未(?:确定|决定|分出)|(?:还|尚"
    r"|仍)?(?:不能|无法)(?:确定|决定|判定)|没有偏好|尚无定论"
    r"|还没有决定|未定|未决|未分胜负",
)


def _open(preference: bool) -> re.Pattern[str] | None:
    """Match prose that says the debate is not decided, which contradicts a verdict that
    it is.
    """
    if preference:
        return _GOES_ON
    return None


def _yes_or_no(value: object) -> bool:
    if isinstance(value, bool):
        return value
    plain = str(value).strip(" .。").casefold()
    if plain in _YES or plain in _NO:
        return plain in _YES
    raise ValueError("neither yes nor no")


def _answer(value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError("not a text")
    text = str(value).strip()
    if text in ("", "-", "--"):
        return None
    return text


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _share(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError("not a number")
    number = float(value)
    if not 0 <= number <= 1:
        raise ValueError("not between 0 and 1")
    return number
