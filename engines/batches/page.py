"""The report of a batch as one HTML file, drawn as sessions are: figures, then lines with answers and references, failures first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ...sessions.export.block import Block, Passage
from ...sessions.export.page import article, document, escaped, folded, passage
from ...sessions.session import Session
from ...texts import t
from ...texts.settings import word
from ..blocks import blocks
from .report import Row

MOST = 1000
"""Lines that are shown; how many more there are is said."""

GROUPS = ("failed", "wrong", "right", "other")


class Shown(NamedTuple):
    """One line of the report."""

    row: Row
    details: Mapping[str, Any]
    """As summary.jsonl has them beside the rest."""

    @property
    def group(self) -> str:
        """`failed`: there is no answer. `wrong`, `right`: by its first measure. `other`: nobody says what is right."""
        if self.row.status != "done" or self.details.get("left_out") is not None:
            return "failed"
        said = next(
            (
                value
                for value in self.details.get("measures", {}).values()
                if isinstance(value, bool)
            ),
            None,
        )
        return "other" if said is None else "right" if said else "wrong"


def page(
    title: str,
    words: str,
    shown: Sequence[Shown],
    session: Callable[[Row], Session | None],
) -> str:
    """The document. `words`: the figures for people; `session` gives the session of a row, None where it has none that can be read."""
    figures = "".join(
        f'<p dir="auto">{escaped(line)}</p>' for line in words.splitlines()
    )
    parts = [
        f'<header><h1 dir="auto">{escaped(title)}</h1></header><section class="result">{figures}</section>'
    ]
    left = MOST
    for group in GROUPS:
        members = [one for one in shown if one.group == group]
        if members:
            parts.append(
                f"<h2>{escaped(t(f'report.page.{group}', n=len(members)))}</h2>"
            )
            parts += [_line(one, session(one.row)) for one in members[:left]]
            left -= min(left, len(members))
    more = len(shown) - MOST
    return document(
        title,
        [*parts, f"<p>{escaped(t('report.page.more', n=more))}</p>"]
        if more > 0
        else parts,
    )


def _line(one: Shown, session: Session | None) -> str:
    """A line: what was asked, what is accepted, the answer; and folded the references that it was given with."""
    row, told = one.row, blocks(session) if session is not None else []
    result = next(
        (block for block in reversed(told) if block.kind == "result"),
        Block(kind="result", heading=""),
    )
    found = _references(session, told) if session is not None else []
    asked = next((block.text for block in told if block.kind == "task"), row.line.about)
    left = one.details.get("left_out")
    facts = (
        [(t("report.page.accepted"), "\n".join(row.line.answers))]
        if row.line.answers
        else []
    )
    drawn = article(
        Block(
            kind="summary",
            heading=word(str(left))
            if left is not None
            else t(f"report.page.one_{one.group}"),
            tone={"failed": "rose", "wrong": "amber", "right": "green"}.get(
                one.group, ""
            ),  # type: ignore[arg-type]
            remark=row.line.id,
            meta=[row.file] if row.file is not None else [],
            text=asked,
            answer=result.answer,
            notes=[*([row.error] if row.error else []), *result.notes],
            facts=[*facts, *result.facts],
        )
    )
    return (
        drawn
        + folded(
            t("report.page.references", n=len(found)), "".join(map(passage, found))
        )
        if found
        else drawn
    )


def _references(session: Session, told: Sequence[Block]) -> list[Passage]:
    """The references of the answer that counts: those of the iteration that was kept, else the last ones."""
    found = [block for block in told if block.kind == "retrieval" and block.passages]
    kept = getattr(session.result, "kept", None)
    chosen = [
        block
        for block in found
        if getattr(session.events[block.number - 1], "iteration", None) == kept
    ] or found
    return chosen[-1].passages if chosen else []
