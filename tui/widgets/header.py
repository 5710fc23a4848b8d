"""The line above: the tabs, what is open, and in which state it is."""

from __future__ import annotations

from collections.abc import Mapping

from rich.cells import cell_len
from textual.content import Content
from textual.style import Style
from textual.widgets import Static

from ...sessions.methods import WORKSPACES
from ...texts import t
from .. import actions
from ..state import ViewState
from ..title_columns import fit

CLICK = "do"
"""The name under which content holds the action of a click."""

COLOURS = {
    "failed": "bold $text-error",
    "running": "bold $text-success",
    "yours": "bold $text-warning",
    "back": "bold $text on $warning",
    "replay": "bold $text-secondary",
    "read_only": "bold $text-error",
    "finished": "bold $text-primary",
}
"""How a state is drawn; the others as plain text.

Looking back is the one in which keys do something else than usual.
"""


def clickable(content: Content, action: str) -> Content:
    """Returns content that does an action of the app where it is clicked.

    As a link, Textual would give it colours of its own.
    """
    return content.stylize(Style.from_meta({CLICK: action}))


class TabHeader(Static):
    """Tabs at the left, the state at the right, always in its place; the title has the
    room between.
    """

    ALLOW_SELECT = False

    def __init__(self, keys: Mapping[str, str], front: str) -> None:
        super().__init__(id="place")
        self._keys = keys
        self._shown: tuple[object, ...] = ()
        self._front = front
        self._busy: Mapping[str, str] = {}
        self._unseen = ""
        self._title = ""
        self._state = ViewState("empty")

    def on_mount(self) -> None:
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    def tell(
        self,
        front: str,
        busy: Mapping[str, str],
        unseen: str,
        title: str,
        state: ViewState,
    ) -> None:
        """Draws, if anything is different.

        `front`: whose tab is open; `busy`: marks of tabs that run; `unseen`: what else
        runs.
        """
        self._front, self._busy, self._unseen, self._title, self._state = (
            front,
            busy,
            unseen,
            title,
            state,
        )
        self._draw()

    def _draw(self) -> None:
        shown = (
            self.size.width,
            self._front,
            *self._busy.items(),
            self._unseen,
            self._title,
            self._state,
        )
        if shown == self._shown or not self.size.width:
            return
        self._shown = shown
        tabs = self._tabs()
        state = self._header_text(self.size.width - tabs.cell_length - 1)
        room = self.size.width - tabs.cell_length - state.cell_length
        title = (
            fit(self._title, min(room - 4, cell_len(self._title))).rstrip()
            if room > 12
            else ""
        )
        gap = " " * max(room - cell_len(title) - 2, 0)
        self.update(
            Content.assemble(
                tabs, gap, (title, "$quiet"), "  " if room > 1 else "", state
            ),
            layout=False,
        )

    def _tabs(self) -> Content:
        parts: list[Content | tuple[str, str]] = [
            (" VerifyTUI ", "bold $quiet") if self.size.width >= 84 else ("", "")
        ]
        for name in WORKSPACES:
            word = f" {t(f'app.{name}')}{self._busy.get(name, '')} "
            drawn = Content.styled(
                word,
                "bold $foreground on $background" if name == self._front else "$quiet",
            )
            parts.append(clickable(drawn, f"app.tab('{name}')"))
        if self._unseen:
            parts.append(
                clickable(
                    Content.styled(f" {self._unseen} ", "bold $text-success"),
                    "app.do('running')",
                )
            )
        return Content.assemble(*parts)

    def _header_text(self, room: int) -> Content:
        """Returns the state, with as much beside it as there is room for."""
        kind, words, keys = self._state
        if not words:
            return Content("")
        told = Content.styled(f" {words[0]} ", COLOURS.get(kind, "bold"))
        colour = "$text on $warning" if kind == "back" else "$quiet"
        rest = [Content.styled(word + " ", colour) for word in words[1:]]
        for action, text in keys:
            key = actions.first(self._keys, action)
            if key:
                rest.append(
                    clickable(
                        Content.styled(t(text, key=key) + " ", colour),
                        f"app.do('{action}')",
                    )
                )
        for number, piece in enumerate(rest):
            mark = (
                Content.styled("· ", colour)
                if number or kind in ("back", "running")
                else Content("")
            )
            if told.cell_length + mark.cell_length + piece.cell_length > room:
                break
            told = Content.assemble(told, mark, piece)
        return told
