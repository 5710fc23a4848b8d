"""How the annotator is audited: the facts of both cases are given in advance."""

from __future__ import annotations

from ...sessions.events import Event
from ...sessions.events.relevance import FactItem, Facts, Judgement
from ...sessions.session import Session
from ..cases.task import QUERY
from ..figures.measure import without_verdict
from ..judges.flips import Verdict
from ..judges.items import AuditItem
from ..judges.seats import JudgingSeat, called, given
from .plan import KINDS

CANDIDATE = "candidate"


def _facts_pair(item: AuditItem) -> dict[str, object]:
    texts = {
        name: "\n".join(item.fields[f"{name}_facts"]) for name in (QUERY, CANDIDATE)
    }
    return {name: {"id": name, "text": text} for name, text in texts.items()}


def _extracted(item: AuditItem) -> list[Event]:
    """Return all facts, and the judgement that is not requested."""
    made: list[Event] = [
        Facts(
            role="extractor",
            **given(),
            kind=kind,
            case=case,
            items=[FactItem(text=one) for one in item.fields[f"{case}_facts"]],
            read="json",
        )
        for case in (QUERY, CANDIDATE)
        for kind in KINDS
    ]
    made.append(
        Judgement(
            role="annotator",
            **given(),
            kind=next(one for one in KINDS if one != item.fields["kind"]),
            candidate=CANDIDATE,
            relevant=False,
            read="json",
        )
    )
    return made


def _annotated(item: AuditItem, session: Session) -> Verdict:
    for said in reversed(session.events):
        if isinstance(said, Judgement) and said.kind == item.fields["kind"]:
            if said.relevant is None:
                return without_verdict([said])
            return called(said.relevant)
    return "unread"


SEATS = {
    "annotator": JudgingSeat(
        "annotator",
        "relevance",
        "pairs",
        _facts_pair,
        _annotated,
        lambda item, good: {"relevant": good},
        recorded=_extracted,
        certifies="relevant",
    )
}
