"""The tables of a study's report, in the user's language: what every form of it shows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...texts import has, t
from ...texts.roles import role_name
from ...texts.votes import field_name
from ..figures.aggregate import Aggregate
from ..figures.compare import PRICE
from ..figures.difference import Difference
from ..figures.measure import Measure
from ..figures.wording import amount, ends, measure_name, p_value, test_name
from ..reports.panels import why_none
from ..reports.rate_limits import limits_in_words, together
from ..reports.run_changes import in_words as changes_in_words
from .conditions import Condition, RecordedCondition
from .report import StudyReport


@dataclass(frozen=True)
class StudyTable:
    """A table with a heading, and notes below."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    grey: Sequence[int] = ()
    """Columns that were not measured here: the paper's."""
    left: Sequence[int] = field(default=(0,))
    """Columns of words."""


def tables(report: StudyReport) -> list[StudyTable]:
    """All of them: how the conditions were made comes before any difference."""
    made = [_conditions(report)]
    made += [
        _measure(report, name) for name in report.plan.quality if name in report.figures
    ]
    if any(name in report.figures for name in PRICE):
        made.append(_prices(report))
    made += [_rounds(report, name) for name in report.rounds]
    panels = [
        (one["name"], panel)
        for one in report.manifest.get("conditions", [])
        for panel in one.get("panels") or ()
    ]
    if panels:
        return [*made, _panels(panels)]
    return made


def heading(report: StudyReport) -> list[str]:
    """What the study is, and how it ended, in a few lines."""
    plan, manifest = report.plan, report.manifest
    clusters = len({item.cluster for item in plan.items})
    lines = [
        t(
            "report.study.of",
            items=len(plan.items),
            clusters=clusters,
            repeats=plan.study.repeats,
            conditions=len(plan.conditions),
        ),
    ]
    status = str(manifest.get("status", ""))
    key = f"report.study.status_{status}"
    if has(key):
        lines.append(t(key))
    if manifest.get("said"):
        lines.append(str(manifest["said"]))
    if manifest.get("shard"):
        lines.append(
            t(
                "report.batch.shard",
                index=manifest["shard"].get("index"),
                of=manifest["shard"].get("of"),
            )
        )
    lines += changes_in_words(manifest.get("changes", ()))
    if plan.study.paper.source:
        lines.append(t("report.study.paper_of", source=plan.study.paper.source))
    return lines


def name_of(measure: str) -> str:
    """A measure in words, with its name where these are others."""
    words = measure_name(measure)
    if words == measure:
        return words
    return t("report.study.named", words=words, name=measure)


def interval(
    measure: Measure, low: float | None, high: float | None, *, signed: bool = False
) -> str:
    """`[20.4, 32.5%]`, or nothing."""
    if low is None or high is None:
        return ""
    return f"[{', '.join(ends(measure, low, high, signed=signed))}]"


def verdict(one: Difference) -> str:
    """`better`, `cannot tell (n ≈ 900 needed)`."""
    if one.verdict is None:
        return t(
            "report.study.verdict_different"
            if one.measure.tested
            else "report.study.verdict_untested"
        )
    if one.verdict == "unclear" and one.needed is not None:
        return t("report.study.verdict_needs", n=one.needed)
    return t(f"report.study.verdict_{one.verdict}")


def _conditions(report: StudyReport) -> StudyTable:
    plan = report.plan
    made = {one["name"]: one for one in report.manifest.get("conditions", [])}
    every = [one.options for one in plan.conditions]
    same = {
        name: value
        for name, value in every[0].items()
        if all(other.get(name) == value for other in every)
    }
    rows = []
    for one in plan.conditions:
        found = made.get(one.name, {})
        own = [
            f"{name} {_value(value)}"
            for name, value in one.options.items()
            if name not in same and name != "model"
        ]
        counts = found.get("sessions", {})
        done = t(
            "report.study.sessions",
            done=counts.get("done", 0),
            failed=counts.get("failed", 0),
            all=_planned(report, one),
        )
        rows.append(
            [
                one.name,
                _made_by(one),
                ", ".join(own) or t("report.study.nothing"),
                _models(found),
                done,
            ]
        )
    notes = (
        [
            t(
                "report.study.same",
                options=", ".join(
                    f"{name} {_value(value)}" for name, value in same.items()
                ),
            )
        ]
        if same
        else []
    )
    notes += [
        t(
            "report.study.dropped",
            name=one.name,
            method=_made_by(one),
            options=", ".join(one.dropped),
        )
        for one in plan.conditions
        if one.dropped
    ]
    prompts = {
        one: tuple(found.get("prompts", ()))
        for one, found in made.items()
        if found.get("prompts")
    }
    if len(set(prompts.values())) > 1:
        notes += [
            t(
                "report.study.prompts",
                name=name,
                prompts=", ".join(each[:20] for each in of),
            )
            for name, of in prompts.items()
        ]
    head = [
        t(f"report.study.{key}")
        for key in ("condition", "method", "options", "models", "sessions_head")
    ]
    return StudyTable(
        t("report.study.conditions"), head, rows, notes, left=(0, 1, 2, 3)
    )


def _made_by(condition: Condition) -> str:
    if isinstance(condition, RecordedCondition):
        return t("report.study.run")
    return condition.made_by


def _planned(report: StudyReport, condition: Condition) -> str:
    where = report.plan.study.where
    if where and condition.name not in where:
        return "?"
    return str(len(report.plan.by_line))


def _models(found: dict[str, Any]) -> str:
    """`gpt-4`, or `judge gpt-4; others turbo` where seats differ."""
    by_role = {
        role: ", ".join(names) for role, names in found.get("models", {}).items()
    }
    if len(set(by_role.values())) <= 1:
        return next(iter(by_role.values()), t("report.study.nothing"))
    return "; ".join(f"{role} {names}" for role, names in by_role.items())


def _measure(report: StudyReport, name: str) -> StudyTable:
    measure, of, against = (
        report.measure(name),
        report.figures[name],
        report.differences.get(name, {}),
    )
    reference = report.plan.reference.name
    papers = any(report.paper(condition, name) is not None for condition in of)
    head = [t(f"report.study.{key}") for key in ("condition", "value", "interval", "n")]
    head += [t("report.study.paper")] if papers else []
    head += [t("report.study.difference", name=reference)]
    head += (
        [t(f"report.study.{key}") for key in ("interval", "p", "counts", "verdict")]
        if against
        else []
    )
    rows = []
    for condition, one in of.items():
        row = [
            condition,
            amount(measure, one.value),
            interval(measure, one.low, one.high),
            str(one.n),
        ]
        row += [_paper(measure, report.paper(condition, name))] if papers else []
        rows.append(
            row
            + _apart(
                measure, against.get(condition), condition == reference, bool(against)
            )
        )
    notes = _notes(report, name, of, against)
    return StudyTable(
        t(
            "report.study.measure",
            name=name_of(name),
            better=t(f"report.study.better_{measure.better}"),
        ),
        head if against else head[:-1],
        rows,
        notes,
        grey=(4,) if papers else (),
        left=(0, len(head) - 1) if against else (0,),
    )


def _paper(measure: Measure, value: float | None) -> str:
    if value is None:
        return ""
    return amount(measure, value)


def _apart(
    measure: Measure, one: Difference | None, is_reference: bool, compared: bool
) -> list[str]:
    if not compared:
        return []
    if one is None:
        return [
            t("report.study.reference") if is_reference else t("report.study.nothing"),
            "",
            "",
            "",
            "",
        ]
    return [
        amount(measure, one.difference.value, signed=True),
        interval(measure, one.difference.low, one.difference.high, signed=True),
        p_value(one.p if one.p_corrected is None else one.p_corrected),
        f"{one.wins}/{one.ties}/{one.losses}",
        verdict(one),
    ]


def _notes(
    report: StudyReport,
    name: str,
    of: dict[str, Aggregate] | Any,
    against: dict[str, Difference] | Any,
) -> list[str]:
    notes = []
    for condition, one in of.items():
        for found, key in ((one.missing, "missing"), (one.unanswered, "unanswered")):
            if found:
                told = ", ".join(
                    f"{count} {_word(why)}" for why, count in found.items()
                )
                notes.append(t(f"report.study.{key}", condition=condition, told=told))
    for condition, one in against.items():
        if report.unpaired(condition):
            notes.append(
                t(
                    "report.study.unpaired",
                    condition=condition,
                    n=report.unpaired(condition),
                )
            )
        if one.left_out:
            notes.append(
                t("report.study.left_out", condition=condition, n=one.left_out)
            )
    for condition, split in report.variances.get(name, {}).items():
        measure = report.measure(name)
        all_ = split.between + split.within
        notes.append(
            t(
                "report.study.variance",
                condition=condition,
                share=split.within / all_ if all_ else 0.0,
                repeats=split.repeats,
                now=amount(measure, split.error()),
                once=amount(measure, split.error(1)),
                twice=amount(measure, split.error(2 * split.repeats)),
            )
        )
    notes += [
        t("report.study.chose", condition=one)
        for one in report.plan.study.where
        if one in of
    ]
    if against:
        tests = ", ".join(dict.fromkeys(test_name(one) for one in against.values()))
        margin = next((one.margin for one in against.values() if one.n), 0.0)
        corrected = (
            t("report.study.holm")
            if report.plan.study.against.correct == "holm"
            else t("report.study.uncorrected")
        )
        notes.append(
            t(
                "report.study.how",
                tests=tests,
                corrected=corrected,
                margin=amount(report.measure(name), margin),
            )
        )
    return notes


def _word(why: str) -> str:
    from ...texts.settings import word

    return word(why)


def _prices(report: StudyReport) -> StudyTable:
    """A cost that is not known of every session is not shown: a call that failed costs
    nothing, and would stand for all.
    """
    names, nothing = (
        [name for name in PRICE if name in report.figures],
        t("report.study.nothing"),
    )
    rows = []
    for condition in report.plan.conditions:
        found = {
            name: of[condition.name]
            for name, of in report.figures.items()
            if name in names and condition.name in of
        }
        row = [
            amount(report.measure(name), found[name].value)
            if name in found
            else nothing
            for name in names
        ]
        cost = found.get("cost")
        if cost is not None and (cost.value is None or cost.missing):
            row[names.index("cost")], cost = nothing, None
        rows.append(
            [
                condition.name,
                *row,
                nothing if cost is None else f"{(cost.value or 0) * cost.n:,.2f}",
            ]
        )
    head = [
        t("report.study.condition"),
        *(t(f"report.measure.{name}") for name in names),
        t("report.study.whole_cost"),
    ]
    cached = [t("report.study.cached_note")] if "cached" in names else []
    unknown = filter(None, (_unknown_prices(report, name) for name in names))
    notes = [
        t("report.study.prices_note"),
        *cached,
        *unknown,
        *limits_in_words(together(report.manifest.get("conditions") or [])),
    ]
    return StudyTable(t("report.study.prices"), head, rows, notes)


def _unknown_prices(report: StudyReport, name: str) -> str:
    """Of how many sessions a price is not known, where there are any."""
    told = [
        t(
            "report.study.prices_missing_of",
            condition=condition,
            n=sum(one.missing.values()),
            of=one.n + sum(one.missing.values()),
        )
        for condition, one in report.figures[name].items()
        if one.missing
    ]
    if told:
        return t(
            "report.study.prices_missing",
            name=t(f"report.measure.{name}"),
            told=t("asked.comma").join(told),
        )
    return ""


def _rounds(report: StudyReport, name: str) -> StudyTable:
    measure, of = report.measure(name), report.rounds[name]
    numbers = sorted({number for found in of.values() for number in found})
    rows = [
        [
            condition,
            *(
                " ".join(
                    [
                        amount(measure, found[n].value),
                        interval(measure, found[n].low, found[n].high),
                        f"({found[n].n})",
                    ]
                )
                if n in found
                else ""
                for n in numbers
            ),
        ]
        for condition, found in of.items()
    ]
    title = t("report.study.rounds", name=name_of(name))
    return StudyTable(
        title,
        [t("report.study.condition"), *map(str, numbers)],
        rows,
        [t("report.study.rounds_note")],
    )


def _panels(panels: Sequence[tuple[str, Mapping[str, Any]]]) -> StudyTable:
    """How far the members of each condition's panels agreed, beyond chance and as a
    share.
    """
    rows, notes = list[list[str]](), list[str]()
    for condition, one in panels:
        seat = [condition, f"{role_name(one['role'])}: {one['panel']}"]
        for name, part in one["alpha"].items():
            told = why_none(part) if part["value"] is None else f"{part['value']:.3f}"
            within = (
                ""
                if part["low"] is None
                else f"[{part['low']:.3f}, {part['high']:.3f}]"
            )
            rows.append(
                [
                    *seat,
                    t("report.panel.alpha_of", label=field_name(name)),
                    told,
                    within,
                    str(part["of"]),
                ]
            )
            seat = ["", ""]
        if (same := one["unanimous"]) is not None:
            within = f"[{same['low']:.1%}, {same['high']:.1%}]"
            rows.append(
                [
                    *seat,
                    t("report.panel.unanimous"),
                    f"{same['value']:.1%}",
                    within,
                    str(same["of"]),
                ]
            )
        if one["unread"] or one["failed"]:
            missing = t(
                "report.panel.missing", unread=one["unread"], failed=one["failed"]
            )
            notes.append(
                t(
                    "report.study.panel_missing",
                    condition=condition,
                    role=role_name(one["role"]),
                    missing=missing,
                )
            )
    head = [
        t(f"report.study.{key}")
        for key in ("condition", "panel", "panel_figure", "value", "interval", "n")
    ]
    return StudyTable(t("report.study.panels"), head, rows, notes, left=(0, 1, 2))


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(
            str(one) if name == "*" else f"{name}={one}" for name, one in value.items()
        )
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)
