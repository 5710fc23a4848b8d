"""The messages of a conversation with a model, and the JSON Schema of its replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .. import prompts
from ..sessions.session import Session
from .models.port import Message


def system(text: str) -> Message:
    """The system message of a role."""
    return {"role": "system", "content": text}


def instructed(session: Session, text: str, hints: str) -> Message:
    """The system message of a role that works on a topic, with the hint of the prompts
    before it where `hints` is `all`. Raises: BadInput for a set without one.
    """
    if hints == "all":
        kind = session.header.task.get("kind", "question")
        hint = prompts.render(session.header.prompts.templates, f"hint_{kind}")
        text = f"{hint}\n\n{text}"
    return system(text)


def user(text: str) -> Message:
    """What a role is asked."""
    return {"role": "user", "content": text}


def assistant(text: str) -> Message:
    """What a role has replied."""
    return {"role": "assistant", "content": text}


def again(
    session: Session,
    thread: Sequence[Message],
    reply: str,
    key: str = "again",
    **values: object,
) -> list[Message]:
    """The thread that asks again after a reply that cannot be read.

    `key`: the template. Raises: BadInput for a faulty template.
    """
    text = prompts.again(session.header.prompts.templates, key, **values)
    return [*thread, assistant(reply), user(text)]


def object_schema(properties: Mapping[str, object]) -> dict[str, object]:
    """JSON Schema of an object with all of these properties and no others."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def reasoned_schema(**values: Mapping[str, Any]) -> dict[str, object]:
    """JSON Schema of an object with a reason and then values: the reason is written
    before the decision.
    """
    return object_schema({"reason": {"type": "string"}, **values})
