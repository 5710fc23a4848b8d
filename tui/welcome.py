"""The text of an empty start: what the three workspaces do, and the key of each."""

from __future__ import annotations

from collections.abc import Mapping

from rich.cells import cell_len, set_cell_size
from textual.content import Content

from ..sessions.methods import WORKSPACES
from ..texts import t
from . import actions
from .widgets.header import clickable

KEY = "bold $footer-key-foreground"


def welcome(front: str, keys: Mapping[str, str], width: int) -> Content:
    """One line per workspace, the current one first; lines wider than `width` are
    wrapped.
    """
    at = WORKSPACES.index(front)
    ways = dict(
        zip(
            ("next", "tab_after", "tab_before"),
            (*WORKSPACES[at:], *WORKSPACES[:at]),
            strict=True,
        )
    )
    names = {name: t(f"app.{name}") for name in WORKSPACES}
    column = max(map(cell_len, names.values()))
    lines = [
        (
            action,
            Content.assemble(
                (set_cell_size(names[name], column), "bold"),
                f"  {t(f'welcome.{name}')}",
            ),
        )
        for action, name in ways.items()
    ]
    lines.append(("new", Content(t(f"welcome.new_{front}"))))
    lines.append(("palette", Content(t("welcome.palette"))))
    room = max(cell_len(actions.first(keys, action)) for action, _ in lines)
    return Content.assemble(
        *(
            _line(actions.first(keys, action).rjust(room), action, words, width)
            for action, words in lines
        ),
        "\n",
    )


def _line(key: str, action: str, words: Content, width: int) -> Content:
    """Returns a key and what it does, which can be clicked."""
    first, *rest = words.wrap(max(width - cell_len(key) - 2, 8)) or [words]
    below = [
        Content.assemble(
            "\n",
            " " * (cell_len(key) + 2),
            line,
        )
        for line in rest[:2]
    ]
    return clickable(
        Content.assemble((key, KEY), "  ", first, *below, "\n"), f"app.do('{action}')"
    )
