"""Markdown as models write it, with nothing of what was said missing.

CommonMark swallows characters that mean something here: `2*3*4` would show as `234`, `x<y>z` as `xz`, `[1]` as `1`,
`> 2 m/s` without its sign. So only the rules that add shape are on: headings, lists, code, tables, rules.
"""

from __future__ import annotations

from functools import cache

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from textual.geometry import Size
from textual.widgets import Markdown
from textual.widgets._markdown import MarkdownParagraph

SWALLOWING = [
    "html_block",
    "html_inline",
    "reference",
    "link",
    "image",
    "autolink",
    "emphasis",
    "strikethrough",
    "entity",
    "escape",
    "blockquote",
    "lheading",
]


@cache
def parser() -> MarkdownIt:
    """A parser that keeps every character and every line break."""
    made = MarkdownIt("commonmark").enable("table").disable(SWALLOWING)
    made.core.ruler.push("keep_breaks", _keep_breaks)
    return made


def _keep_breaks(state: StateCore) -> None:
    for token in state.tokens:
        for child in token.children or ():
            if child.type == "softbreak":
                child.type = "hardbreak"


class Fixed:
    """Before a widget class: one without scrollbars that come and go: its content growing calls for no second layout of the whole screen.

    Textual lays out and paints again after each change of a virtual size, which doubles time and bytes of every step and streamed piece.
    """

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        updated: bool = super()._size_updated(size, virtual_size, container_size, layout=False)  # type: ignore[misc]
        return updated


class Paragraph(Fixed, MarkdownParagraph):
    """A paragraph of what somebody said."""

    def on_mount(self) -> None:
        self._layout_required = False  # its text asked for a layout before it had a place; mounting it asks for one anyway


class Said(Fixed, Markdown):
    """What somebody said. The text must have gone through `clean`."""

    BLOCKS = {**Markdown.BLOCKS, "paragraph_open": Paragraph}

    def __init__(self, text: str | None = None, classes: str | None = None) -> None:
        super().__init__(text, classes=classes, parser_factory=parser, open_links=False)
