"""The text of a page of HTML: its headings, paragraphs, lists and tables, a line or a
block each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ....texts import t

if TYPE_CHECKING:
    Element = Any  # lxml has no types


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


UNSEEN = _names(
    "script style nav head template noscript svg math iframe object select "
    "datalist button input textarea audio video canvas"
)
"""Elements whose text is not a text of the page."""
_SHOWN = "//body//text()[normalize-space()][not({})]".format(
    " or ".join(f"ancestor::{name}" for name in sorted(UNSEEN - {"svg", "math"}))
)
_APART = _names(
    "p h1 h2 h3 h4 h5 h6 pre ul ol dl table blockquote section article main "
    "header footer aside figure details hr"
)
"""A blank line is before and after these."""
_MENU = re.compile(
    r"(?i)(?:top|bottom|sub|skip|side|main|site|page)?[_-]?nav(?:bar|list|igation"
    r"|menu|links?)?|breadcrumbs?"
)
"""A class of elements that are menus by it, if they hold nothing that only a text has.
"""
_PROSE = tuple(
    _names("p h1 h2 h3 h4 h5 h6 pre dl table blockquote section article main")
)
_LINES = _names(
    "div li dt dd tr caption figcaption summary br address form fieldset legend "
    "body html center tbody thead tfoot"
)
_CELLS = ("td", "th")
_HEADING = re.compile(r"h[1-6]")
_WORDS = re.compile(r"\w+")


def words(text: str) -> int:
    """How many words a text has; a stretch of Chinese between marks counts as one."""
    return len(_WORDS.findall(text))


def page_text(tree: Element) -> str:
    """All text of a page or a part of one, without scripts, styles, menus and fields.
    Rows of tables are lines of cells between bars.
    """
    from lxml import etree

    page = _TextBuffer()
    left_out: Element = None
    walk = etree.iterwalk(tree, events=("start", "end"))
    for event, element in walk:
        tag = element.tag
        if not isinstance(tag, str):  # a comment
            if event == "end":
                page.say(element.tail)
            continue
        tag = tag.rpartition("}")[2].lower()
        if event == "start":
            if tag in UNSEEN or _menu(element):
                left_out = element
                walk.skip_subtree()
                continue
            page.start(tag, element)
            page.say(element.text)
        else:
            if element is not left_out:
                page.end(tag)
            if element is not tree:
                page.say(element.tail)
    return page.text()


def shown(tree: Element) -> Iterator[tuple[str, str]]:
    """Each text of a page with its place, those of drawings and formulas too, but not
    those of scripts, menus and fields.
    """
    menus = {element for element in tree.iter("*") if _menu(element)}
    for text in tree.xpath(_SHOWN):
        above = text.getparent()
        above = above.getparent() if text.is_tail else above
        if not menus or menus.isdisjoint([above, *above.iterancestors()]):
            yield t("wrong.documents.line_place", n=above.sourceline or 1), str(text)


def rows(text: str) -> int:
    """How many rows of tables a text has."""
    return sum(
        line.startswith("| ") and line.count("|") > 2 for line in text.split("\n")
    )


def _menu(element: Element) -> bool:
    if element.get("role") == "navigation":
        return True
    named = any(_MENU.fullmatch(name) for name in (element.get("class") or "").split())
    return named and next(element.iterdescendants(*_PROSE), None) is None


class _TextBuffer:
    """Lines of text, as they grow."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._open: list[str] = []
        """Pieces of the line, or of the cell, that is being read."""
        self._tables: list[bool] = []
        """Of each table around this place: whether its rows are lines of cells.

        The others only arrange the page.
        """
        self._row: list[str] | None = None
        """The cells of the row that is being read."""
        self._pre = 0
        self._before = ""
        """Prefix of the next line."""

    def say(self, text: str | None) -> None:
        if text:
            self._open.append(text)

    def start(self, tag: str, element: Element) -> None:
        if self._row is not None:
            self._within(tag)
            return
        if tag == "tr" and self._tables and self._tables[-1]:
            self._break()
            self._row = []
            return
        self._edge(tag)
        if tag == "table":
            self._tables.append(next(element.iterdescendants("table"), None) is None)
        elif tag == "pre":
            self._pre += 1
        elif tag == "li":
            self._before = "- "
        elif _HEADING.fullmatch(tag):
            self._before = "#" * int(tag[1]) + " "

    def end(self, tag: str) -> None:
        if self._row is not None and tag != "tr":
            self._within(tag)
            if tag in _CELLS:
                self._row.append(self._taken())
        elif self._row is not None:
            cells = [*self._row, *filter(None, [self._taken()])]
            self._row = None
            self._add(
                cells[0]
                if len(cells) == 1
                else f"| {' | '.join(cells)} |"
                if any(cells)
                else ""
            )
        else:
            self._edge(tag)
            if tag == "table":
                self._tables.pop()
            elif tag == "pre":
                self._pre -= 1

    def text(self) -> str:
        self._break()
        return "\n".join(self._lines).strip()

    def _within(self, tag: str) -> None:
        """A block within a row of cells is only set off from its neighbours."""
        if tag in _APART or tag in _LINES or tag in _CELLS:
            self._open.append(" ")

    def _edge(self, tag: str) -> None:
        """A block begins or ends."""
        if tag in _APART:
            self._break()
            if self._lines and self._lines[-1]:
                self._lines.append("")
        elif tag in _LINES or tag in _CELLS:
            self._break()

    def _break(self) -> None:
        if self._pre:
            self._lines += [
                line.rstrip() for line in "".join(self._open).strip("\n").split("\n")
            ]
            self._open.clear()
        elif self._open:
            self._add(self._taken())

    def _taken(self) -> str:
        text = " ".join("".join(self._open).split())
        self._open.clear()
        return text

    def _add(self, line: str) -> None:
        if line:
            self._lines.append(self._before + line)
            self._before = ""
