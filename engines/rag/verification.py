"""Reads the verifier's reply: a reason, six scores, a judgement and a revised query.

It does not guess, clamp or fill in anything.

It reads three forms: our own flat object, that of the paper's appendix A ({"1":
{reference_correctness}, "2": {the five of the answer}, "3": judgement, "4": revised
query}) and that of its section 2.3 ({"RefCorrect", "Answer-Score": {…}, "Judgment",
"RevisedQuery"}). Values are independent: one that cannot be read is None, a sentence in
`problems` says why, and the others are kept. A reply in which no value can be read is
`unread` as a whole, as is one with two different objects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from ...sessions.events import Read
from ..reading import (
    LARGEST,
    Unread,
    bare,
    certain,
    in_mode,
    only,
    parse,
    repaired,
    repeated,
    stands,
    unwrapped,
)
from ..reading.announcing import announces
from ..reading.fields import Doubt, Field
from ..reading.ownership import own
from .plan import SCORES

LONGEST_QUERY = 2_000
"""Characters."""

_TRUE = frozenset({"true", "yes", "correct", "right", "正确", "真", "对", "是", "属实"})
_FALSE = frozenset(
    {"false", "no", "incorrect", "wrong", "错误", "不正确", "假", "错", "否", "不属实"}
)
_UNCLEAR = frozenset(
    {
        "unclear",
        "uncertain",
        "unsure",
        "undecided",
        "不清楚",
        "不明确",
        "不确定",
        "无法判断",
        "无法确定",
        "不明",
    }
)
_NO_QUERY = re.compile(
    r"(?i)(?:none|null|nil|n/?a|no|empty(?: string)?|true|false|无|没有|空|空字符串)"
    r"|(?:no|not|none)\b[^?？]*\b(?:need(?:ed)?|required|necessary|revision"
    r"|changes?)\b[^?？]*"
    r"|(?:无需|不需要|不必|无须|没有必要)[^?？]*",
)
"""Remarks in place of a query; the model is asked again whether it wants one."""

_NAMES: dict[str, tuple[str, ...]] = {
    "reason": ("reason", "理由", "原因"),
    "reference_correctness": (
        "reference_correctness",
        "ref_correct",
        "ref_correctness",
        "reference_score",
        "参考正确性",
        "资料正确性",
    ),
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
"""Keys of the paper's two forms that hold further objects, or the value itself, and
what may be below them.
"""
_REMARKS = ("reason",)
"""Fields in the model's own words: two of them may differ and say the same."""


class VerificationReading(msgspec.Struct, kw_only=True):
    """A verification that was read.

    None is unread; the fields are those of sessions.events.Verification.
    """

    reason: str = ""
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


def read(
    text: str,
    structured: bool = False,
    sent: Iterable[str] = (),
    *,
    without: Sequence[str] = (),
) -> VerificationReading:
    """Read a verifier's reply.

    `structured`: the provider's own schema mode produced it. `sent`: the texts that the
    model received. `without`: names of scores that the verifier cannot give.
    """
    return _read(
        text, tuple(name for name in _NAMES if name not in without), structured, sent
    )


def read_query(
    text: str, structured: bool = False, sent: Iterable[str] = ()
) -> VerificationReading:
    """Read a reviser's reply: the revised query alone, in an object or as one JSON
    text.
    """
    if text.lstrip().startswith('"'):
        parsed = _parse(text.strip())
        if parsed is not None and isinstance(parsed[0], str):
            text = msgspec.json.encode({"revised_query": parsed[0]}).decode()
    return _read(text, ("reason", "revised_query"), structured, sent)


def _read(
    text: str, wanted: tuple[str, ...], structured: bool, sent: Iterable[str]
) -> VerificationReading:
    found = _object(text, wanted, structured, sent)
    if isinstance(found, Unread):
        return VerificationReading(
            problems=[f"The reply cannot be read: {found.reason}."]
        )
    value, rung = found
    made = {}
    problems = []
    for name in wanted:
        given = value.get(name, [])
        if not given and name != "reason":
            problems.append(f"{name} is not there.")
        if not given:
            continue
        try:
            made[name] = _one(name, given)
        except ValueError as error:
            problems.append(f"{name}: {error}.")
    return VerificationReading(
        **made, read=rung if made.keys() - {"reason"} else "unread", problems=problems
    )


def _one(name: str, given: list[Any]) -> Any:
    if name == "reason":
        return _reason(given)
    first, *others = map(_reader(name), given)
    if any(other != first for other in others):
        raise ValueError("it is given twice, with different values")
    return first


def _reason(given: list[Any]) -> str:
    """Return the first of the texts; "" without one.

    It is an explanation and does not affect the decision.
    """
    return next((one.strip() for one in given if isinstance(one, str)), "")


def _object(
    text: str, wanted: tuple[str, ...], structured: bool, sent: Iterable[str]
) -> tuple[dict[str, list[Any]], Read] | Unread:
    """Return the one object of the reply that has requested values, as raw values by
    field.
    """
    text = bare(text)
    if len(text) > LARGEST:
        return Unread("the reply is too long to be the requested object")
    if "{" not in text:
        return Unread("the reply contains no JSON object")
    try:
        whole = _parse(text)
        if whole is not None:
            value, rung = unwrapped(whole)
            flat = _flat(value, wanted) if isinstance(value, dict) else {}
            if flat:
                return flat, in_mode(rung, structured)
            return Unread("the JSON object in the reply has none of the requested keys")
        return _only(text, wanted, sent)
    except ValueError as doubt:
        return Unread(str(doubt))


def _only(
    text: str, wanted: tuple[str, ...], sent: Iterable[str]
) -> tuple[dict[str, list[Any]], Read] | Unread:
    """Return the same from prose, a fence or a broken object.

    A second object that differs, or that cannot be read, makes the reply unread.
    """

    def taken(piece: str) -> tuple[dict[str, list[Any]], Read, Any] | None:
        parsed = _parse(piece)
        flat = (
            _flat(parsed[0], wanted)
            if parsed is not None and isinstance(parsed[0], dict)
            else {}
        )
        rung: Read = (
            "literal" if parsed is not None and parsed[1] == "literal" else "sliced"
        )
        raw = parsed[0] if parsed is not None else repaired(piece) or {}
        if parsed is None:
            flat, rung = _flat(raw, wanted), "repaired"
            if any(repeated(_NAMES[name], piece) for name in wanted):
                raise Doubt("an incomplete object in the reply has a key twice")
            flat = {
                name: given
                for name, given in flat.items()
                if len(given) == 1 and stands(given[0], _keys_of(name), piece)
            }
        if flat:
            return (flat, rung, raw)
        return None

    found = only(text, taken)
    if found is None:
        return Unread("no JSON object in the reply has the requested keys")
    told = {
        name: given[0] for name, given in found.value.items() if name not in _REMARKS
    }
    prose = own(
        text,
        found.start,
        found.end,
        sent,
        pairs=_leaf_pairs(found.raw),
    )
    certain(
        prose,
        {name: _field(name) for name in wanted if name not in _REMARKS},
        _values(told),
    )
    return found.value, found.rung


def _leaf_pairs(value: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    """Return the keys and raw values of an object and its nested objects, without the
    reasons.
    """
    for key, one in value.items():
        if isinstance(one, dict):
            yield from _leaf_pairs(one)
        elif _plain(str(key)) not in _NAMES["reason"]:
            yield str(key), one


def _values(told: Mapping[str, object]) -> dict[str, Any]:
    """Return the value if it can be read, else None."""
    made = {}
    for name, given in told.items():
        try:
            made[name] = _reader(name)(given)
        except ValueError:
            made[name] = None
    return made


def _field(name: str) -> Field:
    """Return the field for the prose around the object.

    A number alone decides nothing, so only an ambiguous judgement is a problem.
    """
    return Field(
        _NAMES[name],
        _reader(name),
        needed=name == "judgement",
        text=name == "revised_query",
    )


def _reader(name: str) -> Callable[[Any], Any]:
    if name in SCORES:
        return _score
    if name == "judgement":
        return _judgement
    return _query


def _flat(value: Mapping[Any, Any], wanted: tuple[str, ...]) -> dict[str, list[Any]]:
    """Return all values given for each field, in any of the paper's forms. An outer
    object with a single inner object is opened if its key marks it as the reply itself.
    """
    found: dict[str, list[Any]] = {}
    outer, inner = next(iter(value.items())) if len(value) == 1 else ("", None)
    if _plain(str(outer)) in _GROUPS or not announces(str(outer)):
        inner = None
    for name, one in [*_leaves(value, wanted)] or (
        _leaves(inner, wanted) if isinstance(inner, dict) else ()
    ):
        found.setdefault(name, []).append(one)
    return found


def _leaves(
    value: Mapping[Any, Any], wanted: tuple[str, ...]
) -> Iterator[tuple[str, Any]]:
    names = _wanted(wanted)
    for key, one in value.items():
        plain = _plain(str(key))
        if plain in names:
            yield names[plain], one
            continue
        below = [name for name in _GROUPS.get(plain, ()) if name in wanted]
        if isinstance(one, dict):
            inside = _wanted(tuple(below))
            yield from (
                (inside[_plain(str(name))], leaf)
                for name, leaf in one.items()
                if _plain(str(name)) in inside
            )
        elif len(below) == 1:
            yield below[0], one


def _keys_of(name: str) -> tuple[str, ...]:
    """Return all keys that a value can directly follow."""
    return (*_NAMES[name], *(key for key, below in _GROUPS.items() if below == (name,)))


def _wanted(wanted: tuple[str, ...]) -> dict[str, str]:
    return {_plain(alias): name for name in wanted for alias in _NAMES[name]}


def _parse(text: str) -> tuple[Any, Read] | None:
    return parse(text, constant=float)


def _plain(key: str) -> str:
    return re.sub(r"[\s_\-?？]+", "", key).casefold()


_FULL_WIDTH = {
    **{0xFF10 + digit: str(digit) for digit in range(10)},
    0xFF0E: ".",
    0xFF0D: "-",
    0xFF0B: "+",
}
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,20}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})")


def _score(value: object) -> float:
    """Return a number from 0 to 1, also written as a text or in full-width digits, with
    nothing around it. Raises: ValueError, which says what the value is instead.
    """
    shown = _shown(value)
    if isinstance(value, str):
        plain = value.strip().translate(_FULL_WIDTH)
        if not _NUMBER.fullmatch(plain):
            raise ValueError(f"{shown} is not a number")
        value = float(plain)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{shown} is not a number")
    if value != value:
        raise ValueError(f"{shown} is not a number")
    if not 0 <= value <= 1:
        raise ValueError(f"{shown} is not between 0 and 1")
    return float(value) + 0.0


def _judgement(value: object) -> str:
    if isinstance(value, bool):
        if value:
            return "true"
        return "false"
    plain = (
        value.strip(" \t\n.。!！\"'“”*`").casefold() if isinstance(value, str) else ""
    )
    for word, words in (("true", _TRUE), ("false", _FALSE), ("unclear", _UNCLEAR)):
        if plain in words:
            return word
    raise ValueError(f"{_shown(value)} is neither true nor false nor unclear")


def _query(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{_shown(value)} is not a question")
    query = " ".join(value.split())
    if len(query) > LONGEST_QUERY:
        raise ValueError("too long to be a question")
    if query and (
        _NO_QUERY.fullmatch(query.strip(" .。\"'"))
        or not any(sign.isalnum() for sign in query)
    ):
        raise ValueError(f"{_shown(value)} is not a question")
    return query


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    text = " ".join(text.split())
    text = text if len(text) <= 60 else text[:59] + "…"
    if isinstance(value, str):
        return f"“{text}”"
    return text
