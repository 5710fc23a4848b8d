"""Markdown for reading, here and on any forge.

What was said stands in quotes with every mark of Markdown escaped: it is shown exactly as it was written, and nothing in it can begin
a heading, a link, an image or HTML.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ..clean import clean
from ..session import Session
from .blocks import Block, Grid, blocks, model_name, role_name, settings_facts, totals_line

_SPECIAL = re.compile(r"([\\`*_\[\]<>&~|$@])")
_LINE_START = re.compile(r"^(\s*)([#+=-])|^(\s*\d{1,9})([.)])")
_LEADING = re.compile(r"^[ \t]+")


def markdown(session: Session, more: Sequence[Block] = ()) -> str:
    """The session as a Markdown document; `more` stands at its end."""
    header = session.header
    out = [f"# {_line(session.title) or 'Untitled'}", ""]
    topic = next((value for value in (header.task.get(name) for name in ("topic", "question")) if isinstance(value, str)), "")
    if topic and topic != session.title:
        out += [*_quote(topic), ""]
    facts = [("Workspace", header.workspace), ("Begun", header.created), ("Session", header.id)]
    if header.parent is not None:
        facts.append(("Forked from", f"{header.parent.id} after event {header.parent.number} ({header.parent.why})"))
    facts += settings_facts(header.settings)
    facts.append(("Spent", totals_line(session.totals())))
    out += [*_facts(facts), "", "## Line-up", "", *_lineup(session), ""]
    shown = None
    for block in [*blocks(session), *more]:
        if block.kind == "result":
            out += ["## Result", "", *_facts(block.facts), ""]
            continue
        if block.part is not None and block.part != shown:
            shown = block.part
            out += [f"## {_line(shown)}", ""]
        out += _block(block)
    return "\n".join(out).rstrip() + "\n"


def _block(block: Block) -> list[str]:
    meta = f" *{' · '.join(_line(part) for part in block.meta)}*" if block.meta else ""
    out = [f"### {block.number}. {_line(block.heading)}" if block.number else f"### {_line(block.heading)}", ""]
    if meta:
        out += [meta.strip(), ""]
    if block.text:
        out += [*_quote(block.text), ""]
    elif not (block.facts or block.raw or block.passages or block.scores):
        out += ["> (nothing)", ""]
    if block.scores:
        out += ["| Score | Value | |", "| --- | --- | --- |"]
        out += [*(f"| {_line(name)} | {_line(value)} | {_line(remark)} |" for name, value, remark in block.scores), ""]
    if block.facts:
        out += [*_facts(block.facts), ""]
    for grid in block.grids:
        out += [*_grid(grid), ""]
    for passage in block.passages:
        out += [f"**\\[{passage.n}\\]** {_line(passage.head)}", "", *_quote(passage.text), ""]
    for name, text in (("Reasoning", block.reasoning), ("The reply as it came", block.raw)):
        if text:
            out += ["<details>", f"<summary>{name}</summary>", "", *_quote(text), "", "</details>", ""]
    return out


def _grid(grid: Grid) -> list[str]:
    columns = range(len(grid.counts[0]))
    out = [f"{_first(_line(grid.title))}: {_line(grid.down)} down, {_line(grid.across)} across", ""]
    out += [f"| | {' | '.join(map(str, columns))} |", f"| ---: |{' ---: |' * len(columns)}"]
    return [*out, *(f"| **{level}** | {' | '.join(map(str, row))} |" for level, row in enumerate(grid.counts))]


def _lineup(session: Session) -> list[str]:
    out = ["| Role | Model | Parameters |", "| --- | --- | --- |"]
    for role in session.header.lineup:
        seat = session.seat(role)
        params = ", ".join(f"{name} {value}" for name, value in seat.params.items())
        out.append(f"| {_line(role_name(role))} | {_line(model_name(seat.model))} | {_line(params)} |")
    return out


def _facts(facts: list[tuple[str, Any]]) -> list[str]:
    return [
        f"- {_first(_line(name))}: **{_line(value)}**" if name == "Answer" else f"- {_first(_line(name))}: {_line(value)}"
        for name, value in facts
    ]


def _line(text: str) -> str:
    """Any text as one escaped line."""
    return _SPECIAL.sub(r"\\\1", clean(str(text), newlines=False)).strip()


def _first(line: str) -> str:
    """What begins a line begins neither a heading nor a list."""
    return _LINE_START.sub(lambda match: f"{match[1] or ''}{match[3] or ''}\\{match[2] or match[4]}", line)


def _quote(text: str) -> list[str]:
    """A quotation that keeps line breaks and leading blanks."""
    out = []
    lines = clean(text).split("\n")
    for index, line in enumerate(lines):
        line = _first(_SPECIAL.sub(r"\\\1", line.rstrip()))
        # Four blanks would make a code block; no-break spaces look the same and do not.
        line = _LEADING.sub(lambda match: match[0].replace("\t", "    ").replace(" ", "\u00a0"), line)
        goes_on = line and index + 1 < len(lines) and lines[index + 1].strip()
        out.append(f"> {line}{'  ' if goes_on else ''}" if line else ">")
    return out
