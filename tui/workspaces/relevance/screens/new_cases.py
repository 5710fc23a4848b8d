"""Other cases to judge: a query, its candidates, the demonstrations, what of the method
is left out.
"""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Input, Static

from .....engines.relevance.settings import SETTINGS
from .....texts import t
from ....screens.form import CHOICE_KEYS, ChoiceField, Form, field
from ....screens.paths import PathSuggester
from ..drafts import NewRelevance

PATH = "path:"
"""A set that is named by what is typed in the line below."""


class JudgeCasesScreen(Form[NewRelevance]):
    """Dismissed with a `NewRelevance`, or None.

    `before` and `message` open it again on what could not be taken, with the reason.
    """

    DEFAULT_CSS = "JudgeCasesScreen { #fields { height: 1fr; } }"
    HEADING = "relevance.new_title"
    AUTO_FOCUS = "#query-file"
    tall = True
    KEYS = {**CHOICE_KEYS, "F10 ^o": "new.start"}

    def __init__(
        self, sets: Sequence[str], before: NewRelevance, message: str = ""
    ) -> None:
        super().__init__()
        self._sets = list(sets)
        self._before = before
        self._message = message

    def body(self) -> ComposeResult:
        given = self._before
        with VerticalScroll(id="fields", can_focus=False):
            yield field(
                t("relevance.query_file"),
                given.query,
                id="query-file",
                placeholder=t("relevance.query_how"),
            )
            yield field(
                t("relevance.candidate_files"),
                given.candidates,
                id="candidate-files",
                placeholder=t("relevance.candidates_how"),
            )
            yield from self.seat_fields()
            known = given.demonstrations in ("", *self._sets)
            offered = [
                ("", t("relevance.set_by_language")),
                *((name, name) for name in self._sets),
                (PATH, t("relevance.set_path")),
            ]
            yield ChoiceField(
                t("relevance.set"),
                offered,
                given.demonstrations if known else PATH,
                id="set",
            )
            yield field(
                t("relevance.set_file"),
                "" if known else given.demonstrations,
                id="set-file",
            )
            yield from self.setting_fields(SETTINGS, SETTINGS.asked, given.settings)
        yield Static(id="note", markup=False)

    def on_mount(self) -> None:
        for name in ("query-file", "candidate-files", "set-file"):
            self.query_one(f"#{name}", Input).suggester = PathSuggester()
        self._show_path()
        if self._message:
            self.say(self._message)

    @on(ChoiceField.Changed, "#set")
    def _show_path(self) -> None:
        self.query_one("#set-file", Input).disabled = self.chosen("set") != PATH

    def changed(self) -> bool:
        return (self.typed("query-file"), self.typed("candidate-files")) != (
            self._before.query,
            self._before.candidates,
        )

    def action_accept(self) -> None:
        query, files = self.typed("query-file"), self.typed("candidate-files")
        name = str(self.chosen("set"))
        if name == PATH:
            name = self.typed("set-file")
        if query and not files:
            self.refuse("relevance.no_candidates", "candidate-files")
        elif not name and self.chosen("set") == PATH:
            self.refuse("relevance.no_set", "set-file")
        elif (settings := self.settings(SETTINGS, SETTINGS.asked)) is not None:
            self.dismiss(
                NewRelevance(
                    query=query,
                    candidates=files,
                    demonstrations=name,
                    settings=settings,
                )
            )
