"""A comparison as one HTML file, drawn as sessions are: no scripts, nothing fetched."""

from __future__ import annotations

from ...sessions.export.block import Block, fact
from ...sessions.export.page import article, document, escaped, table
from ...texts import t
from . import compared_rows as rows
from . import compared_words as words
from .comparing import Comparison, Versus
from .wording import measure_name


def page(comparison: Comparison) -> str:
    """All runs against the first one, with the items that flipped."""
    title = t(
        "report.compare.head",
        first=comparison.runs[0].name,
        second=", ".join(run.name for run in comparison.runs[1:]),
    )
    return document(
        title,
        [part for versus in comparison.versus for part in _versus(versus)],
        wide=True,
    )


def _versus(versus: Versus) -> list[str]:
    title = t("report.compare.head", first=versus.first.name, second=versus.second.name)
    out = [
        f'<header><h1 dir="auto">{escaped(title)}</h1>',
        *(f'<p class="muted">{escaped(line)}</p>' for line in words.head(versus)),
        "</header>",
    ]
    made = words.made_differently(versus.differing)
    heads = ["", versus.first.name, versus.second.name]
    told = (
        table(heads, [[name, *values] for name, values in made])
        if made
        else f"<p>{escaped(words.alike(versus))}</p>"
    )
    figures = table(
        rows.columns(versus), [rows.row(versus, one) for one in versus.differences]
    )
    out += [
        f"<section>{told}</section>",
        '<section class="result">',
        f'<div class="scrolled">{figures}</div>',
    ]
    out += [f'<p class="muted">{escaped(t("report.compare.how"))}</p>']
    for one in versus.differences:
        name = measure_name(one.measure.name)
        out += [
            f'<p class="muted">{escaped(fact(name, remark))}</p>'
            for remark in words.remarks(versus, one)
        ]
    return [*out, "</section>", *_flips(versus)]


def _flips(versus: Versus) -> list[str]:
    measure = rows.flipped_measure(versus)
    if measure is None:
        return []
    found = rows.flips(versus, measure)
    out = [
        f"<h2>{escaped(t('report.compare.flips', name=measure_name(measure.measure.name)))}</h2>"
    ]
    if not found:
        return [*out, f"<p>{escaped(t('report.compare.no_flips'))}</p>"]
    out += [article(_block(versus, one)) for one in found[: rows.MOST_FLIPS]]
    more = len(found) - rows.MOST_FLIPS
    return (
        [*out, f"<p>{escaped(t('report.compare.more_flips', n=more))}</p>"]
        if more > 0
        else out
    )


def _block(versus: Versus, one: rows.Flip) -> Block:
    facts = [(t("report.compare.column_accepted"), "\n".join(one.accepted) or "–")]
    facts += [
        (t("report.compare.answer_of", name=run.name), answer or "–")
        for run, answer in ((versus.first, one.first), (versus.second, one.second))
    ]
    heading = t(f"report.compare.{'better' if one.better else 'worse'}")
    return Block(
        kind="summary",
        heading=heading,
        remark=one.id,
        tone="green" if one.better else "rose",
        text=one.asked,
        facts=facts,
    )
