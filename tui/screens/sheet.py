"""What all modal screens share: one calm sheet over the dimmed app, a line of keys at its foot, lists, fields and choices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeVar

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.css.styles import RulesMap
from textual.message import Message
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static, TextArea
from textual.widgets.option_list import Option

from ...sessions.clean import clean
from ..fitting import fit
from ..texts import t

Result = TypeVar("Result")

LABEL = 14
"""Cells that the names of fields take."""


class Sheet(ModalScreen[Result]):
    """A modal screen: a title, what it is about, a line of keys. Escape backs out."""

    DEFAULT_CSS = """
    Sheet {
        align: center middle;
        #sheet {
            width: 90%;
            max-width: 110;
            height: auto;
            max-height: 90%;
            background: $surface;
            padding: 1 2 0 2;
            border-left: outer $primary;
        }
        #title { text-style: bold; height: auto; margin-bottom: 1; }
        #note { color: $quiet; height: auto; }
        #note.warning { color: $text-warning; }
        #hints { color: $quiet; height: auto; margin: 1 0; }
        .quiet { color: $quiet; }
        .field { height: 1; }
        .field > .label { width: 14; color: $quiet; }
        .field > Input { width: 1fr; }
        Input, Input:focus { border: none; height: 1; padding: 0 1; background: $panel; }
        Input:focus { background: $primary 20%; }
        TextArea, TextArea:focus { border: none; padding: 0 1; background: $panel; }
        Pages { height: 1fr; }
        Pages, Rows, TextArea, VerticalScroll { scrollbar-size-vertical: 1; scrollbar-background: $surface; scrollbar-color: $primary 40%; }
        Rows, Rows:focus { border: none; padding: 0; background: $surface; height: 1fr; background-tint: $foreground 0%; }
        Rows > .option-list--option-highlighted { background: $primary 12%; color: $foreground; }
        Rows:focus > .option-list--option-highlighted { background: $primary 30%; color: $foreground; }
        Rows > .option-list--option-disabled { color: $foreground; }
        &.-narrow #sheet, &.-low #sheet { width: 100%; max-width: 100%; max-height: 100%; }
        &.-narrow #sheet.tall, &.-low #sheet.tall, #sheet.tall { height: 100%; }
        #sheet.tall { height: 90%; }
        &.-low #hints { margin: 1 0 0 0; }
    }
    """
    CSS = ".sheet { background: $background 70%; }"
    SCOPED_CSS = False
    DEFAULT_CLASSES = "sheet"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", show=False)]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-high")]
    tall = False
    """True where the sheet takes the height of the screen whatever it holds."""

    def compose(self) -> ComposeResult:
        with Vertical(id="sheet", classes="tall" if self.tall else ""):
            yield Static(clean(self.heading()), id="title", markup=False)
            yield from self.body()
            yield Static(Keys(self.keys()), id="hints")

    def heading(self) -> str:
        """The title."""
        raise NotImplementedError

    def body(self) -> ComposeResult:
        """What stands between the title and the keys."""
        raise NotImplementedError

    def keys(self) -> list[tuple[str, str]]:
        """The keys to show at the foot, and what they do."""
        return [("esc", t("sheet.back"))]

    def action_leave(self) -> None:
        self.dismiss(None)

    def say(self, sentence: str, warning: bool = True) -> None:
        """Puts a sentence on the sheet's own line `#note`."""
        note = self.query_one("#note", Static)
        note.set_class(warning and bool(sentence), "warning")
        note.update(Content(clean(sentence)))


class Form(Sheet[Result]):
    """A sheet where something is typed: F10 or ctrl+o accepts, and escape asks before anything typed is thrown away."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("f10,ctrl+o", "accept", show=False)]

    def keys(self) -> list[tuple[str, str]]:
        return [("F10 ^o", t("sheet.accept")), ("tab", t("sheet.next_field")), ("esc", t("sheet.back"))]

    def changed(self) -> bool:
        """Whether leaving would lose something typed."""
        return False

    def action_accept(self) -> None:
        """Takes what was typed, or says what is wrong with it."""
        raise NotImplementedError

    @on(Input.Submitted)
    def _submitted(self) -> None:
        self.action_accept()

    def chosen(self, name: str) -> Any:
        """The value of a `Choice`."""
        return self.query_one(f"#{name}", Choice).value

    def typed(self, name: str) -> str:
        """What stands in a line."""
        return self.query_one(f"#{name}", Input).value.strip()

    def number(self, name: str, bounds: tuple[int, int]) -> int | None:
        """A line as a whole number within bounds; None, with a word to the user, if it is none."""
        text, (least, most) = self.typed(name), bounds
        if text.isascii() and text.isdecimal() and least <= int(text[:20]) <= most:
            return int(text)
        self.refuse("rag.bad_number", name, least=f"{least:,}", most=f"{most:,}")
        return None

    def refuse(self, key: str, name: str, **values: object) -> None:
        """Says what is wrong with a field, and goes there."""
        self.say(t(key, **values))
        self.query_one(f"#{name}").focus()

    def action_leave(self) -> None:
        if not self.changed():
            self.dismiss(None)
            return
        from .confirm import ConfirmScreen

        self.app.push_screen(ConfirmScreen(t("sheet.throw_away"), t("sheet.throw_away_yes"), t("sheet.throw_away_no")), self._answered)

    def _answered(self, throw_away: bool | None) -> None:
        if throw_away:
            self.dismiss(None)


class Line(Visual):
    """One line whose words are chosen when its width is known, and only if it is seen: lists of thousands stay quick."""

    def __init__(self, draw: Callable[[int], Content]) -> None:
        """`draw` is given the width in cells."""
        self._draw = draw

    def render_strips(self, width: int, height: int | None, style: Style, options: RenderOptions) -> list[Strip]:
        return self._draw(width).render_strips(width, 1, style, options)

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        return container_width

    def get_height(self, rules: RulesMap, width: int) -> int:
        return 1


class Keys(Visual):
    """Keys and what they do; a line is broken only between two of them."""

    def __init__(self, keys: Sequence[tuple[str, str]]) -> None:
        self._keys = list(keys)

    def _lines(self, width: int) -> list[Content]:
        lines: list[list[Content]] = [[]]
        room = width
        for key, word in self._keys:
            pair = Content.assemble((key, "bold $footer-key-foreground"), f" {word}   ")
            if lines[-1] and pair.cell_length - 3 > room:
                lines.append([])
                room = width
            lines[-1].append(pair)
            room -= pair.cell_length
        return [Content.assemble(*line) for line in lines]

    def render_strips(self, width: int, height: int | None, style: Style, options: RenderOptions) -> list[Strip]:
        return [line.render_strips(width, 1, style, options)[0] for line in self._lines(width)]

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        return container_width

    def get_height(self, rules: RulesMap, width: int) -> int:
        return len(self._lines(width))


class Rows(OptionList):
    """A list of rows with the keys of vi beside the arrows."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", show=False),
        Binding("k", "cursor_up", show=False),
        Binding("g", "first", show=False),
        Binding("G", "last", show=False),
    ]

    def __init__(self, id: str | None = None) -> None:  # noqa: A002 - Textual's own name for it
        super().__init__(id=id, markup=False)

    def show(self, rows: Sequence[Content | Line], headings: frozenset[int] = frozenset(), cursor: int | None = 0) -> None:
        """Replaces all rows. `headings`: indices that cannot be chosen. `cursor`: the row to stand on."""
        self.clear_options()
        self.add_options([Option(row, disabled=number in headings) for number, row in enumerate(rows)])
        if cursor is not None and rows:
            self.highlighted = min(cursor, len(rows) - 1)
            if self.highlighted in headings:
                self.action_cursor_down()


class Pages(VerticalScroll):
    """Something long to read, with the keys of vi beside the arrows."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", show=False),
        Binding("k", "scroll_up", show=False),
        Binding("space", "page_down", show=False),
        Binding("b", "page_up", show=False),
        Binding("g", "scroll_home", show=False),
        Binding("G", "scroll_end", show=False),
    ]


class Choice(Widget, can_focus=True):
    """One of a few values, in one line: left and right change it. Where not all fit, the chosen one stands alone between arrows."""

    DEFAULT_CSS = """
    Choice { height: 1; width: 1fr; }
    Choice:focus { background: $primary 20%; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l,space", "step(1)", show=False),
        Binding("left,h", "step(-1)", show=False),
        Binding("down,j", "app.focus_next", show=False),
        Binding("up,k", "app.focus_previous", show=False),
        Binding("enter", "screen.accept", show=False),
    ]

    class Changed(Message):
        """Another value was chosen."""

        def __init__(self, choice: Choice) -> None:
            super().__init__()
            self.choice = choice

        @property
        def control(self) -> Choice:
            return self.choice

    def __init__(self, label: str, options: Sequence[tuple[object, str]], value: object = None, id: str | None = None) -> None:  # noqa: A002
        """`options`: (value, text). A `value` that is none of them is the first."""
        super().__init__(id=id)
        self._label = label
        self._options = [(each, clean(text, newlines=False)) for each, text in options]
        self._index = next((n for n, (each, _) in enumerate(self._options) if each == value), 0)

    @property
    def value(self) -> object:
        return self._options[self._index][0]

    @value.setter
    def value(self, value: object) -> None:
        self._index = next((n for n, (each, _) in enumerate(self._options) if each == value), self._index)
        self.refresh()

    def render(self) -> Content:
        parts: list[tuple[str, str]] = [(fit(self._label, LABEL), "$quiet")]
        for _, _, number in self._places():
            text = self._options[number][1]
            parts.append((f"[{text}]", "bold") if number == self._index else (f" {text} ", "$quiet"))
        if self._alone():
            parts = [parts[0], ("< ", "$quiet"), parts[1], (" >", "$quiet")]
        return Content.assemble(*parts)

    def _alone(self) -> bool:
        return LABEL + sum(cell_len(text) + 2 for _, text in self._options) > self.size.width

    def _places(self) -> list[tuple[int, int, int]]:
        """(first cell, cell after the last, number of the option) of what is drawn."""
        if self._alone():
            return [(LABEL + 2, LABEL + 4 + cell_len(self._options[self._index][1]), self._index)]
        places, at = [], LABEL
        for number, (_, text) in enumerate(self._options):
            places.append((at, at + cell_len(text) + 2, number))
            at += cell_len(text) + 2
        return places

    def action_step(self, by: int) -> None:
        self._choose((self._index + by) % len(self._options))

    def _choose(self, number: int) -> None:
        if number != self._index:
            self._index = number
            self.refresh()
            self.post_message(self.Changed(self))

    def on_click(self, event: events.Click) -> None:
        if self._alone():
            self.action_step(-1 if event.x < LABEL + 2 else 1)
            return
        for start, end, number in self._places():
            if start <= event.x < end:
                self._choose(number)


def field(label: str, value: str = "", id: str | None = None, placeholder: str = "") -> Horizontal:  # noqa: A002
    """A name and a line to type in; the line has the `id`."""
    name = Static(label, classes="label", markup=False)
    return Horizontal(name, Input(clean(value, newlines=False), id=id, placeholder=placeholder, select_on_focus=False), classes="field")


class Area(TextArea):
    """Lets go of the app when its window closes: Textual's own stays among the watchers of the theme, with all that was written in it."""

    def on_unmount(self) -> None:
        watchers = getattr(self.app, "__watchers", {}).get("theme", [])  # Textual has no way to end watching
        watchers[:] = [watcher for watcher in watchers if watcher[0] is not self]


def area(text: str = "", id: str | None = None) -> TextArea:  # noqa: A002
    """A place to type more than a line."""
    return Area(clean(text), id=id, show_line_numbers=False, tab_behavior="focus", highlight_cursor_line=False)
