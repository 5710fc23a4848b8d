"""Sheets where something is typed or chosen, and the fields they are made of."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from ...engines.settings import OneOf as Words
from ...engines.settings import Setting, Settings, Switch, Whole
from ...sessions.clean import editable
from ...sessions.export.block import capital
from ...texts import t
from ...texts.settings import setting_name, setting_value
from ..showing import clean_line
from ..terminal.compat import stop_watching
from ..title_columns import fit
from .confirm import ConfirmScreen
from .sheet import Result, Sheet

LABEL = 14
"""Cells that the names of fields take."""
FEW = 5
"""So many numbers are offered to choose from; of more, one is typed."""


class Form(Sheet[Result]):
    """A sheet where something is typed: F10 or ctrl+o accepts, and escape asks before
    anything typed is thrown away.
    """

    DEFAULT_CSS = """
    Form {
        &.-low #note { max-height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
        &.-low #note.warning { max-height: 4; text-wrap: wrap; }
        &.-low #hints { margin: 0; }
    }
    """
    BINDINGS = [("f10,ctrl+o", "accept")]
    _declared: Settings | None = None
    _refused = ""
    """The field that a complaint on the sheet is about."""

    KEYS = {"F10 ^o": "sheet.accept", "tab": "sheet.next_field"}
    HELP = "F1"
    seats: Widget | None = None
    """The fields for the models, if there are any."""

    def seat_fields(self) -> ComposeResult:
        if self.seats is not None:
            yield self.seats

    def changed(self) -> bool:
        """Whether leaving would lose something typed."""
        return False

    @abstractmethod
    def action_accept(self) -> None:
        """Takes what was typed, or says what is wrong with it."""

    @on(Input.Submitted)
    def _submitted(self) -> None:
        self.action_accept()

    def on_choice_field_submitted(self) -> None:
        self.action_accept()

    def chosen(self, name: str) -> Any:
        """Returns the value of a `ChoiceField`."""
        return self.query_one(f"#{name}", ChoiceField).value

    def typed(self, name: str) -> str:
        """Returns what is typed in a line."""
        return self.query_one(f"#{name}", Input).value.strip()

    def setting_fields(
        self, declared: Settings, names: Iterable[str], now: Mapping[str, object]
    ) -> ComposeResult:
        """Yields a field for each of these settings, as it is declared; what it is for
        is told while it has the focus.
        """
        self._declared = declared
        for name in names:
            yield setting_field(declared[name], now.get(name))

    def settings(
        self, declared: Settings, names: Iterable[str]
    ) -> dict[str, Any] | None:
        """Returns what is in the fields of settings; None, with a message, where
        something cannot be. A value that is left open is not among them.
        """
        made: dict[str, object] = {}
        for name in names:
            kind, field_ = declared[name].kind, self.query_one(f"#{name}")
            value = (
                field_.value
                if isinstance(field_, ChoiceField)
                else kind.read(self.typed(name))
            )
            if not isinstance(field_, ChoiceField) and not kind.allows(value):
                self.refuse(
                    "sheet.bad_value",
                    name,
                    name=capital(setting_name(name)),
                    expected=kind.wanted.strip(),
                )
                return None
            made[name] = value
        return {name: value for name, value in made.items() if value is not None}

    def refuse(self, key: str, field_: str, **values: object) -> None:
        """Says what is wrong with a field, and goes there."""
        self.say_wrong(t(key, **values), field_)

    def say_wrong(self, sentence: str, field_: str) -> None:
        """As `refuse`, in words that are there already."""
        self.say(sentence)
        self._refused = field_
        self.query_one(f"#{field_}").focus()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        refused, self._refused = self._refused, ""
        if event.widget.id != refused:
            self.say(self.purpose(event.widget), warning=False)

    def purpose(self, focused: Widget | None) -> str:
        name = focused.id if focused is not None else None
        if self._declared is not None and name in self._declared.names:
            return self._declared.help(self._declared[name])
        return super().purpose(focused)

    def action_leave(self) -> None:
        if not self.changed():
            self.dismiss(None)
            return
        self.app.push_screen(
            ConfirmScreen(
                t("sheet.throw_away"),
                t("sheet.throw_away_yes"),
                t("sheet.throw_away_no"),
            ),
            self._answered,
        )

    def _answered(self, throw_away: bool | None) -> None:
        if throw_away:
            self.dismiss(None)


CHOICE_KEYS = {**Form.KEYS, "left right": "new.choose"}
"""Of a form that has fields to choose in."""


class ChoiceField(Widget, can_focus=True):
    """One of a few values, in one line: left and right change it.

    Where not all fit, only the chosen one is shown, between arrows.
    """

    DEFAULT_CSS = """
    ChoiceField { height: 1; width: 1fr; }
    ChoiceField:focus { background: $primary 20%; }
    """
    BINDINGS = [
        ("right,space", "step(1)"),
        ("left", "step(-1)"),
        ("down,j", "app.focus_next"),
        ("up,k", "app.focus_previous"),
        ("enter", "submit"),
    ]

    class Submitted(Message):
        """The form is to be accepted."""

    class Changed(Message):
        """Another value was chosen."""

        def __init__(self, choice: ChoiceField) -> None:
            super().__init__()
            self.choice = choice

        @property
        def control(self) -> ChoiceField:
            return self.choice

    def __init__(
        self,
        label: str,
        options: Sequence[tuple[object, str]],
        value: object = None,
        id: str | None = None,  # noqa: A002
    ) -> None:
        """`options`: (value, text). A `value` that is none of them is the first."""
        super().__init__(id=id)
        self._label = label
        self._options = [(each, clean_line(text)) for each, text in options]
        self._index = next(
            (n for n, (each, _) in enumerate(self._options) if each == value), 0
        )

    @property
    def value(self) -> object:
        return self._options[self._index][0]

    @value.setter
    def value(self, value: object) -> None:
        self._index = next(
            (n for n, (each, _) in enumerate(self._options) if each == value),
            self._index,
        )
        self.refresh()

    def render(self) -> Content:
        parts: list[tuple[str, str]] = [(fit(self._label, LABEL), "$quiet")]
        for _, _, number in self._places():
            text = self._options[number][1]
            parts.append(
                (f"[{text}]", "bold")
                if number == self._index
                else (f" {text} ", "$quiet")
            )
        if self._alone():
            parts = [parts[0], ("< ", "$quiet"), parts[1], (" >", "$quiet")]
        return Content.assemble(*parts)

    def _alone(self) -> bool:
        return (
            LABEL + sum(cell_len(text) + 2 for _, text in self._options)
            > self.size.width
        )

    def _places(self) -> list[tuple[int, int, int]]:
        """Returns (first cell, cell after the last, number of the option) of each
        option that is drawn.
        """
        if self._alone():
            return [
                (
                    LABEL + 2,
                    LABEL + 4 + cell_len(self._options[self._index][1]),
                    self._index,
                )
            ]
        places, at = [], LABEL
        for number, (_, text) in enumerate(self._options):
            places.append((at, at + cell_len(text) + 2, number))
            at += cell_len(text) + 2
        return places

    def action_submit(self) -> None:
        self.post_message(self.Submitted())

    def action_step(self, by: int) -> None:
        self._choose((self._index + by) % len(self._options))

    def _choose(self, number: int) -> None:
        if number != self._index:
            self._index = number
            self.refresh()
            self.post_message(self.Changed(self))

    def on_click(self, event: events.Click) -> None:
        if self._alone():
            self.action_step(-1 if event.x < LABEL + 2 else 1)
            return
        for start, end, number in self._places():
            if start <= event.x < end:
                self._choose(number)


def setting_field(setting: Setting, value: object) -> Widget:
    """Returns the field of a setting: a choice of its words or of a few numbers, else a
    line to type in.
    """
    match setting.kind:
        case Words(words):
            values: Sequence[object] = words
        case Switch():
            values = (False, True) if setting.default is False else (True, False)
        case Whole(least, most) if most - least < FEW:
            values = range(least, most + 1)
        case _:
            return field(
                setting_name(setting.name),
                "" if value is None else str(value),
                id=setting.name,
            )
    if setting.of_kind:
        values = (None, *values)
    return ChoiceField(
        setting_name(setting.name),
        [(each, setting_value(setting.name, each)) for each in values],
        value,
        id=setting.name,
    )


def field(
    label: str,
    value: str = "",
    id: str | None = None,  # noqa: A002
    placeholder: str = "",
) -> Horizontal:
    """Returns a label and a line to type in; the line has the `id`."""
    name = Static(label, classes="label", markup=False)
    return Horizontal(
        name,
        Input(
            editable(value, newlines=False),
            id=id,
            placeholder=placeholder,
            select_on_focus=False,
        ),
        classes="field",
    )


def share(text: str) -> float | None:
    """A number from 0 to 1 as typed; None for anything else."""
    try:
        value = float(text)
    except ValueError:
        return None
    if math.isfinite(value) and 0 <= value <= 1:
        return value
    return None


class Area(TextArea):
    """A place to type that the app forgets when its window closes: Textual keeps its
    own, with all that was typed.
    """

    def on_unmount(self) -> None:
        stop_watching(self, "theme")


def area(text: str = "", id: str | None = None) -> TextArea:  # noqa: A002
    """Returns a place to type more than a line."""
    return Area(
        editable(text),
        id=id,
        show_line_numbers=False,
        tab_behavior="focus",
        highlight_cursor_line=False,
    )
