"""The rule that decides whether to retrieve again, its bounds, how often; and what a
retrieval looks for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Input, Static

from .....engines.rag.decision import BOUNDED
from .....engines.rag.settings import SETTINGS
from .....engines.retrieval.where import parse
from .....sessions.errors import BadInput
from .....texts import t
from .....texts.settings import setting_name
from ....screens.form import CHOICE_KEYS, ChoiceField, Form, field, share

LOOKED_FOR = [
    name
    for name in ("k", "search", "where", "duplicates", "per_document")
    if name in SETTINGS.names
]
"""What a retrieval goes by."""
SCORED = ("thresholds-all", "thresholds-any")
"""The rules that look at scores and their bounds."""
CHANGED = ("indicator", "bounds", "iterations", *LOOKED_FOR)
"""The settings that this form changes."""


class RuleScreen(Form[dict[str, Any]]):
    """Dismissed with the settings of `CHANGED`, or None.

    `chain` False: no scores can decide. `claims` False: no claims can.
    """

    DEFAULT_CSS = """
    RuleScreen {
        #fields { height: auto; }
        #about { height: auto; color: $quiet; margin: 1 0; }
        .head { color: $quiet; height: auto; margin-bottom: 1; }
        #iterations { margin-bottom: 1; }
        .field > .label { width: 24; }
        &.-low #about { margin: 0; }
        &.-low .head, &.-low #title, &.-low #iterations { margin-bottom: 0; }
    }
    """
    HEADING = "rag.rule_title"
    AUTO_FOCUS = "#indicator"
    KEYS = CHOICE_KEYS

    def __init__(self, now: Mapping[str, Any], *, chain: bool, claims: bool) -> None:
        super().__init__()
        self._now = now
        self._without = {
            *(() if chain else SCORED),
            *(() if claims else ("claims",)),
        }

    def body(self) -> ComposeResult:
        rules = [
            name for name in SETTINGS.words("indicator") if name not in self._without
        ]
        with VerticalScroll(id="fields", can_focus=False):
            yield ChoiceField(
                setting_name("indicator"),
                [(name, name) for name in rules],
                self._now["indicator"],
                id="indicator",
            )
            yield Static("", id="about", markup=False)
            for name, sign in BOUNDED.items():
                yield field(
                    f"{t(f'rag.{name}')} {sign}",
                    str(self._now["bounds"][name]),
                    id=name,
                )
            yield from self.setting_fields(SETTINGS, ["iterations"], self._now)
            yield Static(t("rag.looked_for"), classes="head", markup=False)
            yield from self.setting_fields(SETTINGS, LOOKED_FOR, self._now)
        yield Static(id="note", markup=False)

    def on_mount(self) -> None:
        self._tell()

    @on(ChoiceField.Changed)
    def _tell(self) -> None:
        name = str(self.chosen("indicator"))
        self.query_one("#about", Static).update(
            t(f"rag.about_{name.replace('-', '_')}")
        )
        for each in BOUNDED:
            self.query_one(f"#{each}", Input).disabled = name not in SCORED

    def action_accept(self) -> None:
        made: dict[str, Any] = {"indicator": self.chosen("indicator"), "bounds": {}}
        for name in BOUNDED:
            bound = share(self.typed(name))
            if bound is None:
                return self.refuse("rag.bad_bound", name)
            made["bounds"][name] = bound
        rest = self.settings(SETTINGS, ["iterations", *LOOKED_FOR])
        if rest is None:
            return
        try:
            parse(rest.get("where") or "")
        except BadInput as error:
            return self.say_wrong(str(error), "where")
        self.dismiss(made | dict.fromkeys(LOOKED_FOR) | rest)
