"""What each role receives: the rendered messages, the task as data, and the JSON Schema
of the reply.

References and answers are data. They are enclosed between marks that do not occur in
them, and the prompt says that nothing inside is an instruction. The mark of a session
is derived from its question. Equal references are therefore equal text in all prompts
of the session, which servers can reuse from their caches.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from ...prompts import render
from ...prompts.marks import mark
from ...sessions.events import Reference
from ...sessions.events.rag import Verification
from ...sessions.session import Session
from ..models.port import Message, Task
from ..retrieval.citations import unmarked
from ..thread import object_schema
from .plan import (
    SCORES,
    RagIteration,
    RagStep,
    accepted_answer,
    in_force,
    latest,
    negative,
    nuggets,
    queries,
    question,
    turns,
)


class RagTask(Task, kw_only=True):
    """The fields common to all tasks."""

    question: str
    """The original question."""
    references: list[Reference] = []
    """The references of this iteration."""
    iteration: int = 1


class AnswerTask(RagTask, kw_only=True):
    """Role `generator`: answer from the references, citing `[n]`."""

    query: str = ""
    """The query that retrieved the references."""
    careless: bool = False
    """A bad answer is wanted: from the references as if they fitted the question."""


class Verify(RagTask, kw_only=True):
    """Role `verifier`: six scores, a judgement, a revised query.

    The reply is the JSON object of the paper.
    """

    answer: str
    query: str
    """The query that retrieved the references."""
    queries: list[str] = []
    """All queries used so far, in order."""


class Revise(RagTask, kw_only=True):
    """Role `reviser`: the revised query alone.

    With an answer: for `--no-chain`. Without one: before the first retrieval.
    """

    answer: str | None = None
    query: str = ""
    queries: list[str] = []


class Worsen(RagTask, kw_only=True):
    """Role `reviser`: a bad query for the question, before the first retrieval.

    The reply is the object of `Revise`.
    """


class CheckClaims(RagTask, kw_only=True):
    """Role `verifier`: the claims of a text, each with its verdict.

    The reply is an object with a list.
    """

    of: Literal["answer", "accepted", "nuggets"]
    """Whose claims: of an answer or of an accepted one, held against the references; or
    nuggets, held against the answer.
    """
    texts: list[str]
    """The sentences of the answer; the accepted answer; the nuggets."""
    answer: str = ""
    """The answer that nuggets are looked for in."""


def messages(session: Session, step: RagStep) -> list[Message]:
    """Return the messages of this step: a system turn and a user turn."""
    key = _key(session, step)
    values = _values(session, step)
    return [
        {
            "role": "system",
            "content": render(
                session.header.prompts.templates,
                f"{_SYSTEM.get(key, key)}_system",
                **values,
            ),
        },
        {
            "role": "user",
            "content": render(session.header.prompts.templates, f"{key}_ask", **values),
        },
    ]


def again(
    session: Session, step: RagStep, thread: Sequence[Message], reply: str, reason: str
) -> list[Message]:
    """Return the messages that repeat the request after an unreadable reply."""
    text = render(
        session.header.prompts.templates,
        "again",
        **{**_values(session, step), "reason": reason},
    )
    return [
        *thread,
        {"role": "assistant", "content": reply},
        {"role": "user", "content": text},
    ]


def task(session: Session, step: RagStep) -> RagTask:
    """Return the task of a step as data."""
    turn = _turn(session, step)
    retrieval = turn.retrieval if turn is not None else None
    common: dict[str, Any] = {
        "question": question(session),
        "references": in_force(retrieval),
        "iteration": step.iteration,
    }
    query = retrieval.query if retrieval is not None else ""
    if step.what == "answer":
        return AnswerTask(**common, query=query, careless=negative(session) is not None)
    answer = (
        turn.answer.answer or ""
        if turn is not None and turn.answer is not None
        else None
    )
    if step.what == "claims":
        about = CheckClaims(
            **common,
            of=step.of,  # type: ignore[arg-type]
            texts=claimed(session, step),
            answer=answer or "",
        )
        if step.of == "nuggets":
            return msgspec.structs.replace(about, references=[])
        return about
    searched: dict[str, Any] = {"query": query, "queries": queries(session)}
    if _key(session, step) == "verify":
        return Verify(**common, **searched, answer=answer or "")
    if _key(session, step) == "worsen":
        return Worsen(**common)
    return Revise(**common, **searched, answer=answer)


def schema(session: Session, step: RagStep) -> dict[str, Any] | None:
    """Return the JSON Schema of the requested object; None for free text."""
    if step.what == "answer":
        return None
    if step.what == "claims":
        return _claims_schema(step)
    text = {"type": "string"}
    verdict = {}
    if _key(session, step) == "verify":
        verdict = {name: {"type": "number"} for name in SCORES} | {
            "judgement": {"type": "string", "enum": ["true", "false", "unclear"]}
        }
    # A server's schema mode keeps this order: a reason that comes first cannot merely
    # defend the decision.
    properties = {"reason": text, **verdict, "revised_query": text}
    return object_schema(properties)


def reply(event: Verification) -> str | None:
    """Return the object requested from the verifier or the reviser, with the values of
    this event; None if one of them is unread.

    Scores that the verifier cannot give are omitted.
    """
    revised = event.revised_query
    if event.role != "verifier":
        if revised is None:
            return None
        return _written({"reason": event.reason, "revised_query": revised})
    scores = {
        name: getattr(event, name) for name in SCORES if name not in event.unmeasured
    }
    values = {
        "reason": event.reason,
        **scores,
        "judgement": event.judgement,
        "revised_query": revised,
    }
    if None in values.values():
        return None
    return _written(values)


def _written(values: dict[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False)


def _claims_schema(step: RagStep) -> dict[str, object]:
    """Return the schema of the list of claims.

    The evidence for a verdict comes before the verdict. If there is no evidence, the
    fields are 0 or "".
    """
    text, number = {"type": "string"}, {"type": "integer"}
    verdict = {"type": "string", "enum": ["supported", "contradicted", "not-found"]}
    fields: dict[str, object] = {
        "claim": text,
        "sentence": number,
        "reference": number,
        "words": text,
    }
    fields |= {"also": {"type": "array", "items": number}, "verdict": verdict}
    if step.of == "nuggets":
        fields = {"nugget": number, "words": text, "verdict": verdict}
    elif step.of == "accepted":
        del fields["sentence"]
    name = "nuggets" if step.of == "nuggets" else "claims"
    return object_schema({name: {"type": "array", "items": object_schema(fields)}})


_AHEAD = re.compile(r"(?<!\s)\s++(?=[.,;:!?。，；：！？])")
"""White space that a citation leaves ahead of punctuation."""

MOST_SENTENCES = 200
"""Sentences of an answer with a number of their own; the rest is one text, so that
numbers stay a small part of the request.
"""


def claimed(session: Session, step: RagStep) -> list[str]:
    """Return the texts whose claims are checked: the sentences of the answer without
    their citations, the accepted answer, or the nuggets.
    """
    if step.of == "nuggets":
        return nuggets(session)
    if step.of == "accepted":
        return [accepted_answer(session) or ""]
    turn = _turn(session, step)
    listed = turn.check.sentences if turn is not None and turn.check is not None else []
    texts = [" ".join(_AHEAD.sub("", unmarked(one.text)).split()) for one in listed]
    return [
        *texts[:MOST_SENTENCES],
        *([" ".join(texts[MOST_SENTENCES:])] if len(texts) > MOST_SENTENCES else []),
    ]


def _turn(session: Session, step: RagStep) -> RagIteration | None:
    """Return the iteration that a step belongs to.

    Claims are checked last, possibly for an earlier answer.
    """
    if step.what == "claims":
        return next(
            (turn for turn in turns(session) if turn.iteration == step.iteration), None
        )
    return latest(session)


def _key(session: Session, step: RagStep) -> str:
    """Return the template to use: `answer`; `verify`; `revise` (the revised query
    alone); `rewrite` (before the first retrieval); for claims, `claims`, `accepted` or
    `nuggets`; for a bad answer, `worsen` instead of `rewrite` and `careless` instead of
    `answer`.
    """
    if step.what == "answer":
        if negative(session) is None:
            return "answer"
        return "careless"
    if step.what == "claims":
        if step.of == "answer":
            return "claims"
        return step.of
    if step.iteration == 0:
        if negative(session) == "query":
            return "worsen"
        return "rewrite"
    if step.role == "verifier":
        return "verify"
    return "revise"


_SYSTEM = {"accepted": "claims", "nuggets": "claims"}
"""Templates that share the system message of another one."""


def _values(session: Session, step: RagStep) -> dict[str, object]:
    """Return all values that a template can refer to."""
    turn = _turn(session, step)
    references = in_force(turn.retrieval) if turn is not None else []
    answer = (
        turn.answer.answer or "" if turn is not None and turn.answer is not None else ""
    )
    asked = question(session)
    listed = claimed(session, step) if step.what == "claims" else []
    failed = _failed(turn) if _key(session, step) == "revise" else []
    sign = _SIGNS.get(step.of, "")
    chosen = mark(
        asked,
        answer,
        *listed,
        *failed,
        *(
            part
            for reference in references
            for part in (reference.title, reference.text)
        ),
    )
    return {
        "question": asked,
        "answer": _enclosed(session, chosen, "", "", answer),
        "references": "\n\n".join(
            _enclosed(
                session, chosen, str(reference.n), reference.title, reference.text
            )
            for reference in references
        ),
        "queries": queries(session),
        "failed": _enclosed(session, chosen, "", "", "\n".join(failed))
        if failed
        else "",
        "texts": _enclosed(
            session,
            chosen,
            "",
            "",
            "\n".join(
                f"{sign}{n} {one}" if sign else one for n, one in enumerate(listed, 1)
            ),
        ),
        "reason": "",
        **_NOTHING,
    }


def _failed(turn: RagIteration | None) -> list[str]:
    """Return the claims of the answer that the references contradict or do not
    support.
    """
    claims = turn.claims.get("answer") if turn is not None else None
    return [
        claim.text
        for claim in (claims.items if claims is not None else ())
        if claim.verdict not in (None, "supported")
    ]


_SIGNS = {"answer": "S", "nuggets": "N"}
"""Prefixes of the numbers of sentences and nuggets, which distinguish them from
references.
"""

_NOTHING = {"mark": "", "n": "", "title": "", "text": ""}


def _enclosed(session: Session, chosen: str, n: str, title: str, text: str) -> str:
    return render(
        session.header.prompts.templates,
        "enclosed",
        mark=chosen,
        n=n,
        title=title,
        text=text,
    )
