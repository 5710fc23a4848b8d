"""A reply as HTML: headings, lists, quotes, code, tables and emphasis drawn, formulae
as text, everything escaped.

Markdown marks become the matching elements. Nothing becomes a link or an image: the
address of a link is printed after its words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from ..clean import clean
from ..prose import (
    Code,
    Container,
    Gap,
    Heading,
    HorizontalRule,
    Part,
    ProseLine,
    ProseTable,
    Style,
    StyledSpan,
    read,
)

_ELEMENTS = (
    (Style.LINK, "u"),
    (Style.STRUCK, "s"),
    (Style.STRONG, "strong"),
    (Style.EMPHASIS, "em"),
    (Style.CODE, "code"),
)
_LISTS = {"bullet": "ul", "number": "ol"}


def said(text: str) -> str:
    """A text as HTML inside one element."""
    out = _MarkdownWriter()
    for part in read(clean(text).strip("\n")):
        out.draw(part)
    out.leave(0)
    return "".join(out.html)


class _MarkdownWriter:
    """Writes parts one after another, and knows which quotes and lists are open."""

    def __init__(self) -> None:
        self.html: list[str] = []
        self._open: list[Container] = []

    def draw(self, part: Part) -> None:
        """Writes one part in the quotes and lists that it is in."""
        if isinstance(part, Gap):
            return
        self._enter(part.lines[0].within)
        self.html.append(_drawn(part))

    def _enter(self, within: Sequence[Container]) -> None:
        """Opens and closes quotes and lists, up to where a line stands."""
        same = 0
        while (
            same < min(len(within), len(self._open))
            and within[same].kind == self._open[same].kind
        ):
            if within[same].kind != "quote" and within[same].begins:
                break
            same += 1
        following = (
            same < len(within)
            and same < len(self._open)
            and within[same].kind == self._open[same].kind != "quote"
        )
        self.leave(same + following)
        if following:  # another item of the same list
            self.html.append("</li>" + _item(within[same]))
            self._open[same] = within[same]
            same += 1
        for container in within[same:]:
            self.html.append(
                "<blockquote>"
                if container.kind == "quote"
                else f"<{_LISTS[container.kind]}>{_item(container)}"
            )
            self._open.append(container)

    def leave(self, depth: int) -> None:
        """Closes what is open beyond a depth."""
        while len(self._open) > depth:
            kind = self._open.pop().kind
            self.html.append(
                "</blockquote>" if kind == "quote" else f"</li></{_LISTS[kind]}>"
            )


def _item(container: Container) -> str:
    if container.kind == "number":
        return f'<li value="{container.number}">'
    return "<li>"


def _drawn(part: Part) -> str:
    match part:
        case Heading(level, lines):
            tag = f"h{min(level + 3, 6)}"
            return f"<{tag}>{_spans(lines[0].spans)}</{tag}>"
        case Code(lines):
            return f"<pre><code>{_code(lines)}</code></pre>"
        case HorizontalRule():
            return "<hr>"
        case ProseTable():
            return _table(part)
        case _:
            return f"<p>{chr(10).join(_spans(line.spans) for line in part.lines)}</p>"


def _code(lines: Sequence[ProseLine]) -> str:
    """Lines of code, under the language that the fence names."""
    language = lines[0].spans[0].text.strip().strip("`~").strip()
    last = lines[-1].spans
    inside = (
        lines[1:-1]
        if len(lines) > 1 and last and last[0].style & Style.MARK
        else lines[1:]
    )
    code = [escape("".join(span.text for span in line.spans)) for line in inside]
    return "\n".join(
        [
            *([f'<span class="muted">{escape(language)}</span>'] if language else []),
            *code,
        ]
    )


def _table(table: ProseTable) -> str:
    head, *rows = table.rows
    columns = max(map(len, table.rows))
    aligned = (*table.aligned, *("" for _ in range(columns - len(table.aligned))))

    def row(cells: Sequence[Sequence[StyledSpan]], tag: str) -> str:
        drawn = (
            f"<{tag}{_aligned(how)}>{_spans(cells[at]) if at < len(cells) else ''}</"
            f"{tag}>"
            for at, how in enumerate(aligned[:columns])
        )
        return f"<tr>{''.join(drawn)}</tr>"

    body = "".join(row(cells, "td") for cells in rows)
    return (
        f'<table class="drawn"><thead>{row(head, "th")}</thead><tbody>{body}</tbody></'
        f"table>"
    )


def _aligned(how: str) -> str:
    if how in ("center", "right"):
        return f' class="{how}"'
    return ""


def _spans(spans: Iterable[StyledSpan]) -> str:
    out = []
    for span in spans:
        if span.style & Style.MARK:
            continue
        text = escape(span.shown)
        if span.style & Style.ADDRESS:
            text = f' <span class="muted">({text})</span>'
        for style, tag in _ELEMENTS:
            if span.style & style:
                text = f"<{tag}>{text}</{tag}>"
        out.append(text)
    return "".join(out)
