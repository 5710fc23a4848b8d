"""A new debate: the topic and how it is to be debated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Input, Static, TextArea

from .....engines.debate.settings import SETTINGS
from .....engines.starting import Wishes
from .....engines.topic import KINDS
from .....sessions.clean import editable
from .....texts import t
from ....screens.form import CHOICE_KEYS, ChoiceField, Form, area, field
from ....title_columns import fit

if TYPE_CHECKING:
    from .....engines.debate.script import ScriptedDebate


class NewDebateScreen(Form[Wishes]):
    """Dismissed with the wishes for a debate, or None.

    `defaults`: options by name; what the form does not ask for is ignored.

    `topic` and `message` open the form again on a topic that could not be taken, with
    the reason.
    """

    DEFAULT_CSS = """
    NewDebateScreen {
        #topic-text { height: 6; margin-bottom: 1; }
        #fields { height: 1fr; }
        #languages { height: auto; display: none; }
        #languages.shown { display: block; }
        &.-low #topic-text { height: 4; }
        &.-low #title { margin-bottom: 0; }
    }
    """
    HEADING = "new.title"
    AUTO_FOCUS = "#topic-text"
    tall = True
    KEYS = {**CHOICE_KEYS, "F10 ^o": "new.start"}

    def __init__(
        self,
        examples: Sequence[ScriptedDebate],
        defaults: Mapping[str, object],
        topic: str = "",
        message: str = "",
    ) -> None:
        super().__init__()
        self._examples = list(examples)
        self._defaults = {
            "kind": KINDS[0],
            **SETTINGS.defaults(),
            **dict.fromkeys(SETTINGS.by_kind),
            **defaults,
        }
        self._topic = editable(topic)
        self._message = message

    def body(self) -> ComposeResult:
        given = self._defaults
        yield Static(t("new.topic"), classes="quiet", markup=False)
        yield area(self._topic, id="topic-text")
        with VerticalScroll(id="fields", can_focus=False):
            yield from self.seat_fields()
            names = [
                (number, fit(each.topic, 40).rstrip())
                for number, each in enumerate(self._examples)
            ]
            yield ChoiceField(
                t("new.example"),
                [(None, t("new.own", n=len(names))), *names],
                id="example",
            )
            yield ChoiceField(
                t("new.kind"),
                [(each, t(f"new.kind_{each}")) for each in KINDS],
                given["kind"],
                id="kind",
            )
            with VerticalScroll(id="languages", can_focus=False):
                yield field(
                    t("new.from"),
                    str(given.get("source") or ""),
                    id="from",
                    placeholder="zh",
                )
                yield field(
                    t("new.to"),
                    str(given.get("target") or ""),
                    id="to",
                    placeholder="en",
                )
            yield from self.setting_fields(SETTINGS, SETTINGS.asked, given)
        yield Static(id="note", markup=False)

    def on_mount(self) -> None:
        self._show_languages()
        if self._message:
            self.say(self._message)

    @on(ChoiceField.Changed, "#kind")
    def _show_languages(self) -> None:
        self.query_one("#languages").set_class(
            self.chosen("kind") == "translation", "shown"
        )

    @on(ChoiceField.Changed, "#example")
    def _take_example(self) -> None:
        """Puts the example's topic in, keeping what was typed for "my own"."""
        number, topic = self.chosen("example"), self.query_one("#topic-text", TextArea)
        if topic.text not in [editable(each.topic) for each in self._examples]:
            self._topic = topic.text
        if not isinstance(number, int):
            topic.text = self._topic
            return
        example = self._examples[number]
        topic.text = editable(example.topic)
        self.query_one("#kind", ChoiceField).value = example.kind
        self.query_one("#from", Input).value = editable(example.source or "")
        self.query_one("#to", Input).value = editable(example.target or "")
        self._show_languages()

    def changed(self) -> bool:
        text = self.query_one("#topic-text", TextArea).text
        return bool(text.strip()) and text not in [
            self._topic,
            *(editable(each.topic) for each in self._examples),
        ]

    def action_accept(self) -> None:
        topic = self.query_one("#topic-text", TextArea).text
        translation = self.chosen("kind") == "translation"
        source, target = (self.typed(name) or None for name in ("from", "to"))
        if not topic.strip():
            self.refuse("new.no_topic", "topic-text")
        elif translation and not (source and target):
            self.refuse("new.no_languages", "to" if source else "from")
        elif (options := self.settings(SETTINGS, SETTINGS.asked)) is not None:
            languages = {"source": source, "target": target} if translation else {}
            self.dismiss(
                Wishes(
                    SETTINGS,
                    {"kind": self.chosen("kind"), **options, **languages},
                    {"topic": topic},
                )
            )
