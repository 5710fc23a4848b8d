"""The models of a new session: one for all seats, and below it one for each seat."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from ...texts import t
from .. import wording
from ..showing import clean_line
from .form import field
from .lineup import context_in_words, price_in_words

if TYPE_CHECKING:
    from ...engines.models.catalogue import ModelRow

EVERY = "models"
"""The id of the line for all seats; `seat-ROLE` is that of one."""
MORE = 4
"""Models that are named below, of those that fit what is typed."""


class SeatFields(Vertical):
    """Up and down go through the models that fit what is typed, those used last first;
    below is what the one in front costs, and whether it can be used.
    """

    DEFAULT_CSS = """
    SeatFields {
        height: auto;
        #model-about {
            color: $quiet; height: 1; text-wrap: nowrap; text-overflow: ellipsis;
        }
    }
    """
    BINDINGS = [("down", "pick(1)"), ("up", "pick(-1)")]

    def __init__(
        self,
        roles: Iterable[str],
        models: Sequence[str],
        recent: Sequence[str],
        rows: Callable[[], AsyncIterator[Sequence[ModelRow]]],
    ) -> None:
        """`models`: as `--model` takes them. `rows` yields whole lists of models."""
        super().__init__()
        self._values = {EVERY: ""} | {f"seat-{role}": "" for role in roles}
        for text in models:
            role, equals, model = text.partition("=")
            self._values[f"seat-{role}" if equals else EVERY] = model or text
        self._recent = recent
        self._rows = rows
        self._known: dict[str, ModelRow] = {}
        self._looks = False
        self._typed = ""
        """What was typed in the line in front, before one of the models was picked."""
        self._picked = ""

    def compose(self) -> ComposeResult:
        for name, value in self._values.items():
            role = name.removeprefix("seat-")
            label = t("new.models") if name == EVERY else wording.role_name(role)
            kind = "models" if name == EVERY else "seat"
            yield field(label, value, id=name, placeholder=t(f"new.{kind}_how"))
        yield Static(id="model-about", markup=False)

    @property
    def models(self) -> list[str]:
        """Returns what is filled in, as `--model` takes it."""
        return [
            model if name == EVERY else f"{name.removeprefix('seat-')}={model}"
            for name, value in self._values.items()
            if (model := value.strip())
        ]

    async def _look_around(self) -> None:
        async for found in self._rows():
            self._known = {row.name: row for row in found}
            self._tell()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Looks for models when the user is about to choose one."""
        if not self._looks:
            self._looks = True
            self.run_worker(self._look_around(), exit_on_error=False)
        self._typed = ""
        self._tell()

    @property
    def _front(self) -> Input:
        """The line with the focus, else that for all seats."""
        focused = self.screen.focused
        return (
            focused
            if isinstance(focused, Input) and focused.id in self._values
            else self.query_one(f"#{EVERY}", Input)
        )

    def _fitting(self) -> list[str]:
        usable = [row.name for row in self._known.values() if row.usable]
        return [
            name
            for name in dict.fromkeys([*self._recent, *usable])
            if all(word in name.lower() for word in self._typed.lower().split())
        ]

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        self._values[str(event.input.id)] = event.value
        if event.value != self._picked:
            self._typed, self._picked = event.value, ""
        self._tell()

    def action_pick(self, by: int) -> None:
        line, names = self._front, self._fitting()
        if names:
            at = names.index(line.value) + by if line.value in names else 0
            self._picked = line.value = names[at % len(names)]
            line.cursor_position = len(line.value)

    def _tell(self) -> None:
        name = self._front.value.strip()
        row = self._known.get(name)
        if row is None:
            names = ", ".join([one for one in self._fitting() if one != name][:MORE])
            about = t("new.models_fit", names=names) if names else ""
        elif row.usable:
            context = context_in_words(row.context)
            about = t("new.model_about", price=price_in_words(row), context=context)
        else:
            about = row.why_not
        self.query_one("#model-about", Static).update(Content(clean_line(about)))
