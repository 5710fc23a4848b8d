"""The report of an audit of a judge: one row per probe, and the items that it
changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...texts import t
from ..figures.wording import p_value
from .document import (
    Cell,
    DataColumn,
    DataTable,
    ItemList,
    Part,
    ReportDocument,
    ReportItem,
    Shade,
    TextBlock,
    number_column,
    text_column,
)

Object = Mapping[str, Any]
_SHADES: Mapping[str, Shade] = {"biased": "bad", "clean": "good", "unclear": "warning"}


def audit_document(
    audit: Object,
    probes: Sequence[Object],
    title: str,
    context: Sequence[str] = (),
    changed: Sequence[ReportItem] | None = None,
    again: Sequence[Object] = (),
) -> ReportDocument:
    """The report as a document.

    `audit`, `probes`, `again`: as in report.json and again.jsonl. `changed`: items with
    another verdict under a probe; None: they are not shown.
    """
    facts = [
        *context,
        t(
            "report.audit.judge",
            seat=t(f"report.audit.seat_{audit['seat']}"),
            judge=audit["judge"],
            answered=", ".join(audit["models"]) or "–",
        ),
        t("report.audit.plain", right=audit["right"], n=audit["asked"]),
    ]
    if audit["missing"]:
        facts.append(t("report.audit.missing", n=audit["missing"]))
    facts += map(again_in_words, again[-1:])
    parts: list[Part] = [
        _table(probes),
        TextBlock([t("report.audit.read"), t("report.audit.meaning")], shade="muted"),
    ]
    if changed is not None:
        empty = t("report.audit.none")
        parts.append(ItemList(t("report.audit.changed"), changed, empty))
    return ReportDocument(title, _conclusion(audit, probes), facts, parts)


def _conclusion(audit: Object, probes: Sequence[Object]) -> str:
    found = [
        probe_name(probe["probe"]) for probe in probes if probe["verdict"] == "biased"
    ]
    key = f"report.audit.is_{audit['verdict']}"
    return t(key, names=", ".join(found), n=len(probes))


def again_in_words(said: Object) -> str:
    """Return the result of repeating anchor items. `said`: as in again.jsonl."""
    words = {name: _share(said[name]) for name in ("flips", "placebo")}
    when = said["date"][:10]
    key = f"report.audit.again_{said['verdict']}"
    return t(key, n=said["n"], date=when, **words)


def probe_name(probe: str) -> str:
    """Return the display name of a probe."""
    return t(f"report.audit.probe_{probe}")


def _table(probes: Sequence[Object]) -> DataTable:
    columns = [
        text_column("report.audit.head_probe", "probe"),
        DataColumn("n", "number", "n"),
        number_column("report.audit.head_flips", "flips"),
        number_column("report.audit.head_placebo", "placebo"),
        number_column("report.audit.head_beyond", "beyond"),
        DataColumn("p", "number", "p_corrected"),
        text_column("report.audit.head_verdict", "verdict"),
    ]
    return DataTable("", columns, [_row(probe) for probe in probes])


def _row(one: Object) -> list[Cell | str]:
    beyond, verdict = one["beyond"], one["verdict"]
    word = t(f"report.audit.verdict_{verdict}")
    needed = one.get("needed")
    return [
        Cell(probe_name(one["probe"]), one["probe"]),
        Cell(f"{one['n']:,}", one["n"]),
        Cell(_share(one["flips"]), one["flips"]),
        Cell(_share(one["placebo"]), one["placebo"]),
        Cell("–")
        if beyond is None
        else Cell(
            _points(beyond["value"]),
            beyond["value"],
            beyond["low"],
            beyond["high"],
            f"[{_points(beyond['low'])}, {_points(beyond['high'])}]",
        ),
        Cell(p_value(one["p_corrected"]), one["p_corrected"]),
        Cell(
            word,
            verdict,
            detail="" if needed is None else t("report.audit.needed", n=f"{needed:,}"),
            shade=_SHADES[verdict],
        ),
    ]


def _share(value: float) -> str:
    return f"{value * 100:.1f}%"


def _points(value: float) -> str:
    return f"{value * 100:+.1f}"
