"""Decides whether an object in a reply is the reply's own, or only quoted.

A model that quotes its input (an opponent's verdict, an instruction in a page) writes
the same characters as one that gives its own verdict. An object found in prose is
therefore weak evidence. It counts only if it is separate from the prose, nothing around
it attributes it to somebody else, and it does not occur in the input. In doubt it does
not count.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from . import unmarked_phrases as phrases
from .announcing import ANNOUNCING, ANNOUNCING_ZH, only_words
from .fields import Doubt, skeleton

_HOLE = "\n\ufffc\n"
"""Stands in the prose where the object was cut out."""


_TAG = re.compile(r"<(?:answer|final_answer|output|json|result|response|verdict)>$")
_MARKUP = " \t*_#`"
_MARKED = re.compile(r"^\s*(?:>|#{1,6}\s|[-*+•]\s|\d{1,2}[.)、]\s|\|)")
"""Beginnings of a line that make it a quotation, an item of a list or a row of a table.
"""
_ITEM = re.compile(r"\s*(?:[-*+•]\s|\d{1,2}[.)、]\s|\|)")
_RULE = re.compile(r"-{3,}|\*{3,}|_{3,}|={3,}")


class Fence(NamedTuple):
    """A fenced block, and what is in it, as places in the text."""

    start: int
    end: int
    inner: int
    """Index at which the content starts."""
    outer: int
    """Where the content ends."""


def texts_in(task: Any) -> list[str]:
    """Every text in a task, whatever structures it is in: what was sent as data,
    without the prompt's own words.
    """
    found: list[str] = []
    _gather([msgspec.to_builtins(task)], found)
    return found


def _gather(values: Iterable[Any], found: list[str]) -> None:
    """Adds every text in plain values; a generator would be slow at this depth."""
    for value in values:
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, dict):
            _gather(value.values(), found)
        elif isinstance(value, list | tuple):
            _gather(value, found)


def own(
    text: str,
    start: int,
    end: int,
    sent: Iterable[str] = (),
    *,
    pairs: Iterable[tuple[str, Any]] = (),
) -> str:
    """The prose around the object at `start` to `end`, with a mark in its place.

    `sent` are the texts that the model was shown. `pairs` are keys and values of the
    object: it counts as quoted, too, if one of these texts has all of them. Raises:
    Doubt if the object may not be the reply's own.
    """
    blocks = fences(text)
    block = next(
        (block for block in blocks if block.start <= start and end <= block.end), None
    )
    piece = text[start:end]
    if block is not None:
        if text[block.inner : block.outer].strip() != piece.strip():
            raise Doubt("the requested object is only a part of a code block")
        start, end = (
            block.start,
            block.start + len(text[block.start : block.end].rstrip()),
        )
    before, after = text[:start].rstrip(), text[end:].strip()
    rest = f"{before}{_HOLE}{after}"
    marked = (
        "\n" not in text[len(before) : start]
        and _MARKED.search(before.rpartition("\n")[2] + " ") is not None
    )
    if marked:
        raise Doubt("the requested object is inside a quotation, a list or a table")
    prefix = (
        before.rpartition("\n")[2].strip(_MARKUP)
        if "\n" not in text[len(before) : start]
        else ""
    )
    if (
        prefix
        and not re.search(r"[:：]$|\b(?:is|are|be)$|[是为]$", prefix)
        and not _TAG.search(prefix)
    ):
        raise Doubt("the requested object is in the middle of a line")
    alone = only_words(before, ANNOUNCING, ANNOUNCING_ZH) and only_words(
        after, phrases.CLOSING, phrases.CLOSING_ZH
    )
    if not (before or after) or (alone and block is not None and len(blocks) == 1):
        return rest
    if not alone:
        if block is not None and len(blocks) == 1:
            _fence_stands(before, after)
        else:
            _stands(text, start, end, before, after)
    if quoted(piece, sent, pairs):
        raise Doubt("the requested object is a copy of text in the prompt")
    return rest


def fences(text: str) -> list[Fence]:
    """The fenced blocks (``` or ~~~) of a text.

    One that is never closed ends with the text.
    """
    found: list[Fence] = []
    opened: tuple[str, int, int] | None = None
    for line in re.finditer(r"[^\n]*\n?", text):
        mark = _MARK.match(line[0])
        if opened is not None:
            if mark and mark[1].startswith(opened[0]) and not mark[2].strip():
                found.append(
                    Fence(
                        opened[1],
                        line.end(),
                        opened[2],
                        line.start(),
                    )
                )
                opened = None
        elif mark:
            same = _one_line(line[0])
            if same:
                inner, outer = (line.start() + place for place in same)
                found.append(Fence(line.start(), line.end(), inner, outer))
            elif mark[1][0] not in mark[2]:
                opened = (mark[1], line.start(), line.end())
    if opened is not None:
        found.append(
            Fence(
                opened[1],
                len(text),
                opened[2],
                len(text),
            )
        )
    return found


_MARK = re.compile(r"[ \t]*+(`{3,}+|~{3,}+)([^\n]*)")
_ONE_LINE = re.compile(r"[ \t]*+(`{3,}+)(?:[a-zA-Z]++[ \t])?")


def _one_line(line: str) -> tuple[int, int] | None:
    """Start and end of the content of a fence that opens and closes on one line; None
    for other lines.
    """
    opened = _ONE_LINE.match(line)
    if opened is None:
        return None
    inner, bare = opened.end(), line.rstrip("\n").rstrip(" \t")
    outer = len(bare) - len(opened[1])
    first = bare.find("`", inner)
    closed = bare.endswith(opened[1]) and bare.startswith(opened[1], first)
    if 0 <= first <= outer and closed:
        return (inner, outer)
    return None


def _stands(text: str, start: int, end: int, before: str, after: str) -> None:
    """Checks that the object is on lines of its own, at the start or at the end, and
    not attributed to anybody else.

    Raises: Doubt if not.
    """
    leads = only_words(before, ANNOUNCING, ANNOUNCING_ZH)
    if not leads and not only_words(after, phrases.CLOSING, phrases.CLOSING_ZH):
        raise Doubt("the requested object is in the middle of other text")
    clause, label = leading(before)
    if not leads:
        inline = "\n" not in text[len(before) : start]
        announced = only_words(_last_clause(clause), ANNOUNCING, ANNOUNCING_ZH)
        if (inline or label) and (not announced or phrases.WRONG.search(clause)):
            raise Doubt(
                "the text around the requested object does not present it as the reply"
            )
        if (
            phrases.QUOTING.search(clause)
            or (phrases.POINTING.search(clause) and not announced)
            or _names_others(clause)
        ):
            raise Doubt("the requested object seems to be a quotation")
    if after and not only_words(after, phrases.CLOSING, phrases.CLOSING_ZH):
        first = _first_sentence(after)
        if "\n" not in text[end : len(text) - len(text[end:].lstrip())]:
            raise Doubt("the requested object is in the middle of a line")
        if not phrases.EXPLAINING.match(first):
            raise Doubt("the text after the object does not explain it")
        if (
            phrases.QUOTING.search(after)
            or phrases.BACKWARD.match(first)
            or _names_others(first)
        ):
            raise Doubt("the requested object seems to be a quotation")


def _fence_stands(before: str, after: str) -> None:
    """Checks the only fenced block of a reply: it is the reply's own unless its
    immediate context says otherwise.
    """
    clause, label = leading(before)
    announced = only_words(_last_clause(clause), ANNOUNCING, ANNOUNCING_ZH)
    first = _first_sentence(after)
    others = (
        label
        and not announced
        and (phrases.OTHERS.search(clause) or phrases.NEGATION.search(clause))
        and not phrases.OWN.search(clause)
    )
    if (
        phrases.QUOTING.search(clause)
        or others
        or (label and phrases.WRONG.search(clause))
        or (not announced and _names_others(clause))
    ):
        raise Doubt("the requested object seems to be a quotation")
    if (
        phrases.QUOTING.search(first)
        or _names_others(first)
        or phrases.DISAGREEING.search(after[:200])
    ):
        raise Doubt("the requested object seems to be a quotation")
    if phrases.BACKWARD.match(first) and (
        phrases.NEGATION.search(first) or phrases.OTHERS.search(first)
    ):
        raise Doubt("the requested object seems to be a quotation")


def disowned(text: str, start: int, end: int, *, marked: bool = False) -> bool:
    """Whether the text next to a statement attributes it to somebody else, calls it an
    example, or retracts it.

    A statement introduced by a clause such as `The lawyer concluded:` belongs to the
    reply only if the clause announces the reply's own. Not so if it is `marked`: the
    mark shows that it is the reply's, and unknown words do not contradict that.
    """
    clause, label = leading(text[:start])
    first = _first_sentence(text[end:])
    if marked and ("{" in first or first.endswith((":", "："))):  # of another object
        first = ""
    if (
        not marked
        and label
        and not only_words(_last_clause(clause), ANNOUNCING, ANNOUNCING_ZH)
        and phrases.LEADING_UP.search(clause)
    ):
        return True
    if phrases.DISAGREEING.search(first):
        return True
    if (
        phrases.QUOTING.search(clause)
        or (label and phrases.OTHERS.search(clause) and not phrases.OWN.search(clause))
        or phrases.QUOTING.search(first)
    ):
        return True
    return bool(
        phrases.BACKWARD.match(first)
        and (phrases.NEGATION.search(first) or phrases.OTHERS.search(first))
    )


def _names_others(clause: str) -> bool:
    """True if a clause speaks of an object, and of somebody else as its author."""
    others = phrases.OTHERS.search(clause) is not None
    return others and (
        phrases.WRITING.search(clause) is not None
        or (
            phrases.OBJECTS.search(clause) is not None
            and not phrases.OWN.search(clause)
        )
    )


def leading(before: str) -> tuple[str, bool]:
    """The last sentence before an object, and whether it is a label (`My verdict:`, a
    heading) and no full sentence.
    """
    whole = _last_line(before)
    line = whole.strip(_MARKUP)
    if not line:
        return "", False
    ended = re.search(r"[.!?。！？…][\"'”’)）*_\]]*$", line) is not None
    if not line.endswith((":", "：", ",", "，", "-", "–", "—")) and (
        re.search(r"[:：]", line) or _ITEM.match(whole)
    ):
        ended = True  # `Answer: 8`, or an item of a list
    sentences = [
        one
        for one in re.split(r"(?<=[.!?])\s+|[。！？]", line.rstrip(".!?。！？… "))
        if one.strip()
    ]
    return (sentences[-1].strip() if sentences else line), not ended


def _last_line(text: str) -> str:
    """The last line that is neither empty nor a rule (`---`); the first line always
    counts.
    """
    end = len(text.rstrip())
    start = text.rfind("\n", 0, end) + 1
    while start and _RULE.fullmatch(text[start:end].lstrip()):
        end = _end_before(text, start)
        start = text.rfind("\n", 0, end) + 1
    return text[start:end]


def _end_before(text: str, place: int) -> int:
    while place and text[place - 1].isspace():
        place -= 1
    return place


def _last_clause(clause: str) -> str:
    return re.split(r"[,，;；—]|\s[-–]\s", clause.rstrip(" ,，;；:：-–—"))[-1]


def _first_sentence(after: str) -> str:
    line = after.lstrip("\n .。,，;；" + _MARKUP).partition("\n")[0]
    return re.split(r"(?<=[.!?])\s|(?<=[。！？])", line)[0].strip()


def quoted(
    piece: str, sent: Iterable[str], pairs: Iterable[tuple[str, Any]] = ()
) -> bool:
    """True if one of the texts has this piece, or all these keys with these values,
    whatever the quotation marks and white space.
    """
    bare = skeleton(piece)
    wanted = [(skeleton(key), _written(value)) for key, value in pairs]
    decisive = any(any(values) for _, values in wanted)
    for text in sent:
        if len(text) < 3:
            continue
        known = skeleton(text)
        if bare and bare in known:
            return True
        if decisive and all(
            any(f"{key}:{value}" in known for value in values) for key, values in wanted
        ):
            return True
    return False


def _written(value: Any) -> tuple[str, ...]:
    """How a value may be written."""
    made = [skeleton(json.dumps(value, ensure_ascii=False, default=str))]
    if (
        isinstance(value, float)
        and value == value
        and abs(value) < 1e15
        and value == int(value)
    ):
        made.append(str(int(value)))
    if isinstance(value, str):
        made.append(skeleton(value))
    return tuple(made)
