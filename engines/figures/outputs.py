"""An answer to be scored by a command or a judge, its item, and its author."""

from __future__ import annotations

from typing import NamedTuple

from ...sessions.events import ReplyEvent
from ...sessions.session import Session
from .common import answer_of, listed
from .measure import Item, Measure, MeasuredValue, State

Given = tuple[Item, Session | str | None]
"""An item with its session, or with an answer alone. None: there is no answer."""


class OutputRow(NamedTuple):
    """One answer to be scored."""

    item: Item
    answer: str
    """"" where there is none."""
    state: State
    """`measured` with an answer; else the reason why there is none."""
    method: str = ""
    models: tuple[str, ...] = ()
    """Who gave it, where that is known: the ids of the models that answered."""

    @property
    def missing(self) -> MeasuredValue | None:
        """Return the measurement of a missing answer; None if there is an answer."""
        if self.state == "measured":
            return None
        return MeasuredValue(None, self.state)

    @property
    def kind(self) -> str:
        """`question` or `translation`."""
        return str(self.item.fields.get("kind") or "question")

    @property
    def source(self) -> str:
        """The text that is answered or translated; "" without one."""
        fields = self.item.fields
        return str(fields.get("topic") or fields.get("question") or "")

    def listed(self, name: str) -> tuple[str, ...]:
        """The texts of a field of the item: `answers`, `wrong_answers`."""
        return listed(self.item, name)


def output_of(given: Given) -> OutputRow:
    """Return the answer of a session, or the given answer."""
    item, source = given
    if not isinstance(source, Session):
        answer = source or ""
        return OutputRow(item, answer, "measured" if answer.strip() else "empty")
    models = tuple(
        dict.fromkeys(
            event.model
            for event in source.events
            if isinstance(event, ReplyEvent) and event.model not in ("", "given")
        )
    )
    answered = answer_of(source)
    return OutputRow(
        item, answered.text or "", answered.missing or "measured", source.method, models
    )


def without_answer(output: OutputRow, measure: Measure) -> MeasuredValue:
    """The measurement of a missing answer: the worst value, or none without a bound."""
    return MeasuredValue(
        measure.high if measure.better == "lower" else measure.low, output.state
    )
