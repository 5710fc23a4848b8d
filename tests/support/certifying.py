"""A certificate of 120 labels."""

from __future__ import annotations

from verifytui.engines.figures.certificates import (
    Certificate,
    CertifiedAudit,
    CertifiedLabels,
    CertifiedShare,
    JudgeFacts,
    PeopleAgreement,
)


def certificate(name: str, judge: JudgeFacts) -> Certificate:
    assert judge.model is not None
    assert judge.prompts is not None
    found = CertifiedShare(value=0.95, low=0.86, high=0.98, count=57, of=60)
    return Certificate(
        name=name,
        date="2026-11-26",
        model=judge.model,
        prompts=judge.prompts,
        method=judge.item_kind[0],
        role=judge.item_kind[1],
        measure=judge.measure,
        labels=CertifiedLabels(digest="0", n=120, file="Mei"),
        figures={"sensitivity": found, "specificity": found},
        at_least=0.8,
        people=PeopleAgreement(raters=["Mei"]),
        language="en",
        data_set="set",
        audit=CertifiedAudit(folder="", date="", clean=True, probes=[]),
    )
