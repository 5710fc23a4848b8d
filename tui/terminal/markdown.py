"""Markdown as models write it, shown without losing a character.

CommonMark swallows characters that mean something here: `2*3*4` would show as `234`, `x<y>z` as `xz`, `[1]` as `1`,
`> 2 m/s` without its sign. So only the rules that add shape are on: headings, lists, code, tables, rules.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from textual.widgets import Markdown

from .compat import Fixed, wants_no_layout

if TYPE_CHECKING:
    from textual.widgets.markdown import MarkdownBlock as MarkdownParagraph
else:
    MarkdownParagraph = Markdown.BLOCKS["paragraph_open"]

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
    """Returns a parser that keeps every character and every line break."""
    made = MarkdownIt("commonmark").enable("table").disable(SWALLOWING)
    made.core.ruler.push("keep_breaks", _keep_breaks)
    return made


def _keep_breaks(state: StateCore) -> None:
    for token in state.tokens:
        for child in token.children or ():
            if child.type == "softbreak":
                child.type = "hardbreak"


class Paragraph(Fixed, MarkdownParagraph):
    """A paragraph of what somebody said."""

    def on_mount(self) -> None:
        wants_no_layout(self)  # its text asked for a layout before it had a place; mounting it asks for one anyway


class Said(Fixed, Markdown):
    """What somebody said, as Markdown. The text must have gone through `clean`."""

    BLOCKS = {**Markdown.BLOCKS, "paragraph_open": Paragraph}

    def __init__(self, text: str | None = None, classes: str | None = None) -> None:
        super().__init__(text, classes=classes, parser_factory=parser, open_links=False)
