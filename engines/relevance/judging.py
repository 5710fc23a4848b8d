"""What the annotator said, read into relevant or not and a reason. A reply that says both, neither or "somewhat" says nothing."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from ...sessions.events import Read
from ..reading import LARGEST, Field, Unread, read_object

_YES = frozenset(
    [
        "true",
        "yes",
        "relevant",
        "1",
        "y",
        "是",
        "是的",
        "相关",
        "有关",
        "有关联",
        "具有相关性",
        "具备相关性",
        "有相关性",
        "真",
        "两案相关",
        "判定为相关",
        "属于相关",
    ]
)
_NO = frozenset(
    [
        "false",
        "no",
        "irrelevant",
        "not relevant",
        "0",
        "n",
        "否",
        "不是",
        "不相关",
        "无关",
        "不具有相关性",
        "不具备相关性",
        "无相关性",
        "没有相关性",
    ]
)

_KEYS = ("relevant", "is_relevant", "relevance", "相关", "是否相关", "相关性", "relevant_or_not")
_REASONS = ("reason", "reasoning", "reasons", "explanation", "rationale", "理由", "原因", "说明", "分析")


class Judged(NamedTuple):
    """A judgement as read."""

    relevant: bool
    reason: str
    read: Read


def read_judgement(text: str, structured: bool = False) -> Judged | Unread:
    """An annotator's reply. `structured`: the provider's own schema mode made it."""
    text = text.strip().removeprefix("\ufeff").strip()
    if "{" not in text:
        return _said(text)
    found = read_object(text, _FIELDS, structured=structured)
    if isinstance(found, Unread):
        return found
    value, rung = found
    return Judged(value["relevant"], value.get("reason", ""), rung)


def _bit(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, int) and value in (0, 1):
        return bool(value)
    if isinstance(value, str):
        word = _word(value)
        if word is not None:
            return word
    raise ValueError("it is neither relevant nor not relevant")


def _reason(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return "\n".join(value)
    return value if isinstance(value, str) else ""


_FIELDS = {"relevant": Field(_KEYS, _bit), "reason": Field(_REASONS, _reason, needed=False)}


def _word(text: str) -> bool | None:
    """The bit that a word or two state; None if they state none."""
    plain = re.sub(r"\s+", " ", text.strip(" \t\r\n.。!！\"'“”‘’*`_【】")).casefold()
    return True if plain in _YES else False if plain in _NO else None


_LABEL = re.compile(
    r"(?:^|[\n。.;；!！?？【（(]|\*\*|[^\S\n]-[^\S\n])[^\S\n#>*-]*[\"'“*_【]*"
    r"(?:(?:final |my |overall )?(?:relevant|relevance|is[ _]relevant|answer|conclusion|verdict|judge?ment|decision)"
    r"|(?:最终|综合|因此|所以)?(?:结论|判断|判定|答案|是否相关|相关性|相关|结果|判断结果)(?:是|为)?)"
    r"[\"'”*_】]*[^\S\n]*(?:[:：]|】)[\"'“*_]*[^\S\n]*(?P<said>(?:[^\n。.;；!！?？]|\.(?=\d))*)",
    re.IGNORECASE,
)
_BECAUSE = re.compile(r"[^\S\n]*[,，][^\S\n]*(?=because\b|since\b|as the\b|因为|因|由于|理由)", re.IGNORECASE)
_BEHIND = re.compile(
    rf"(?:^|[\n。.;；])[^\S\n]*[\"'“*_【]*(?:{'|'.join(_REASONS)})[\"'”*_】]*[^\S\n]*(?:[:：]|】)[*_]*[^\S\n]*(.+)",
    re.IGNORECASE | re.DOTALL,
)


def _said(text: str) -> Judged | Unread:
    """Plain text: one word alone, on its first or last line alone, or behind a label such as `Relevant:`; all of them must say the same."""
    if len(text) > LARGEST:
        return Unread("it is too long to be a judgement")
    lines = [line for line in text.splitlines() if line.strip()]
    alone = [word for line in (lines[:1] + lines[-1:]) if (word := _word(line)) is not None]
    labelled = [_word(_BECAUSE.split(match["said"], maxsplit=1)[0]) for match in _LABEL.finditer(text)]
    said = [*alone, *labelled]
    if not said:
        return Unread("it says neither that the cases are relevant nor that they are not")
    if None in said or len(set(said)) > 1:
        return Unread("it does not say clearly whether the cases are relevant")
    behind = _BEHIND.search(text)
    return Judged(said[0] is True, behind[1].strip() if behind else "", "sliced")
