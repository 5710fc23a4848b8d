"""A case to read, drawn line by line: only lines that are seen are made.

A very long one is shown as far as the user has read.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import ClassVar, Literal

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.events import Click
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from ....terminal.compat import Fixed
from ....terminal.linebreaks import line_starts
from ....title_columns import fit
from .page import CharacterSpan, FactPosition, Page

LONGEST = 20_000
"""Characters of a case that are shown at first, and more each time that one has read to
their end.
"""

LAYERS = ("shared", "fact", "own", "front", "chosen", "hit", "hit-front")
"""What lights up places of the text; the later ones lie over the earlier."""

Side = Literal["text", "list"]
SIDES: tuple[Side, ...] = ("text", "list")


class CasePane(Fixed, ScrollView, can_focus=True):
    """`tell` gives it a case.

    Its head stays in sight and says where the keys are; scrolled to its end it shows
    more of the case.
    """

    ALLOW_SELECT = True
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *(
            f"case--{name}"
            for name in (
                *LAYERS,
                "tag",
                "head",
                "quiet",
                "warning",
                "name",
                "name-focus",
            )
        ),
    }
    BINDINGS = [
        ("down,j", "scroll_down"),
        ("up,k", "scroll_up"),
    ]

    class Scrolled(Message):
        """The user, a search or a jump has scrolled the pane."""

        def __init__(self, pane: CasePane) -> None:
            super().__init__()
            self.pane = pane

    class Jumped(Message):
        """The user has clicked on the fact in front again."""

    def __init__(self, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._key: object = None
        self._called = ""
        self._build: Callable[[int], Page] = lambda upto: Page(
            "",
            (),
            upto,
            "",
        )
        self._length = 0
        self._upto = LONGEST
        self.page = self._build(0)
        self._lit: dict[str, list[tuple[int, int]]] = {}
        """Layer to places in the case's own text."""
        self._lit_facts: dict[str, list[tuple[str, int, int]]] = {}
        """Layer to places in listed facts: the number of the fact, and characters of
        its line.
        """
        self._on_page: dict[str, list[CharacterSpan]] = {}
        """Layer to places on the page, in order."""
        self._longest: dict[str, int] = {}
        """Layer to the characters of its longest place."""
        self._lines: list[int] = [0]
        """The character of the page with which each line begins."""
        self._paragraphs: list[int] = [0]
        self._looks: dict[tuple[str, ...], Style] = {}
        self._strips: dict[int, Strip] = {}
        """Lines as they were drawn last."""
        self._width = 0
        self._read: int | None = None
        """The first character of the page in sight before the lines were broken again.
        """
        self._wanted: int | None = None
        """A character of the case's text that is to be in sight, but the pane has no
        size yet.
        """
        self._held: int | None = None
        """The character of the page that was brought into sight last: it stays there
        when the size changes.
        """
        self.front: str | None = None
        """The number of the fact in front."""
        self.side: Side = "text"
        self._following = False
        self._grows = True
        """Whether scrolling to the end shows more of the case."""

    # What is shown

    def tell(
        self, case: object, name: str, length: int, build: Callable[[int], Page]
    ) -> None:
        """Shows a case with `length` characters; `build` makes the page of its first
        ones. Another `case` begins at its beginning.
        """
        if case != self._key:
            self._key, self._upto, self.front, self.side, self._held, self._wanted = (
                case,
                LONGEST,
                None,
                "text",
                None,
                None,
            )
            self.scroll_to(y=0, animate=False, force=True, immediate=True)
        self._called, self._build, self._length = name, build, length
        self._rebuild()

    def light(
        self,
        layer: str,
        places: Sequence[tuple[int, int]],
        in_facts: Sequence[tuple[str, int, int]] = (),
    ) -> None:
        """Lights up places of the case's text, and of listed facts by their number, in
        one of the layers, in the place of those before.
        """
        self._lit[layer], self._lit_facts[layer] = list(places), list(in_facts)
        self._place(layer)
        self.refresh()

    def lit(self, layer: str) -> list[tuple[int, int]]:
        """Returns the places of the case's text that are lit up in a layer."""
        return self._lit.get(layer, [])

    def _rebuild(self) -> None:
        self.page = self._build(self._upto)
        if self.front_fact is None:
            self.front, self.side = None, "text"
        for layer in self._lit:
            self._place(layer)
        self._light_facts()
        self._lay()

    def _place(self, layer: str) -> None:
        found = (self.page.span(start, end) for start, end in self._lit[layer])
        listed = {fact.label: fact.listed.start for fact in self.page.facts}
        in_facts = [
            CharacterSpan(listed[label] + start, listed[label] + end)
            for label, start, end in self._lit_facts[layer]
            if label in listed
        ]
        self._put(layer, [*(span for span in found if span is not None), *in_facts])

    def _put(self, layer: str, spans: list[CharacterSpan]) -> None:
        self._on_page[layer] = sorted(spans)
        self._strips.clear()
        self._longest[layer] = max((end - start for start, end in spans), default=0)

    def _light_facts(self) -> None:
        self._put(
            "fact", [fact.text for fact in self.page.facts if fact.text is not None]
        )
        front = self.front_fact
        self._put(
            "front",
            [span for span in (front.text, front.listed) if span is not None]
            if front is not None
            else [],
        )

    def _lay(self) -> None:
        """Breaks the page into lines, where the pane has a size."""
        width = self.scrollable_content_region.width
        if width <= 0:
            return
        self._break(width)
        self.virtual_size = Size(width, len(self._lines) + 1)
        if self._wanted is not None:
            wanted, self._wanted = self._wanted, None
            self.call_after_refresh(self.reveal, wanted)
        self.refresh()

    def _break(self, width: int) -> None:
        self._width, self._lines, self._paragraphs, at = width, [], [], 0
        self._strips.clear()
        for paragraph in self.page.shown.split("\n"):
            self._paragraphs.append(at)
            self._lines += [at + start for start in line_starts(paragraph, width)]
            at += len(paragraph) + 1

    def _fit(self, width: int) -> None:
        """Breaks the page into lines of another width; what is read is remembered."""
        if width > 0 and width != self._width:
            self._read = self._lines[min(self.seen.start, len(self._lines) - 1)]
            self._break(width)

    def on_resize(self) -> None:
        self._fit(self.scrollable_content_region.width)
        self.virtual_size = Size(self._width, len(self._lines) + 1)
        if self._wanted is not None:
            wanted, self._wanted = self._wanted, None
            self.call_after_refresh(self.reveal, wanted)
        elif self._held is not None:
            self._bring(self._held)
        elif self._read is not None:
            self._to(self.line_of(self._read))
        self._read = None

    # Where things are

    def line_of(self, at: int) -> int:
        """Returns the line with a character of the page."""
        return max(bisect_right(self._lines, at) - 1, 0)

    @property
    def room(self) -> int:
        """Lines of the case that are seen at once."""
        return max(self.scrollable_content_region.height - 1, 1)

    @property
    def seen(self) -> range:
        """The lines that are seen."""
        top = round(self.scroll_y)
        return range(top, top + self.room)

    def reveal(self, at: int) -> None:
        """Scrolls to the line with a character of the case's text, which is shown up to
        there if it was not yet.
        """
        if self._upto <= at < self._length:
            self._upto = (at // LONGEST + 1) * LONGEST
            self._rebuild()
        if self._width <= 0 or not self.size:
            self._wanted = at
            return
        span = self.page.span(at, at + 1)
        if span is not None:
            self._bring(span.start)

    def _bring(self, at: int) -> None:
        """Brings a character of the page into sight, unless it is there already: then
        nothing moves.
        """
        self._held = at
        line = self.line_of(at)
        if line not in self.seen:
            self._to(line - self.room // 3)
        self.refresh()

    def _to(self, line: float) -> None:
        self.set_reactive(CasePane.scroll_target_y, self.scroll_y)
        self.scroll_to(
            y=max(line, 0),
            animate=False,
            force=True,
            immediate=True,
        )

    def go(self, *, to_end: bool) -> None:
        """Scrolls to the beginning, or to the end of all that there is of the case."""
        self._held = None
        if to_end and self._upto < self._length:
            self._upto = self._length
            self._rebuild()
        self._to(len(self._lines) - self.room if to_end else 0)

    @property
    def top(self) -> int:
        """The first character of the case's text in sight."""
        return self.page.source(self._lines[min(self.seen.start, len(self._lines) - 1)])

    @property
    def selected(self) -> tuple[int, int] | None:
        """The part of the case's text selected with the mouse."""
        chosen = self.text_selection
        if chosen is None:
            return None
        ends = [*self._paragraphs[1:], len(self.page.shown) + 1]
        places = []
        for row, (begin, end) in enumerate(zip(self._paragraphs, ends, strict=True)):
            if (span := chosen.get_span(row)) is not None:
                places.append(
                    (begin + span[0], end - 1 if span[1] == -1 else begin + span[1])
                )
        if not places:
            return None
        start, end = self.page.source(places[0][0]), self.page.source(places[-1][1])
        if start < end:
            return (start, end)
        return None

    # Facts

    @property
    def front_fact(self) -> FactPosition | None:
        return next(
            (fact for fact in self.page.facts if fact.label == self.front), None
        )

    def put_in_front(self, label: str, side: Side) -> bool:
        """Brings a fact into sight, in the text or in the list; False where it has no
        place in the text.
        """
        fact = next((fact for fact in self.page.facts if fact.label == label), None)
        place = fact and (fact.text if side == "text" else fact.listed)
        if fact is None or place is None:
            return False
        self.front, self.side = label, side
        self._light_facts()
        # a jump to the list is not reading on: it would push the list out of sight
        self._grows = False
        self._bring(place.start)
        self._grows = True
        return True

    def next_fact(self, by: int) -> str | None:
        """Returns the number of the next fact on the side that is read; without one in
        front, of the first from where the pane stands.
        """
        facts = self.page.facts
        if self.side == "text":
            facts = sorted(
                (fact for fact in facts if fact.text is not None),
                key=lambda fact: fact.text or fact.listed,
            )
        labels = [fact.label for fact in facts]
        if not labels:
            return None
        if self.front in labels:
            return labels[(labels.index(self.front) + by) % len(labels)]
        places = [self.line_of((fact.text or fact.listed).start) for fact in facts]
        ahead = (
            [at for at, line in enumerate(places) if line >= self.seen.start]
            if by > 0
            else []
        )
        behind = (
            [at for at, line in enumerate(places) if line < self.seen.stop]
            if by < 0
            else []
        )
        return labels[
            ahead[0] if ahead else behind[-1] if behind else (0 if by > 0 else -1)
        ]

    def on_click(self, event: Click) -> None:
        line = round(self.scroll_y) + event.y - self.gutter.top - 1
        if not 0 <= line < len(self._lines) or event.y - self.gutter.top < 1:
            return
        start = self._lines[line]
        text, cells = self._text(line), 0
        offset = 0
        while (
            offset < len(text)
            and cells + cell_len(text[offset]) <= event.x - self.gutter.left
        ):
            cells += cell_len(text[offset])
            offset += 1
        self._pick(start + offset)

    def _pick(self, at: int) -> None:
        """Puts the fact in front that is at a character of the page; of the one in
        front, it shows the other place.
        """
        for side in SIDES:
            places = [
                (fact.text if side == "text" else fact.listed, fact.label)
                for fact in self.page.facts
            ]
            here = [
                (place.end - place.start, label)
                for place, label in places
                if place is not None and place.start <= at < place.end
            ]
            if not here:
                continue
            label = min(here)[1]
            if label == self.front:
                self.side = side
                self.post_message(self.Jumped())
            else:
                self.put_in_front(label, side)
            return

    # Scrolling

    @property
    def place(self) -> float:
        """How far the case has been read: 0 at its beginning, 1 where its end is in
        sight.
        """
        return min(self.scroll_y / self._range, 1.0)

    @property
    def _range(self) -> int:
        return max(len(self._lines) - self.room, 1)

    def follow(self, place: float) -> None:
        """Scrolls to as far a place as another case has been read to."""
        self._following = True
        self._held = None
        self._to(round(place * self._range))
        self._following = False

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if self._held is not None and self.line_of(self._held) not in self.seen:
            self._held = None
        if (
            self._grows
            and new_value > old_value
            and self._upto < self._length
            and new_value >= self.max_scroll_y - 1
        ):
            self._upto = self._upto + LONGEST
            self._rebuild()
        if round(old_value) != round(new_value) and not self._following:
            self.post_message(self.Scrolled(self))

    # Drawing

    def watch_has_focus(self, value: bool) -> None:
        super().watch_has_focus(value)
        self.refresh()

    def _text(self, line: int) -> str:
        start = self._lines[line]
        end = (
            self._lines[line + 1]
            if line + 1 < len(self._lines)
            else len(self.page.shown)
        )
        return self.page.shown[start:end].rstrip()

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        if y == 0:
            self._fit(width)
            return self._head(width)
        line, plain = round(self.scroll_y) + y - 1, self._look(())
        if line >= len(self._lines):
            return Strip.blank(width, plain)
        known = self._strips.get(line) if self.text_selection is None else None
        if known is not None:
            return known
        start, text = self._lines[line], self._text(line)
        paragraph = bisect_right(self._paragraphs, start) - 1
        segments = self._segments(start, text, paragraph)
        room = width - sum(cell_len(segment.text) for segment in segments)
        if room > 0:
            segments.append(Segment(" " * room, plain))
        strip = Strip(segments, width - min(room, 0)).apply_offsets(
            start - self._paragraphs[paragraph], paragraph
        )
        strip = strip if room >= 0 else strip.crop(0, width)
        if self.text_selection is None:
            if len(self._strips) > 8 * (self.room + 1):
                self._strips.clear()
            self._strips[line] = strip
        return strip

    def _head(self, width: int) -> Strip:
        """The case's name, with a sign where the keys are in this pane; then which fact
        is in front, and how much has been read.
        """
        focused = self.has_focus or self.has_class("-chosen-in")
        told = f"{round(100 * self.place)}%" if len(self._lines) > self.room else ""
        told = f"{self.front}  {told}" if self.front else told
        name = fit(
            f"{'▸' if focused else ' '} {self._called}", max(width - len(told) - 1, 0)
        )
        style = self.get_component_rich_style(
            "case--name-focus" if focused else "case--name"
        )
        return Strip([Segment(fit(f"{name} {told}", width), style)])

    def _segments(self, start: int, text: str, paragraph: int) -> list[Segment]:
        """A line in pieces of one look."""
        end = start + len(text)
        marks: list[tuple[int, int, str]] = [
            (max(span[0], start), min(span[1], end), layer)
            for layer in LAYERS
            for span in self._between(layer, start, end)
        ]
        looks = [
            (max(first, start), min(last, end), name)
            for first, last, name in self.page.looks
            if first < end and last > start
        ]
        chosen = (
            self.text_selection.get_span(paragraph)
            if self.text_selection is not None
            else None
        )
        base = self._paragraphs[paragraph]
        selected = (
            (base + chosen[0], end if chosen[1] == -1 else base + chosen[1])
            if chosen is not None
            else (0, 0)
        )
        cuts = {
            start,
            end,
            *(place for mark in (*marks, *looks) for place in mark[:2]),
        }
        cuts |= {place for place in selected if start < place < end}
        segments = []
        places = sorted(cuts)
        for first, last in pairwise(places):
            names = [
                name
                for begin, finish, name in (*marks, *looks)
                if begin <= first < finish
            ]
            style = self._look(tuple(names))
            if selected[0] <= first < selected[1]:
                style += self.screen.get_component_rich_style(
                    "screen--selection", partial=True
                )
            segments.append(Segment(text[first - start : last - start], style))
        return segments

    def _between(self, layer: str, start: int, end: int) -> list[CharacterSpan]:
        """Returns the places of a layer that have something between two characters of
        the page.
        """
        spans = self._on_page.get(layer, [])
        first = bisect_left(spans, (start - self._longest.get(layer, 0), 0))
        return [
            span
            for span in spans[first : bisect_left(spans, (end, 0))]
            if span[1] > start
        ]

    def _look(self, names: tuple[str, ...]) -> Style:
        """Returns what lies over the pane's own look where these lie over each
        other.
        """
        if names not in self._looks:
            look = self.visual_style
            for name in names:
                look += self.get_visual_style(f"case--{name}", partial=True)
            self._looks[names] = look.rich_style
        return self._looks[names]

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._looks.clear()
        self._strips.clear()

    # Copying with the mouse

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        return selection.extract(self.page.shown), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()
