"""A new question: what is asked, of which documents, and how often it may be
revised.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Input, Static, TextArea

from .....engines.models.config import Config
from .....engines.rag.settings import SETTINGS
from .....engines.threads import in_thread
from .....sessions.clean import editable
from .....sessions.paths import paths
from .....texts import t
from ....screens.form import CHOICE_KEYS, ChoiceField, Form, area, field
from ....screens.paths import PathSuggester
from ....title_columns import fit
from ..drafts import NewQuestion

PATH, FILE, PASTED = "path:", "file:", "pasted:"
"""Where to look: what is typed in the line below; references to be pasted in next."""


async def sources(config: Config) -> list[tuple[str, str]]:
    """Where a question can look: the corpora, the retrievers of config.yaml; value and
    words.
    """
    from .....engines.retrieval.corpus import Corpora

    corpora = await in_thread(lambda: list(Corpora(paths()).list()))
    named = [(one.name, one.name) for one in corpora if one.problem is None]
    return [*named, *((f"http:{name}", f"http:{name}") for name in config.retrievers)]


class NewQuestionScreen(Form[NewQuestion]):
    """Dismissed with a `NewQuestion`, or None.

    `before` and `message` open it again on what could not be taken, with the reason.
    """

    DEFAULT_CSS = """
    NewQuestionScreen {
        #question-text { height: 5; margin-bottom: 1; }
        #fields { height: 1fr; }
        &.-low #question-text { height: 3; }
        &.-low #title { margin-bottom: 0; }
    }
    """
    HEADING = "rag.new_title"
    AUTO_FOCUS = "#question-text"
    tall = True
    KEYS = {**CHOICE_KEYS, "F10 ^o": "new.start"}

    def __init__(
        self,
        examples: Sequence[str],
        offered: Sequence[tuple[str, str]],
        before: NewQuestion,
        message: str = "",
    ) -> None:
        super().__init__()
        self._examples = list(examples)
        self._offered = list(offered)
        self._before = before
        self._message = message

    def body(self) -> ComposeResult:
        given, source = self._before.settings, self._before.source
        yield Static(t("rag.question"), classes="quiet", markup=False)
        yield area(self._before.question, id="question-text")
        with VerticalScroll(id="fields", can_focus=False):
            yield from self.seat_fields()
            names = [
                (number, fit(each, 44).rstrip())
                for number, each in enumerate(self._examples)
            ]
            yield ChoiceField(
                t("new.example"),
                [(None, t("new.own", n=len(names))), *names],
                id="example",
            )
            known = [value for value, _ in self._offered]
            place = (
                FILE if self._before.references else source if source in known else PATH
            )
            place = place if self._before.pasted is None else PASTED
            own = [
                (PATH, t("rag.a_path")),
                (FILE, t("rag.a_file")),
                (PASTED, t("rag.a_paste")),
            ]
            yield ChoiceField(
                t("rag.corpus"), [*self._offered, *own], place, id="source"
            )
            typed = self._before.references or ("" if source in known else source)
            yield field(t("rag.path"), typed, id="path", placeholder=t("rag.path_how"))
            yield from self.setting_fields(SETTINGS, SETTINGS.asked, given)
        yield Static(id="note", markup=False)

    def on_mount(self) -> None:
        self.query_one("#path", Input).suggester = PathSuggester()
        self._show_path()
        if self._message:
            self.say(self._message)

    @on(ChoiceField.Changed, "#source")
    def _show_path(self) -> None:
        self.query_one("#path", Input).disabled = self.chosen("source") not in (
            PATH,
            FILE,
        )

    @on(ChoiceField.Changed, "#example")
    def _take_example(self) -> None:
        number = self.chosen("example")
        if isinstance(number, int):
            self.query_one("#question-text", TextArea).text = editable(
                self._examples[number]
            )
            self.query_one("#source", ChoiceField).value = "example"
            self._show_path()

    def changed(self) -> bool:
        text = self.query_one("#question-text", TextArea).text
        return bool(text.strip()) and text not in [
            editable(self._before.question),
            *map(editable, self._examples),
        ]

    def action_accept(self) -> None:
        text = self.query_one("#question-text", TextArea).text
        path = self.typed("path")
        source = self.chosen("source")
        if not text.strip():
            return self.refuse("rag.no_question", "question-text")
        if source in (PATH, FILE) and not path:
            return self.refuse("rag.no_path", "path")
        settings = self.settings(SETTINGS, SETTINGS.asked)
        if settings is None:
            return
        place: dict[str, Any] = {"source": path if source == PATH else source}
        if source == FILE:
            place = {"source": "", "references": path}
        elif source == PASTED:
            place = {"source": "", "pasted": self._before.pasted or ""}
        self.dismiss(NewQuestion(text, settings, **place))
