"""The report of a synthesis: `report.json`, and the same for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ....sessions.session import Totals
from ....texts import t
from ....texts.amounts import money
from ....texts.columns import cells, pad
from ...reports.batch import cost, usage
from ..left_out import reasons
from ..manifest import Manifest
from . import agreement
from .blind import BlindRatings
from .plan import BY_RULE, AnswerSynthesis
from .port import Answering
from .sample_collection import kept_answers
from .samples import Sample
from .synthesis_run import SynthesisOutcome

FORMAT = "verifytui-synth-report/1"


def report_of(
    plan: AnswerSynthesis,
    made: SynthesisOutcome,
    method: Answering,
    *,
    least: float,
    spent: Totals,
    ratings: BlindRatings,
) -> dict[str, Any]:
    """Counts, agreement and what is left out.

    `least`: the lower end of agreement that an export needs. `spent`: all that was
    asked.
    """
    verified = {one.sample: one for one in made.verified}
    found = agreement.report(agreement.known(made.samples, verified))
    kept = kept_answers(plan, made.samples, verified, method)
    halves = Counter(plan.halves.values())
    return {
        "format": FORMAT,
        "questions": {
            "of": len(plan.lines),
            "skipped": plan.skipped,
            **{half: halves[half] for half in ("answering", "verification")},
        },
        "samples": _kinds(made.samples),
        "answering": {
            "rule": plan.keep,
            "kept": len(kept),
            "of": sum(one.half == "answering" for one in made.samples),
        },
        "judgements": {
            kind: dict(_judgements(listed, verified))
            for kind, listed in _by_kind(made.samples).items()
        },
        "left_out": dict(made.left_out),
        "agreement": {
            **found,
            "least": least,
            "reached": agreement.reaches(found, least),
        },
        "people": _with_people(ratings) if ratings.rated else None,
        "exported": None,
        "export_left_out": None,
        "calls": spent.calls,
        "usage": usage(spent),
        **cost(spent),
    }


def _with_people(ratings: BlindRatings) -> dict[str, Any]:
    """Agreement with people over all, and over those that are not made by rule: of
    these a person may say right, and the verifier false.
    """
    rest = [one for one in ratings.rated if one.sample.kind not in BY_RULE]
    told = {
        "raters": list(ratings.people),
        "tied": ratings.tied,
        **agreement.with_person(ratings.rated),
    }
    return {**told, "not_by_rule": agreement.with_person(rest) if rest else None}


def _by_kind(samples: Iterable[Sample]) -> dict[str, list[Sample]]:
    made: dict[str, list[Sample]] = {}
    for one in samples:
        made.setdefault(one.kind, []).append(one)
    return made


def _kinds(samples: Iterable[Sample]) -> dict[str, dict[str, int]]:
    return {
        kind: {"of": len(found), **Counter(one.half for one in found)}
        for kind, found in _by_kind(samples).items()
    }


def _judgements(samples: Iterable[Sample], verified: Mapping[str, Any]) -> Counter[str]:
    return Counter(
        verified[one.id].judgement or "unread" for one in samples if one.id in verified
    )


# ------------------------------------------------------------- for people


def in_words(report: Mapping[str, Any]) -> str:
    """The report, some lines and a table."""
    asked, kept, found = report["questions"], report["answering"], report["agreement"]
    rule = t(f"report.synth_rag.rule_{kept['rule']}")
    lines = [
        t(
            "report.synth_rag.questions",
            n=asked["of"],
            answering=asked["answering"],
            verification=asked["verification"],
        ),
        t("report.synth_rag.kept", kept=kept["kept"], of=kept["of"], rule=rule),
        "",
        *_table(report),
        "",
        agreement_in_words(found),
    ]
    if report["people"] is not None:
        lines.append(_people(report["people"]))
    if report["left_out"]:
        lines += [
            "",
            t("report.synth_rag.left_out"),
            *(f"  {n:>6}  {_why(why)}" for why, n in report["left_out"].items()),
        ]
    lines += ["", _spent(report)]
    lines += _exported(report)
    return "\n".join(lines) + "\n"


def _exported(report: Mapping[str, Any]) -> list[str]:
    """The files of lines that were exported, and what stands in none of them."""
    files = [
        f"  {n:>6}  {name}"
        for name, n in (report["exported"] or {}).items()
        if name.endswith(".jsonl")
    ]
    left = reasons(report["export_left_out"] or {})
    out = [
        f"  {n:>6}  "
        f"{_because(t(f'report.exports.of_{of}'), t('report.exports.why_' + why.replace('-', '_')))}"
        for of, why, n in left
    ]
    parts = (
        (t("report.synth_rag.exported"), files),
        (t("report.synth_rag.not_exported"), out),
    )
    return [line for head, listed in parts if listed for line in ("", head, *listed)]


def _table(report: Mapping[str, Any]) -> list[str]:
    """By kind: of how many samples the verifier was asked, how it judged them, and
    agreement with what is known.
    """
    names = ("kind", "asked", "true", "false", "unclear", "unread", "known", "agrees")
    rows = [[t(f"report.synth_rag.head_{name}") for name in names]]
    for kind, counted in report["samples"].items():
        told, part = (
            report["judgements"].get(kind, {}),
            report["agreement"]["by_kind"].get(kind),
        )
        counts = (
            [str(told.get(name, 0)) for name in ("true", "false", "unclear", "unread")]
            if told
            else ["–"] * 4
        )
        asked = t("report.synth_rag.asked", n=sum(told.values()), of=counted["of"])
        rows.append([_kind(kind), asked, *counts, *_agrees(part)])
    widths = [max(cells(row[at]) for row in rows) for at in range(len(names))]
    return [
        "  ".join(
            pad(cell, width) if not at else " " * (width - cells(cell)) + cell
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]


def _agrees(part: Mapping[str, Any] | None) -> list[str]:
    if part is None or part["share"] is None:
        return ["0", "–"]
    share = part["share"]
    return [
        str(part["of"]),
        f"{share['value']:.0%} [{100 * share['low']:.0f}, {100 * share['high']:.0f}]",
    ]


def agreement_in_words(found: Mapping[str, Any]) -> str:
    """Over all that is known, with its interval and the paper's figure; a sentence that
    nothing is, where nothing is.
    """
    share, paper = found["share"], f"{found['paper']:.0%}"
    if share is None:
        return t("report.synth_rag.nothing_known", paper=paper)
    numbers = {
        "count": share["count"],
        "of": share["of"],
        "unread": found["unread"],
        "paper": paper,
    }
    return t(
        "report.synth_rag.agreement",
        value=f"{share['value']:.1%}",
        low=f"{share['low']:.1%}",
        high=f"{share['high']:.1%}",
        **numbers,
    )


def about(plan: AnswerSynthesis, manifest: Manifest) -> dict[str, str]:
    """What the data were made from, for a card that others read: names of files and
    folders, not where they lie.
    """
    files = {
        name: f"{one['file']}, sha256 {one['sha256']}"
        for name, one in manifest.files.items()
    }
    searched = plan.steps.answering.given()
    where = {
        name: Path(str(searched[name])).name
        for name in ("corpus", "web", "retriever")
        if searched.get(name) is not None
    }
    kinds = ", ".join(plan.negatives) or "none"
    return {
        **files,
        **where,
        "seed": str(plan.seed),
        "answers kept": plan.keep,
        "negatives": kinds,
        "answers to a question": str(plan.samples),
    }


def _people(found: Mapping[str, Any]) -> str:
    told = [
        t(
            "report.synth_rag.people",
            raters=", ".join(found["raters"]),
            **_figures(found),
        )
    ]
    if found["not_by_rule"] is not None and found["not_by_rule"]["of"] < found["of"]:
        told.append(
            t("report.synth_rag.people_not_by_rule", **_figures(found["not_by_rule"]))
        )
    return "\n".join(
        [
            *told,
            *(
                [t("report.synth_rag.people_tied", n=found["tied"])]
                if found["tied"]
                else []
            ),
        ]
    )


def _figures(found: Mapping[str, Any]) -> dict[str, Any]:
    share, kappa = (
        found["share"],
        "–" if found["kappa"] is None else f"{found['kappa']:.2f}",
    )
    numbers = {name: f"{share[name]:.1%}" for name in ("value", "low", "high")}
    return {"of": share["of"], "right": found["right"], "kappa": kappa, **numbers}


def _spent(report: Mapping[str, Any]) -> str:
    """Calls, tokens and price of all steps."""
    price = (
        money(report["cost_known"])
        if report["cost"] is not None
        else t("report.synth_rag.price_unknown", known=money(report["cost_known"]))
    )
    used = report["usage"]
    return t(
        "report.synth_rag.spent",
        calls=report["calls"],
        tokens=f"{used['input'] + used['output']:,}",
        price=price,
    )


def _why(reason: str) -> str:
    kind, _, why = reason.rpartition(": ")
    told = t(f"report.synth_rag.why_{why.replace('-', '_')}")
    if kind:
        return _because(_kind(kind), told)
    return told


def _because(what: str, why: str) -> str:
    return t("report.synth_rag.because", what=what, why=why)


def _kind(kind: str) -> str:
    return t(f"report.synth_rag.kind_{kind.replace('-', '_')}")
