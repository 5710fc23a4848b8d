"""One HTML file for reading and passing on: no scripts, nothing fetched, everything escaped, light and dark."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ..clean import clean
from ..session import Session
from .blocks import Block, Grid, Passage, blocks, mark, model_name, role_name, settings_facts, totals_line
from .style import STYLE

_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="VerifyTUI">
"""

_TONES = (
    "affirmative",
    "negative",
    "judge",
    "observer",
    "baseline",
    "debater3",
    "debater4",
    "debater5",
    "debater6",
    "generator",
    "verifier",
    "reviser",
    "extractor",
    "annotator",
)


def page(session: Session, more: Sequence[Block] = ()) -> str:
    """The session as an HTML document; `more` stands behind the result, before what happened."""
    header = session.header
    made = blocks(session)
    topic = next((value for value in (header.task.get(name) for name in ("topic", "question")) if isinstance(value, str)), "")
    out = [_HEAD, f"<title>{_text(session.title)}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<header>"]
    out.append(f'<p class="muted">{_text(header.workspace)} · {_text(header.created[:16].replace("T", " "))} UTC</p>')
    out.append(f'<h1 dir="auto">{_text(session.title) or "Untitled"}</h1>')
    if topic and topic != session.title:
        out.append(f'<div class="said topic" dir="auto">{_text(topic)}</div>')
    out += ["</header>", *(_result(block) for block in made if block.kind == "result"), *_more(more), _lineup(session)]
    shown = None
    for block in made:
        if block.kind == "result":
            continue
        if block.part is not None and block.part != shown:
            shown = block.part
            out.append(f"<h2>{_text(shown)}</h2>")
        out.append(_article(block))
    out += [_footer(session), "</main>\n</body>\n</html>\n"]
    return "\n".join(out)


def _more(more: Sequence[Block]) -> list[str]:
    heads = [f"<h2>{_text(block.part)}</h2>" if block.part and at == 0 else "" for at, block in enumerate(more)]
    return [head + _article(block) for head, block in zip(heads, more, strict=True)]


def _result(block: Block) -> str:
    answer = "".join(f'<p class="answer" dir="auto">{_text(value)}</p>' for name, value in block.facts if name == "Answer")
    return f'<section class="result"><h2>Result</h2>{answer}{_facts([fact for fact in block.facts if fact[0] != "Answer"])}</section>'


def _lineup(session: Session) -> str:
    rows = []
    for role in session.header.lineup:
        seat = session.seat(role)
        params = ", ".join(f"{name} {value}" for name, value in seat.params.items())
        rows.append(
            f'<tr class="{_tone(role)}"><th scope="row"><span class="mark">{_text(mark(role))}</span> {_text(role_name(role))}</th>'
            f'<td>{_text(model_name(seat.model))}</td><td class="muted">{_text(params)}</td></tr>'
        )
    settings = " · ".join(f"{name} {value}" for name, value in settings_facts(session.header.settings))
    spent = totals_line(session.totals())
    return f'<section><table>{"".join(rows)}</table><p class="muted">{_text(settings)}</p><p class="muted">{_text(spent)}</p></section>'


def _article(block: Block) -> str:
    letter = f'<span class="mark">{_text(block.mark)}</span> ' if block.mark else ""
    meta = f' <span class="muted">{_text(" · ".join(block.meta))}</span>' if block.meta else ""
    place = f' id="e{block.number}"' if block.number else ""
    parts = [f'<article class="{_tone(block.role)} {block.kind}"{place}><h3>{letter}{_text(block.heading)}{meta}</h3>']
    if block.reasoning:
        parts.append(_folded("Reasoning", block.reasoning))
    if block.text:
        parts.append(f'<div class="said" dir="auto">{_text(block.text)}</div>')
    elif not (block.facts or block.raw or block.passages or block.scores):
        parts.append('<p class="muted">(nothing)</p>')
    parts.append(_scores(block.scores))
    parts.append(_facts(block.facts))
    parts += [_grid(grid) for grid in block.grids]
    parts += [_passage(passage) for passage in block.passages]
    if block.raw:
        parts.append(_folded("The reply as it came", block.raw))
    return "".join([*parts, "</article>"])


def _folded(name: str, text: str) -> str:
    return f'<details><summary>{name}</summary><div class="said" dir="auto">{_text(text)}</div></details>'


def _facts(facts: list[tuple[str, str]]) -> str:
    pairs = "".join(f'<dt>{_text(name)}</dt><dd dir="auto">{_text(value)}</dd>' for name, value in facts)
    return f"<dl>{pairs}</dl>" if pairs else ""


def _scores(scores: list[tuple[str, str, str]]) -> str:
    rows = "".join(
        f'<tr><th scope="row">{_text(name)}</th><td>{_text(value)}</td><td class="muted">{_text(remark)}</td></tr>'
        for name, value, remark in scores
    )
    return f"<table>{rows}</table>" if rows else ""


def _grid(grid: Grid) -> str:
    """A heatmap: the count and its share in every cell, which is darker the more there are; those alike are framed."""
    total = sum(map(sum, grid.counts)) or 1
    head = "".join(f'<th scope="col">{level}</th>' for level in range(len(grid.counts[0])))
    rows = ""
    for i, (row, shades) in enumerate(zip(grid.counts, grid.shades, strict=True)):
        cells = "".join(
            f'<td class="shade{shade}{" same" if i == j else ""}">{count}{_share(count / total)}</td>'
            for j, (count, shade) in enumerate(zip(row, shades, strict=True))
        )
        rows += f'<tr><th scope="row">{i}</th>{cells}</tr>'
    told = f"{_text(grid.title)}: {_text(grid.down)} down, {_text(grid.across)} across"
    return f'<p class="muted" dir="auto">{told}</p><table class="grid"><tr><td></td>{head}</tr>{rows}</table>'


def _share(share: float) -> str:
    return f' <span class="muted">{share:.0%}</span>' if share else ""


def _passage(passage: Passage) -> str:
    head = f'<p class="muted"><span class="mark">{passage.n}</span> {_text(passage.head)}</p>'
    return f'<div class="passage">{head}<div class="said" dir="auto">{_text(passage.text)}</div></div>'


def _footer(session: Session) -> str:
    header = session.header
    parts = [f"Session {header.id}", f"prompts {header.prompts.set}"]
    if header.parent is not None:
        parts.append(f"{header.parent.why} of {header.parent.id} after event {header.parent.number}")
    parts += [f"{name} {version}" for name, version in header.versions.items()]
    return f'<footer class="muted">{_text(" · ".join(parts))}</footer>'


def _tone(role: str) -> str:
    """A class of the style sheet: never text from outside."""
    return role if role in _TONES else "other"


def _text(text: str) -> str:
    return escape(clean(text))
