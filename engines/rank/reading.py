"""Reads the ranker's reply: a score from 0 to 1 for every answer, and a reason.

A reply without a score for each is unread.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from ...sessions.events import Read
from ..reading import LARGEST, Unread, bare, read_object
from ..reading.fields import Field

_REASONS = (
    "reason",
    "reasoning",
    "reasons",
    "explanation",
    "rationale",
    "rank_reason",
    "理由",
    "原因",
    "说明",
    "分析",
)
_NUMBER = r"(?:0(?:\.\d+)?|1(?:\.0+)?|\.\d+)"
_NUMBERS = re.compile(rf"{_NUMBER}(?:[\s,，;；]+{_NUMBER})*")


class RankingReading(NamedTuple):
    """The scores as read, in the order of the answers' numbers."""

    scores: list[float]
    reason: str
    read: Read


def read_scores(
    text: str, count: int, structured: bool = False, sent: Iterable[str] = ()
) -> RankingReading | Unread:
    """A ranker's reply about so many answers.

    `structured`: the provider's own schema mode made it. `sent`: the texts that were
    shown.

    Without an object, a reply of exactly so many numbers (`0.8, 0.3`) is read; prose
    around them makes it unread.
    """
    text = bare(text)
    if "{" in text:
        found = read_object(text, _fields(count), structured=structured, sent=sent)
        if isinstance(found, Unread):
            return found
        value, rung = found
        return RankingReading(
            [value[f"answer{n}"] for n in range(1, count + 1)],
            value.get("reason", ""),
            rung,
        )
    if len(text) > LARGEST:
        return Unread("it is too long to be a list of scores")
    if _NUMBERS.fullmatch(text.strip()):
        scores = [float(part) for part in re.findall(_NUMBER, text)]
        if len(scores) == count:
            return RankingReading(scores, "", "sliced")
        return Unread(f"it has {len(scores)} scores for {count} answers")
    return Unread("it states no scores from 0 to 1")


def _fields(count: int) -> dict[str, Field]:
    answers = {
        f"answer{n}": Field(
            (f"answer{n}", f"answer {n}", f"回答{n}", f"答案{n}"), _score
        )
        for n in range(1, count + 1)
    }
    return {**answers, "reason": Field(_REASONS, _reason, needed=False, remark=True)}


def _score(value: Any) -> float:
    """A number from 0 to 1, or such a number as a text.

    Nothing is clamped or converted.
    """
    if isinstance(value, str) and re.fullmatch(_NUMBER, value.strip()):
        return float(value)
    if (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
        and 0 <= value <= 1
    ):
        return float(value)
    raise ValueError("it is no score from 0 to 1")


def _reason(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return "\n".join(value)
    if isinstance(value, str):
        return value
    return ""
