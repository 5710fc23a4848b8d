"""A form at the foot of a workspace, or at its side where there is room: what is asked
about stays readable while one writes.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import DescendantFocus
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from ...texts import t
from ..showing import clean
from .form import ChoiceField, area, field, share
from .sheet import Keys

ROOMY = 150
"""Columns of a screen on which the form is at the side."""


class DockedForm(Vertical):
    """Posts `Sent` for F10 and ctrl+o with what was said, and `Left` for escape: what
    is filled in can be taken over by `values`.
    """

    DEFAULT_CSS = """
    DockedForm {
        dock: bottom; width: 100%; height: 50%; max-height: 16;
        background: $surface; padding: 0 1 0 2; border-left: outer $primary 50%;
        &:focus-within { border-left: outer $primary; }
        &.-beside {
            dock: right; width: 40%; height: 100%; max-height: 100%; padding: 1 1 0 2;
        }
        #title { text-style: bold; height: auto; max-height: 2; }
        #fields {
            height: 1fr; scrollbar-size-vertical: 1; scrollbar-background: $surface;
            scrollbar-color: $primary 40%;
        }
        #note { color: $quiet; height: auto; display: none; }
        #note.warning { color: $text-warning; display: block; }
        #hints { color: $quiet; height: auto; }
        .quiet { color: $quiet; }
        .field { height: 1; }
        .field > .label { width: 14; color: $quiet; }
        .field > Input { width: 1fr; }
        Input, Input:focus {
            border: none; height: 1; padding: 0 1; background: $panel;
        }
        Input:focus { background: $primary 20%; }
        TextArea, TextArea:focus {
            border: none; padding: 0 1; background: $panel;
            scrollbar-size-vertical: 1; scrollbar-background: $surface;
            scrollbar-color: $primary 40%;
        }
    }
    """
    BINDINGS = [
        ("f10,ctrl+o", "accept"),
        ("escape", "leave"),
    ]
    FIRST = "Input, TextArea, ChoiceField"
    """What is focused first."""
    takes_keys = True
    """Whether the app's keys do nothing here."""

    class Sent(Message):
        """The person has said something."""

        def __init__(self, form: DockedForm, words: str) -> None:
            super().__init__()
            self.form = form
            self.words = words

    class Left(Message):
        """The person leaves it for later."""

        def __init__(self, form: DockedForm) -> None:
            super().__init__()
            self.form = form

    def __init__(self, title: str) -> None:
        super().__init__(id="docked")
        self._title = title
        self.switch = "^t"
        """The key that goes from the form to what is read, and back."""
        self.sent = False
        """Whether what was said has been taken."""
        self._filled: Mapping[str, Any] = {}
        self._first: dict[str, Any] = {}
        self._last: Widget | None = None

    # What a form says

    @abstractmethod
    def body(self) -> ComposeResult:
        """Yields the fields."""

    @abstractmethod
    def words(self) -> str | None:
        """Returns what was said; None, with a message, where something is missing."""

    # What is filled in

    @property
    def changed(self) -> bool:
        """Whether anything differs from the empty form."""
        return self.values() != self._first

    def values(self) -> dict[str, Any]:
        """Returns what is filled in, by the ids of the fields."""
        fields = self.query("Input, TextArea, ChoiceField")
        return {each.id: _content(each) for each in fields if each.id}

    def fill(self, values: Mapping[str, object]) -> None:
        """Fills the form in again, as soon as it is there."""
        self._filled = values

    def chosen(self, name: str) -> Any:
        """Returns the value of a `ChoiceField`."""
        return self.query_one(f"#{name}", ChoiceField).value

    def typed(self, name: str) -> str:
        """Returns what is typed in a field."""
        typed: str = _content(self.query_one(f"#{name}"))
        return typed.strip()

    def refuse(self, sentence: str, name: str) -> None:
        """Says what is wrong with a field, and goes there."""
        note = self.query_one("#note", Static)
        note.add_class("warning")
        note.update(Content(clean(sentence)))
        self.query_one(f"#{name}").focus()

    # The widget

    def compose(self) -> ComposeResult:
        yield Static(clean(self._title), id="title", markup=False)
        with VerticalScroll(id="fields", can_focus=False):
            yield from self.body()
        yield Static(id="note", markup=False)
        yield Static(Keys(self.hints()), id="hints")

    def hints(self) -> list[tuple[str, str]]:
        """Returns the keys of the form, and what they do."""
        return [
            ("F10 ^o", t("docked.send")),
            (self.switch, t("docked.read")),
            ("esc", t("docked.later")),
            ("F1", t("action.help")),
        ]

    def on_mount(self) -> None:
        self._first = self.values()
        for name, value in self._filled.items():
            each = self.query_one(f"#{name}")
            if isinstance(each, TextArea):
                each.text = value
                each.move_cursor(each.document.end)
            else:
                each.value = value  # type: ignore[attr-defined]
        self.filled_in()
        self.fit()

    def filled_in(self) -> None:
        """Called once the form is there, with what was filled in before."""

    def fit(self) -> None:
        """Stands at the side of a wide screen, else at its foot.

        The workspace has the class `-writing` while the form takes its side.
        """
        beside = self.app.size.width >= ROOMY
        self.set_class(beside, "-beside")
        if isinstance(self.parent, Widget):
            self.parent.set_class(beside, "-writing")

    def take_keys(self) -> None:
        """Focuses the field that had the keys last, else the first one."""
        first = self.query(self.FIRST).first() if self._last is None else self._last
        self.screen.set_focus(first)

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        self._last = event.widget

    @on(Input.Submitted)
    @on(ChoiceField.Submitted)
    def _submitted(self) -> None:
        self.action_accept()

    def action_accept(self) -> None:
        words = self.words()
        if words is not None and not self.sent:
            self.sent = True
            self.post_message(self.Sent(self, words))

    def action_leave(self) -> None:
        self.post_message(self.Left(self))


def _content(field: Widget) -> Any:
    """What is filled in in a field."""
    if isinstance(field, TextArea):
        return field.text
    return field.value  # type: ignore[attr-defined]


class Writing(DockedForm):
    """A text of a person's own."""

    DEFAULT_CSS = """
    Writing #text { height: 1fr; min-height: 3; }
    """

    def body(self) -> ComposeResult:
        yield area(id="text")

    def words(self) -> str | None:
        text = self.query_one("#text", TextArea).text
        if not text.strip():
            self.refuse(t("edit.empty"), "text")
            return None
        return text


class ScoresForm(DockedForm):
    """Numbers from 0 to 1, each in a field of its own: says them with commas
    between.
    """

    FIRST = "Input"

    def __init__(self, title: str, names: Mapping[str, str]) -> None:
        """`names`: the labels of the fields by their ids."""
        super().__init__(title)
        self._names = names

    def body(self) -> ComposeResult:
        for name, label in self._names.items():
            yield field(label, id=name, placeholder="0 .. 1")

    def scores(self) -> dict[str, float] | None:
        """Returns the numbers by id; None, with a message, where one is missing."""
        made = {}
        for name in self._names:
            value = share(self.typed(name))
            if value is None:
                self.refuse(t("rag.bad_bound"), name)
                return None
            made[name] = value
        return made

    def words(self) -> str | None:
        made = self.scores()
        return None if made is None else ", ".join(map(str, made.values()))
