"""How the verifier of answers and of claims is audited."""

from __future__ import annotations

from typing import Any

from ...sessions.events.rag import Claims, Verification
from ...sessions.session import Session
from ..figures.judge.measure import ABOUT, OUTSIDE
from ..judges.flips import Verdict
from ..judges.items import AuditItem
from ..judges.seats import JudgingSeat, called, last
from .facts import said_by

TIE = 0.5
GOOD = 4
"""The lowest score of quality of a right answer."""


def _answer(item: AuditItem) -> dict[str, Any]:
    given = item.fields
    return {name: given[name] for name in ("question", "answer", "references")}


def _compared(item: AuditItem) -> dict[str, object]:
    """An answer without references is not verified. Of several answers, the first is
    used.
    """
    given = item.fields
    answer = given["answers"][0]["text"] if "best" in given else given["answer"]
    named = {"answers": given.get("accepted") or [], "references": []}
    return {"question": given["question"], "answer": answer, **named}


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
    verdicts = [item.verdict for item in said.items] if said is not None else []
    if any(verdict in ("contradicted", "not-found") for verdict in verdicts):
        return "wrong"
    if not verdicts or None in verdicts:
        return "unread"
    return "right"


def _verification(item: AuditItem, good: bool) -> dict[str, object]:
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


def _claims(item: AuditItem, good: bool) -> dict[str, object]:
    verdict = "supported" if good else "contradicted"
    claim = {"claim": item.fields["answer"], "sentence": 1, "reference": 1}
    return {"claims": [{**claim, "verdict": verdict}]}


def _measured(item: AuditItem, good: bool) -> dict[str, object]:
    """A value of a measure, as its judge says it."""
    if "best" in item.fields:
        return {"better": "AB"[_best_first(item)]}
    if item.seat == "judge-quality":
        return {"score": 5 if good else 1}
    return {"right": good}


def _accepts(item: AuditItem, value: float) -> bool | None:
    """Whether a value of a measure accepts the right text; None: it is a tie."""
    if "best" in item.fields:
        return None if value == TIE else (value > TIE) is _best_first(item)
    return value >= (GOOD if item.seat == "judge-quality" else 1)


def _best_first(item: AuditItem) -> bool:
    return bool(item.fields["answers"][0]["name"] == item.fields["best"])


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
    **{
        f"judge-{about}": JudgingSeat(
            OUTSIDE,
            "rag",
            "answers",
            _compared,
            None,
            _measured,
            certifies=f"judge-{about}",
            about=about,
            accepts=_accepts,
        )
        for about in ABOUT
    },
}
