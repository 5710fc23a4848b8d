"""A report as one HTML page.

It has no scripts, fetches nothing, and supports light and dark, small and large
screens.

The conclusion is the heading. Radio buttons filter the items without a script. `PAGE`
of the items are expanded, the rest is folded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...sessions.export.page import document as html_document
from ...sessions.export.page import escaped, folded, passage
from ...texts import t
from .document import (
    Cell,
    DataTable,
    ItemList,
    Part,
    ReportDocument,
    ReportItem,
    SettingList,
    TextBlock,
    values_of,
)
from .markdown import link
from .plot import Plot

DrawSvg = Callable[[Plot], str]
GROUPS = 12
"""Groups that a list can be filtered by."""

_FILTERS = "".join(
    f".filter:has(.show{n}:checked) .item:not(.group{n}) {{ display: none; }}\n"
    for n in range(GROUPS)
)
STYLE = (
    """\
h1.conclusion { font-size: 1.45rem; }
.context { margin: 0 0 .15rem; }
.report td, .report th { vertical-align: top; }
.report .number {
    text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums;
}
.report td.text { min-width: 7rem; max-width: 32rem; }
.report tbody tr + tr > * { border-top: 1px solid var(--line); }
.report small {
    display: block; color: var(--muted); font-weight: 400; white-space: nowrap;
}
.report .muted { font-size: inherit; }
.report th[scope="row"] { position: sticky; left: 0; background: var(--ground);
  background-clip: padding-box; }
main > h2 { text-transform: none; letter-spacing: 0; font-size: 1rem; }
.good { color: var(--green); }
.bad { color: var(--rose); }
.warning { color: var(--amber); }
.filter > input { margin: 0 .3rem 0 0; }
.filter > label { margin-right: 1rem; white-space: nowrap; font-size: .9rem; }
.item {
    border-left: 4px solid var(--line); padding: .1rem 0 .1rem 1rem; margin: 1rem 0;
}
.item.good { border-color: var(--green); color: inherit; }
.item.bad { border-color: var(--rose); color: inherit; }
.item.warning { border-color: var(--amber); color: inherit; }
.item h3 { color: inherit; }
@media (max-width: 34rem) {
  main { padding: 1.25rem .9rem 2.5rem; }
  .report td, .report th { padding-right: .6rem; font-size: .85rem; }
  .report th[scope="row"] { max-width: 8rem; white-space: normal;
    overflow-wrap: anywhere; }
  .report td.text { min-width: 5rem; }
}
@media print { .filter > input, .filter > label { display: none; } }
"""
    + _FILTERS
)


def as_html(document: ReportDocument, draw: DrawSvg | None = None) -> str:
    """The report as an HTML document.

    `draw` makes an `<svg>` of a plot; without it plots are tables.
    """
    title = escaped(document.title)
    heading = escaped(document.conclusion)
    out = ['<header dir="auto">']
    if heading:
        out += [
            f'<p class="muted">{title}</p>',
            f'<h1 class="conclusion">{heading}</h1>',
        ]
    else:
        out.append(f"<h1>{title}</h1>")
    out += [
        f'<p class="muted context">{escaped(line)}</p>' for line in document.context
    ]
    out.append("</header>")
    out += [_part(part, place, draw) for place, part in enumerate(document.parts)]
    return html_document(document.title, out, wide=True, style=STYLE)


def _part(part: Part, place: int, draw: DrawSvg | None) -> str:
    if isinstance(part, TextBlock):
        return _text(part)
    if isinstance(part, DataTable):
        return _heading(part.title) + _table(part)
    if isinstance(part, SettingList):
        return _settings(part)
    if isinstance(part, ItemList):
        return _items(part, place)
    if draw is not None:
        return f'<figure class="scrolled">{draw(part)}</figure>'
    return _heading(part.title) + _table(values_of(part))


def _heading(title: str) -> str:
    if title:
        return f"<h2>{escaped(title)}</h2>"
    return ""


def _text(part: TextBlock) -> str:
    shade = f' class="{part.shade}"' if part.shade else ""
    lines = "".join(f'<p{shade} dir="auto">{escaped(line)}</p>' for line in part.lines)
    return _heading(part.title) + lines


def _table(table: DataTable) -> str:
    table = table.visible
    kinds = [column.kind for column in table.columns]
    head = "".join(
        f'<th scope="col" class="{column.kind}">{escaped(column.title)}</th>'
        for column in table.columns
    )
    body = "".join(_row(kinds, row) for row in table.cells)
    rows = f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    box = f'<div class="scrolled"><table class="drawn report">{rows}</table></div>'
    return box + _notes(table.notes)


def _row(kinds: Sequence[str], row: Sequence[Cell]) -> str:
    first = f'<th scope="row" dir="auto">{_cell(row[0])}</th>'
    cells = [
        f'<td class="{kind} {cell.shade}" dir="auto">{_cell(cell)}</td>'
        for kind, cell in zip(kinds[1:], row[1:], strict=True)
    ]
    return f"<tr>{first}{''.join(cells)}</tr>"


def _cell(cell: Cell) -> str:
    detail = f"<small>{escaped(cell.detail)}</small>" if cell.detail else ""
    return escaped(cell.text) + detail


def _notes(notes: Sequence[str]) -> str:
    return "".join(f'<p class="muted" dir="auto">{escaped(note)}</p>' for note in notes)


def _settings(part: SettingList) -> str:
    out = _heading(part.title)
    out += _table(part.table(part.rows)) if part.rows else ""
    out += _notes(part.notes)
    if part.folded:
        title = t("report.document.alike", n=len(part.folded))
        out += folded(title, _table(part.table(part.folded)))
    return out


def _items(part: ItemList, place: int) -> str:
    """Return the items with a button for each group.

    A button hides the items of the other groups.
    """
    out = _heading(part.title)
    if not part.items:
        return f"{out}<p>{escaped(part.empty)}</p>"
    numbers = {name: n for n, name in enumerate(list(part.groups)[:GROUPS])}
    buttons = _buttons(part, numbers, place) if len(numbers) > 1 else ""
    pages = []
    for start, items in part.pages:
        drawn = "".join(_item(item, numbers) for item in items)
        last = start + len(items) - 1
        title = t("report.document.page", first=start, last=last)
        pages.append(drawn if start == 1 else folded(title, drawn))
    return f'{out}<section class="filter">{buttons}{"".join(pages)}</section>'


def _buttons(part: ItemList, numbers: dict[str, int], place: int) -> str:
    names = {"": f"{t('report.document.all')} {len(part.items):,}"}
    names |= {name: f"{name} {part.groups[name]:,}" for name in numbers}
    out = []
    for name, text in names.items():
        number = numbers.get(name, -1)
        key = f"f{place}-{number + 1}"
        kind = f"show{number}" if name else "all"
        chosen = "" if name else " checked"
        out.append(
            f'<input type="radio" name="f{place}" id="{key}" class="{kind}"{chosen}>'
            f'<label for="{key}">{escaped(text)}</label> '
        )
    return "".join(out)


def _item(item: ReportItem, numbers: dict[str, int]) -> str:
    group = f"group{numbers[item.group]}" if item.group in numbers else ""
    heading = f'{escaped(item.id)} <span class="muted">{escaped(item.group)}</span>'
    out = f'<h3 dir="auto">{heading}</h3>'
    out += (
        f'<div class="said" dir="auto">{escaped(item.text)}</div>' if item.text else ""
    )
    facts = "".join(
        f'<dt>{escaped(name)}</dt><dd dir="auto">{escaped(value)}</dd>'
        for name, value in item.facts
    )
    out += (f"<dl>{facts}</dl>" if facts else "") + _notes(item.notes)
    links = " · ".join(
        f'<a href="{escaped(link(path))}">{escaped(name)}</a>'
        for name, path in item.links
    )
    out += f"<p>{links}</p>" if links else ""
    if item.references:
        title = t("report.document.references", n=len(item.references))
        out += folded(title, "".join(map(passage, item.references)))
    return f'<article class="item {group} {item.shade}">{out}</article>'
