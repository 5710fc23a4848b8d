"""All keys, grouped, with what they do."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import groupby
from typing import ClassVar

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, OptionList, Static

from ...texts import t
from ..showing import clean
from ..title_columns import fit
from .sheet import LazyLine, RowList, Sheet

Entry = tuple[str, str, str, str]
"""Keys, title, description, section; sections are kept together, in this order."""


class HelpScreen(Sheet[None]):
    """Lists every key; `/` searches in keys and words."""

    DEFAULT_CSS = """
    HelpScreen {
        #search { display: none; margin-bottom: 1; }
        #search.shown { display: block; }
        #detail {
            height: auto; min-height: 2; max-height: 3; color: $quiet; margin-top: 1;
        }
        &.-low #detail { margin-top: 0; }
        &.-low #title { margin-bottom: 0; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", show=False),
        Binding("f1,question_mark,q", "close", show=False),
    ]
    AUTO_FOCUS = "RowList"
    tall = True

    def __init__(self, actions: Sequence[Entry]) -> None:
        super().__init__()
        self._actions = [
            tuple(clean(part, newlines=False) for part in action) for action in actions
        ]
        self._shown: list[tuple[str, ...] | None] = []

    def heading(self) -> str:
        return t("help.title")

    def body(self) -> ComposeResult:
        yield Input(id="search", placeholder=t("help.search"))
        yield RowList()
        yield Static(id="detail", markup=False)

    def keys(self) -> list[tuple[str, str]]:
        return [
            ("/", t("help.find")),
            ("j k", t("help.move")),
            ("esc", t("sheet.back")),
        ]

    def on_mount(self) -> None:
        self._draw()

    @on(Input.Changed)
    def _draw(self) -> None:
        parts = self.query_one("#search", Input).value.lower().split()
        found = [
            action
            for action in self._actions
            if all(part in " ".join(action).lower() for part in parts)
        ]
        keys = max((cell_len(action[0]) for action in self._actions), default=0)
        titles = min(
            max((cell_len(action[1]) for action in self._actions), default=0), 24
        )
        lines: list[Content | LazyLine] = []
        self._shown = []
        for section, members in groupby(found, key=lambda action: action[3]):
            heads = [
                *([Content("")] if lines else []),
                Content.styled(section, "bold $primary"),
            ]
            lines += heads
            self._shown += [None] * len(heads)
            for action in members:
                lines.append(LazyLine(partial(_line, action, keys, titles)))
                self._shown.append(action)
        self.query_one(RowList).show(
            lines,
            frozenset(
                number for number, action in enumerate(self._shown) if action is None
            ),
        )
        if not lines:
            self.query_one("#detail", Static).update(Content(t("help.none")))

    @on(OptionList.OptionHighlighted)
    def _explain(self, event: OptionList.OptionHighlighted) -> None:
        action = (
            self._shown[event.option_index]
            if event.option_index < len(self._shown)
            else None
        )
        if action is not None:
            self.query_one("#detail", Static).update(
                Content.assemble(
                    (action[0], "bold $footer-key-foreground"),
                    f"  {action[2] or action[1]}",
                )
            )

    @on(Input.Submitted)
    def _to_list(self) -> None:
        self.query_one(RowList).focus()

    def key_down(self) -> None:
        self.query_one(RowList).focus()

    def action_search(self) -> None:
        line = self.query_one("#search", Input)
        line.add_class("shown")
        line.focus()

    def action_close(self) -> None:
        self.dismiss(None)

    def action_leave(self) -> None:
        """Leaves the search first, then the help."""
        line = self.query_one("#search", Input)
        if line.has_class("shown"):
            line.remove_class("shown")
            line.value = ""
            self.query_one(RowList).focus()
        else:
            self.dismiss(None)


def _line(action: tuple[str, ...], keys: int, titles: int, width: int) -> Content:
    key, title, description = (
        fit(action[0], keys),
        fit(action[1], titles),
        fit(action[2], max(width - keys - titles - 6, 0)),
    )
    return Content.assemble(
        "  ",
        (key, "bold $footer-key-foreground"),
        f"  {title}  ",
        (description, "$quiet"),
    )
