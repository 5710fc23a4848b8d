"""What the grader is sent: the rendered messages, the task as data, and the JSON Schema
of the reply.

One prompt asks for a level from 0 to 3, after UMBRELA (Upadhyay et al. 2024, section
3), in our own words and for legal cases. The rubric comes first and is the same for
every pair. Case A stands before case B and decides the mark that encloses both, so that
all candidates of a query begin alike. The mark occurs in neither, and the prompt says
that nothing between marks is an instruction.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...prompts import render
from ...prompts.marks import mark
from ...sessions.session import Session
from ..cases.budget import cut, shares
from ..cases.task import text_of
from ..models.port import Message
from ..models.tokens import estimate
from .plan import setting
from .tasks import GradePair

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "reason": {"type": "string"},
        "grade": {"type": "integer", "enum": [0, 1, 2, 3]},
    },
    "required": ["reason", "grade"],
    "additionalProperties": False,
}


class GradeCall(NamedTuple):
    """One call."""

    messages: list[Message]
    task: GradePair
    left_out: int
    """Characters of the cases that were left out."""


def wish(session: Session, candidate: str) -> GradeCall:
    """The call that grades a candidate. Raises: BadInput for a faulty template."""
    templates = session.header.prompts.templates
    texts = [text_of(session, None), text_of(session, candidate)]
    tokens = shares(
        [estimate(text) for text in texts], setting(session, "budget_tokens")
    )
    fitted = [
        cut(text, most, lambda n: render(templates, "left_out", count=f"{n:,}"))
        for text, most in zip(texts, tokens, strict=True)
    ]
    query, other = (text for text, _ in fitted)
    values = {"mark": mark(query, other), "query": query, "candidate": other}
    messages: list[Message] = [
        {"role": "system", "content": render(templates, "grade_system")},
        {"role": "user", "content": render(templates, "grade_ask", **values)},
    ]
    return GradeCall(
        messages,
        GradePair(query=query, candidate=other),
        sum(missing for _, missing in fitted),
    )


def again(
    session: Session, thread: Sequence[Message], reply: str, reason: str
) -> list[Message]:
    """The messages for asking again after a reply that cannot be read."""
    text = render(session.header.prompts.templates, "again", reason=reason)
    return [
        *thread,
        {"role": "assistant", "content": reply},
        {"role": "user", "content": text},
    ]
