"""The structure of a text: parts, their lines, and spans of one style."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple


class Style:
    """How the words of a span were written: bits of a number."""

    PLAIN: Final = 0
    STRONG: Final = 1
    EMPHASIS: Final = 2
    STRUCK: Final = 4
    CODE: Final = 8
    LINK: Final = 16
    """The words of a link."""
    ADDRESS: Final = 32
    """Where a link leads."""
    MARK: Final = 64
    """Characters of Markdown itself."""
    FORMULA: Final = 128


class StyledSpan(NamedTuple):
    """Some characters of one style."""

    text: str
    """As it was written."""
    style: int = Style.PLAIN
    """Bits of `Style`."""
    formula: str | None = None
    """What is shown of a formula, where it can be said for certain in Unicode."""

    @property
    def shown(self) -> str:
        """The visible text."""
        if self.formula is None:
            return self.text
        return self.formula


class Container(NamedTuple):
    """A quote or a list item that contains a line."""

    kind: Literal["quote", "bullet", "number"]
    mark: str
    """Its prefix at the start of the line:

    `> `, `- `, `12. `, or the indentation of a line that continues an item.
    """
    width: int = 0
    """How far an item's own lines are indented."""
    number: int = 0
    """Of an item in a list with numbers."""
    begins: bool = True
    """The item, or the quote, begins with this line."""


class ProseLine(NamedTuple):
    """One line, with all that it is in from the outside in."""

    within: tuple[Container, ...]
    spans: tuple[StyledSpan, ...]

    @property
    def indent(self) -> str:
        """The indentation before the first word."""
        return "".join(container.mark for container in self.within)

    @property
    def shown(self) -> str:
        """Its words as a reader sees them."""
        return "".join(span.shown for span in self.spans)


class Paragraph(NamedTuple):
    """Lines of words. Every line break is kept."""

    lines: tuple[ProseLine, ...]


class Heading(NamedTuple):
    """One line; the mark is its first span."""

    level: int
    lines: tuple[ProseLine, ...]


class Code(NamedTuple):
    """Lines of a code block as written, with its fence, whose only span is a mark."""

    lines: tuple[ProseLine, ...]


class HorizontalRule(NamedTuple):
    """One line of signs."""

    lines: tuple[ProseLine, ...]


class ProseTable(NamedTuple):
    """A head and rows of cells.

    `lines`: the same as they were written, with the line under the head.
    """

    lines: tuple[ProseLine, ...]
    aligned: tuple[Literal["", "left", "center", "right"], ...]
    """One for each cell of the head."""
    rows: tuple[tuple[tuple[StyledSpan, ...], ...], ...]
    """The head first. A row may have fewer cells than the head, or more."""


class Gap(NamedTuple):
    """Empty lines between two parts."""

    lines: tuple[ProseLine, ...]


Part = Paragraph | Heading | Code | HorizontalRule | ProseTable | Gap
