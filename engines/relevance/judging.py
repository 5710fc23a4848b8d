"""Reads the annotator's reply: relevant or not, and a reason.

A reply that says both, neither or "somewhat" is unread.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from ...sessions.events import Read
from ..reading import LARGEST, Unread, bare, read_object
from ..reading.fields import REASON, REASON_KEYS, Field
from ..reading.ownership import disowned, quoted

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

_KEYS = (
    "relevant",
    "is_relevant",
    "relevance",
    "相关",
    "是否相关",
    "相关性",
    "relevant_or_not",
)
_ALSO = (
    "conclusion",
    "verdict",
    "judgement",
    "judgment",
    "decision",
    "answer",
    "结论",
    "判断",
    "判定",
    "判断结果",
    "答案",
)


class JudgementReading(NamedTuple):
    """A judgement that was read."""

    relevant: bool
    reason: str
    read: Read


def read_judgement(
    text: str, structured: bool = False, sent: Iterable[str] = ()
) -> JudgementReading | Unread:
    """Read an annotator's reply.

    `structured`: the provider's own schema mode produced it. `sent`: the cases or facts
    that the model received.
    """
    text = bare(text)
    if "{" not in text:
        return _said(text, sent)
    found = read_object(text, _FIELDS, structured=structured, sent=sent)
    if isinstance(found, Unread):
        return found
    value, rung = found
    return JudgementReading(value["relevant"], value.get("reason", ""), rung)


def _bit(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, int) and value in (0, 1):
        return bool(value)
    if isinstance(value, str):
        word = _word(value)
        if word is not None:
            return word
    raise ValueError("neither relevant nor not relevant")


_CONTRARY = re.compile(
    r"(?i)\b(?:not|n't|hardly|never) (?:\w+ ){0,2}relevant\b|\birrelevant\b"
    r"|(?:不|没有|无|不具有|不具备|并不|不存在)(?:具有|具备)?(?:任何)?相关性?",
)


def _against(relevant: bool) -> re.Pattern[str] | None:
    if relevant:
        return _CONTRARY
    return None


_FIELDS = {
    "relevant": Field(_KEYS, _bit, also=_ALSO, contrary=_against),
    "reason": REASON,
}


def _word(text: str) -> bool | None:
    """Return the value that one or two words state; None if they state none."""
    plain = re.sub(r"\s+", " ", text.strip(" \t\r\n.。!！\"'“”‘’*`_【】")).casefold()
    if plain in _YES:
        return True
    if plain in _NO:
        return False
    return None


_MARKS = "\"'“*_【"
_LABEL = re.compile(
    r"(?i)(?:"
    rf"(?:^|[\n。.;；!！?？（(]|[^\S\n]-[^\S\n])[^\S\n]*+[{_MARKS}]*+"
    rf"|(?<![{_MARKS}])(?:[\"'“_]|\*(?!\*))*+(?P<begin>\*\*|【)[{_MARKS}]*+"
    rf"(?:(?:(?<=\*\*)|(?<=【))[^\S\n]*+[{_MARKS}]*+)?"
    r")"
    r"(?:(?:final |my |overall )?(?:relevant|relevance|is[ _]relevant|answer|conclusion"
    r"|verdict|judge?ment|decision)"
    r"|(?:最终|综合|因此|所以)?"
    r"(?:结论|判断|判定|答案|是否相关|相关性|相关|结果|判断结果)(?:是|为)?)"
    r"[\"'”*_】]*[^\S\n]*(?:[:：]|】)[\"'“*_]*[^\S\n]*"
    r"(?P<said>(?:[^\n。.;；!！?？]|\.(?=\d))*)",
)
"""A run of marks is entered at its beginning alone, so a long one costs no more than
its length."""
_BECAUSE = re.compile(
    r"(?i)[,，][^\S\n]*(?=because\b|since\b|as the\b|因为|因|由于|理由)",
)
_BEHIND = re.compile(
    rf"(?is)(?:^|[\n。.;"
    rf"；])[^\S\n]*[\"'“*_【]*(?:{'|'.join(REASON_KEYS)})[\"'”*_】]*[^\S\n]*(?:[:：]"
    rf"|】)[*_]*[^\S\n]*(.+)",
)


def _stated(label: re.Match[str]) -> bool | None:
    """Return the bit after a label; None without one, and for a question (`relevant?
    No.`).
    """
    if label.string[label.end() :].lstrip()[:1] in ("?", "？"):
        return None
    return _word(_BECAUSE.split(label["said"], maxsplit=1)[0])


def _said(text: str, sent: Iterable[str]) -> JudgementReading | Unread:
    """Read plain text: a single word alone, on its first or last line, or after a label
    such as `Relevant:`; all must agree.

    A quoted statement, one copied from the request, or one attributed to another person
    makes the reply unread.
    """
    if len(text) > LARGEST:
        return Unread("the reply is too long to be a judgement")
    lines = [line for line in text.splitlines() if line.strip()]
    alone = [
        word for line in (lines[:1] + lines[-1:]) if (word := _word(line)) is not None
    ]
    labels = list(_LABEL.finditer(text))
    said = [*alone, *(_stated(match) for match in labels)]
    if not said:
        return Unread(
            "the reply says neither that the cases are relevant nor that they are not"
        )
    if None in said or len(set(said)) > 1:
        return Unread("the reply does not say clearly whether the cases are relevant")
    places = [
        (max(match.span("begin")[0], match.start()), match.end()) for match in labels
    ]
    if alone:
        ends = (
            [(text.index(line), text.index(line) + len(line)) for line in lines[:1]]
            if _word(lines[0]) is not None
            else []
        )
        last = text.rstrip().rindex(lines[-1])
        places += ends + (
            [(last, last + len(lines[-1]))] if _word(lines[-1]) is not None else []
        )
    for start, end in places:
        piece = text[start:end].strip(" \t\r\n.。;；!！?？")
        if piece == text.strip(" \t\r\n.。;；!！?？"):
            continue
        if len(re.findall(r"[\"“”]", piece)) % 2 or (
            len(piece) > 6 and quoted(piece, sent)
        ):
            return Unread("the judgement seems to be a quotation")
        if disowned(text, start, end):
            return Unread("the reply seems to quote another judgement")
    if said[0] is True and _CONTRARY.search(text):
        return Unread(
            "the reply says that the cases are relevant, and that they are not"
        )
    behind = _BEHIND.search(text)
    return JudgementReading(
        said[0] is True, behind[1].strip() if behind else "", "sliced"
    )
