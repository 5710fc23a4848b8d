"""Asks a model to judge an answer, and reads what it says. An unreadable reply is asked for once more."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import aclosing
from typing import Any

from ...prompts import render
from ...sessions.events import Made, Read
from ..model_request import Answered, Request, ask
from ..models.panels import Ballot, How
from ..models.port import Message, Models, Part, Reply, Task
from ..models.replies import made_by
from ..reading import Field, Unread, read_object

ROLE = "judge"

_VALUES: Mapping[str, dict[str, Any]] = {
    "ambiguity": {"right": {"type": "boolean"}},
    "correctness": {"right": {"type": "boolean"}},
    "quality": {"score": {"type": "integer", "enum": [1, 2, 3, 4, 5]}},
    "preference": {"better": {"type": "string", "enum": ["A", "B", "same"]}},
}
SCHEMAS: Mapping[str, dict[str, Any]] = {
    about: {
        "type": "object",
        "properties": {"reason": {"type": "string"}, **value},
        "required": ["reason", *value],
        "additionalProperties": False,
    }
    for about, value in _VALUES.items()
}
"""What can be judged, and the JSON Schema of the reply: the reason comes first, so that the decision can rest on it."""

_WORDS = {
    **dict.fromkeys(("true", "yes", "right", "correct", "是", "对", "正确"), 1.0),
    **dict.fromkeys(
        ("false", "no", "wrong", "incorrect", "否", "不对", "错误", "不正确"), 0.0
    ),
}
_BETTER = {
    "a": 1.0,
    "b": 0.0,
    **dict.fromkeys(
        ("same", "tie", "equal", "neither", "both", "一样好", "相同", "平局"), 0.5
    ),
}


class Judge(Task, kw_only=True):
    """What is asked, as data."""

    about: str
    data: dict[str, Any]


class Judgement(Made, tag="judgement", kw_only=True):
    """What the model said. `value` is None where its reply could not be read."""

    value: float | None = None
    reason: str = ""
    read: Read = "unread"


async def judge(
    models: Models,
    about: str,
    kind: str,
    data: dict[str, Any],
    templates: Mapping[str, Any],
    repeat: int,
) -> AsyncGenerator[Part | Judgement, None]:
    """Yields what streams in and then the judgement of the model on `judge`; of two answers 1 is for A. Raises: ModelError."""
    shown = list(_texts(data))
    thread: list[Message] = [
        {
            "role": "system",
            "content": render(templates, "system", what=about, kind=kind),
        },
        {
            "role": "user",
            "content": render(
                templates, "ask", data=json.dumps(data, ensure_ascii=False, indent=1)
            ),
        },
    ]

    def again(before: list[Message], reply: str, reason: str) -> list[Message]:
        told = {"role": "user", "content": render(templates, "again", reason=reason)}
        return [*before, {"role": "assistant", "content": reply}, told]

    def judgement(replies: list[Reply]) -> tuple[Judgement, str | None]:
        found, made = _read(about, replies[-1], shown), made_by(ROLE, replies)
        if isinstance(found, Unread):
            return Judgement(**made), found.reason
        value, read = found
        return Judgement(
            **made, value=value["value"], reason=value.get("reason", ""), read=read
        ), None

    task = Judge(about=about, data=data, cache=True, repeat=repeat)
    holds = lambda reply: not isinstance(_read(about, reply, shown), Unread)  # noqa: E731 - one line, used once
    request = Request(
        ROLE, task, thread, SCHEMAS[about], judgement, again, holds, _BALLOTS[about]
    )
    async with aclosing(ask(models, request)) as parts:
        async for part in parts:
            yield part.value if isinstance(part, Answered) else part


def _ballot(field: str, how: How, said: Callable[[float], Any]) -> Ballot[Judgement]:
    return Ballot(
        {"reason": "text", field: how},
        lambda one: (
            {"reason": one.reason, field: said(one.value)}
            if one.value is not None
            else {}
        ),
    )


_BALLOTS: Mapping[str, Ballot[Judgement]] = {
    **dict.fromkeys(("ambiguity", "correctness"), _ballot("right", "choice", bool)),
    "quality": _ballot("score", "level", int),
    "preference": _ballot(
        "better", "choice", lambda value: {1.0: "A", 0.0: "B"}.get(value, "same")
    ),
}
"""What a panel of judges votes on."""


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)


def _read(
    about: str, reply: Reply, shown: list[str]
) -> tuple[dict[str, Any], Read] | Unread:
    value = {
        "quality": Field(("score", "rating", "分数", "评分", "得分"), _score),
        "preference": Field(
            ("better", "preferred", "winner", "更好", "更好的"), _better
        ),
    }.get(about) or Field(
        ("right", "correct", "is_right", "is_correct", "正确", "是否正确"), _right
    )
    fields = {
        "reason": Field(("reason", "理由", "原因"), _text, needed=False, remark=True),
        "value": value,
    }
    return read_object(reply.text, fields, structured=reply.structured, sent=shown)


def _right(value: Any) -> float:
    if isinstance(value, bool):
        return float(value)
    return _among(value, _WORDS)


def _better(value: Any) -> float:
    return _among(value, _BETTER)


def _among(value: Any, words: Mapping[str, float]) -> float:
    plain = value.strip(" .。\"'").casefold() if isinstance(value, str) else ""
    if plain not in words:
        raise ValueError("none of the values asked for")
    return words[plain]


def _score(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError("no number")
    score = float(value)
    if score not in (1, 2, 3, 4, 5):
        raise ValueError("no whole number from 1 to 5")
    return score


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("no text")
    return value
