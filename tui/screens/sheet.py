"""What all modal screens share: one sheet over the dimmed app, a line of keys at its
foot, and lists.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.css.styles import RulesMap
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from ...texts import t
from ..showing import clean

Result = TypeVar("Result")


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
        Input, Input:focus {
            border: none; height: 1; padding: 0 1; background: $panel;
        }
        Input:focus { background: $primary 20%; }
        TextArea, TextArea:focus { border: none; padding: 0 1; background: $panel; }
        Pages { height: 1fr; }
        Pages, RowList, TextArea, VerticalScroll {
            scrollbar-size-vertical: 1; scrollbar-background: $surface;
            scrollbar-color: $primary 40%;
        }
        RowList, RowList:focus {
            border: none; padding: 0; background: $surface; height: 1fr;
            background-tint: $foreground 0%;
        }
        RowList > .option-list--option-highlighted {
            background: $primary 12%; color: $foreground;
        }
        RowList:focus > .option-list--option-highlighted {
            background: $primary 30%; color: $foreground;
        }
        RowList > .option-list--option-disabled { color: $foreground; }
        &.-narrow #sheet, &.-low #sheet {
            width: 100%; max-width: 100%; max-height: 100%;
        }
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
        """Returns the title."""
        raise NotImplementedError

    def body(self) -> ComposeResult:
        """Yields what is shown between the title and the keys."""
        raise NotImplementedError

    def keys(self) -> list[tuple[str, str]]:
        """Returns the keys to show at the foot, and what they do."""
        return [("esc", t("sheet.back"))]

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Closes the sheet, once: a second key may come before it is gone."""
        if self not in self.app.screen_stack:
            return AwaitComplete()
        return super().dismiss(result)

    def action_leave(self) -> None:
        self.dismiss(None)

    def say(self, sentence: str, warning: bool = True) -> None:
        """Shows a sentence on the sheet's own line `#note`."""
        note = self.query_one("#note", Static)
        note.set_class(warning and bool(sentence), "warning")
        note.update(Content(clean(sentence)))


class LazyLine(Visual):
    """One line that is drawn when its width is known, and only if it is seen: lists of
    thousands stay quick.
    """

    def __init__(self, draw: Callable[[int], Content]) -> None:
        """`draw` gets the width in cells."""
        self._draw = draw

    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions
    ) -> list[Strip]:
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

    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions
    ) -> list[Strip]:
        return [
            line.render_strips(width, 1, style, options)[0]
            for line in self._lines(width)
        ]

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        return container_width

    def get_height(self, rules: RulesMap, width: int) -> int:
        return len(self._lines(width))


class RowList(OptionList):
    """A list of rows with the keys of vi beside the arrows."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", show=False),
        Binding("k", "cursor_up", show=False),
        Binding("g", "first", show=False),
        Binding("G", "last", show=False),
    ]

    def __init__(self, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, markup=False)

    def show(
        self,
        rows: Sequence[Content | LazyLine],
        headings: frozenset[int] = frozenset(),
        cursor: int | None = 0,
    ) -> None:
        """Replaces all rows.

        `headings`: indices that cannot be chosen. `cursor`: the row to stand on.
        """
        self.clear_options()
        self.add_options(
            [
                Option(row, disabled=number in headings)
                for number, row in enumerate(rows)
            ]
        )
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
