"""What the focused element is to its user, and its keys."""

from __future__ import annotations

from textual.widget import Widget

from ...texts import has, t
from ..actions import named

Entry = tuple[str, str, str, str]
"""Keys, title, description, section; sections are kept together, in this order."""

KINDS = {
    "ChoiceField": "choice",
    "OptionList": "list",
    "LongList": "list",
    "CandidateTable": "list",
    "Input": "line",
    "TextArea": "area",
}
"""What a widget is to its user, by the name of its class; others are read."""
HERE = {
    "choice": {"← → space": "new.choose", "↑ ↓ tab": "sheet.next_field"},
    "list": {"↑ ↓ j k": "help.move", "home end": "help.ends", "enter": "help.take"},
    "line": {"tab": "sheet.next_field", "enter": "sheet.accept"},
    "area": {"tab": "sheet.next_field"},
    "prose": {"↑ ↓ j k": "compare.scroll", "space": "compare.page"},
}
"""The keys of each, and the texts that say what they do."""


def kind_of(widget: Widget | None) -> str:
    """Returns a key of `HERE`."""
    names = (one.__name__ for one in type(widget).__mro__)
    return next((KINDS[name] for name in names if name in KINDS), "prose")


def purpose(widget: Widget | None) -> str:
    """Returns what a widget is for."""
    own = f"focus.{str(widget and widget.id).partition('-')[0]}"
    return t(own if has(own) else f"focus.{kind_of(widget)}")


def keys_here(widget: Widget | None) -> list[Entry]:
    """Returns the keys of a widget."""
    return [
        (named(keys), t(text), "", t("help.here"))
        for keys, text in HERE[kind_of(widget)].items()
    ]
