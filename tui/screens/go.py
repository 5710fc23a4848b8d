"""Asks which place to go to: a letter for each."""

from __future__ import annotations

from textual.app import ComposeResult

from ...sessions.methods import WORKSPACES
from .sheet import Sheet

PLACES = {
    "h": ("home", "place.home"),
    **{key: (name, f"app.{name}") for key, name in zip("dra", WORKSPACES, strict=True)},
    "s": ("library", "place.sessions"),
    "u": ("machine", "place.runs"),
    "c": ("corpora", "place.corpora"),
    "m": ("models", "place.models"),
}
"""Letter → the tab or the place, and the text that names it."""


class GoScreen(Sheet[str]):
    """Dismissed with the tab or the place of `PLACES`, or None."""

    DEFAULT_CSS = """
    GoScreen {
        align: center bottom;
        #title { margin: 0; }
        #sheet, &.-narrow #sheet, &.-low #sheet {
            width: 100%; max-width: 100%; padding: 0 2;
        }
        #hints, &.-low #hints { margin: 0; }
    }
    """
    HEADING = "place.go"
    BINDINGS = [("g", "leave"), *((key, f"go('{key}')") for key in PLACES)]
    KEYS = {key: text for key, (_, text) in PLACES.items()}

    def body(self) -> ComposeResult:
        return iter(())

    def action_go(self, key: str) -> None:
        self.dismiss(PLACES[key][0])
