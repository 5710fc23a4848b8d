"""Markdown for reading, here and on any forge.

What was said is in quotes with every mark of Markdown escaped: it is shown exactly
as it was written, and nothing in it can begin a heading, a link, an image or HTML.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from ...texts import t
from ..clean import clean, clean_line
from ..session import Session
from .about import origin, settings_facts, spent
from .block import Block, Grid, capital, fact

_SPECIAL = re.compile(r"([\\`*_\[\]<>&~|$@])")
_LINE_START = re.compile(r"^(\s*)([#+=-])|^(\s*\d{1,9})([.)])")
_LEADING = re.compile(r"^[ \t]+")


def markdown(session: Session, blocks: Sequence[Block]) -> str:
    """The session as a Markdown document."""
    header = session.header
    out = [f"# {escaped(session.title) or t('block.untitled')}", ""]
    for task in (block for block in blocks if block.kind == "task"):
        out += (
            _body(task)
            if task.text != session.title
            else _body(msgspec.structs.replace(task, text=""))
        )
    facts = [
        ("workspace", header.workspace),
        ("begun", header.created),
        ("session", header.id),
    ]
    facts += [("forked", origin(header))] if header.parent is not None else []
    told = [(t(f"block.{name}"), value) for name, value in facts]
    told += [
        *settings_facts(header.settings),
        (t("block.spent"), spent(session.totals())),
    ]
    out += [
        *map(_fact, told),
        "",
        f"## {t('block.lineup')}",
        "",
        *_lineup([block for block in blocks if block.kind == "seat"]),
        "",
    ]
    shown = None
    for block in blocks:
        if block.kind in ("task", "seat"):
            continue
        if block.kind == "result":
            out += [
                f"## {escaped(capital(block.heading))}",
                "",
                *_meta(block),
                *_body(block),
            ]
            continue
        if block.part is not None and block.part != shown:
            shown = block.part
            out += [f"## {escaped(capital(shown))}", ""]
        out += _block(block)
    return "\n".join(out).rstrip() + "\n"


def _block(block: Block) -> list[str]:
    heading = escaped(capital(block.heading or block.part or ""))
    out = [
        f"### {block.number}. {heading}" if block.number else f"### {heading}",
        "",
        *_meta(block),
    ]
    return out + (_body(block) or [f"> {t('block.nothing')}", ""])


def _meta(block: Block) -> list[str]:
    told = " · ".join(map(escaped, block.about))
    if told:
        return [f"*{told}*", ""]
    return []


def _body(block: Block) -> list[str]:
    out: list[str] = []
    if block.text:
        out += [*quoted(block.text), ""]
    if block.scores:
        out += ["| | | |", "| --- | --- | --- |"]
        out += [
            *(
                f"| {escaped(capital(name))} | {escaped(value)} | {escaped(remark)} |"
                for name, value, remark in block.scores
            ),
            "",
        ]
    points = (
        []
        if block.answer is None
        else ["- " + fact(t("block.answer"), f"**{escaped(block.answer)}**")]
    )
    points += [
        f"- {plain_start(escaped(capital(note)))}" for note in block.notes
    ] + list(map(_fact, block.facts))
    out += [*points, ""] if points else []
    for grid in block.grids:
        out += [*_grid(grid), ""]
    for passage in block.passages:
        out += [
            f"**\\[{passage.n}\\]** {escaped(passage.head)}",
            "",
            *quoted(passage.text),
            "",
        ]
    for name, text in (("reasoning", block.reasoning), ("raw", block.raw)):
        if text:
            out += [
                "<details>",
                f"<summary>{t(f'block.{name}')}</summary>",
                "",
                *quoted(text),
                "",
                "</details>",
                "",
            ]
    return out


def _grid(grid: Grid) -> list[str]:
    columns = range(len(grid.counts[0]))
    out = [
        plain_start(
            escaped(
                t("block.grid", title=grid.title, down=grid.down, across=grid.across)
            )
        ),
        "",
    ]
    out += [
        f"| | {' | '.join(map(str, columns))} |",
        f"| ---: |{' ---: |' * len(columns)}",
    ]
    return [
        *out,
        *(
            f"| **{level}** | {' | '.join(map(str, row))} |"
            for level, row in enumerate(grid.counts)
        ),
    ]


def _lineup(seats: Sequence[Block]) -> list[str]:
    out = [
        f"| {t('block.role')} | {t('block.model')} | {t('block.params')} |",
        "| --- | --- | --- |",
    ]
    return out + [
        f"| {escaped(capital(seat.heading))} | {escaped(seat.model)} | "
        f"{escaped(', '.join(seat.meta))} |"
        for seat in seats
    ]


def _fact(pair: tuple[str, str]) -> str:
    return "- " + fact(plain_start(escaped(capital(pair[0]))), escaped(pair[1]))


def escaped(text: str) -> str:
    """Any text as one line of Markdown that shows it as it is."""
    return _SPECIAL.sub(r"\\\1", clean_line(str(text))).strip()


def plain_start(line: str) -> str:
    """Escapes the start of a line, so that Markdown reads no heading or list."""
    return _LINE_START.sub(
        lambda match: f"{match[1] or ''}{match[3] or ''}\\{match[2] or match[4]}", line
    )


def quoted(text: str) -> list[str]:
    """A quotation that keeps line breaks and leading blanks."""
    out = []
    lines = clean(text).split("\n")
    for index, line in enumerate(lines):
        line = plain_start(_SPECIAL.sub(r"\\\1", line.rstrip()))
        # Four blanks would make a code block; no-break spaces look the same and do not.
        line = _LEADING.sub(
            lambda match: match[0].replace("\t", "    ").replace(" ", "\u00a0"), line
        )
        goes_on = line and index + 1 < len(lines) and lines[index + 1].strip()
        out.append(f"> {line}{'  ' if goes_on else ''}" if line else ">")
    return out
