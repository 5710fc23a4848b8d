"""One HTML file for reading and passing on: no scripts, nothing fetched, everything
escaped, light and dark.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape

import msgspec

from ...texts import language, t
from ..clean import clean
from ..session import Session
from .about import origin, settings_facts, spent
from .block import Block, CitedPassage, Grid, capital
from .markdown_text import said
from .style import STYLE

_HEAD = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="VerifyTUI">
"""

_LANGUAGES = {"zh": "zh-Hans"}

_APART = ("task", "result", "summary", "seat")
"""Kinds of blocks that are above what happened."""


def page(session: Session, blocks: Sequence[Block]) -> str:
    """Return the session as an HTML document: result, line-up, events."""
    header = session.header
    tasks, results, summaries, seats = (
        [block for block in blocks if block.kind == kind] for kind in _APART
    )
    out = ["<header>"]
    out.append(
        f'<p class="muted">{escaped(header.workspace)} · '
        f"{escaped(header.created[:16].replace('T', ' '))} UTC</p>"
    )
    out.append(f'<h1 dir="auto">{escaped(session.title) or t("block.untitled")}</h1>')
    for task in tasks:
        out += (
            [f'<div class="said topic" dir="auto">{escaped(task.text)}</div>']
            if task.text not in ("", session.title)
            else []
        )
        out += [_notes(task.notes), _facts(task.facts)]
    out += [
        "</header>",
        *map(_result, results),
        *_parts(summaries),
        _lineup(session, seats),
    ]
    out += _parts([block for block in blocks if block.kind not in _APART])
    return document(session.title, [*out, _footer(session)])


def document(
    title: str, parts: Sequence[str], *, wide: bool = False, style: str = ""
) -> str:
    """A whole HTML document of these HTML parts.

    `wide`: for tables with many columns. `style`: rules in addition to the common ones.
    """
    head = _HEAD.format(language=_LANGUAGES.get(language(), language()))
    kind = ' class="wide"' if wide else ""
    opening = (
        f"<title>{escaped(title)}</title>\n<style>\n{STYLE}{style}</style>\n</"
        f"head>\n<body>\n<main{kind}>"
    )
    return "\n".join([head + opening, *parts, "</main>\n</body>\n</html>\n"])


def table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: Collection[int] = (),
    muted: Collection[int] = (),
) -> str:
    """A table of texts; the first cell of a row names it.

    `right`: columns of figures; `muted`: secondary columns.
    """

    def kinds(place: int) -> str:
        names = [
            name
            for name, listed in (("right", right), ("muted", muted))
            if place in listed
        ]
        if names:
            return f' class="{" ".join(names)}"'
        return ""

    def row_of(row: Sequence[str]) -> str:
        cells = "".join(
            f"<td{kinds(place)}>{escaped(cell)}</td>"
            for place, cell in enumerate(row[1:], 1)
        )
        return f'<tr><th scope="row" dir="auto">{escaped(row[0])}</th>{cells}</tr>'

    head = "".join(
        f'<th scope="col"{kinds(place)}>{escaped(name)}</th>'
        for place, name in enumerate(columns)
    )
    body = "".join(map(row_of, rows))
    return (
        f'<table class="drawn"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></'
        f"table>"
    )


def _parts(blocks: Sequence[Block]) -> list[str]:
    """Blocks under a heading for each part."""
    out, shown = [], None
    for block in blocks:
        if block.part is not None and block.part != shown:
            shown = block.part
            out.append(f"<h2>{escaped(capital(shown))}</h2>")
        out.append(article(block))
    return out


def _result(block: Block) -> str:
    answer = (
        ""
        if block.answer is None
        else f'<p class="answer" dir="auto">{escaped(block.answer)}</p>'
    )
    body = _body(msgspec.structs.replace(block, answer=None))
    return (
        f"<section "
        f'class="result"><h2>{escaped(capital(block.heading))}{_meta(block)}</'
        f"h2>{answer}{body}</section>"
    )


def _lineup(session: Session, seats: Sequence[Block]) -> str:
    rows = [
        f'<tr class="{seat.tone}"><th scope="row"><span '
        f'class="mark">{escaped(seat.letter)}</span> '
        f"{escaped(capital(seat.heading))}</th>"
        f"<td>{escaped(seat.model)}</td><td "
        f'class="muted">{escaped(", ".join(seat.meta))}</td></tr>'
        for seat in seats
    ]
    settings = " · ".join(
        f"{name} {value}" for name, value in settings_facts(session.header.settings)
    )
    told = spent(session.totals())
    return (
        f"<section><table>{''.join(rows)}</table><p "
        f'class="muted">{escaped(settings)}</p><p class="muted">{escaped(told)}</p></'
        f"section>"
    )


def article(block: Block) -> str:
    """One block."""
    letter = (
        f'<span class="mark">{escaped(block.letter)}</span> ' if block.letter else ""
    )
    place = f' id="e{block.number}"' if block.number else ""
    heading = escaped(capital(block.heading or block.part or ""))
    body = _body(block) or f'<p class="muted">{t("block.nothing")}</p>'
    kinds = f"{block.tone} {block.kind}".strip()
    return (
        f'<article class="{kinds}"{place}><h3>{letter}{heading}{_meta(block)}</'
        f"h3>{body}</article>"
    )


def _meta(block: Block) -> str:
    told = " · ".join(block.about)
    if told:
        return f' <span class="muted">{escaped(told)}</span>'
    return ""


def _body(block: Block) -> str:
    parts = [_folded(t("block.reasoning"), block.reasoning)] if block.reasoning else []
    parts += [_said(block)] if block.text else []
    parts += [_scores(block.scores), _notes(block.notes)]
    parts.append(
        _facts(
            [
                *([] if block.answer is None else [(t("block.answer"), block.answer)]),
                *block.facts,
            ]
        )
    )
    parts += [*map(_grid, block.grids), *map(passage, block.passages)]
    parts += [_folded(t("block.raw"), block.raw)] if block.raw else []
    return "".join(parts)


def _said(block: Block) -> str:
    if block.prose and not block.unread:
        return f'<div class="prose" dir="auto">{said(block.text)}</div>'
    return f'<div class="said" dir="auto">{escaped(block.text)}</div>'


def _notes(notes: Sequence[str]) -> str:
    return "".join(f'<p dir="auto">{escaped(capital(note))}</p>' for note in notes)


def _folded(name: str, text: str) -> str:
    return folded(name, f'<div class="said" dir="auto">{escaped(text)}</div>')


def folded(name: str, parts: str) -> str:
    """Parts, which are HTML, that are shown when one opens them."""
    return f"<details><summary>{escaped(name)}</summary>{parts}</details>"


def _facts(facts: list[tuple[str, str]]) -> str:
    pairs = "".join(
        f'<dt>{escaped(capital(name))}</dt><dd dir="auto">{escaped(value)}</dd>'
        for name, value in facts
    )
    if pairs:
        return f"<dl>{pairs}</dl>"
    return ""


def _scores(scores: list[tuple[str, str, str]]) -> str:
    rows = "".join(
        f'<tr><th scope="row">{escaped(capital(name))}</th><td>{escaped(value)}</'
        f'td><td class="muted">{escaped(remark)}</td></tr>'
        for name, value, remark in scores
    )
    if rows:
        return f"<table>{rows}</table>"
    return ""


def _grid(grid: Grid) -> str:
    """A heatmap: the count and its share in every cell, which is darker the more there
    are; those alike are framed.
    """
    total = sum(map(sum, grid.counts)) or 1
    head = "".join(
        f'<th scope="col">{level}</th>' for level in range(len(grid.counts[0]))
    )
    rows = ""
    for i, (row, shades) in enumerate(zip(grid.counts, grid.shades, strict=True)):
        cells = "".join(
            f'<td class="shade{shade}{" same" if i == j else ""}">'
            f"{count}{_share(count / total)}</td>"
            for j, (count, shade) in enumerate(zip(row, shades, strict=True))
        )
        rows += f'<tr><th scope="row">{i}</th>{cells}</tr>'
    told = escaped(
        t("block.grid", title=grid.title, down=grid.down, across=grid.across)
    )
    return (
        f'<p class="muted" dir="auto">{told}</p><table class="grid"><tr><td></'
        f"td>{head}</tr>{rows}</table>"
    )


def _share(share: float) -> str:
    if share:
        return f' <span class="muted">{share:.0%}</span>'
    return ""


def passage(found: CitedPassage) -> str:
    """One reference."""
    head = (
        f'<p class="muted"><span class="mark">{found.n}</span> {escaped(found.head)}</'
        f"p>"
    )
    return (
        f'<div class="passage">{head}<div class="said" '
        f'dir="auto">{escaped(found.text)}</div></div>'
    )


def _footer(session: Session) -> str:
    header = session.header
    parts = [
        f"{t('block.session')} {header.id}",
        f"{t('block.prompts')} {header.prompts.set}",
    ]
    parts += (
        [f"{t('block.forked')} {origin(header)}"] if header.parent is not None else []
    )
    parts += [f"{name} {version}" for name, version in header.versions.items()]
    return f'<footer class="muted">{escaped(" · ".join(parts))}</footer>'


def escaped(text: str) -> str:
    """Any text as HTML that shows it as it is."""
    return escape(clean(text))
