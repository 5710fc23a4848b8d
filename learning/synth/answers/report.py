"""The report of a synthesis: `report.json`, and the same as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from ....engines.reports.batch import cost, usage
from ....sessions.session import Totals
from ....texts import t
from ....texts.amounts import money
from ....texts.columns import aligned
from ..manifest import Manifest, digest
from ..omission_text import reasons
from . import agreement
from .agreement import (
    CLASSES,
    AgreementFigures,
    AgreementReport,
    PersonAgreement,
    ShareFigure,
)
from .blind import BlindRatings
from .plan import BY_RULE, AnswerSynthesis
from .sample_collection import kept_answers
from .samples import Sample, SampleVerdict
from .synthesis_run import SynthesisOutcome

FORMAT = "verifytui-synth-report/1"
JUDGEMENTS = ("true", "false", "unclear", "undecided", "unread")


class KeptAnswers(msgspec.Struct):
    """The answers to export."""

    rule: str
    kept: int
    of: int


class PeopleReport(PersonAgreement, kw_only=True):
    """Agreement with people overall, and without negatives made by rule: a person may
    rate those as right and the verifier as false.
    """

    raters: list[str]
    tied: int
    not_by_rule: PersonAgreement | None


class SynthesisReport(msgspec.Struct, kw_only=True):
    """The report, as in report.json."""

    format: str = FORMAT
    questions: dict[str, int]
    samples: dict[str, dict[str, int]]
    answering: KeptAnswers
    judgements: dict[str, dict[str, int]]
    left_out: dict[str, int]
    agreement: AgreementReport
    people: PeopleReport | None
    exported: dict[str, int] | None = None
    """File → number of lines."""
    export_left_out: dict[str, dict[str, int]] | None = None
    calls: int
    usage: dict[str, Any]
    cost: float | None
    cost_known: float
    unpriced: list[str]


def report_of(
    plan: AnswerSynthesis,
    outcome: SynthesisOutcome,
    *,
    least: float,
    spent: Totals,
    ratings: BlindRatings,
) -> SynthesisReport:
    """Collects counts, agreement and what was left out. `least`: the lower bound of
    agreement that an export requires. `spent`: usage of all calls.
    """
    verified = {one.sample: one for one in outcome.verified}
    halves = Counter(plan.halves.values())
    return SynthesisReport(
        questions={
            "of": len(plan.lines),
            "skipped": plan.skipped,
            **{half: halves[half] for half in ("answering", "verification")},
        },
        samples=_kinds(outcome.samples),
        answering=KeptAnswers(
            rule=plan.keep,
            kept=len(kept_answers(plan, outcome.samples, verified)),
            of=sum(sample.half == "answering" for sample in outcome.samples),
        ),
        judgements={
            kind: dict(_judgements(listed, verified))
            for kind, listed in _by_kind(outcome.samples).items()
        },
        left_out=dict(outcome.left_out),
        agreement=agreement.report(agreement.known(outcome.samples, verified), least),
        people=_with_people(ratings) if ratings.rated else None,
        calls=spent.calls,
        usage=usage(spent),
        **cost(spent),
    )


def _with_people(ratings: BlindRatings) -> PeopleReport:
    rest = [one for one in ratings.rated if one.sample.kind not in BY_RULE]
    return PeopleReport(
        **msgspec.structs.asdict(agreement.with_person(ratings.rated)),
        raters=list(ratings.people),
        tied=ratings.tied,
        not_by_rule=agreement.with_person(rest) if rest else None,
    )


def _by_kind(samples: Iterable[Sample]) -> dict[str, list[Sample]]:
    made: dict[str, list[Sample]] = {}
    for sample in samples:
        made.setdefault(sample.kind, []).append(sample)
    return made


def _kinds(samples: Iterable[Sample]) -> dict[str, dict[str, int]]:
    return {
        kind: {"of": len(found), **Counter(one.half for one in found)}
        for kind, found in _by_kind(samples).items()
    }


def _judgements(
    samples: Iterable[Sample], verified: Mapping[str, SampleVerdict]
) -> Counter[str]:
    return Counter(
        verified[sample.id].judgement or "unread"
        for sample in samples
        if sample.id in verified
    )


# ------------------------------------------------------------- for people


def in_words(report: SynthesisReport) -> str:
    """The report as text, with a table."""
    asked, kept = report.questions, report.answering
    rule = t(f"report.synth_rag.rule_{kept.rule}")
    halves = {name: asked[name] for name in ("answering", "verification")}
    lines = [
        t("report.synth_rag.questions", n=asked["of"], **halves),
        t("report.synth_rag.kept", n=kept.kept, total=kept.of, rule=rule),
        "",
        *_table(report),
        "",
        agreement_in_words(report.agreement),
    ]
    if report.people is not None:
        lines += _people(report.people)
    if report.left_out:
        lines += ["", t("report.synth_rag.left_out")]
        lines += [f"  {n:>6}  {_why(why)}" for why, n in report.left_out.items()]
    lines += ["", _spent(report), *_exported(report)]
    return "\n".join(lines) + "\n"


def _exported(report: SynthesisReport) -> list[str]:
    """The exported files of lines, and what they leave out."""
    files = [
        f"  {n:>6}  {name}"
        for name, n in (report.exported or {}).items()
        if name.endswith(".jsonl")
    ]
    left = []
    for of, why, n in reasons(report.export_left_out or {}):
        reason = t(f"report.exports.why_{why.replace('-', '_')}")
        left.append(f"  {n:>6}  {_because(t(f'report.exports.of_{of}'), reason)}")
    parts = (("exported", files), ("not_exported", left))
    return [
        line
        for key, listed in parts
        if listed
        for line in ("", t(f"report.synth_rag.{key}"), *listed)
    ]


def _table(report: SynthesisReport) -> list[str]:
    """Table by kind: number of samples, the verifier's judgements (without columns for
    judgements that never occur), and agreement with known results.
    """
    said = {word for judgement in report.judgements.values() for word in judgement}
    words = [word for word in JUDGEMENTS if word in said or word in CLASSES]
    names = ("kind", "asked", *words, "known", "agrees")
    rows = [[t(f"report.synth_rag.head_{name}") for name in names]]
    for kind, counted in report.samples.items():
        told = report.judgements.get(kind, {})
        counts = ["–"] * len(words)
        if told:
            counts = [str(told.get(name, 0)) for name in words]
        asked = t("report.synth_rag.asked", n=sum(told.values()), total=counted["of"])
        part = report.agreement.by_kind.get(kind)
        rows.append([_kind(kind), asked, *counts, *_agrees(part)])
    return aligned(rows)


def _agrees(part: AgreementFigures | None) -> list[str]:
    if part is None or part.share is None:
        return ["0", "–"]
    share = part.share
    between = f"[{100 * share.low:.0f}, {100 * share.high:.0f}]"
    return [str(part.of), f"{share.value:.0%} {between}"]


def agreement_in_words(report: AgreementReport) -> str:
    """Overall agreement with its interval and the paper's figure, or a sentence if
    nothing is known.
    """
    share, paper = report.share, f"{report.paper:.0%}"
    if share is None:
        return t("report.synth_rag.nothing_known", paper=paper)
    text = t(
        "report.synth_rag.agreement",
        **_percents(share),
        count=share.count,
        total=share.of,
        unread=report.unread,
        undecided=report.undecided,
        paper=paper,
    )
    classes = [_class(name, part.share) for name, part in report.by_class.items()]
    return " ".join([text, *classes])


def _percents(share: ShareFigure) -> dict[str, str]:
    """The share and its interval."""
    return {
        "value": f"{share.value:.1%}",
        "low": f"{share.low:.1%}",
        "high": f"{share.high:.1%}",
    }


def _class(name: str, share: ShareFigure | None) -> str:
    """Agreement with samples known to be true, or known to be false."""
    word = t(f"report.synth_rag.head_{name}")
    if share is None:
        return t("report.synth_rag.class_unknown", kind=word)
    counts = {"count": share.count, "total": share.of}
    return t("report.synth_rag.class", kind=word, **counts, **_percents(share))


def about(plan: AnswerSynthesis, manifest: Manifest) -> dict[str, str]:
    """The sources of the data, for a card that others read: names of files and folders,
    without their location.
    """
    files = {
        name: f"{file['file']}, sha256 {file['sha256']}"
        for name, file in manifest.files.items()
    }
    searched = plan.steps.answering.given()
    where = {
        name: Path(str(searched[name])).name
        for name in ("corpus", "web", "retriever")
        if searched.get(name) is not None
    }
    corpus = searched.get("corpus")
    if corpus is not None and Path(str(corpus)).exists():
        where["corpus"] += f", sha256 {digest(Path(str(corpus)))}"
    kinds = ", ".join(plan.negatives) or "none"
    return {
        **files,
        **where,
        "seed": str(plan.seed),
        "answers kept": plan.keep,
        "negatives": kinds,
        "answers to a question": str(plan.samples),
    }


def _people(report: PeopleReport) -> list[str]:
    raters, rest = ", ".join(report.raters), report.not_by_rule
    told = [t("report.synth_rag.people", raters=raters, **_figures(report))]
    if rest is not None and rest.of < report.of:
        told.append(t("report.synth_rag.people_not_by_rule", **_figures(rest)))
    if report.tied:
        told.append(t("report.synth_rag.people_tied", n=report.tied))
    return told


def _figures(found: PersonAgreement) -> dict[str, str | int]:
    kappa = "–" if found.kappa is None else f"{found.kappa:.2f}"
    assert found.share is not None
    counts = {"total": found.share.of, "right": found.right}
    return {**counts, "kappa": kappa, **_percents(found.share)}


def _spent(report: SynthesisReport) -> str:
    """Calls, tokens and cost of all steps."""
    price = money(report.cost_known)
    if report.cost is None:
        price = t("report.synth_rag.price_unknown", known=price)
    tokens = f"{report.usage['input'] + report.usage['output']:,}"
    words = {"calls": report.calls, "tokens": tokens, "price": price}
    return t("report.synth_rag.spent", **words)


def _why(reason: str) -> str:
    kind, _, why = reason.rpartition(": ")
    text = t(f"report.synth_rag.why_{why.replace('-', '_')}")
    if kind:
        return _because(_kind(kind), text)
    return text


def _because(what: str, why: str) -> str:
    return t("report.synth_rag.because", what=what, why=why)


def _kind(kind: str) -> str:
    return t(f"report.synth_rag.kind_{kind.replace('-', '_')}")
