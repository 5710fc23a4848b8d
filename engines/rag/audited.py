"""How the verifier of answers and of claims is audited."""

from __future__ import annotations

from typing import Any

from ...sessions.events.rag import Claims, Verification
from ...sessions.session import Session
from ..judges.flips import Verdict
from ..judges.items import AuditItem
from ..judges.seats import JudgingSeat, called, last
from .facts import said_by


def _answer(item: AuditItem) -> dict[str, Any]:
    given = item.fields
    return {name: given[name] for name in ("question", "answer", "references")}


def _compared(item: AuditItem) -> dict[str, object]:
    """An answer without references: nobody verifies it, and it is compared."""
    given = item.fields
    named = {"answers": given["accepted"], "references": []}
    return {"question": given["question"], "answer": given["answer"], **named}


def _verified(item: AuditItem, session: Session) -> Verdict:
    said = last(session, Verification)
    word = "unread" if said is None else said_by(said)
    if word == "unread":
        return "unread"
    if word in ("unclear", "undecided"):
        return "undecided"
    return called(word == "true")


def _claimed(item: AuditItem, session: Session) -> Verdict:
    """Right where every claim is supported."""
    said = last(session, Claims)
    verdicts = [one.verdict for one in said.items] if said is not None else []
    if any(one in ("contradicted", "not-found") for one in verdicts):
        return "wrong"
    if not verdicts or None in verdicts:
        return "unread"
    return "right"


def _verification(item: AuditItem, good: bool) -> dict[str, Any]:
    score = float(good)
    return {
        "reference_correctness": score,
        "correctness": score,
        "citation_accuracy": score,
        "truthfulness": score,
        "bias": 1 - score,
        "conciseness": score,
        "judgement": "true" if good else "false",
        "revised_query": "",
    }


def _claims(item: AuditItem, good: bool) -> dict[str, Any]:
    verdict = "supported" if good else "contradicted"
    claim = {"claim": item.fields["answer"], "sentence": 1, "reference": 1}
    return {"claims": [{**claim, "verdict": verdict}]}


SEATS = {
    "verifier": JudgingSeat(
        "verifier", "rag", "answers", _answer, _verified, _verification
    ),
    "claims": JudgingSeat(
        "verifier",
        "rag",
        "answers",
        _answer,
        _claimed,
        _claims,
        {"claims": True},
        certifies="claims",
    ),
    "equivalence": JudgingSeat(
        "equivalence",
        "rag",
        "answers",
        _compared,
        None,
        lambda item, good: {"same": good},
        certifies="same",
    ),
}
