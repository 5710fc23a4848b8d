"""What keys mean: one table for actions of the app and bindings of all widgets."""

from __future__ import annotations

import inspect
import pkgutil
from collections import defaultdict
from collections.abc import Iterable, Iterator
from importlib import import_module

from textual.binding import Binding
from textual.dom import DOMNode
from verifytui import tui
from verifytui.tui.actions import ACTIONS

Bound = tuple[str, str, str]
"""Where, which key, which action."""

_SAME = {
    "on": "next page(1) page_down step(1) hold",
    "backwards": "back step(-1) measure(-1) stage(-1) word(-1) cursor_left scroll_left",
    "forwards": "forward step(1) measure(1) stage(1) word(1) cursor_right scroll_right",
    "up": "move(-1) scroll_up cursor_up app.focus_previous sentence(-1) go(False) pick(-1)",
    "down": "move(1) scroll_down cursor_down app.focus_next sentence(1) go(True) pick(1)",
    "page up": "page(-1) page_up",
    "page down": "page(1) page_down",
    "home": "first go(0) scroll_home cursor_home all(-1)",
    "end": "last go(-1) scroll_end cursor_end all(1)",
    "open": "choose select fact_jump submit take('material') leave next go(True)",
    "other field or list": "app.focus_next app.focus_previous other_list turn",
    "by number": "jump label filter take number go all_items show_bin",
    "leave": "leave close return quit app.quit screen.copy_text",
    "search": "search find type",
    "help": "help app.explain close",
    "pause": "pause",
    "stop": "stop cancel",
    "again": "retry again rebuild",
    "pace": "faster slower concurrency",
    "compare": "compare side_by_side",
    "copy": "copy duplicate",
    "edit": "edit reassign rename write",
    "take away": "drop bin forget withdraw delete",
    "fork": "fork leave_with('fork')",
    "run": "run leave_with('replay')",
    "export": "export leave_with('export')",
    "sessions": "library sessions other_shelf",
    "models": "lineup vectors seat",
    "palette": "palette app.palette",
    "new": "new add",
    "sources": "corpora demonstrations set",
    "mark": "pin mark",
    "whole text": "topic setup",
    "figures": "heatmap overview plot leave",
    "the machine's and others' labels": "blind others",
    "next one": "next_pair claim_next fact_next go(1) next",
    "the one before": "pair_before claim_before fact_before go(-1) step(-1)",
    "place of it": "fact_jump cited",
    "other pane": "column turn references",
    "undo": "undo take_back",
    "material": "material_bit take('material')",
    "legal": "legal_bit take('legal')",
    "evidence": "evidence hold",
    "exact messages": "raw leave",
}
"""Meaning → names of one thing in several places; a name may have two, and the key
says which.
"""
ANSWERS = {
    "ConfirmScreen": "yn",
    "GoScreen": "drasucmgh",
    "RatingScreen": "rw",
}
"""Questions that a letter answers, as a text field would."""
WHILE_SEARCHING = {"SearchBar": "nN"}
"""`n` and `N` mean hits as long as a search is open."""


def meanings(action: str) -> set[str]:
    """All that an action may mean; what no table names means itself."""
    name = action.partition("(")[0]
    found = {
        meaning for meaning, names in _SAME.items() if {action, name} & {*names.split()}
    }
    return found or {action}


def apart(bound: Iterable[Bound]) -> dict[str, set[str]]:
    """Keys with more than one meaning → where they mean what."""
    by_key: dict[str, list[Bound]] = defaultdict(list)
    for one in bound:
        where, key, _ = one
        if key not in {**ANSWERS, **WHILE_SEARCHING}.get(where, ""):
            by_key[key].append(one)
    return {
        key: {f"{where}: {action}" for where, _, action in found}
        for key, found in by_key.items()
        if not set.intersection(*(meanings(action) for _, _, action in found))
    }


def of_app() -> Iterator[Bound]:
    """The app's own keys."""
    for action in ACTIONS:
        for binding in Binding.make_bindings([Binding(action.keys, action.id)]):
            yield "app", binding.key, action.id


def of_widgets() -> Iterator[Bound]:
    """The bindings of every screen and widget, whether any place shows it or not."""
    for found in pkgutil.walk_packages(tui.__path__, f"{tui.__name__}."):
        module = import_module(found.name)
        for name, one in inspect.getmembers(module, inspect.isclass):
            if issubclass(one, DOMNode) and one.__module__ == module.__name__:
                for binding in Binding.make_bindings(vars(one).get("BINDINGS", [])):
                    yield name, binding.key, binding.action
