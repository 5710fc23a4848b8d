"""The tables of a study's report, in the user's language: what every form of it
shows.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ...texts import has, t
from ...texts.roles import role_name
from ...texts.settings import word
from ...texts.votes import field_name
from ..figures.aggregate import Aggregate
from ..figures.certificates import in_words
from ..figures.compare import PRICE
from ..figures.difference import Difference
from ..figures.measure import Measure
from ..figures.wording import amount, bracketed, measure_name, p_value, test_name
from ..reports.document import Cell, DataColumn, DataTable
from ..reports.panels import why_none
from ..reports.rate_limits import limits_in_words, together
from ..reports.run_changes import in_words as changes_in_words
from .conditions import Condition, RecordedCondition
from .report import StudyReport


def tables(report: StudyReport) -> list[DataTable]:
    """All of them: how the conditions were made comes before any difference."""
    made = [_conditions(report)]
    made += [
        _measure(report, name) for name in report.plan.quality if name in report.figures
    ]
    made += [
        _measure(part, name, of)
        for of, part in report.sets.items()
        for name in part.plan.quality
        if name in part.figures
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


def _columns(heads: Sequence[str], words: Collection[int] = (0,)) -> list[DataColumn]:
    """Columns with these titles; those at the places `words` hold words."""
    return [
        DataColumn(head, "text" if place in words else "number")
        for place, head in enumerate(heads)
    ]


def _heads(*keys: str) -> list[str]:
    return [t(f"report.study.{key}") for key in keys]


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
    if report.silenced:
        lines.append(t("report.warning.silent", ids=", ".join(report.silenced)))
    if plan.study.paper.source:
        lines.append(t("report.study.paper_of", source=plan.study.paper.source))
    return lines


def name_of(measure: str) -> str:
    """A measure in words, with its name where these are others."""
    words = measure_name(measure)
    if words == measure:
        return words
    return t("report.study.named", label=words, name=measure)


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


def _conditions(report: StudyReport) -> DataTable:
    conditions = report.plan.conditions
    made = report.made
    first, *others = (one.options for one in conditions)
    same = {
        name: value
        for name, value in first.items()
        if all(other.get(name) == value for other in others)
    }
    rows = []
    for one in conditions:
        found = made.get(one.name, {})
        own = {
            name: value
            for name, value in one.options.items()
            if name not in same and name != "model"
        }
        counts = found.get("sessions", {})
        done = t(
            "report.study.sessions",
            done=counts.get("done", 0),
            failed=counts.get("failed", 0),
            all=_planned(report, one),
        )
        options = _options(own) or t("report.study.nothing")
        rows.append([one.name, _made_by(one), options, _models(found), done])
    notes = []
    if same:
        notes.append(t("report.study.same", options=_options(same)))
    notes += _notes_on_conditions(conditions, made)
    heads = _heads("condition", "method", "options", "models", "sessions_head")
    columns = _columns(heads, range(4))
    return DataTable(t("report.study.conditions"), columns, rows, notes)


def _notes_on_conditions(
    conditions: Sequence[Condition], made: Mapping[str, Mapping[str, Any]]
) -> Iterator[str]:
    """Options that were dropped, sessions that were tried again, and, where they are
    not the same, the prompts.
    """
    for one in conditions:
        if one.dropped:
            options = ", ".join(one.dropped)
            words = {"name": one.name, "method": _made_by(one), "options": options}
            yield t("report.study.dropped", **words)
    for name, found in made.items():
        if found.get("retried"):
            yield t("report.study.retried", name=name, **found["retried"])
    prompts = {
        name: ", ".join(each[:20] for each in found["prompts"])
        for name, found in made.items()
        if found.get("prompts")
    }
    if len({tuple(made[name]["prompts"]) for name in prompts}) > 1:
        for name, digests in prompts.items():
            yield t("report.study.prompts", name=name, prompts=digests)


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


def _measure(report: StudyReport, name: str, of: str = "") -> DataTable:
    """The conditions under one measure, beside published figures. `of`: the data set
    that it is taken on, of several.
    """
    measure, figures = report.measure(name), report.figures[name]
    against = report.differences.get(name, {})
    reference = report.plan.reference.name
    other = {
        row: values[name]
        for row, values in report.plan.study.paper.other.items()
        if name in values
    }
    papers = bool(other) or any(
        report.paper(condition, name) is not None for condition in figures
    )
    heads = _heads("condition", "value", "interval", "n")
    heads += _heads("paper") if papers else []
    if against:
        heads.append(t("report.study.difference", name=reference))
        heads += _heads("interval", "p", "counts", "verdict")
    judges = {
        condition: in_words(status)
        for condition in figures
        if (status := report.certified(condition, name)) is not None
    }
    words = [0, *([len(heads) - 1] if against else [])]
    if judges:
        words.append(len(heads))
        heads.append(t("report.batch.judge_head"))
    rows = []
    for condition, one in figures.items():
        row: list[Cell | str] = [
            condition,
            amount(measure, one.value),
            bracketed(measure, one.low, one.high),
            str(one.n),
        ]
        if papers:
            published = report.paper(condition, name)
            told = "" if published is None else amount(measure, published)
            row.append(Cell(told, shade="muted"))
        if condition in against:
            row += _apart(measure, against[condition])
        elif against:
            key = "reference" if condition == reference else "nothing"
            row += [t(f"report.study.{key}"), *[""] * (4 if judges else 0)]
        rows.append(row + ([judges.get(condition, "")] if judges else []))
    for told, figure in other.items():
        empty = [""] * (len(heads) - 5)
        rows.append(
            [told, "", "", "", Cell(amount(measure, figure), shade="muted"), *empty]
        )
    notes = [*report.warned(name), *_notes(report, name)]
    better = t(f"report.study.better_{measure.better}")
    title = t("report.study.measure", name=name_of(name), better=better)
    title = t("block.fact", label=of, value=title) if of else title
    return DataTable(title, _columns(heads, words), rows, notes)


def _apart(measure: Measure, one: Difference) -> list[str]:
    apart = one.difference
    return [
        amount(measure, apart.value, signed=True),
        bracketed(measure, apart.low, apart.high, signed=True),
        p_value(one.p if one.p_corrected is None else one.p_corrected),
        f"{one.wins}/{one.ties}/{one.losses}",
        verdict(one),
    ]


def _notes(report: StudyReport, name: str) -> Iterator[str]:
    """What the figures of a measure leave out, how far they vary, and how they were
    compared.
    """
    figures = report.figures[name]
    for condition, one in figures.items():
        for found, key in ((one.missing, "missing"), (one.unanswered, "unanswered")):
            if found:
                told = ", ".join(f"{n} {word(why)}" for why, n in found.items())
                yield t(f"report.study.{key}", condition=condition, reasons=told)
    against = report.differences.get(name, {})
    for condition, apart in against.items():
        unpaired = report.unpaired(condition)
        if unpaired:
            yield t("report.study.unpaired", condition=condition, n=unpaired)
        if apart.left_out:
            yield t("report.study.left_out", condition=condition, n=apart.left_out)
    yield from _variances(report, name)
    for condition in report.plan.study.where:
        if condition in figures:
            yield t("report.study.chose", condition=condition)
    if against:
        tests = ", ".join(dict.fromkeys(test_name(one) for one in against.values()))
        margin = next((one.margin for one in against.values() if one.n), 0.0)
        holm = report.plan.study.against.correct == "holm"
        yield t(
            "report.study.how",
            tests=tests,
            corrected=t(f"report.study.{'holm' if holm else 'uncorrected'}"),
            margin=amount(report.measure(name), margin),
        )


def _variances(report: StudyReport, name: str) -> Iterator[str]:
    measure = report.measure(name)
    for condition, split in report.variances.get(name, {}).items():
        whole = split.between + split.within
        yield t(
            "report.study.variance",
            condition=condition,
            share=split.within / whole if whole else 0.0,
            repeats=split.repeats,
            now=amount(measure, split.error()),
            one_repeat=amount(measure, split.error(1)),
            twice_as_many=amount(measure, split.error(2 * split.repeats)),
        )


def _prices(report: StudyReport) -> DataTable:
    """A cost that is not known of every session is not shown: a call that failed costs
    nothing, and would stand for all.
    """
    names = [name for name in PRICE if name in report.figures]
    nothing = t("report.study.nothing")
    rows = []
    for condition in report.plan.conditions:
        found = {
            name: report.figures[name][condition.name]
            for name in names
            if condition.name in report.figures[name]
        }
        row = {
            name: amount(report.measure(name), one.value) for name, one in found.items()
        }
        cost, total = found.get("cost"), nothing
        if cost is not None and cost.value is not None and not cost.missing:
            total = f"{cost.value * cost.n:,.2f}"
        else:
            row.pop("cost", None)
        rows.append(
            [condition.name, *(row.get(name, nothing) for name in names), total]
        )
    heads = [
        *_heads("condition"),
        *(t(f"report.measure.{name}") for name in names),
        *_heads("whole_cost"),
    ]
    notes = _heads("prices_note", *(["cached_note"] if "cached" in names else []))
    notes += filter(None, (_unknown_prices(report, name) for name in names))
    notes += limits_in_words(together(report.manifest.get("conditions") or []))
    return DataTable(t("report.study.prices"), _columns(heads), rows, notes)


def _unknown_prices(report: StudyReport, name: str) -> str:
    """Of how many sessions a price is not known, where there are any."""
    told = [
        t(
            "report.study.prices_missing_of",
            condition=condition,
            n=sum(one.missing.values()),
            total=one.n + sum(one.missing.values()),
        )
        for condition, one in report.figures[name].items()
        if one.missing
    ]
    if told:
        return t(
            "report.study.prices_missing",
            name=t(f"report.measure.{name}"),
            sessions=t("asked.comma").join(told),
        )
    return ""


def _rounds(report: StudyReport, name: str) -> DataTable:
    measure, figures = report.measure(name), report.rounds[name]
    numbers = sorted({number for by_round in figures.values() for number in by_round})

    def cell(one: Aggregate | None) -> str:
        if one is None:
            return ""
        between = bracketed(measure, one.low, one.high)
        return f"{amount(measure, one.value)} {between} ({one.n})"

    rows = [
        [condition, *(cell(by_round.get(number)) for number in numbers)]
        for condition, by_round in figures.items()
    ]
    title = t("report.study.rounds", name=name_of(name))
    columns = _columns([*_heads("condition"), *map(str, numbers)])
    return DataTable(title, columns, rows, _heads("rounds_note"))


def _panels(panels: Sequence[tuple[str, Mapping[str, Any]]]) -> DataTable:
    """How far the members of each condition's panels agreed, beyond chance and as a
    share.
    """
    rows = []
    notes = []
    for condition, one in panels:
        role = role_name(one["role"])
        figures = []
        for name, part in one["alpha"].items():
            value = why_none(part) if part["value"] is None else f"{part['value']:.3f}"
            between = ""
            if part["low"] is not None:
                between = f"[{part['low']:.3f}, {part['high']:.3f}]"
            label = t("report.panel.alpha_of", label=field_name(name))
            figures.append((label, value, between, str(part["of"])))
            if part.get("gwet") is not None:
                label = t("report.panel.gwet_of", label=field_name(name))
                figures.append((label, f"{part['gwet']:.3f}", "", str(part["of"])))
        same = one["unanimous"]
        if same is not None:
            between = f"[{same['low']:.1%}, {same['high']:.1%}]"
            label = t("report.panel.unanimous")
            figures.append((label, f"{same['value']:.1%}", between, str(same["of"])))
        seats = [(condition, f"{role}: {one['panel']}"), *[("", "")] * len(figures)]
        rows += [(*seat, *each) for seat, each in zip(seats, figures, strict=False)]
        if one["unread"] or one["failed"]:
            counts = {"unread": one["unread"], "failed": one["failed"]}
            missing = t("report.panel.missing", **counts)
            words = {"condition": condition, "role": role, "missing": missing}
            notes.append(t("report.study.panel_missing", **words))
    heads = _heads("condition", "panel", "panel_figure", "value", "interval", "n")
    columns = _columns(heads, range(3))
    return DataTable(t("report.study.panels"), columns, rows, notes)


def _options(options: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {_value(value)}" for name, value in options.items())


def _value(value: object) -> str:
    if isinstance(value, dict):
        return " ".join(
            str(one) if name == "*" else f"{name}={one}" for name, one in value.items()
        )
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)
