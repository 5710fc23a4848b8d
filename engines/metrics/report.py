"""Agreement for people and for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...sessions.clean import clean
from ...sessions.events.relevance import LEAST_PAIRS
from ...sessions.export.block import capital
from ...texts import own_words, t
from ...texts.columns import cells, pad
from . import agreement
from .bootstrap import Figure
from .by_query import by_query, by_query_json, by_query_text
from .compare import (
    BITS,
    FEW_QUERIES,
    NOTE,
    Comparison,
    Dispute,
    Overall,
    Rater,
    Rates,
    Single,
    figure_name,
    rates,
)
from .heatmap import heatmap
from .levels import LEVELS

MOST_DISPUTES = 20

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
"""For signs that lead to a line below a table."""

MOST_IN_FULL = 6
"""Couples of raters whose tables are printed."""


def agreement_json(
    raters: Sequence[Rater],
    compared: Sequence[Comparison],
    whole: Overall,
    disputes: Sequence[Dispute],
    left: Sequence[str] = (),
) -> dict[str, Any]:
    """One object; a figure is {value, low, high, resamples, reason, why, no_interval}, its value null where it is undefined or not shown.

    `left`: raters that were read and not chosen.
    """
    return {
        "raters": [_rater_json(rater) for rater in raters],
        "raters_left_out": list(left),
        "comparisons": [comparison_json(one) for one in compared],
        "fleiss": {"pairs": whole.complete, **figures_json(whole.fleiss)},
        "alpha": {"pairs": whole.shared, **figures_json(whole.alpha)},
        "by_query": by_query_json(by_query(raters)),
        "adjudicate": [one._asdict() for one in disputes],
        "least_pairs": LEAST_PAIRS,
        "note": NOTE,
    }


def _rater_json(rater: Rater) -> dict[str, Any]:
    rated = list(rater.rated().values())
    base = rates([rated.count(level) for level in LEVELS]) if rated else None
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


def comparison_json(one: Comparison) -> dict[str, Any]:
    """Two raters as one object."""
    base = one.rates()
    return {
        "raters": [one.first, one.second],
        "pairs": one.pairs,
        "unread": one.unread,
        "only_first": one.only_first,
        "only_second": one.only_second,
        "queries": one.queries,
        "intervals_by": "query",
        "shares": [of.levels for of in base] or [None, None],
        "positives": [of.bits for of in base] or [None, None],
        "single": [single._asdict() for single in one.single()],
        "raw_agreement": one.raw,
        "kappa": figures_json(one.kappa),
        "confusion": tables_json(one.levels),
    }


def tables_json(levels: agreement.Table) -> dict[str, agreement.Table]:
    """The table of levels, and those of the bits."""
    return {"levels": levels, **{kind: agreement.bits(levels, kind) for kind in BITS}}


def figures_json(figures: Mapping[str, Figure]) -> dict[str, Any]:
    """Each figure with its interval; `why` says what `reason` says."""
    return {name: {**one._asdict(), "why": one.reason} for name, one in figures.items()}


def agreement_text(
    raters: Sequence[Rater],
    compared: Sequence[Comparison],
    whole: Overall,
    disputes: Sequence[Dispute],
    left: Sequence[str] = (),
) -> str:
    """Two raters in full, with heatmaps; more of them a line a couple, and the first couples in full."""
    lines = [line for rater in raters for line in _rater(rater)]
    if not left and {rater.kind for rater in raters} & {"machine", "gold"}:
        lines.append(t("report.ratings.all_chosen"))
    if left:
        lines.append(t("report.ratings.not_chosen", names=", ".join(map(_name, left))))
    if len(compared) == 1:
        lines += ["", *_couple(compared[0])]
    else:
        lines += ["", *_couples(compared)]
        for one in compared[:MOST_IN_FULL]:
            lines += ["", f"{_name(one.first)} / {_name(one.second)}", *_couple(one)]
        if len(compared) > MOST_IN_FULL:
            lines += [
                "",
                t("report.ratings.other_tables", n=len(compared) - MOST_IN_FULL),
            ]
    for title, pairs, figures in (
        (t("report.ratings.alpha"), whole.shared, whole.alpha),
        (t("report.ratings.fleiss"), whole.complete, whole.fleiss),
    ):
        lines += [
            "",
            t("report.ratings.all_raters", title=title, pairs=pairs),
            *(
                f"  {pad(figure_name(name), 30)} {_told(one)}"
                for name, one in figures.items()
            ),
        ]
    queries = by_query(raters)
    lines += ["", *by_query_text(queries)] if len(queries) > 1 else []
    lines += ["", *_disputes(disputes), "", own_words(NOTE)]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def tables_text(levels: agreement.Table, first: str, second: str) -> list[str]:
    """The tables of levels and bits as heatmaps."""
    lines: list[str] = []
    for title, table in (
        (t("report.figure.Levels"), levels),
        *((capital(figure_name(kind)), agreement.bits(levels, kind)) for kind in BITS),
    ):
        shown = heatmap(table, t("report.measures.grid", first=first, second=second))
        lines += [
            *([""] if lines else []),
            t("block.fact", label=title, value=shown[0]),
            *shown[1:],
        ]
    return lines


def rates_text(names: Sequence[str], base: Sequence[Rates]) -> list[str]:
    """The base rates of raters, a line each: shares of the levels, and of the bits that are set."""
    width = max(map(cells, names), default=0)
    titles = [t("report.ratings.level", level=level) for level in LEVELS] + [
        t(f"report.figure.short_{kind}") for kind in BITS
    ]
    lines = [
        " " * (2 + width)
        + "".join(" " * (10 - cells(title)) + title for title in titles)
    ]
    for name, one in zip(names, base, strict=True):
        lines.append(
            f"  {pad(name, width)}"
            + "".join(f"{share:>10.1%}" for share in (*one.levels, *one.bits.values()))
        )
    return lines


def singles_text(found: Sequence[Single], pairs: int) -> list[str]:
    """A sentence for each rater who gave the same to all pairs."""
    told = {
        "levels": t("report.figure.level"),
        "material": figure_name("material"),
        "legal": figure_name("legal"),
    }
    return [
        t(
            "report.ratings.single",
            name=_name(one.rater),
            told=told[one.what],
            value=one.value,
            pairs=pairs,
        )
        for one in found
    ]


def queries_text(queries: int) -> str:
    """What intervals are drawn from."""
    if queries < 2:
        return t("report.ratings.no_interval")
    few = t("report.ratings.too_narrow") if queries < FEW_QUERIES else ""
    return t("report.ratings.interval_from", queries=queries, few=few)


def _rater(rater: Rater) -> list[str]:
    rated = list(rater.rated().values())
    shares = _shares(rated)
    told = (
        t("report.ratings.no_level")
        if shares is None
        else ", ".join(
            f"{level}: {share:.1%}" for level, share in zip(LEVELS, shares, strict=True)
        )
    )
    unread = len(rater.labels) - len(rated)
    seen = (
        t("report.ratings.seen", seen_machine=rater.seen_machine)
        if rater.seen_machine
        else ""
    )
    which = (
        "report.ratings.person" if rater.kind == "person" else "report.ratings.rater"
    )
    lines = [
        t(
            which,
            name=_name(rater.name),
            n=len(rated),
            unread=unread,
            seen=seen,
            told=told,
        )
    ]
    if len(set(rated)) == 1 and len(rated) > 1:
        lines.append(
            t("report.ratings.one_level", name=_name(rater.name), rated=rated[0])
        )
    return lines


def _couple(one: Comparison) -> list[str]:
    """Everything about two raters."""
    first, second = _name(one.first), _name(one.second)
    lines = [
        t(
            "report.ratings.both",
            pairs=one.pairs,
            unread=one.unread,
            only_first=one.only_first,
            first=first,
            only_second=one.only_second,
            second=second,
        ),
    ]
    if one.pairs:
        lines += [
            "",
            *tables_text(one.levels, first, second),
            "",
            t("report.ratings.base_rates_here"),
        ]
        lines += rates_text((first, second), one.rates())
        lines += singles_text(one.single(), one.pairs)
    lines += [
        "",
        t("report.ratings.kappa_from", queries_text=queries_text(one.queries)),
    ]
    lines += kappas_text(one.kappa)
    lines += ["", t("report.ratings.raw")]
    undefined = t("report.ratings.undefined")
    lines += [
        f"  {pad(figure_name(name), 30)} {undefined if share is None else format(share, '.4f')}"
        for name, share in one.raw.items()
    ]
    return lines


def kappas_text(kappa: Mapping[str, Figure]) -> list[str]:
    """A line for each kappa; one for all where none is shown for the same reason."""
    reasons = {figure.reason for figure in kappa.values()}
    if len(reasons) == 1 and None not in reasons:
        return [f"  {own_words(str(reason))}" for reason in reasons]
    return [
        f"  {pad(figure_name(name), 30)} {_told(figure)}"
        for name, figure in kappa.items()
    ]


def _couples(compared: Sequence[Comparison]) -> list[str]:
    """A line for every two raters. The quadratic kappa stands beside its table only."""
    names = [f"{_name(one.first)} / {_name(one.second)}" for one in compared]
    width = max(map(cells, names))
    shown = {
        name: t(f"report.figure.short_{name}")
        for name in ("material", "legal", "levels")
    }
    titles = (
        t("report.figure.pairs"),
        t("report.ratings.left_out"),
        t("report.figure.raw"),
        *shown.values(),
    )
    lines = [t("report.ratings.couples"), " " * width]
    lines[-1] += "".join(
        " " * (_width(title) - cells(title)) + title for title in titles
    ) + t("report.ratings.levels_interval")
    reasons = sorted(
        {
            figure.reason
            for one in compared
            for figure in one.kappa.values()
            if figure.reason
        }
    )
    signs = {
        reason: "–" + (str(place).translate(_RAISED) if len(reasons) > 1 else "")
        for place, reason in enumerate(reasons, 1)
    }
    for name, one in zip(names, compared, strict=True):
        out = one.unread + one.only_first + one.only_second
        raw = one.raw["levels"]
        row = [str(one.pairs), str(out), "–" if raw is None else f"{raw:.4f}"]
        base = one.rates()
        for which in shown:
            figure = one.kappa[which]
            cell = (
                signs.get(figure.reason or "", "–")
                if figure.value is None
                else f"{figure.value:.4f}"
            )
            if which in BITS and base:
                cell += " " + "/".join(
                    f"{100 * of.bits[kind]:.0f}"
                    for of in base
                    for kind in BITS
                    if kind == which
                )
            row.append(cell)
        shares = "".join(
            f"{cell:>{_width(title)}}" for title, cell in zip(titles, row, strict=True)
        )
        lines.append(f"{pad(name, width)}{shares}  {_range(one.kappa['levels'])}")
    lines += [f"{sign}: {own_words(reason)}" for reason, sign in signs.items()]
    queries = {one.queries for one in compared}
    return [
        *lines,
        queries_text(min(queries))
        if len(queries) == 1
        else _queries_differ(min(queries)),
    ]


def _queries_differ(fewest: int) -> str:
    """What intervals are drawn from where couples have pairs of other queries."""
    if fewest < 2:
        return t("report.ratings.no_interval_some")
    return t(
        "report.ratings.interval_least",
        queries=fewest,
        few=t("report.ratings.too_narrow") if fewest < FEW_QUERIES else "",
    )


def _width(title: str) -> int:
    return 18 if title in [t(f"report.figure.short_{kind}") for kind in BITS] else 10


def _disputes(disputes: Sequence[Dispute]) -> list[str]:
    """The pairs that nobody has decided yet, and how many are decided."""
    still = [one for one in disputes if not one.decided]
    decided = (
        t("report.ratings.decided", n=len(disputes) - len(still))
        if len(still) < len(disputes)
        else ""
    )
    if not still:
        return [
            t("report.ratings.all_decided", n=len(disputes))
            if disputes
            else t("report.ratings.no_disputes")
        ]
    shown = still[:MOST_DISPUTES]
    more = (
        t("report.ratings.first_disputes", n=len(shown))
        if len(still) > len(shown)
        else ""
    )
    return [
        t(
            "report.ratings.disputes" + _one(len(still)),
            n=len(still),
            more=more,
            decided=decided,
        ),
        *map(_dispute, shown),
    ]


def _dispute(one: Dispute) -> str:
    undecided = t("report.ratings.undecided")
    levels = ", ".join(
        f"{_name(name)} {undecided if level is None else level}"
        for name, level in one.labels.items()
    )
    line = {"name": _name(one.query), "name2": _name(one.candidate), "levels": levels}
    if not one.bits:
        return t("report.ratings.dispute_undecided", **line)
    names = (
        t("report.ratings.both_bits")
        if len(one.bits) > 1
        else t(f"report.figure.short_{one.bits[0]}")
    )
    return t("report.ratings.dispute", **line, names=names)


def _one(n: int) -> str:
    """How the key of a text about one thing ends."""
    return "_one" if n == 1 else ""


def _shares(levels: Sequence[int]) -> list[float] | None:
    return [levels.count(level) / len(levels) for level in LEVELS] if levels else None


def _told(one: Figure) -> str:
    return (
        f"{one.value:7.4f}  {_range(one)}"
        if one.value is not None
        else own_words(f"{one.reason}")
    )


def _range(one: Figure) -> str:
    return (
        ""
        if one.low is None or one.high is None
        else f"[{one.low:.4f}, {one.high:.4f}]"
    )


def _name(name: str, longest: int = 40) -> str:
    name = clean(name, newlines=False)
    return name if len(name) <= longest else f"{name[: longest - 1]}…"
