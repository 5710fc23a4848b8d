"""The settings of the relevance of cases: demonstrations, what of the method is left out, and how much is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from .....engines.relevance.settings import SETTINGS, SWITCHES
from .....engines.settings import Choice as Words
from .....texts import t
from ....screens.form import Choice, Form, field

WORDS = SETTINGS.of_type(Words)
NUMBERS = ("shots", "relevant_shots", "irrelevant_shots", "budget_tokens", "seed")


class JudgingSettings(Form[dict[str, Any]]):
    """Dismissed with all the settings shown, or None. `sets`: the demonstrations that can be changed to."""

    DEFAULT_CSS = "JudgingSettings { #fields { height: auto; } }"
    AUTO_FOCUS = "#demonstrations"

    def __init__(self, now: Mapping[str, Any], sets: Sequence[str]) -> None:
        super().__init__()
        self._now = now
        self._sets = list(dict.fromkeys([str(now["demonstrations"]), *sets]))

    def heading(self) -> str:
        return t("relevance.settings_title")

    def body(self) -> ComposeResult:
        yield Static(t("relevance.settings_about"), classes="quiet", markup=False)
        with VerticalScroll(id="fields", can_focus=False):
            yield Choice(t("relevance.set"), [(name, name) for name in self._sets], self._now["demonstrations"], id="demonstrations")
            for name in SWITCHES:
                values = [(True, t(f"relevance.on_{name}")), (False, t(f"relevance.off_{name}"))]
                yield Choice(t(f"relevance.with_{name}"), values, self._now[name], id=name)
            for name in WORDS:
                words = [(word, t(f"relevance.{name}_{word}")) for word in SETTINGS.words(name)]
                yield Choice(t(f"setting.{name}"), words, self._now[name], id=name)
            for name in NUMBERS:
                yield field(t(f"setting.{name}"), str(self._now[name]), id=name)
        yield Static(id="note", markup=False)

    def keys(self) -> list[tuple[str, str]]:
        return [("F10 ^o", t("sheet.accept")), ("tab", t("sheet.next_field")), ("left right", t("new.choose")), ("esc", t("sheet.back"))]

    def action_accept(self) -> None:
        made: dict[str, Any] = {name: self.chosen(name) for name in ("demonstrations", *SWITCHES, *WORDS)}
        for name in NUMBERS:
            number = self.number(name, SETTINGS.bounds(name))
            if number is None:
                return
            made[name] = number
        self.dismiss(made)
