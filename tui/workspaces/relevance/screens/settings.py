"""The settings of the relevance of cases: demonstrations, what of the method is left
out, and how much is sent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from .....engines.relevance.settings import SETTINGS
from .....texts import t
from ....screens.form import CHOICE_KEYS, ChoiceField, Form

SHOWN = [
    setting.name
    for setting in SETTINGS
    if not (setting.computed or setting.counted or setting.name == "demonstrations")
]


class JudgingSettings(Form[dict[str, Any]]):
    """Dismissed with all the settings shown, or None.

    `sets`: the demonstrations that can be changed to.
    """

    DEFAULT_CSS = "JudgingSettings { #fields { height: auto; } }"
    HEADING = "relevance.settings_title"
    AUTO_FOCUS = "#demonstrations"
    KEYS = CHOICE_KEYS

    def __init__(self, now: Mapping[str, object], sets: Sequence[str]) -> None:
        super().__init__()
        self._now = now
        self._sets = list(dict.fromkeys([str(now["demonstrations"]), *sets]))

    def body(self) -> ComposeResult:
        yield Static(t("relevance.settings_about"), classes="quiet", markup=False)
        with VerticalScroll(id="fields", can_focus=False):
            yield ChoiceField(
                t("relevance.set"),
                [(name, name) for name in self._sets],
                self._now["demonstrations"],
                id="demonstrations",
            )
            yield from self.setting_fields(SETTINGS, SHOWN, self._now)
        yield Static(id="note", markup=False)

    def action_accept(self) -> None:
        made = self.settings(SETTINGS, SHOWN)
        if made is not None:
            self.dismiss({"demonstrations": self.chosen("demonstrations"), **made})
