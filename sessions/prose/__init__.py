"""Markdown as models write it, read once for every sink.

A reading keeps every character: what is a mark of Markdown is called a mark, and each
sink draws it in its way. It knows what models use (headings, lists, quotes, code,
tables, emphasis, links, formulae), line by line, in time that grows with the text
alone, and it can be continued while a reply streams in. CommonMark would swallow
characters that mean something here (`2*3*4`, `x<y>z`, line breaks).
"""

from __future__ import annotations

from .reader import IncrementalReader, read
from .structure import (
    Code,
    Container,
    Gap,
    Heading,
    HorizontalRule,
    Paragraph,
    Part,
    ProseLine,
    ProseTable,
    Style,
    StyledSpan,
)

__all__ = [
    "Code",
    "Container",
    "Gap",
    "Heading",
    "HorizontalRule",
    "IncrementalReader",
    "Paragraph",
    "Part",
    "ProseLine",
    "ProseTable",
    "Style",
    "StyledSpan",
    "read",
]
