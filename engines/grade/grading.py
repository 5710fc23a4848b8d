"""Reads the grader's reply: a level from 0 to 3, and a reason.

A reply with two levels, none, or one in between is unread.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from ...sessions.events import Read
from ..reading import LARGEST, Unread, bare, read_object
from ..reading.fields import Field

_KEYS = (
    "grade",
    "relevance_grade",
    "level",
    "score",
    "relevance",
    "等级",
    "相关等级",
    "级别",
    "评分",
    "得分",
)
_ALSO = ("final grade", "final level", "overall", "最终等级", "结论")
_REASONS = (
    "reason",
    "reasoning",
    "reasons",
    "explanation",
    "rationale",
    "理由",
    "原因",
    "说明",
    "分析",
)
_LINE = re.compile(
    rf"(?:{'|'.join(_KEYS[:5])}"
    rf"|{'|'.join(_KEYS[5:])})[^\S\n]*[:：=][^\S\n]*([0-3])[.。]?",
    re.IGNORECASE,
)


class GradeReading(NamedTuple):
    """A grade as read."""

    value: int
    reason: str
    read: Read


def read_grade(
    text: str, structured: bool = False, sent: Iterable[str] = ()
) -> GradeReading | Unread:
    """A grader's reply.

    `structured`: the provider's own schema mode made it. `sent`: the cases that were
    shown.

    Without an object, a reply that is one digit, or one line such as `Grade: 2`, is
    read; prose around it makes it unread.
    """
    text = bare(text)
    if "{" in text:
        found = read_object(text, _FIELDS, structured=structured, sent=sent)
        if isinstance(found, Unread):
            return found
        value, rung = found
        return GradeReading(value["grade"], value.get("reason", ""), rung)
    if len(text) > LARGEST:
        return Unread("it is too long to be a grade")
    plain = text.strip(' \t\r\n*`.。"“”')
    line = _LINE.fullmatch(plain)
    if plain in ("0", "1", "2", "3") or line is not None:
        return GradeReading(int(line[1] if line is not None else plain), "", "sliced")
    return Unread("it states no grade from 0 to 3")


def _grade(value: Any) -> int:
    if isinstance(value, str) and value.strip() in ("0", "1", "2", "3"):
        return int(value)
    if (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and value in (0, 1, 2, 3)
    ):
        return int(value)
    raise ValueError("it is no level from 0 to 3")


def _reason(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return "\n".join(value)
    if isinstance(value, str):
        return value
    return ""


_FIELDS = {
    "grade": Field(_KEYS, _grade, also=_ALSO),
    "reason": Field(_REASONS, _reason, needed=False, remark=True),
}
