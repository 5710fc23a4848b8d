"""What the verifier said, read into six scores, a judgement and a revised query. Nothing is guessed, clamped or filled in.

Three forms are read: our own flat object, that of the paper's appendix A ({"1": {reference_correctness}, "2": {the five of the answer},
"3": judgement, "4": revised query}) and that of its section 2.3 ({"RefCorrect", "Answer-Score": {…}, "Judgment", "RevisedQuery"}). Each
value stands for itself: one that cannot be read is None and a sentence in `problems` says why, and the others stay. A reply in which no
value can be read is `unread` as a whole, as is one with two different objects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from ...sessions.events import Read
from ..reading import LARGEST, Unread, parse, repaired, slices, stands
from .plan import SCORES

LONGEST_QUERY = 2_000
"""Characters."""

_TRUE = frozenset({"true", "yes", "correct", "right", "正确", "真", "对", "是", "属实"})
_FALSE = frozenset({"false", "no", "incorrect", "wrong", "错误", "不正确", "假", "错", "否", "不属实"})
_UNCLEAR = frozenset({"unclear", "uncertain", "unsure", "undecided", "不清楚", "不明确", "不确定", "无法判断", "无法确定", "不明"})
_NO_QUERY = re.compile(
    r"(?:none|null|nil|n/?a|no|empty(?: string)?|true|false|无|没有|空|空字符串)"
    r"|(?:no|not|none)\b[^?？]*\b(?:need(?:ed)?|required|necessary|revision|changes?)\b[^?？]*"
    r"|(?:无需|不需要|不必|无须|没有必要)[^?？]*",
    re.IGNORECASE,
)
"""Remarks that stand where a question should; whether one is wanted is asked again."""

_NAMES: dict[str, tuple[str, ...]] = {
    "reference_correctness": ("reference_correctness", "ref_correct", "ref_correctness", "reference_score", "参考正确性", "资料正确性"),
    "correctness": ("correctness", "answer_correctness", "正确性"),
    "citation_accuracy": ("citation_accuracy", "citation_acc", "引用准确性"),
    "truthfulness": ("truthfulness", "真实性"),
    "bias": ("bias", "偏差"),
    "conciseness": ("conciseness", "简洁性"),
    "judgement": ("judgement", "judgment", "判断"),
    "revised_query": ("revised_query", "revised_question", "改写后的问题"),
}
_GROUPS: dict[str, tuple[str, ...]] = {
    "1": ("reference_correctness",),
    "2": SCORES[1:],
    "3": ("judgement",),
    "4": ("revised_query",),
    "answerscore": SCORES[1:],
    "answerscores": SCORES[1:],
    "scores": SCORES,
}
"""Keys of the paper's two forms that hold further objects, or the value itself, and what may stand below them."""


class Verified(msgspec.Struct, kw_only=True):
    """A verification as read. None is unread; the fields are those of sessions.events.Verification."""

    reference_correctness: float | None = None
    correctness: float | None = None
    citation_accuracy: float | None = None
    truthfulness: float | None = None
    bias: float | None = None
    conciseness: float | None = None
    judgement: str | None = None
    revised_query: str | None = None
    read: Read = "unread"
    problems: list[str] = []


def read(text: str, structured: bool = False) -> Verified:
    """A verifier's reply. `structured` says that the provider's own schema mode made it."""
    return _read(text, tuple(_NAMES), structured)


def read_query(text: str, structured: bool = False) -> Verified:
    """A reviser's reply: the revised query alone, in an object or as one JSON text."""
    if text.lstrip().startswith('"'):
        parsed = _parse(text.strip())
        if parsed is not None and isinstance(parsed[0], str):
            text = msgspec.json.encode({"revised_query": parsed[0]}).decode()
    return _read(text, ("revised_query",), structured)


def _read(text: str, wanted: tuple[str, ...], structured: bool) -> Verified:
    found = _object(text, wanted, structured)
    if isinstance(found, Unread):
        return Verified(problems=[f"The reply cannot be read: {found.reason}."])
    value, rung = found
    made: dict[str, Any] = {}
    problems: list[str] = []
    for name in wanted:
        given = value.get(name, [])
        if not given:
            problems.append(f"{name} is not there.")
            continue
        try:
            made[name] = _one(name, given)
        except ValueError as error:
            problems.append(f"{name}: {error}.")
    return Verified(**made, read=rung if made else "unread", problems=problems)


def _one(name: str, given: list[Any]) -> Any:
    how: Callable[[Any], Any] = _score if name in SCORES else _judgement if name == "judgement" else _query
    first, *others = map(how, given)
    if any(other != first for other in others):
        raise ValueError("it is given twice, and not the same")
    return first


def _object(text: str, wanted: tuple[str, ...], structured: bool) -> tuple[dict[str, list[Any]], Read] | Unread:
    """The one object of the reply with wanted values in it: field -> what was given for it, unread."""
    text = text.strip().removeprefix("\ufeff").strip()
    if len(text) > LARGEST:
        return Unread("it is too long to be the object asked for")
    if "{" not in text:
        return Unread("there is no object in it")
    try:
        whole = _parse(text)
        if whole is not None and isinstance(whole[0], dict):
            flat = _flat(whole[0], wanted)
            rung: Read = "schema" if structured and whole[1] == "json" else whole[1]
            return (flat, rung) if flat else Unread("no key asked for is in its object")
        return _only(text, wanted)
    except ValueError as doubt:
        return Unread(str(doubt))


def _only(text: str, wanted: tuple[str, ...]) -> tuple[dict[str, list[Any]], Read] | Unread:
    """The same from prose, a fence or a broken object. A second object that differs, or that cannot be read, makes it unread."""
    found: list[tuple[dict[str, list[Any]], Read]] = []
    seen = 0
    for piece in slices(text):
        parsed = _parse(piece)
        flat = _flat(parsed[0], wanted) if parsed is not None and isinstance(parsed[0], dict) else {}
        rung: Read = "literal" if parsed is not None and parsed[1] == "literal" else "sliced"
        if parsed is None:
            flat, rung = _flat(repaired(piece) or {}, wanted), "repaired"
            flat = {name: given for name, given in flat.items() if len(given) == 1 and stands(given[0], _keys_of(name), piece)}
        if flat:
            found.append((flat, rung))
            seen += _keys(piece, wanted)
    if not found:
        return Unread("no object in it has the keys asked for")
    if any(flat != found[0][0] for flat, _ in found[1:]):
        return Unread("it holds two different objects")
    if _keys(text, wanted) > seen:
        return Unread("it holds a second object that cannot be read, or is cut off")
    return found[0]


def _keys(text: str, wanted: tuple[str, ...]) -> int:
    """How often a wanted key stands in the text, in quotation marks and before a colon."""
    return sum(1 for key in re.findall(r"[\"'“]([\w \-]{1,40})[\"'”]\s*[:：]", text) if _plain(key) in _wanted(wanted))


def _flat(value: Mapping[Any, Any], wanted: tuple[str, ...]) -> dict[str, list[Any]]:
    """Field -> everything that is given for it, wherever in the paper's forms it stands. An object around the only object is opened."""
    found: dict[str, list[Any]] = {}
    outer, inner = next(iter(value.items())) if len(value) == 1 else ("", None)
    if _plain(str(outer)) in _GROUPS:
        inner = None
    for name, one in [*_leaves(value, wanted)] or (_leaves(inner, wanted) if isinstance(inner, dict) else ()):
        found.setdefault(name, []).append(one)
    return found


def _leaves(value: Mapping[Any, Any], wanted: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    names = _wanted(wanted)
    for key, one in value.items():
        plain = _plain(str(key))
        if plain in names:
            yield names[plain], one
            continue
        below = [name for name in _GROUPS.get(plain, ()) if name in wanted]
        if isinstance(one, dict):
            inside = _wanted(tuple(below))
            yield from ((inside[_plain(str(name))], leaf) for name, leaf in one.items() if _plain(str(name)) in inside)
        elif len(below) == 1:
            yield below[0], one


def _keys_of(name: str) -> tuple[str, ...]:
    """All keys that a value may stand right behind."""
    return (*_NAMES[name], *(key for key, below in _GROUPS.items() if below == (name,)))


def _wanted(wanted: tuple[str, ...]) -> dict[str, str]:
    return {_plain(alias): name for name in wanted for alias in _NAMES[name]}


def _parse(text: str) -> tuple[Any, Read] | None:
    return parse(text, constant=float)


def _plain(key: str) -> str:
    return re.sub(r"[\s_\-?？]+", "", key).casefold()


_FULL_WIDTH = {**{0xFF10 + digit: str(digit) for digit in range(10)}, 0xFF0E: ".", 0xFF0D: "-", 0xFF0B: "+"}
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,20}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})")


def _score(value: object) -> float:
    """A number from 0 to 1, also written as a text, in full-width digits too; nothing around it. ValueError says what it is instead."""
    shown = _shown(value)
    if isinstance(value, str):
        plain = value.strip().translate(_FULL_WIDTH)
        if not _NUMBER.fullmatch(plain):
            raise ValueError(f"{shown} is no number")
        value = float(plain)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{shown} is no number")
    if value != value:
        raise ValueError(f"{shown} is no number")
    if not 0 <= value <= 1:
        raise ValueError(f"{shown} is outside 0..1")
    return float(value) + 0.0


def _judgement(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    plain = value.strip(" \t\n.。!！\"'“”*`").casefold() if isinstance(value, str) else ""
    for word, words in (("true", _TRUE), ("false", _FALSE), ("unclear", _UNCLEAR)):
        if plain in words:
            return word
    raise ValueError(f"{_shown(value)} is neither true nor false nor unclear")


def _query(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{_shown(value)} is no question")
    query = " ".join(value.split())
    if len(query) > LONGEST_QUERY:
        raise ValueError("it is too long to be a question")
    if query and (_NO_QUERY.fullmatch(query.strip(" .。\"'")) or not any(sign.isalnum() for sign in query)):
        raise ValueError(f"{_shown(value)} is no question")
    return query


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    text = " ".join(text.split())
    text = text if len(text) <= 60 else text[:59] + "…"
    return f"“{text}”" if isinstance(value, str) else text
