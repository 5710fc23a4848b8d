"""What all modal screens share: one sheet over the dimmed app, a line of keys at its
foot, and lists.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.css.styles import RulesMap
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from ...texts import t
from ..actions import named, real
from ..showing import clean
from .focus import Entry, purpose

Result = TypeVar("Result")

PRESSED = {"esc": "escape", "F1": "f1", "F10": "f10", "enter": "enter", "j": ""}
"""Keys as the foot names them, and as they arrive; the palette moves no cursor."""


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
            padding: 1 2 0 1;
            border-left: outer $primary 40%;
            & > * { border-left: blank; }
            & > *:focus, & > *:focus-within { border-left: outer $primary; }
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
    BINDINGS = [
        ("escape", "leave"),
        ("question_mark,f1", "app.explain"),
        ("ctrl+p,colon", "app.palette"),
    ]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-high")]
    HEADING = ""
    """The text that is the title, where it never changes."""
    KEYS: ClassVar[Mapping[str, str]] = {}
    """The keys at the foot, and the names of the texts that say what they do."""
    HELP = "?"
    """The key of the help; `F1` where text is typed."""
    tall = False
    """Whether the sheet always takes the height of the screen."""

    _hints: Mapping[str, str] = {}
    """What is at the foot."""

    @property
    def shape(self) -> str:
        """The classes that size it."""
        return "tall" if self.tall else ""

    def compose(self) -> ComposeResult:
        with Vertical(id="sheet", classes=self.shape):
            yield Static(clean(self.path_title()), id="title", markup=False)
            yield from self.above()
            yield from self.middle()
            self._hints = self._foot()
            yield Static(Keys(self._hints.items()), id="hints")

    def heading(self) -> str:
        """Returns the title."""
        return t(self.HEADING)

    def path_title(self) -> str:
        """Returns the title, with what leads to it."""
        return self.heading()

    def above(self) -> ComposeResult:
        """Yields what is shown before the body."""
        return iter(())

    @abstractmethod
    def body(self) -> ComposeResult:
        """Yields what is shown between the title and the keys."""

    def middle(self) -> ComposeResult:
        """Yields the body with what is beside it."""
        return self.body()

    def keys(self) -> dict[str, str]:
        """Returns the keys to show at the foot, and what they do."""
        return {key: t(text) for key, text in self.KEYS.items()}

    def show_keys(self) -> None:
        """Shows the keys as they are now."""
        foot = self._foot()
        if foot != self._hints:
            self._hints = foot
            self.query_one("#hints", Static).update(Keys(foot.items()))

    def _foot(self) -> dict[str, str]:
        """The keys, and behind them those that leave and explain."""
        keys = self.keys()
        if not any("esc" in key for key in keys):
            keys = {**keys, "esc": t("sheet.back")}
        return {**keys, self.HELP: t("action.help")}

    def purpose(self, focused: Widget | None) -> str:
        """Returns what the focused element is for."""
        return purpose(focused)

    def key_rows(self) -> list[Entry]:
        """Returns the keys of the sheet, for the help."""
        section = t("help.sheet")
        keys = {**self._foot(), "^p :": t("action.palette")}
        return [(named(key), word, "", section) for key, word in keys.items()]

    def commands(self) -> Iterator[tuple[str, str, Callable[[], object]]]:
        """Yields what the palette offers here: a name, the keys and what it does."""
        for keys, word in self._foot().items():
            first = keys.split()[0]
            key = PRESSED.get(first, first if len(first) == 1 else "")
            if key:
                press = partial(self.app.simulate_key, real(key))
                yield f"{t('help.sheet')}: {word}", named(keys), press

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

    def __init__(self, keys: Iterable[tuple[str, str]]) -> None:
        self._keys = [(named(key), word) for key, word in keys]

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

    BINDINGS = [
        ("j", "cursor_down"),
        ("k", "cursor_up"),
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

        `headings`: indices that cannot be chosen. `cursor`: the row to be on.
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

    BINDINGS = [
        ("j", "scroll_down"),
        ("k", "scroll_up"),
        ("space", "page_down"),
    ]
