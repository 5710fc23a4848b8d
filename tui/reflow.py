"""Passages as paragraphs: a source's hard line breaks are joined, as its lines fit no
other width.
"""

from __future__ import annotations

import re

from ..engines.retrieval.tokeniser import CJK

_BREAK = re.compile(r"[^\S\n]*\n[^\S\n]*(?=\S)")
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
_WIDE = re.compile(
    f"[{CJK}\u3001-\u3003\u3008-\u3011\u3014-\u301b\u2014\u2026\u201c\u201d\uff01-"
    f"\uff60]"
)
_APART = re.compile(
    r"(?:[-*+•·>|#]|\(?[0-9a-zA-Z]{1,3}[.)]\s|[（(]?[一二三四五六七八九十]{1,"
    r"3}[)）、.])"
)
"""Begins a line that stays apart: an item of a list, a row of a table, a heading, a
quote.
"""
_HEADING = re.compile(r"#{1,6}\s|\|")


def reflow(text: str) -> str:
    """Returns the text with the line breaks inside its paragraphs joined: by a space,
    and by nothing between Chinese characters.

    Paragraphs, items of lists, rows and headings stay apart.
    """
    return "\n\n".join(
        _joined(paragraph) for paragraph in _PARAGRAPH.split(text.strip("\n"))
    )


def _joined(paragraph: str) -> str:
    made = ""
    for line in _BREAK.split(paragraph):
        begun = made.rpartition("\n")[2]
        if not made:
            made = line
        elif _APART.match(line) or _HEADING.match(begun):
            made += "\n" + line
        else:
            close = _WIDE.match(made[-1]) and _WIDE.match(line[0])
            hyphen = (
                made[-1] in "-\u2010" and made[-2:-1].isalpha() and line[0].isalpha()
            )
            made += line if close or hyphen else " " + line
    return made
