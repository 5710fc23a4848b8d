"""The report of a comparison: conclusion, figures, price, settings, flips."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ...texts import t
from ...texts.settings import listed as in_a_row
from ..figures.aggregate import Aggregate
from ..figures.certificates import JudgeStatus, in_words, status_on
from ..figures.common import answer_of, listed
from ..figures.compare import PRICE, RunComparison, RunPairing, differing, unknown
from ..figures.difference import Difference
from ..figures.items import asked
from ..figures.measure import Measure
from ..figures.runs import Run
from ..figures.strata import Stratum
from ..figures.systems import SystemTable, systems
from ..figures.warnings import (
    FigureWarning,
    across,
    gone_within,
    ids_json,
    of_models,
    on,
    small,
    split_silent,
)
from ..figures.warnings import lines as warning_lines
from ..figures.wording import (
    NOTHING,
    amount,
    axis_name,
    counted_reasons,
    fact_name,
    fact_values,
    interval,
    measure_name,
    p_value,
    test_name,
    unit,
    verdict_words,
)
from .document import (
    Cell,
    DataColumn,
    DataTable,
    ItemList,
    Part,
    ReportDocument,
    ReportItem,
    SettingList,
    Shade,
    TextBlock,
    number_column,
    text_column,
)
from .plot import Plot, Series, multiplied

Judges = Mapping[str, Mapping[str, JudgeStatus]]
"""By run, then as `RunJudges.statuses` has them."""
SHADES: dict[str, Shade] = {
    "better": "good",
    "worse": "bad",
    "same": "muted",
    "unclear": "warning",
}


def comparison_report(
    comparison: RunComparison,
    strata: Sequence[Stratum] = (),
    context: Sequence[str] = (),
    *,
    items: bool = True,
    silence: Collection[str] = (),
    judges: Judges | None = None,
) -> ReportDocument:
    """Return the report of a comparison.

    `strata`: differences by a field of the items. `context`: lines on how it was made.
    `items`: includes the items that flipped. `silence`: ids of warnings to leave out.
    `judges`: by run.
    """
    names = [run.name for run in comparison.runs]
    title = t("report.compare.head", first=names[0], second=in_a_row(names[1:]))
    parts = []
    if len(names) > 2:
        parts += _overview(comparison)
    differences = comparison.differences
    cautions, silent = split_silent(warnings_of(comparison), silence)
    for heading, priced in (("figures", False), ("price", True)):
        chosen = [
            one for one in differences if (one[1].measure.name in PRICE) == priced
        ]
        if chosen:
            parts.append(
                difference_table(
                    t(f"report.compare.{heading}"),
                    chosen,
                    brief=priced,
                    cautions=cautions,
                    judges=judges,
                )
            )
    if cautions or silent:
        said = warning_lines(cautions, silent)
        parts.append(TextBlock(said, t("report.warning.head"), "warning"))
    parts += [_strata(strata)] if strata else []
    parts += [
        setting_list(comparison.runs),
        TextBlock([t("report.compare.how")], shade="muted"),
    ]
    if items:
        parts += [flips for one in comparison.versus for flips in _flips(one)]
    return ReportDocument(
        title, conclusion(comparison), [*context, *_scope(comparison)], parts
    )


def warnings_of(comparison: RunComparison) -> list[FigureWarning]:
    """The warnings about the figures of all pairs of runs."""
    measures = {one.measure.name: one.measure for _, one in comparison.differences}
    facts = [run.provenance.facts for run in comparison.runs]
    counts: dict[str, int] = {}
    for _, one in comparison.differences:
        name = one.measure.name
        if one.measure.subject not in ("price", "process") and one.n:
            counts[name] = min(one.n, counts.get(name, one.n))
    listed = list(measures.values())
    found = [
        *(each for one in facts for each in of_models(listed, one)),
        *across(facts, listed),
        *small(counts),
        *(
            each
            for one in comparison.versus
            for each in gone_within(one.second.name, one.differences)
        ),
    ]
    return [one for place, one in enumerate(found) if one not in found[:place]]


def records(
    comparison: RunComparison,
    strata: Sequence[Stratum] = (),
    silence: Collection[str] = (),
    judges: Judges | None = None,
) -> list[dict[str, Any]]:
    """An object for each measure of each pair of runs, for programs.

    Those of `strata` have `stratum`; `silence`: ids of warnings to leave out; `judges`:
    by run.
    """
    cautions, silent = split_silent(warnings_of(comparison), silence)
    whole = []
    for v, one in comparison.differences:
        name = one.measure.name
        row = one.as_json() | _about(v) | ids_json(cautions, name, silent)
        for side, run in (("a", v.first), ("b", v.second)):
            status = status_on((judges or {}).get(run.name), name)
            if status is not None:
                row[side] |= {"certified": status.certified}
        whole.append(row)
    parts = [
        {**one.difference.as_json(), **_about(one.versus), "stratum": one.value}
        for one in strata
    ]
    return [*whole, *parts]


def headline(versus: RunPairing) -> Difference | None:
    """The first measure of quality that has a value: the one in the conclusion."""
    quality = (one for one in versus.differences if one.measure.name not in PRICE)
    return next((one for one in quality if one.difference.value is not None), None)


def conclusion(comparison: RunComparison) -> str:
    """One sentence on the headline measure."""
    if len(comparison.versus) == 1:
        return _concluded(comparison.versus[0])
    first = comparison.runs[0].name
    star = all(versus.first.name == first for versus in comparison.versus)
    by_verdict: dict[str, list[str]] = {}
    measure = ""
    for versus in comparison.versus:
        one = headline(versus)
        if one is not None:
            measure = measure or measure_name(one.measure.name)
            name = (
                versus.second.name
                if star
                else t(
                    "report.compare.head",
                    first=versus.first.name,
                    second=versus.second.name,
                )
            )
            by_verdict.setdefault(verdict_words(one), []).append(name)
    if not measure:
        return t("report.compare.no_quality")
    verdicts = "; ".join(
        t("report.compare.several_part", verdict=verdict, names=in_a_row(names))
        for verdict, names in by_verdict.items()
    )
    key = "several" if star else "several_pairs"
    words = {"first": first, "measure": measure, "verdicts": verdicts}
    return t(f"report.compare.{key}", **words)


def _pair(versus: RunPairing) -> str:
    first, second = versus.first.name, versus.second.name
    return t("report.compare.pair", first=first, second=second)


def _concluded(versus: RunPairing) -> str:
    one = headline(versus)
    if one is None:
        return t("report.compare.no_quality")
    verdict = one.verdict or "different"
    words = {
        "first": versus.first.name,
        "second": versus.second.name,
        "measure": measure_name(one.measure.name),
        "a": amount(one.measure, one.a.value),
        "b": amount(one.measure, one.b.value),
        "difference": _signed(one),
        "margin": amount(one.measure, one.margin),
        "p": p_value(one.p_corrected),
    }
    if one.needed is not None:
        return t("report.compare.so_unclear_n", n=one.needed, **words)
    return t(f"report.compare.so_{verdict}", **words)


def _signed(one: Difference) -> str:
    found = one.difference
    value = amount(one.measure, found.value, signed=True)
    ends = interval(one.measure, found.low, found.high, signed=True)
    if ends:
        return f"{value} [{ends}]"
    return value


# ------------------------------------------------------------------ what is compared


def _scope(comparison: RunComparison) -> list[str]:
    """Return who was compared over how many items, and what is left out, one
    line each.
    """
    lines = [_run_line(run) for run in comparison.runs]
    for versus in comparison.versus:
        lines += [line for line in scope(versus) if line not in lines]
    return lines


def _run_line(run: Run) -> str:
    if not run.methods:
        return t("report.compare.theirs", name=run.name)
    models = dict.fromkeys(
        value
        for name, values in run.provenance.facts.items()
        if name.startswith("model.")
        for value in values
    )
    made = " · ".join([in_a_row(run.methods), *models])
    return t("block.fact", label=run.name, value=made)


def scope(versus: RunPairing) -> list[str]:
    """How many items two runs are compared by, and how many are not, a line each."""
    paired = versus.paired
    count = len(set(paired.clusters.values()))
    among = t("report.compare.clusters", n=count) if count < len(paired.ids) else ""
    lines = [t("report.compare.items", n=len(paired.ids), clusters=among)]
    for run, ids in (
        (versus.first, paired.only_first),
        (versus.second, paired.only_second),
    ):
        lines += [t("report.compare.only", name=run.name, n=len(ids))] if ids else []
    for key, ids in (
        ("other", paired.other_content),
        ("unfinished", paired.unfinished),
    ):
        lines += [t(f"report.compare.{key}", n=len(ids))] if ids else []
    return lines


def setting_list(runs: Sequence[Run]) -> SettingList:
    """Return the settings in which the runs differ; the rest folded."""
    apart = differing(runs)
    names = {one.name for one in apart}
    missing = {one.name for one in unknown(runs)}
    rows = []
    alone: dict[str, list[str]] = {}
    for one in apart:
        name = fact_name(one.name)
        values = [fact_values(one.name, value) for value in one.values]
        owners = [n for n, value in enumerate(one.values) if value]
        if len(owners) == 1 and one.name.startswith(("setting.", "param.")):
            alone.setdefault(runs[owners[0]].name, []).append(
                f"{name} {values[owners[0]]}"
            )
        else:
            rows.append((name, values))
    known = [run for run in runs if run.methods]
    alike = [
        (fact_name(name), [fact_values(name, values)] * len(runs))
        for name, values in (known[0].provenance.facts.items() if known else ())
        if name not in names and name not in missing
    ]
    notes = [
        t("report.compare.alone", name=name, settings="; ".join(settings))
        for name, settings in alone.items()
    ]
    if not apart:
        ours = "no_difference" if missing else "alike"
        key = ours if len(known) == len(runs) else "not_known"
        notes.append(t(f"report.compare.{key}"))
    notes += _not_recorded(runs)
    title = t("report.compare.differ")
    return SettingList(title, [run.name for run in runs], rows, alike, notes)


def _not_recorded(runs: Sequence[Run]) -> list[str]:
    """For each run the facts that it does not record, in one sentence."""
    lines = []
    for place, run in enumerate(runs):
        facts = [fact_name(fact.name) for fact in unknown(runs) if fact.runs[place]]
        if facts:
            names = in_a_row(facts)
            lines.append(t("report.compare.not_recorded", name=run.name, facts=names))
    return lines


# ------------------------------------------------------------------ figures


def difference_table(
    title: str,
    chosen: Sequence[tuple[RunPairing, Difference]],
    *,
    brief: bool = False,
    cautions: Sequence[FigureWarning] = (),
    judges: Judges | None = None,
) -> DataTable:
    """A row for each measure.

    With several pairs of runs, one for each pair under its measure.

    `brief`: people see only the interval of the difference, as they do for several
    pairs. `cautions`: warnings, each shown on the lines of its measures; so are
    `judges`, by run.
    """
    versus = [one for one, _ in chosen]
    several = any(one is not versus[0] for one in versus)
    heads = (t("report.compare.first"), t("report.compare.second"))
    if not several:
        heads = (versus[0].first.name, versus[0].second.name)
    pair = [text_column("report.compare.runs", "runs")] * several
    columns = [
        text_column("report.compare.column_measure", "measure"),
        *pair,
        DataColumn(heads[0], "number"),
        DataColumn(heads[1], "number"),
        number_column("report.compare.difference", "difference"),
        DataColumn("p", "number", "p_corrected"),
        text_column("report.compare.column_verdict", "verdict"),
        *(
            DataColumn(name, "number", name, data=True)
            for name in ("p", "test", "wins", "ties", "losses", "n", "needed_n")
        ),
    ]
    order = list(dict.fromkeys(one.measure.name for _, one in chosen))
    chosen = sorted(chosen, key=lambda each: order.index(each[1].measure.name))
    rows = [
        _row(
            versus,
            one,
            several,
            brief or several,
            [*_judged(versus, one, judges), *on(cautions, one.measure.name)],
        )
        for versus, one in chosen
    ]
    notes = remarks(chosen)
    if any(one.needed is not None for _, one in chosen):
        notes.append(t("report.compare.needed"))
    tests = {test_name(one) for _, one in chosen if one.p is not None}
    notes += [t("report.compare.tests", tests=in_a_row(sorted(tests)))] if tests else []
    return DataTable(title, columns, rows, notes)


def _judged(versus: RunPairing, one: Difference, judges: Judges | None) -> list[str]:
    """Return whether the judges of both runs are certified; once if it is the same."""
    told = [
        (run.name, in_words(status))
        for run in (versus.first, versus.second)
        if (status := status_on((judges or {}).get(run.name), one.measure.name))
    ]
    words = dict.fromkeys(text for _, text in told)
    if len(words) == 1:
        return [*words]
    return [t("block.fact", label=name, value=text) for name, text in told]


def _row(
    versus: RunPairing,
    one: Difference,
    several: bool,
    brief: bool,
    cautions: Sequence[str],
) -> list[Cell | str]:
    name = one.measure.name
    counts = f", +{one.wins} −{one.losses}" if one.n and one.measure.tested else ""
    needed = "" if one.needed is None else f"n ≈ {one.needed:,}"
    shade = SHADES.get(one.verdict or "", "")
    data = (one.p, one.test, one.wins, one.ties, one.losses, one.n, one.needed)
    return [
        Cell(
            measure_name(name),
            name,
            detail=", ".join([f"n {one.n:,}{counts}", *cautions]),
        ),
        *([_pair(versus)] if several else []),
        *_figures(one, brief=brief),
        Cell(p_value(one.p_corrected), one.p_corrected),
        Cell(verdict_words(one), one.verdict or "", detail=needed, shade=shade),
        *(Cell("", value) for value in data),
    ]


def _figures(one: Difference, *, brief: bool) -> list[Cell]:
    """Both values and the difference.

    `brief`: people see only the interval of the difference.
    """
    apart, measure = one.difference, one.measure
    return [
        figure_cell(measure, one.a, brief=brief),
        figure_cell(measure, one.b, brief=brief),
        Cell(
            amount(measure, apart.value, signed=True),
            apart.value,
            apart.low,
            apart.high,
            interval(measure, apart.low, apart.high, signed=True),
        ),
    ]


def figure_cell(measure: Measure, one: Aggregate, *, brief: bool = False) -> Cell:
    """A figure with its interval. `brief`: people do not see the interval."""
    ends = "" if brief else interval(measure, one.low, one.high)
    return Cell(
        amount(measure, one.value),
        one.value,
        one.low,
        one.high,
        ends,
    )


def remarks(chosen: Sequence[tuple[RunPairing, Difference]]) -> list[str]:
    """Return what figures leave out and what they count as wrong.

    A remark that applies to several figures appears once.
    """
    several = len({id(versus) for versus, _ in chosen}) > 1
    measures: dict[str, list[str]] = {}
    for versus, one in chosen:
        name = measure_name(one.measure.name)
        for run, side in ((versus.first, one.a), (versus.second, one.b)):
            if side.unanswered:
                why = counted_reasons(side.unanswered)
                note = t("report.compare.unanswered", name=run.name, why=why)
                measures.setdefault(note, []).append(name)
        if one.left_out:
            why = counted_reasons(one.why_left_out)
            counts = {"n": one.left_out, "total": len(one.pairs), "why": why}
            note = t("report.compare.left_out", **counts)
            told = f"{name} ({_pair(versus)})" if several else name
            measures.setdefault(note, []).append(told)
    return [
        t("block.fact", label=in_a_row(dict.fromkeys(names)), value=note)
        for note, names in measures.items()
    ]


def _strata(strata: Sequence[Stratum]) -> DataTable:
    """A row for each value of the field, measure and pair of runs."""
    several = len({id(one.versus) for one in strata}) > 1
    columns = [
        text_column("report.compare.column_stratum", "stratum"),
        text_column("report.compare.column_measure", "measure"),
        *[text_column("report.compare.runs", "runs")] * several,
        DataColumn("n", "number"),
        number_column("report.compare.first", "a"),
        number_column("report.compare.second", "b"),
        number_column("report.compare.difference", "difference"),
    ]
    rows: list[list[Cell | str]] = [
        [
            one.value,
            Cell(
                measure_name(one.difference.measure.name), one.difference.measure.name
            ),
            *([_pair(one.versus)] if several else []),
            Cell(f"{one.difference.n:,}", one.difference.n),
            *_figures(one.difference, brief=True),
        ]
        for one in strata
    ]
    title = t("report.compare.strata")
    return DataTable(title, columns, rows, [t("report.compare.exploratory")])


# ------------------------------------------------------------------ several runs


def _overview(comparison: RunComparison) -> list[Part]:
    """A table of runs and measures with ranks, and quality against cost."""
    tables = systems(comparison)
    if not tables:
        return []
    columns = [text_column("report.compare.column_run", "run")]
    columns += [
        DataColumn(measure_name(one.measure.name), "number", one.measure.name)
        for one in tables
    ]
    rows: list[list[Cell | str]] = [
        [run.name, *(_ranked(one, run.name) for one in tables)]
        for run in comparison.runs
    ]
    notes = [t("report.compare.ranks")]
    counts = {one.items for one in tables}
    if len(counts) == 1:
        notes.append(t("report.compare.shared_items", n=counts.pop()))
    else:
        sizes = [f"{measure_name(one.measure.name)} {one.items:,}" for one in tables]
        notes.append(t("report.compare.shared_sizes", sizes=in_a_row(sizes)))
    plot = pareto_plot(tables)
    title = t("report.compare.systems")
    return [
        DataTable(
            title,
            columns,
            rows,
            notes,
        ),
        *([plot] if plot else []),
    ]


def _ranked(table: SystemTable, name: str) -> Cell:
    cell = figure_cell(table.measure, table.figures[name])
    rank = table.ranks.get(name)
    apart = len(set(table.ranks.values())) > 1
    best = apart and rank == min(table.ranks.values())
    text = cell.text if rank is None else f"{cell.text} ({rank:g})"
    return cell._replace(text=text, shade="good" if best else "")


def pareto_plot(tables: Sequence[SystemTable]) -> Plot | None:
    """Plot the first measure of quality by the cost of an item, else by its tokens.

    None if one of the two was not measured, or nothing had a cost.
    """
    quality = next((one for one in tables if one.measure.name not in PRICE), None)
    by_name = {one.measure.name: one for one in tables}
    prices = [by_name[name] for name in ("cost", "tokens") if name in by_name]
    price = next(
        (one for one in prices if any(f.value for f in one.figures.values())), None
    )
    if quality is None or price is None:
        return None
    series = []
    for name, one in quality.figures.items():
        x = price.figures[name]
        series.append(
            Series(
                name,
                [one.value],
                [one.low],
                [one.high],
                n=[one.n],
                xs=[x.value],
                x_low=[x.low],
                x_high=[x.high],
            )
        )
    axes = axis_name(price.measure), axis_name(quality.measure)
    better = quality.measure.better
    plot = Plot(
        "scatter",
        t("report.compare.pareto", quality=axes[1], price=axes[0]),
        [],
        series,
        *axes,
        None if better == "neither" else better,
    )
    return multiplied(plot, unit(quality.measure).factor)


# ------------------------------------------------------------------ items


def _flips(versus: RunPairing) -> list[ItemList]:
    """The items whose headline measure changed, worse ones first."""
    one = headline(versus)
    if one is None:
        return []
    better, worse = one.flips
    items = [_flip(versus, id_, "worse") for id_ in worse]
    items += [_flip(versus, id_, "better") for id_ in better]
    title = t(
        "report.compare.flips",
        measure=measure_name(one.measure.name),
        first=versus.first.name,
        second=versus.second.name,
    )
    return [ItemList(title, items, t("report.compare.no_flips"))]


def _flip(versus: RunPairing, id_: str, group: str) -> ReportItem:
    item = versus.paired.items[id_][0]
    accepted = "\n".join(listed(item, "answers")) or NOTHING
    facts = [(t("report.compare.column_accepted"), accepted)]
    links = []
    for run in (versus.first, versus.second):
        case = run.cases[id_]
        answer = answer_of(case.session).text or NOTHING
        facts.append((t("report.compare.answer_of", name=run.name), answer))
        if case.path is not None:
            path = os.path.relpath(case.path).replace(os.sep, "/")
            links.append((t("report.compare.session_of", name=run.name), path))
    return ReportItem(
        id_,
        t(f"report.compare.{group}"),
        asked(item.fields),
        facts,
        links=links,
        shade=SHADES[group],
    )


def _about(versus: RunPairing) -> dict[str, object]:
    paired, runs = versus.paired, (versus.first, versus.second)
    return {
        "first": str(versus.first.path),
        "second": str(versus.second.path),
        "items": len(paired.ids),
        "clusters": len(set(paired.clusters.values())),
        "only_a": len(paired.only_first),
        "only_b": len(paired.only_second),
        "other_content": len(paired.other_content),
        "unfinished": len(paired.unfinished),
        "differs": {
            one.name: [list(values) for values in one.values]
            for one in versus.differing
        },
        "alike": versus.alike,
        "unknown": {
            fact.name: [
                str(run.path)
                for run, missing in zip(runs, fact.runs, strict=True)
                if missing
            ]
            for fact in versus.unknown
        },
    }
