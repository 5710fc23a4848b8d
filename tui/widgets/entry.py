"""One event of a debate on screen."""

from __future__ import annotations

import time
from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from ...sessions.clean import clean
from ...sessions.events import Candidates, DebateResult, Event, Made, Speech, Stance, Verdict
from .. import words
from ..markdown import Fixed, Said
from ..texts import t


class Line(Fixed, Static):
    """A part of an entry: some lines that are laid out once."""


class Entry(Fixed, Vertical):
    """What was said, with its speaker; a change, a failure, a result."""

    def __init__(self, event: Event, unfold: bool = False) -> None:
        super().__init__(classes=_classes(event))
        self.event = event
        self._unfold = unfold

    def compose(self) -> ComposeResult:
        event = self.event
        if isinstance(event, DebateResult):
            yield Line(t("result.title"), classes="heading", markup=False)
            yield Line(words.result_lines(event))
        elif isinstance(event, Made):
            yield Line(words.heading(event), classes="heading")
            if event.reasoning:
                yield Line(_reasoning(event.reasoning, self._unfold), classes="reasoning")
            yield from _body(event)
        else:
            yield Line(words.line_of(event))

    def fold(self, unfold: bool) -> None:
        """Shows or hides the reasoning."""
        if isinstance(self.event, Made) and self.event.reasoning:
            self.query_one(".reasoning", Line).update(_reasoning(self.event.reasoning, unfold))


class LiveEntry(Fixed, Vertical):
    """A reply while it streams in, with the seconds it has taken. It is replaced by an `Entry` when it is whole."""

    def __init__(self, role: str, model: str, state: Callable[[], str]) -> None:
        """`state` says in a few words what is going on; it is asked every second."""
        super().__init__(classes=f"entry {words.side_class(role)}")
        self.role = role
        self._model = model
        self._state = state
        self._began = time.monotonic()
        self._thinking = 0
        self.said = Said()

    def compose(self) -> ComposeResult:
        yield Line(self._heading(), classes="heading")
        yield self.said

    def on_mount(self) -> None:
        self.set_interval(1.0, self._tell)

    def _heading(self) -> Content:
        name = f"{words.letter(self.role)} {words.role_name(self.role)}"
        state = t("entry.thinking", n=self._thinking) if self._thinking and not self.said.source else self._state()
        seconds = int(time.monotonic() - self._began)
        return Content.assemble((name, "bold"), (f"  {self._model} · {state}" + (f" {seconds} s" if seconds else ""), "$quiet"))

    def _tell(self) -> None:
        self.query_one(".heading", Line).update(self._heading(), layout=False)

    def thought(self, text: str) -> None:
        """Reasoning is counted while it streams, and shown folded when it is whole."""
        self._thinking += len(text)


def _classes(event: Event) -> str:
    if isinstance(event, Made):
        return f"entry {words.side_class(event.role)}"
    if isinstance(event, DebateResult):
        return "entry result"
    return "entry aside"


def _reasoning(text: str, unfold: bool) -> Content:
    mark = t("entry.reasoning", n=len(text))
    return Content.assemble((f"▾ {mark}\n{clean(text)}" if unfold else f"▸ {mark}", "$quiet"))


def _body(event: Made) -> ComposeResult:
    match event:
        case Speech():
            text, closing = words.split_answer(event)
            if text:
                yield Said(text)
            if closing:
                yield Line(closing, classes="closing", markup=False)
        case Stance(value=float()):
            return
        case Verdict(read="unread") | Candidates(read="unread"):
            yield Line(clean(event.text), classes="raw", markup=False)
        case Verdict():
            yield Line(clean(event.reason), markup=False)
            closing = words.decision(event)
            if closing:
                yield Line(closing, classes="closing", markup=False)
        case Candidates():
            yield Line("\n".join(f"{n}. {clean(item)}" for n, item in enumerate(event.items, 1)), markup=False)
        case _:
            yield Line(clean(event.text), markup=False)
