"""Asks a model whether an answer says the same as an accepted one: the last step of the ladder in `metrics/equivalence.py`."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any, Literal

import msgspec

from ...prompts import load, render
from ...sessions.events import Made, Read, Usage, Vote
from ..model_request import Answered, Request, ask
from ..models.panels import Ballot
from ..models.port import Message, Models, Part, Reply, Task
from ..models.replies import made_by
from ..reading import Field, Unread, read_object

ROLE = "equivalence"

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "same": {"type": "boolean"}},
    "required": ["reason", "same"],
    "additionalProperties": False,
}


_CHINESE = re.compile("[\u3400-\u9fff]")


Compared = Literal["answers", "wrong_answers"]
"""What answers are compared with: the right ones, or the traps."""
COMPARED: tuple[Compared, ...] = ("answers", "wrong_answers")


class Comparison(msgspec.Struct, kw_only=True):
    """What a model said of one answer: a line of equivalence.jsonl."""

    id: str
    of: Compared
    """What the answer was compared with."""
    seat: str
    question: str
    accepted: list[str]
    answer: str
    same: bool | None = None
    """None: the reply could not be read, or there was none (`error`)."""
    reason: str = ""
    read: str = "unread"
    model: str = ""
    text: str = ""
    usage: Usage | None = None
    cost: float | None = None
    seconds: float = 0.0
    attempts: int = 1
    cached: bool = False
    votes: list[Vote] | msgspec.UnsetType = msgspec.UNSET
    """Of a panel: what each member said."""
    error: str | None = None

    @property
    def key(self) -> tuple[Any, ...]:
        return (
            self.seat,
            self.id,
            self.of,
            self.question,
            tuple(self.accepted),
            self.answer,
        )


class Compare(Task, kw_only=True):
    """What is asked, as data."""

    question: str
    accepted: list[str]
    answer: str


class Opinion(Made, tag="opinion", kw_only=True):
    """What the model said. `same` is None where its reply could not be read: then nothing is equal."""

    same: bool | None = None
    reason: str = ""
    read: Read = "unread"


async def compare(
    models: Models, question: str, accepted: Sequence[str], answer: str
) -> AsyncGenerator[Part | Opinion, None]:
    """Yields what streams in and then the opinion of the model on `equivalence`. An unreadable reply is asked for once more. ModelError."""
    templates = load(
        "zh" if _CHINESE.search(question) else "en", workspace="equivalence"
    ).templates
    data = json.dumps(
        {
            "question": question,
            "accepted answers": list(accepted),
            "given answer": answer,
        },
        ensure_ascii=False,
        indent=1,
    )
    thread = [
        {"role": "system", "content": render(templates, "system")},
        {"role": "user", "content": render(templates, "ask", data=data)},
    ]

    def again(before: list[Message], reply: str, reason: str) -> list[Message]:
        told = {"role": "user", "content": render(templates, "again", reason=reason)}
        return [*before, {"role": "assistant", "content": reply}, told]

    shown = [question, *accepted, answer]
    task = Compare(
        question=question, accepted=list(accepted), answer=answer, cache=True
    )
    request = Request(
        ROLE,
        task,
        thread,
        SCHEMA,
        lambda replies: _opinion(replies, shown),
        again,
        lambda reply: not isinstance(_read(reply, shown), Unread),
        Ballot(
            {"reason": "text", "same": "choice"},
            lambda one: (
                {"reason": one.reason, "same": one.same} if one.same is not None else {}
            ),
        ),
    )
    async with aclosing(ask(models, request)) as parts:
        async for part in parts:
            yield part.value if isinstance(part, Answered) else part


def _opinion(replies: list[Reply], sent: Sequence[str]) -> tuple[Opinion, str | None]:
    found = _read(replies[-1], sent)
    made = made_by(ROLE, replies)
    if isinstance(found, Unread):
        return Opinion(**made), found.reason
    value, read = found
    return Opinion(
        **made, same=value["same"], reason=value.get("reason", ""), read=read
    ), None


def _read(reply: Reply, sent: Sequence[str]) -> tuple[dict[str, Any], Read] | Unread:
    fields = {
        "same": Field(
            ("same", "equal", "equivalent", "相同", "是否相同", "一致"), _bool
        ),
        "reason": Field(("reason", "理由", "原因"), _text, needed=False, remark=True),
    }
    return read_object(reply.text, fields, structured=reply.structured, sent=sent)


def _bool(value: Any) -> bool:
    if isinstance(value, str):
        value = {
            "true": True,
            "yes": True,
            "是": True,
            "相同": True,
            "false": False,
            "no": False,
            "否": False,
            "不同": False,
        }.get(value.strip().casefold())
    if not isinstance(value, bool):
        raise ValueError("no yes or no")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("no text")
    return value
