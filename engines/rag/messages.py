"""What each role is sent: the rendered messages, the task as data, and the JSON Schema of the reply.

References and answers are data. They stand between marks that do not occur in them: the mark is a digest of all that is enclosed, so the
author of a passage cannot know it, and the prompt says that nothing inside is an instruction.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from ...prompts import render
from ...sessions.session import Session
from ..models.port import Message
from .plan import SCORES, Step, in_force, latest, queries, question
from .tasks import Answer, RagTask, Revise, Verify


def messages(session: Session, step: Step) -> list[Message]:
    """The messages of this step: a system turn and a user turn."""
    key = _key(session, step)
    values = _values(session)
    return [
        {"role": "system", "content": render(session.header.prompts.templates, f"{key}_system", **values)},
        {"role": "user", "content": render(session.header.prompts.templates, f"{key}_ask", **values)},
    ]


def again(session: Session, thread: Sequence[Message], reply: str, reason: str) -> list[Message]:
    """The messages for asking again after a reply that cannot be read."""
    text = render(session.header.prompts.templates, "again", **{**_values(session), "reason": reason})
    return [*thread, {"role": "assistant", "content": reply}, {"role": "user", "content": text}]


def task(session: Session, step: Step) -> RagTask:
    """The task of a step as data."""
    turn = latest(session)
    retrieval = turn.retrieval if turn is not None else None
    common: dict[str, Any] = {"question": question(session), "references": in_force(retrieval), "iteration": step.iteration}
    query = retrieval.query if retrieval is not None else ""
    if step.what == "answer":
        return Answer(**common, query=query)
    answer = turn.answer.answer or "" if turn is not None and turn.answer is not None else None
    searched: dict[str, Any] = {"query": query, "queries": queries(session)}
    if _key(session, step) == "verify":
        return Verify(**common, **searched, answer=answer or "")
    return Revise(**common, **searched, answer=answer)


def schema(session: Session, step: Step) -> dict[str, Any] | None:
    """JSON Schema of the wanted object; None for free text."""
    if step.what == "answer":
        return None
    text = {"type": "string"}
    verdict: dict[str, Any] = {}
    if _key(session, step) == "verify":
        verdict = {name: {"type": "number"} for name in SCORES} | {"judgement": {"type": "string", "enum": ["true", "false", "unclear"]}}
    # A server's schema mode keeps this order: a reason that comes first cannot merely defend the decision.
    properties = {"reason": text, **verdict, "revised_query": text}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _key(session: Session, step: Step) -> str:
    """The template that is used: `answer`, `verify`, `revise` (the revised query alone) or `rewrite` (before the first retrieval)."""
    if step.what == "answer":
        return "answer"
    if step.iteration == 0:
        return "rewrite"
    return "verify" if step.role == "verifier" else "revise"


def _values(session: Session) -> dict[str, object]:
    """All values that a template may name."""
    turn = latest(session)
    references = in_force(turn.retrieval) if turn is not None else []
    answer = turn.answer.answer or "" if turn is not None and turn.answer is not None else ""
    asked = question(session)
    mark = _mark([asked, answer, *(part for reference in references for part in (reference.title, reference.text))])
    return {
        "question": asked,
        "answer": _enclosed(session, mark, "", "", answer),
        "references": "\n\n".join(_enclosed(session, mark, str(one.n), one.title, one.text) for one in references),
        "queries": queries(session),
        "reason": "",
        **_NOTHING,
    }


_NOTHING = {"mark": "", "n": "", "title": "", "text": ""}


def _enclosed(session: Session, mark: str, n: str, title: str, text: str) -> str:
    return render(session.header.prompts.templates, "enclosed", mark=mark, n=n, title=title, text=text)


def _mark(texts: Sequence[str]) -> str:
    """Ten characters that occur in none of the texts."""
    mark = hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).hexdigest()[:10]
    while any(mark in text for text in texts):
        mark = hashlib.sha256(mark.encode()).hexdigest()[:10]
    return mark
