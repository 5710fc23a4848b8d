"""An audit as the screen of a comparison shows it: a row for each probe, and the items
whose verdict it changed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from textual.content import Content

from ...engines.figures.certificates import again_of
from ...engines.figures.items import asked
from ...engines.judges.audit import LINES, PLAIN
from ...engines.judges.flips import has_flipped
from ...engines.reports.audit import audit_document, probe_name
from ...engines.reports.document import DataTable
from ...sessions.errors import BadInput, cause
from ...sessions.files import REPORT, file_of
from ...texts import t
from ..showing import clean
from .comparison_rows import ComparedRow, ComparedTable, Flip

MOST = 400
"""Characters of a text in a row."""


Line = dict[str, Any]


def read(folder: Path) -> ComparedTable:
    """Reads what an audit has written down. Raises: BadInput."""
    try:
        report = json.loads((folder / REPORT).read_text("utf-8"))
        lines = (folder / LINES).read_text("utf-8").splitlines()
        by_probe: dict[str, dict[str, Line]] = {}
        for one in map(json.loads, lines):
            by_probe.setdefault(one["probe"], {})[one["item"]] = one
        about, probes = report["audit"], report["probes"]
        document = audit_document(about, probes, folder.name, again=again_of(folder))
        rows = [one["probe"] for one in probes]
    except OSError as error:
        raise BadInput(f"{folder}: {cause(error)}") from None
    except (ValueError, LookupError, TypeError):
        raise BadInput(t("wrong.certify.no_audit", path=folder / REPORT)) from None
    plain = by_probe.get(PLAIN, {})

    def row(number: int) -> ComparedRow:
        probe = rows[number]
        found = by_probe.get(probe, {}).items()
        flips = [_flip(plain[item], line) for item, line in found if item in plain]
        flips.sort(key=lambda one: one.kind != "loss")
        changed = sum(one.kind == "loss" for one in flips)
        words = t(
            "audit.items",
            probe=probe_name(probe),
            n=changed,
            total=len(flips),
        )
        return ComparedRow(words, "", flips, None)

    def sessions(id_: str) -> tuple[Path, Path]:
        item = id_.rpartition(".")[0]
        return folder / file_of(plain[item]["id"]), folder / file_of(id_)

    table = document.parts[0]
    assert isinstance(table, DataTable)
    rest = clean("\n".join(document.context))
    facts = (clean(document.conclusion), "bold $foreground"), "\n", rest
    return ComparedTable(
        t("audit.title", folder=folder.name),
        (t("report.audit.without"), t("report.audit.head_probe")),
        Content.assemble(*facts),
        table,
        rows,
        row,
        sessions,
        folder,
    )


def _flip(plain: Line, line: Line) -> Flip:
    """An item as it is, and with a probe."""
    before, after = plain["verdict"], line["verdict"]
    said = [
        "–" if one is None else t(f"report.audit.said_{one}") for one in (before, after)
    ]
    kind: Literal["loss", "same", "none"] = "same"
    if before is None or after is None:
        kind = "none"
    elif has_flipped(line["probe"], before, after):
        kind = "loss"
    title = (asked(line) or line["item"])[:MOST]
    return Flip(
        line["id"],
        title,
        kind,
        said[0],
        said[1],
        (None, None),
    )
