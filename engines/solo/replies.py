"""Reads the replies of one model alone: an answer, a review, an estimate.

What cannot be read is unread.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from ...sessions.events import Read
from ..metrics import stated_answer
from ..reading import Unread, bare, read_object
from ..reading.fields import Field
from .state import ASKED_AS

_YES, _NO = (
    frozenset({"yes", "true", "是", "满意"}),
    frozenset({"no", "false", "否", "不满意"}),
)
_REASONS = ("reason", "reasons", "reasoning", "explanation", "理由", "原因", "说明")


def answer_in(text: str, translation: bool, strategy: str) -> str | None:
    """The answer that a reply states; None if it states none.

    Where the answer alone is asked for, a reply of one line, or a translation of any
    length, is the answer itself where none is announced.
    """
    announced = stated_answer.closing(text)
    if announced is not None or ASKED_AS[strategy] != "direct":
        return announced
    if translation:
        return text.strip() or None
    return stated_answer.single_line(text)


def read_review(
    text: str, structured: bool, sent: Iterable[str]
) -> tuple[bool, str, Read] | Unread:
    """Whether the solver is satisfied, and why.

    A reply of one word, yes or no, is read too.
    """
    return _read(text, "satisfied", _REVIEW, structured, sent)


def read_rating(
    text: str, structured: bool, sent: Iterable[str]
) -> tuple[float, str, Read] | Unread:
    """A score from 0 to 100, and why. A reply that is one number is read too."""
    return _read(text, "score", _RATING, structured, sent)


def _read(
    text: str,
    name: str,
    fields: Mapping[str, Field],
    structured: bool,
    sent: Iterable[str],
) -> tuple[Any, str, Read] | Unread:
    text = bare(text)
    if "{" not in text and len(text) < 40:
        with suppress(ValueError):
            return fields[name].read(text.strip(' \t\r\n*`.。"“”')), "", "sliced"
    found = read_object(text, fields, structured=structured, sent=sent)
    if isinstance(found, Unread):
        return found
    return (found[0][name], found[0].get("reason", ""), found[1])


def _truth(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = value.strip().casefold() if isinstance(value, str) else ""
    if word in _YES or word in _NO:
        return word in _YES
    raise ValueError("it is neither yes nor no")


def _score(value: Any) -> float:
    if isinstance(value, str) and re.fullmatch(r"\s*\d{1,3}(?:\.\d+)?\s*", value):
        value = float(value)
    if (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
        and 0 <= value <= 100
    ):
        return float(value)
    raise ValueError("it is no score from 0 to 100")


def _reason(value: Any) -> str:
    if isinstance(value, str):
        return value
    return ""


_REVIEW = {
    "satisfied": Field(("satisfied", "满意", "是否满意"), _truth),
    "reason": Field(_REASONS, _reason, needed=False, remark=True),
}
_RATING = {
    "score": Field(("score", "rating", "分数", "评分", "得分"), _score),
    "reason": Field(_REASONS, _reason, needed=False, remark=True),
}
