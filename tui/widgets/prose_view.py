"""Draws a reply from its parsed form."""

from __future__ import annotations

from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from textual.css.styles import RulesMap
from textual.selection import Selection
from textual.strip import Strip
from textual.style import Style as Look
from textual.visual import RenderOptions, Visual

from ...sessions.prose import Gap, IncrementalReader, Style
from ..terminal.compat import Fixed
from .hits import HitText
from .line_layout import CODE_LINE, HEAD, QUOTE, RULE, WRAP, PartLayout, ScreenLine, lay

LOOKS = (
    (Style.CODE, "on $panel"),
    (CODE_LINE, "on $panel"),
    (QUOTE, "$quiet"),
    (HEAD, "bold"),
    (Style.STRONG, "bold"),
    (Style.EMPHASIS, "italic"),
    (Style.STRUCK, "strike"),
    (Style.LINK, "underline"),
    (
        Style.ADDRESS | Style.MARK | RULE | WRAP,
        "not bold not italic not strike not underline $quiet",
    ),
)
"""Bits of a look, and what they add to the look so far."""


class _DrawnPart(NamedTuple):
    """A part as it was drawn last."""

    strips: list[Strip]
    key: object


class Reader(Visual):
    """Draws a reading at any width.

    What is drawn of a part is kept while the part stays as it is.
    """

    def __init__(self, reading: IncrementalReader) -> None:
        self.reading = reading
        self.airy = True
        """Whether empty lines are shown."""
        self._width = 0
        self._laid: list[PartLayout] = []
        self._drawn: list[_DrawnPart] = []

    def add(self, text: str) -> None:
        """Reads on."""
        keep = self.reading.add(text)
        del self._laid[keep:], self._drawn[keep:]

    def lay(self, width: int) -> list[PartLayout]:
        """Returns the parts at a width."""
        if width != self._width:
            self._width, self._laid, self._drawn = width, [], []
        self._laid += [
            lay(part, max(width, 1)) for part in self.reading.parts[len(self._laid) :]
        ]
        return self._laid

    def _shown(self, number: int) -> bool:
        parts = self.reading.parts
        return not isinstance(parts[number], Gap) or (
            self.airy and 0 < number < len(parts) - 1
        )

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        return container_width

    def get_height(self, rules: RulesMap, width: int) -> int:
        return sum(
            len(laid.drawn)
            for number, laid in enumerate(self.lay(width))
            if self._shown(number)
        )

    def text(self) -> str:
        """What is copied of it: lines are not broken where the screen breaks them."""
        return "\n".join(text for laid in self._laid for text in laid.texts)

    def render_strips(
        self, width: int, height: int | None, style: Look, options: RenderOptions
    ) -> list[Strip]:
        looks = _Looks(style, options)
        strips: list[Strip] = []
        first = 0
        for number, laid in enumerate(self.lay(width)):
            key = first, looks.key
            if (
                number < len(self._drawn)
                and options.selection is None
                and self._drawn[number].key == key
            ):
                drawn = self._drawn[number].strips
            else:
                drawn = [
                    _strip(line, first + line.row, looks, options.selection)
                    for line in laid.drawn
                ]
                if options.selection is None:
                    self._drawn[number:] = [
                        _DrawnPart(drawn, key),
                        *self._drawn[number + 1 :],
                    ]
            if self._shown(number):
                strips += drawn
            first += len(laid.texts)
        return strips[:height]


class _Looks:
    """The looks of bits on one ground."""

    def __init__(self, style: Look, options: RenderOptions) -> None:
        self._style = style
        self._get = options.get_style
        self.selected = options.selection_style
        self._known: dict[int, Look] = {}
        self.key = (style, *(self._get(name) for _, name in LOOKS))

    def of(self, bits: int) -> Look:
        """Returns what a text with these bits looks like."""
        if bits not in self._known:
            look = self._style
            for bit, name in LOOKS:
                if bits & bit:
                    look += self._get(name)
            self._known[bits] = look
        return self._known[bits]


def _strip(
    line: ScreenLine, row: int, looks: _Looks, selection: Selection | None
) -> Strip:
    """A line for the terminal; each piece says which characters it shows, for the
    selection with the mouse.
    """
    segments = [Segment(" " * line.hang, looks.of(0).rich_style)] if line.hang else []
    chosen = selection.get_span(row) if selection is not None else None
    at = line.start
    for text, bits in line.pieces:
        look = looks.of(bits)
        for piece, inside in _split(text, at, chosen):
            shown = (
                look + looks.selected if inside and looks.selected is not None else look
            )
            segments.append(Segment(piece, shown.rich_style_with_offset(at, row)))
            at += len(piece)
    return Strip(segments, sum(cell_len(segment.text) for segment in segments))


def _split(
    text: str, at: int, chosen: tuple[int, int] | None
) -> list[tuple[str, bool]]:
    """Cuts a text at the ends of what is selected; says of each piece whether it is
    selected.
    """
    if chosen is None:
        if text:
            return [(text, False)]
        return []
    start = min(max(chosen[0] - at, 0), len(text))
    end = len(text) if chosen[1] == -1 else min(max(chosen[1] - at, start), len(text))
    pieces = ((text[:start], False), (text[start:end], True), (text[end:], False))
    return [(piece, inside) for piece, inside in pieces if piece]


class ProseView(Fixed, HitText):
    """A reply as Markdown. The text must have passed `clean`."""

    def __init__(self, text: str = "", classes: str | None = None) -> None:
        self._reader = Reader(IncrementalReader(text))
        super().__init__(self._reader, classes=classes)

    @property
    def source(self) -> str:
        """The text."""
        return self._reader.reading.text

    def append(self, text: str) -> None:
        """Shows more of it."""
        self._reader.add(text)
        self.refresh(layout=True)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        if not self.is_attached:
            return
        airy = self.screen.has_class("-high")
        if airy != self._reader.airy:
            self._reader.airy = airy
            self.refresh(layout=True)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        return selection.extract(self._reader.text()), "\n"
