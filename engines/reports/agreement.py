"""The report of how far raters agree: as a document, and as one JSON object."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...sessions.events.relevance import LEAST_PAIRS
from ...texts import own_words, t
from ..metrics import agreement
from ..metrics.bootstrap import IntervalEstimate
from ..metrics.by_query import QueryAgreement, by_query
from ..metrics.compare import (
    BITS,
    FEW_QUERIES,
    KAPPAS,
    NO_VARIATION,
    NOTE,
    Overall,
    RaterComparison,
    RaterDispute,
    RaterLevels,
    Rates,
    Single,
    figure_name,
    rates,
)
from ..metrics.levels import LEVELS, Bit
from ..metrics.system_order import CUT, SystemOrder
from .document import (
    Cell,
    DataColumn,
    DataTable,
    Part,
    ReportDocument,
    TextBlock,
    number_column,
    text_column,
)

MOST_ROWS = 20
"""Queries and disputes that are listed."""
MOST_COUPLES = 6
"""Couples of raters that are shown in full."""
PLAIN = (*BITS, "levels")
"""Figures without weights."""
NOTHING = "–"
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

Row = Sequence[Cell | str]


# ------------------------------------------------------------------ JSON


def agreement_json(
    raters: Sequence[RaterLevels],
    compared: Sequence[RaterComparison],
    overall: Overall,
    disputes: Sequence[RaterDispute],
    left: Sequence[str],
    orders: Sequence[SystemOrder] = (),
) -> dict[str, object]:
    """Return one object; a figure has the form of `figures_json`.

    `left`: raters that were read and not selected.
    """
    return {
        "raters": [_rater_json(rater) for rater in raters],
        "raters_left_out": list(left),
        "comparisons": [comparison_json(one) for one in compared],
        "system_orders": list(map(order_json, orders)),
        "fleiss": {"pairs": overall.complete, **figures_json(overall.fleiss)},
        "alpha": {"pairs": overall.shared, **figures_json(overall.alpha)},
        "gwet": {"pairs": overall.shared, **figures_json(overall.gwet)},
        "by_query": [one._asdict() for one in by_query(raters)],
        "adjudicate": [dispute._asdict() for dispute in disputes],
        "least_pairs": LEAST_PAIRS,
        "note": NOTE,
    }


def comparison_json(comparison: RaterComparison) -> dict[str, Any]:
    """Two raters as one object."""
    base = comparison.rates()
    tables = {kind: agreement.bits(comparison.levels, kind) for kind in BITS}
    return {
        "raters": [comparison.first, comparison.second],
        "pairs": comparison.pairs,
        "unread": comparison.unread,
        "only_first": comparison.only_first,
        "only_second": comparison.only_second,
        "queries": comparison.queries,
        "intervals_by": "query",
        "shares": [of.levels for of in base] or [None, None],
        "positives": [of.bits for of in base] or [None, None],
        "single": [single._asdict() for single in comparison.single()],
        "raw_agreement": comparison.raw,
        "kappa": figures_json(comparison.kappa),
        "gwet": figures_json(comparison.gwet),
        "mean_levels": comparison.means() or [None, None],
        "mean_difference": figures_json({"levels": comparison.higher})["levels"],
        "confusion": {"levels": comparison.levels, **tables},
    }


def figures_json(figures: Mapping[str, IntervalEstimate]) -> dict[str, object]:
    """Return each figure as {value, low, high, resamples, reason, why, no_interval}.

    The value is null if it is undefined or not shown; `why` is `reason` in words.
    """
    return {
        name: {**figure._asdict(), "why": figure.reason}
        for name, figure in figures.items()
    }


def _rater_json(rater: RaterLevels) -> dict[str, object]:
    rated = rater.levels()
    base = base_rates(rated)
    return {
        "name": rater.name,
        "kind": rater.kind,
        "pairs": len(rater.labels),
        "unread": len(rater.labels) - len(rated),
        "seen_machine": rater.seen_machine,
        "shares": base and base.levels,
        "positives": base and base.bits,
        "single_level": rated[0] if len(set(rated)) == 1 else None,
    }


# ------------------------------------------------------------------ the document


def agreement_report(
    raters: Sequence[RaterLevels],
    compared: Sequence[RaterComparison],
    overall: Overall,
    disputes: Sequence[RaterDispute],
    left: Sequence[str] = (),
    orders: Sequence[SystemOrder] = (),
) -> ReportDocument:
    """The report. More than `MOST_COUPLES` couples: the first ones in full."""
    parts: list[Part] = [_raters(raters, left)]
    if len(compared) > 1:
        parts.append(_couples(compared))
    for one in compared[:MOST_COUPLES]:
        parts += _couple(one)
    if len(compared) > MOST_COUPLES:
        more = t("report.ratings.other_tables", n=len(compared) - MOST_COUPLES)
        parts.append(TextBlock([more]))
    parts += map(order_table, orders)
    parts.append(_overall(overall))
    queries = by_query(raters)
    parts += [_queries(queries)] if len(queries) > 1 else []
    parts += [_disputes(raters, disputes), TextBlock([own_words(NOTE)], shade="muted")]
    conclusion = _conclusion(compared, overall)
    return ReportDocument(t("report.ratings.agreement"), conclusion, parts=parts)


def _conclusion(compared: Sequence[RaterComparison], overall: Overall) -> str:
    if len(compared) != 1:
        figure = overall.alpha["levels"]
        alpha = _sentence(figure)
        return t("report.ratings.conclude_all", alpha=alpha, pairs=overall.shared)
    one = compared[0]
    raw = one.raw["levels"]
    if raw is None:
        return t("report.ratings.conclude_none", first=one.first, second=one.second)
    return t(
        "report.ratings.conclude_two",
        first=one.first,
        second=one.second,
        share=raw,
        pairs=one.pairs,
        kappa=_sentence(one.kappa["levels"]),
    )


def _raters(raters: Sequence[RaterLevels], left: Sequence[str]) -> DataTable:
    seen = t("report.ratings.after_machine")
    columns = [
        text_column("report.ratings.rater_column", "rater"),
        *(
            number_column(f"report.ratings.{name}", name)
            for name in ("pairs", "unread_or_undecided")
        ),
        DataColumn(seen, "number", "after_machine", data=True),
        *_level_columns(),
    ]
    rows: list[Row] = []
    notes = []
    for rater in raters:
        rated = rater.levels()
        counts = (len(rated), len(rater.labels) - len(rated), rater.seen_machine)
        shares = _shares(base_rates(rated))
        rows.append(
            [
                rater.name,
                *(Cell(f"{n:,}", n) for n in counts),
                *shares,
            ]
        )
        if rater.seen_machine:
            words = {"name": rater.name, "n": rater.seen_machine}
            notes.append(t("report.ratings.seen_machine", **words))
        if len(set(rated)) == 1 and len(rated) > 1:
            notes.append(t("report.ratings.one_level", name=rater.name, level=rated[0]))
    if not left and {rater.kind for rater in raters} & {"machine", "gold"}:
        notes.append(t("report.ratings.all_chosen"))
    if left:
        notes.append(t("report.ratings.not_chosen", names=", ".join(left)))
    return DataTable(t("report.ratings.raters"), columns, rows, notes)


def _couples(compared: Sequence[RaterComparison]) -> DataTable:
    """A row for every two raters."""
    columns = [
        text_column("report.ratings.couple_column", "raters"),
        number_column("report.figure.pairs", "pairs"),
        number_column("report.ratings.left_out", "left_out"),
        number_column("report.ratings.raw", "raw_agreement"),
        *(DataColumn(figure_name(name), "number", name) for name in PLAIN),
        *(
            DataColumn(t("report.ratings.bit_set", bit=figure_name(kind)), "number")
            for kind in BITS
        ),
    ]
    figures = [each for one in compared for each in one.kappa.values()]
    marks = reason_marks(figures)
    rows: list[Row] = []
    for one in compared:
        left = one.unread + one.only_first + one.only_second
        rows.append(
            [
                t("report.ratings.couple", first=one.first, second=one.second),
                Cell(f"{one.pairs:,}", one.pairs),
                Cell(f"{left:,}", left),
                share_cell(one.raw["levels"]),
                *(figure_cell(one.kappa[name], marks=marks) for name in PLAIN),
                *(_both_rates(one, kind) for kind in BITS),
            ]
        )
    notes = [*mark_notes(marks), t("report.ratings.bit_set_of_each")]
    notes += _interval_notes(figures, [one.queries for one in compared])
    return DataTable(t("report.ratings.kappa"), columns, rows, notes)


def _both_rates(comparison: RaterComparison, kind: Bit) -> str:
    """How often each of two raters set a bit: `50.0% / 25.0%`."""
    return " / ".join(f"{of.bits[kind]:.1%}" for of in comparison.rates()) or NOTHING


def _couple(comparison: RaterComparison) -> list[Part]:
    """Everything about two raters."""
    left = t(
        "report.ratings.left_of_both",
        unread=comparison.unread,
        only_first=comparison.only_first,
        first=comparison.first,
        only_second=comparison.only_second,
        second=comparison.second,
    )
    title = t("report.ratings.couple", first=comparison.first, second=comparison.second)
    text = t("report.ratings.both", pairs=comparison.pairs, left=left)
    return [TextBlock([text], title), *comparison_parts(comparison)]


def comparison_parts(comparison: RaterComparison) -> list[DataTable]:
    """The tables of two raters: levels and bits, base rates, kappa and raw
    agreement.
    """
    tables: list[DataTable] = []
    if comparison.pairs:
        tables += level_tables(comparison.first, comparison.second, comparison.levels)
        notes = single_notes(comparison.single(), comparison.pairs)
        tables.append(_levels_beside(comparison))
        tables.append(
            rates_table(
                (comparison.first, comparison.second), comparison.rates(), notes
            )
        )
    columns = [
        text_column("report.ratings.figure", "figure"),
        number_column("report.ratings.kappa", "kappa"),
        number_column("report.ratings.gwet", "gwet"),
        number_column("report.ratings.raw_short", "raw_agreement"),
    ]
    figures = [*comparison.kappa.values(), *comparison.gwet.values()]
    marks = reason_marks(figures)
    rows: list[Row] = []
    for name in KAPPAS:
        raw = [share_cell(comparison.raw[name])] if name in comparison.raw else []
        beside = [
            figure_cell(of[name], marks=marks)
            for of in (comparison.kappa, comparison.gwet)
        ]
        rows.append([figure_name(name), *beside, *raw])
    notes = [*mark_notes(marks), *_interval_notes(figures, [comparison.queries])]
    tables.append(DataTable(t("report.ratings.agreement"), columns, rows, notes))
    return tables


def _levels_beside(one: RaterComparison) -> DataTable:
    """The mean level of both and how often they gave each, as bars."""
    columns = [text_column("report.ratings.rater_column", "rater")]
    columns += [number_column("report.ratings.mean_level", "mean")]
    columns += [DataColumn(t("report.ratings.level", level=n)) for n in LEVELS]
    rows: list[Row] = [
        [name, Cell(f"{mean:.2f}", mean), *(_bar(share) for share in base.levels)]
        for name, mean, base in zip(
            (one.first, one.second), one.means(), one.rates(), strict=True
        )
    ]
    words = {"first": one.first, "second": one.second}
    said = _sentence(one.higher)
    notes = [t("report.ratings.higher", difference=said, **words)]
    return DataTable(t("report.ratings.levels_beside"), columns, rows, notes)


def _bar(share: float) -> Cell:
    """A share as a bar of at most 20 cells, with its figure."""
    return Cell("\u2587" * max(round(20 * share), share > 0) + f" {share:.0%}", share)


def order_table(found: SystemOrder) -> DataTable:
    """The systems by the labels of two raters, and how far the orders agree."""
    columns = [
        text_column("report.ratings.system", "system"),
        *(DataColumn(name, "number") for name in (found.first, found.second)),
    ]
    rows: list[Row] = [
        [name, *(Cell(f"{one:.4f}", one) for one in both)]
        for name, both in sorted(found.ndcg.items(), key=lambda each: -each[1][0])
    ]
    note = t("report.ratings.tau", tau=_sentence(found.tau), queries=found.queries)
    title = t("report.ratings.orders", k=CUT)
    return DataTable(title, columns, rows, [note])


def order_json(found: SystemOrder) -> dict[str, object]:
    """The same as one object."""
    return {**found._asdict(), "tau": figures_json({"tau": found.tau})["tau"]}


def level_tables(first: str, second: str, levels: agreement.Table) -> list[DataTable]:
    """The tables of levels and bits: the first rater down, the second across."""
    named: dict[str, agreement.Table] = {"levels": levels}
    named |= {kind: agreement.bits(levels, kind) for kind in BITS}
    tables = []
    for name, table in named.items():
        words = {"figure": figure_name(name), "first": first, "second": second}
        columns = [DataColumn("", name=first)]
        columns += [DataColumn(str(n), "number") for n in range(len(table))]
        rows: list[Row] = [
            [str(n), *(Cell(f"{count:,}", count) for count in row)]
            for n, row in enumerate(table)
        ]
        tables.append(DataTable(t("report.ratings.table", **words), columns, rows))
    return tables


def rates_table(
    names: Sequence[str], base: Sequence[Rates | None], notes: Sequence[str]
) -> DataTable:
    """How often raters gave each level and set each bit."""
    columns = [
        text_column("report.ratings.rater_column", "rater"),
        *_level_columns(),
        *(number_column(f"report.figure.short_{kind}", kind) for kind in BITS),
    ]
    rows: list[Row] = []
    for name, one in zip(names, base, strict=True):
        bits = [share_cell(one.bits[kind]) for kind in BITS] if one else []
        rows.append([name, *_shares(one), *bits])
    return DataTable(t("report.ratings.base_rates"), columns, rows, notes)


def single_notes(singles: Sequence[Single], pairs: int) -> list[str]:
    """Return a sentence for each rater who gave all pairs the same level."""
    words = {"levels": t("report.figure.level")}
    words |= {kind: figure_name(kind) for kind in BITS}
    return [
        t(
            "report.ratings.single",
            name=single.rater,
            what=words[single.what],
            value=single.value,
            pairs=pairs,
        )
        for single in singles
    ]


def base_rates(levels: Sequence[int]) -> Rates | None:
    """The base rates of these levels; None without any."""
    if levels:
        return rates([levels.count(level) for level in LEVELS])
    return None


def _level_columns() -> list[DataColumn]:
    return [
        DataColumn(t("report.ratings.level", level=level), "number", f"level {level}")
        for level in LEVELS
    ]


def _shares(base: Rates | None) -> list[Cell]:
    return [share_cell(base.levels[level] if base else None) for level in LEVELS]


def _overall(overall: Overall) -> DataTable:
    columns = [
        text_column("report.ratings.figure", "figure"),
        number_column("report.ratings.alpha", "alpha"),
        number_column("report.ratings.fleiss", "fleiss"),
        number_column("report.ratings.gwet", "gwet"),
    ]
    beside = (overall.alpha, overall.fleiss, overall.gwet)
    marks = reason_marks(each for of in beside for each in of.values())
    rows: list[Row] = [
        [figure_name(name), *(figure_cell(of[name], marks=marks) for of in beside)]
        for name in overall.alpha
    ]
    counts = {"shared": overall.shared, "complete": overall.complete}
    notes = [t("report.ratings.overall_pairs", **counts), *mark_notes(marks)]
    return DataTable(t("report.ratings.all_raters"), columns, rows, notes)


def _queries(queries: Sequence[QueryAgreement]) -> DataTable:
    columns = [
        text_column("report.ratings.query", "query"),
        number_column("report.figure.pairs", "pairs"),
        number_column("report.ratings.differ", "differ"),
        *(number_column(f"report.figure.short_{name}", name) for name in PLAIN),
        number_column("report.ratings.alpha_short", "alpha"),
    ]
    shown = queries[:MOST_ROWS]
    rows: list[Row] = []
    for one in shown:
        alpha = one.alpha["levels"]
        rows.append(
            [
                one.query,
                Cell(f"{one.pairs:,}", one.pairs),
                Cell(f"{one.differ:,}", one.differ),
                *(share_cell(one.raw[name]) for name in PLAIN),
                Cell(NOTHING) if alpha is None else Cell(f"{alpha:.4f}", alpha),
            ]
        )
    notes = [t("report.ratings.shares_of_equal")]
    notes += (
        [t("report.ratings.more", n=len(shown))] if len(shown) < len(queries) else []
    )
    if any(one.pairs < LEAST_PAIRS for one in shown):
        notes.append(t("report.ratings.no_alpha", least=LEAST_PAIRS))
    if any(one.pairs >= LEAST_PAIRS and one.why for one in shown):
        notes.append(f"{NOTHING}: {own_words(NO_VARIATION)}")
    title = t("report.ratings.by_query", n=len(queries))
    return DataTable(title, columns, rows, notes)


def _disputes(raters: Sequence[RaterLevels], disputes: Sequence[RaterDispute]) -> Part:
    """Show the pairs without a decision, and the number of decided ones."""
    open_ = [dispute for dispute in disputes if not dispute.decided]
    decided = len(disputes) - len(open_)
    if not open_:
        key = "all_decided" if disputes else "no_disputes"
        return TextBlock([t(f"report.ratings.{key}", n=decided)])
    columns = [
        text_column("report.ratings.query", "query"),
        text_column("report.ratings.candidate", "candidate"),
        *(DataColumn(rater.name, "number") for rater in raters),
        text_column("report.ratings.differ_in", "bits"),
    ]
    shown = open_[:MOST_ROWS]
    rows: list[Row] = [
        [
            one.query,
            one.candidate,
            *(_label(one, rater.name) for rater in raters),
            ", ".join(t(f"report.figure.short_{bit}") for bit in one.bits),
        ]
        for one in shown
    ]
    notes = [t("report.ratings.more", n=len(shown))] if len(shown) < len(open_) else []
    notes += [t("report.ratings.decided", n=decided)] if decided else []
    title = t("report.ratings.disputes", n=len(open_))
    return DataTable(title, columns, rows, notes)


def _label(dispute: RaterDispute, rater: str) -> Cell:
    if rater not in dispute.labels:
        return Cell("")
    level = dispute.labels[rater]
    if level is None:
        return Cell(t("report.ratings.undecided"))
    return Cell(str(level), level)


# ------------------------------------------------------------------ cells and words


def figure_cell(
    estimate: IntervalEstimate,
    form: str = ".4f",
    marks: Mapping[str, str] | None = None,
) -> Cell:
    """A figure with its interval; without a value its mark (`reason_marks`) or a
    dash.
    """
    if estimate.value is None:
        return Cell((marks or {}).get(estimate.reason or "", NOTHING))
    detail = between(estimate.low, estimate.high, form)
    return Cell(
        f"{estimate.value:{form}}", estimate.value, estimate.low, estimate.high, detail
    )


def share_cell(share: float | None) -> Cell:
    """A share in per cent; a dash without one."""
    if share is None:
        return Cell(NOTHING)
    return Cell(f"{share:.1%}", share)


def figure_words(estimate: IntervalEstimate, form: str = ".3f") -> str:
    """The value and its interval."""
    return (
        f"{estimate.value:{form}} {between(estimate.low, estimate.high, form)}".rstrip()
    )


def between(low: float | None, high: float | None, form: str) -> str:
    """`[low, high]`; "" without an interval."""
    if low is None or high is None:
        return ""
    return f"[{low:{form}}, {high:{form}}]".replace("%,", ",")


def reason_marks(figures: Iterable[IntervalEstimate]) -> dict[str, str]:
    """Return the mark that replaces missing values, by reason: a dash, or a dash with a
    number if there are several reasons.
    """
    reasons = dict.fromkeys(
        str(figure.reason) for figure in figures if figure.value is None
    )
    numbers = [str(n).translate(_RAISED) for n in range(1, len(reasons) + 1)]
    several = len(reasons) > 1
    return {
        reason: NOTHING + number * several
        for reason, number in zip(reasons, numbers, strict=True)
    }


def mark_notes(marks: Mapping[str, str]) -> list[str]:
    return [f"{mark}: {own_words(reason)}" for reason, mark in marks.items()]


def _interval_notes(
    figures: Iterable[IntervalEstimate], queries: Sequence[int]
) -> list[str]:
    """Return what the intervals are resampled from; nothing without a value or
    intervals.

    `queries`: the number of queries of each couple of raters.
    """
    valued = [figure for figure in figures if figure.value is not None]
    if not valued:
        return []
    fewest = min(queries)
    notes = []
    if fewest < 2:
        one_query = "no_interval" if max(queries) < 2 else "no_interval_some"
        notes.append(t(f"report.ratings.{one_query}"))
    drawn = [n for n in queries if n >= 2]
    if drawn and any(one.low is not None for one in valued):
        few = t("report.ratings.too_narrow") if min(drawn) < FEW_QUERIES else ""
        which = "interval_from" if len(set(drawn)) == 1 else "interval_least"
        notes.append(t(f"report.ratings.{which}", queries=min(drawn), few=few))
    return notes


def _sentence(estimate: IntervalEstimate) -> str:
    """Return a value with its interval, or why there is none, as part of a sentence."""
    if estimate.value is None:
        return own_words(str(estimate.reason))
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.4f}"
    ends = {"low": f"{estimate.low:.4f}", "high": f"{estimate.high:.4f}"}
    return t("report.ratings.with_interval", value=f"{estimate.value:.4f}", **ends)
