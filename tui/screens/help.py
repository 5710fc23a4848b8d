"""All keys, grouped, with what they do."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import groupby

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import OptionList, Static

from ...texts import t
from ..showing import clean_line
from ..title_columns import fit
from .filtering import FilteredSheet
from .focus import Entry
from .sheet import LazyLine, RowList


class HelpScreen(FilteredSheet[None]):
    """Lists every key; `/` searches in keys and words."""

    DEFAULT_CSS = """
    HelpScreen {
        #detail {
            height: auto; min-height: 2; max-height: 3; color: $quiet; margin-top: 1;
        }
        &.-low #detail { margin-top: 0; }
        &.-low #title { margin-bottom: 0; }
    }
    """
    HEADING = "help.title"
    BINDINGS = [
        ("f1,question_mark,q", "close"),
    ]
    KEYS = {"j k": "help.move"}
    AUTO_FOCUS = "RowList"
    tall = True

    def __init__(self, actions: Sequence[Entry], about: str = "") -> None:
        """`about`: a sentence on what is in front, above the keys."""
        super().__init__()
        self._about = about
        self._actions = [
            tuple(clean_line(part) for part in action) for action in actions
        ]
        self._shown: list[tuple[str, ...] | None] = []

    def body(self) -> ComposeResult:
        if self._about:
            yield Static(self._about, id="note", markup=False)
        yield RowList()
        yield Static(id="detail", markup=False)

    def on_mount(self) -> None:
        self.narrow()

    def narrow(self) -> None:
        found = [action for action in self._actions if self.wanted(*action)]
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

    def action_close(self) -> None:
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
