"""What a program that asked a question receives with the answer: see docs/serve.md."""

from __future__ import annotations

import os

import msgspec

from ...prompts import prompt_set_for
from ...sessions.events import Reference, ReplyEvent, plain
from ...sessions.events.rag import Check, RagResult
from ...sessions.session import Session
from .abstention import NOT_HELD
from .facts import stage_seconds
from .plan import SCORES, in_force, kept_turn, latest, question

_VERIFIED = ("model", "judgement", "reason", *SCORES, "unmeasured", "problems")
_CHECKED = ("unknown", "empty", "uncited", "measure")


def answer_in(session: Session) -> str:
    """Return the answer of a finished session; if nothing was found, the sentence that
    says so, in the language of the question.
    """
    result = session.events[-1]
    if isinstance(result, RagResult) and result.answer:
        return result.answer
    return NOT_HELD[prompt_set_for(question(session)) == "zh"]


def details(session: Session) -> dict[str, object]:
    """Return the details of the answer of a finished session as JSON, with the names of
    the event fields. No value is a path of this machine.
    """
    turn, spent = kept_turn(session) or latest(session), session.totals()
    made: dict[str, object] = {"session": session.header.id}
    models: dict[str, str] = {}
    for event in session.events:
        if isinstance(event, ReplyEvent):
            models[event.role] = event.model
        if isinstance(event, RagResult):
            for name in ("answer", "iterations", "stopped_by"):
                made[name] = getattr(event, name)
    made |= {"citations": [], "references": []}
    made |= dict.fromkeys(("verification", "check", "claims"))
    if turn is not None:
        made["references"] = list(map(passage, in_force(turn.retrieval)))
        if turn.answer is not None:
            made["citations"] = turn.answer.citations
        for name, names in (("verification", _VERIFIED), ("check", _CHECKED)):
            event = getattr(turn, name)
            if event is not None:
                told = plain(event)
                made[name] = {name: told.get(name) for name in names}
        if isinstance(turn.check, Check):
            made["sentences"] = msgspec.to_builtins(turn.check.sentences)
        if "answer" in turn.claims:
            made["claims"] = msgspec.to_builtins(turn.claims["answer"].items)
    return {
        **made,
        "models": models,
        "cost": spent.cost,
        "seconds": stage_seconds(session),
    }


def passage(reference: Reference) -> dict[str, object]:
    """Return a reference as JSON: a passage, in the form that `--retriever` reads. If
    the corpus has no relative name for its file, only the last part of the path is
    included.
    """
    told: dict[str, object] = msgspec.to_builtins(reference)
    for name in ("file", "id"):
        value = told[name]
        if isinstance(value, str) and os.path.isabs(value):
            told[name] = os.path.basename(value)
    return {name: value for name, value in told.items() if value not in (None, [])}
