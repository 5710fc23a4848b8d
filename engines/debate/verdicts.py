"""What the judge, the baseline and the observer said, read into values; also in the words of the original MAD code."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from ...sessions.events import Read
from ..reading import LARGEST, Field, Unread, parse, read_object, slices

_YES = frozenset({"yes", "true", "y", "是", "有", "对"})
_NO = frozenset({"no", "false", "n", "否", "没有", "无", "不"})
_NOBODY = frozenset(
    {"", "-", "--", "none", "neither", "null", "n/a", "na", "no one", "nobody", "unclear", "无", "没有", "都不", "均不", "双方都不"}
)
_BOTH = frozenset({"tie", "both", "both sides", "draw", "all", "平局", "双方", "都", "两方", "正反双方"})
_SIDES = {
    "affirmative": ("affirmative", "aff", "pro", "positive", "正方", "正"),
    "negative": ("negative", "neg", "con", "反方", "反"),
    **{f"debater{number}": (f"debater{number}", f"辩手{number}") for number in range(3, 7)},
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


class Judged(msgspec.Struct, kw_only=True):
    """A verdict as read. None is not named."""

    preference: bool | None = None
    supported_side: str | None = None
    reason: str = ""
    answer: str | None = None
    read: Read


def discriminative(text: str, sides: Sequence[str], *, structured: bool = False) -> Judged | Unread:
    """Whether the debate is decided. A preference must be there; side, reason and answer may be missing."""
    fields = {"preference": Field(_PREFERENCE, _yes_or_no), **_common(sides, answer_needed=False)}
    found = read_object(text, fields, structured=structured)
    if isinstance(found, Unread):
        return found
    value, read = found
    answer = value.get("answer")
    if not value["preference"] and answer is not None and answer.casefold() in _NOBODY:
        answer = None
    return Judged(
        preference=value["preference"], supported_side=value.get("supported_side"), reason=value.get("reason", ""), answer=answer, read=read
    )


def extractive(text: str, sides: Sequence[str], *, structured: bool = False) -> Judged | Unread:
    """The final answer. It must be there, but may be empty: then nothing was decided."""
    found = read_object(text, _common(sides, answer_needed=True), structured=structured)
    if isinstance(found, Unread):
        return found
    value, read = found
    return Judged(supported_side=value.get("supported_side"), reason=value.get("reason", ""), answer=value["answer"], read=read)


def rating(text: str, *, structured: bool = False) -> tuple[float, Read] | Unread:
    """The observer's number from 0 to 1."""
    found = read_object(text, {"value": Field(("disagreement", "value", "分歧"), _share)}, structured=structured)
    return found if isinstance(found, Unread) else (found[0]["value"], found[1])


def side(value: object, sides: Sequence[str]) -> str | None:
    """A role of this debate, `tie`, or None if no side is named or it is none of these."""
    if isinstance(value, list):
        named = {side(one, sides) for one in value}
        return None if not named or None in named else named.pop() if len(named) == 1 else "tie"
    if not isinstance(value, str):
        return None
    plain = re.sub(r"\s+", " ", value).strip(" .。\"'*").casefold()
    if plain in _NOBODY:
        return None
    if plain in _BOTH:
        return "tie"
    roles = {_role(part, sides) for part in re.split(r"\s*(?:\band\b|&|/|,|，|、|和|与)\s*", plain) if part}
    if None in roles or not roles:
        return None
    return roles.pop() if len(roles) == 1 else "tie"


def _role(name: str, sides: Sequence[str]) -> str | None:
    plain = re.sub(r"^(?:the|side) | (?:side|debater|team|party|candidate)$", "", name.strip()).replace(" ", "")
    return next((role for role in sides if plain in _SIDES.get(role, ())), None)


def candidates(text: str, *, structured: bool = False) -> tuple[list[str], Read] | Unread:
    """The answers that were put forward, each once: from a JSON list or object, or from lines `Name: answer` or `1. answer`."""
    text = text.strip()
    if len(text) > LARGEST:
        return Unread("the reply is too long to be a list of answers")
    try:
        for piece in (text, _fenced(text), *slices(text)):
            parsed = parse(piece) if piece else None
            items = _items(parsed[0]) if parsed else None
            if parsed and items:
                read = parsed[1]
                if read == "json":
                    read = "sliced" if piece != text else "schema" if structured else "json"
                return items, read
    except ValueError as doubt:
        return Unread(str(doubt))
    listed = _once([found for line in text.splitlines() if (found := _listed(line))])
    return (listed, "sliced") if listed else Unread("the reply lists no candidates")


def _items(value: object) -> list[str] | None:
    """The answers of a JSON value: a list of texts or of objects with an answer, or an object with such a list or of names with texts."""
    if isinstance(value, dict):
        lists = [one for one in value.values() if isinstance(one, list)]
        if len(lists) == 1:
            return _items(lists[0])
        if any(key.casefold().replace(" ", "_") in (*_REASON, *_PREFERENCE, *_SIDE) for key in map(str, value)):
            return None
        value = list(value.values())
    if not isinstance(value, list):
        return None
    found: list[str] = []
    for one in value:
        if isinstance(one, dict):
            named = [one[key] for key in one if str(key).casefold().replace(" ", "_") in (*_ANSWER, "candidate", "text", "候选")]
            one = named[0] if len(named) == 1 else None
        if isinstance(one, bool) or not isinstance(one, str | int | float):
            return None
        found.append(str(one).strip())
    return _once(found) or None


_LABEL = re.compile(
    r"(?:\d{1,2} ?[.)、] ?)?(?:the )?(?:(?:affirmative|negative|debater|translation|answer|final|possible) ?)*(?:'s )?"
    r"(?:affirmative|negative|side|debater|candidate|answer|translation|option|正方|反方|辩手|候选|候选答案|候选译文|答案|译文|选项|译法)s?"
    r" ?的? ?(?:答案|译文)? ?\(?[0-9a-f一二三四五六]?\)?(?: ?\([^)]*\))?",
    re.IGNORECASE,
)
"""What may stand before the colon of a listed answer."""
_NUMBERED = re.compile(r"\d{1,2} ?[.)、] ?(?P<answer>.+)")
_MARKUP = " \t*_>#`-"


def _listed(line: str) -> str | None:
    """The answer of a line `Name: answer` or `1. answer`; None for any other line."""
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
    return text if any(sign.isalnum() for sign in text) else None


def _once(items: list[str]) -> list[str]:
    return list(dict.fromkeys(one for one in items if one))


def _fenced(text: str) -> str | None:
    found = re.findall(r"```[a-zA-Z]*\n(.*?)```", text, re.DOTALL)
    return str(found[0]).strip() if len(found) == 1 else None


def _common(sides: Sequence[str], *, answer_needed: bool) -> dict[str, Field]:
    named: Callable[[Any], str | None] = lambda value: side(value, sides)  # noqa: E731 - one line, used once
    return {
        "supported_side": Field(_SIDE, named, needed=False),
        "reason": Field(_REASON, _text, needed=False),
        "answer": Field(_ANSWER, _answer, needed=answer_needed),
    }


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
    return None if text in ("", "-", "--") else text


def _text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _share(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError("not a number")
    number = float(value)
    if not 0 <= number <= 1:
        raise ValueError("not between 0 and 1")
    return number
