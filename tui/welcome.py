"""What an empty start says: what the three workspaces do, which key begins each, and which session waits."""

from __future__ import annotations

from collections.abc import Mapping

from rich.cells import cell_len
from textual.content import Content

from ..sessions.methods import WORKSPACES
from ..texts import t
from . import actions
from .fitting import fit
from .widgets.header import clickable

KEY = "bold $footer-key-foreground"


def welcome(front: str, keys: Mapping[str, str], unfinished: str, width: int) -> Content:
    """Returns a line for each workspace, the one in front first, none wider than `width`.

    `unfinished`: the title of a session that waits; empty: none does.
    """
    at = WORKSPACES.index(front)
    ways = dict(zip(("next", "tab_after", "tab_before"), (*WORKSPACES[at:], *WORKSPACES[:at]), strict=True))
    lines = [(action, Content.assemble((t(f"app.{name}"), "bold"), f": {t(f'welcome.{name}')}")) for action, name in ways.items()]
    lines.append(("new", Content(t(f"welcome.new_{front}"))))
    room = max(cell_len(actions.first(keys, action)) for action in (*ways, "new", "resume"))
    if unfinished:
        waits = t("welcome.unfinished") + " "
        title = fit(unfinished, max(min(width - room - 2 - cell_len(waits), cell_len(unfinished)), 4))
        lines.append(("resume", Content.assemble((waits, "bold $text-warning"), title)))
    shown = [Content.assemble((actions.first(keys, action).rjust(room), KEY), "  ", words, "\n") for action, words in lines]
    return Content.assemble(*(clickable(line, f"app.do('{action}')") for (action, _), line in zip(lines, shown, strict=True)), "\n")
