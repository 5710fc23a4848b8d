"""A comparison as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from ...sessions.export.markdown import escaped
from ...texts import t
from . import compared_rows as rows
from . import compared_words as words
from .comparing import Comparison, Versus
from .wording import measure_name


def markdown(comparison: Comparison) -> str:
    """All runs against the first one, with the items that flipped."""
    return (
        "\n".join(
            line for versus in comparison.versus for line in _versus(versus)
        ).rstrip()
        + "\n"
    )


def _versus(versus: Versus) -> list[str]:
    title = t("report.compare.head", first=versus.first.name, second=versus.second.name)
    out = [
        f"# {escaped(title)}",
        "",
        *(f"- {escaped(line)}" for line in words.head(versus)),
        "",
    ]
    made = words.made_differently(versus.differing)
    out += (
        [
            *_table(
                ["", versus.first.name, versus.second.name],
                [[name, *values] for name, values in made],
            )
        ]
        if made
        else []
    )
    out += ["" if made else words.alike(versus), ""]
    out += [
        *_table(
            rows.columns(versus), [rows.row(versus, one) for one in versus.differences]
        ),
        "",
        t("report.compare.how"),
        "",
    ]
    for one in versus.differences:
        out += [
            f"- {escaped(measure_name(one.measure.name))}: {escaped(told)}"
            for told in words.remarks(versus, one)
        ]
    return [*out, "", *_flips(versus)]


def _flips(versus: Versus) -> list[str]:
    measure = rows.flipped_measure(versus)
    if measure is None:
        return []
    found = rows.flips(versus, measure)
    out = [
        f"## {escaped(t('report.compare.flips', name=measure_name(measure.measure.name)))}",
        "",
    ]
    if not found:
        return [*out, t("report.compare.no_flips"), ""]
    heads = [
        "id",
        "",
        t("report.compare.column_accepted"),
        versus.first.name,
        versus.second.name,
    ]
    told = [
        [
            one.id,
            t(f"report.compare.{'better' if one.better else 'worse'}"),
            " / ".join(one.accepted),
            one.first or "–",
            one.second or "–",
        ]
        for one in found[: rows.MOST_FLIPS]
    ]
    more = (
        [t("report.compare.more_flips", n=len(found) - rows.MOST_FLIPS)]
        if len(found) > rows.MOST_FLIPS
        else []
    )
    return [*out, *_table(heads, told), "", *more]


def _table(heads: Sequence[str], told: Sequence[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(map(escaped, heads)) + " |", "|" + " --- |" * len(heads)]
    return lines + ["| " + " | ".join(map(escaped, cells)) + " |" for cells in told]
