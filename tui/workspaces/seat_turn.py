"""A person's turn: the form in which they are asked, from its coming to their
answer.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Protocol

from textual.widget import Widget

from ...texts import t
from .. import actions
from ..runner import SeatQuestion

if TYPE_CHECKING:
    from ...engines.models.port import ModelCall
    from ..screens.docked_form import DockedForm
    from .form_host import FormHost
    from .session_context import SessionContext


class SeatForm(Protocol):
    """What a workspace asks a person, and does with what they say."""

    def form_for(self, call: ModelCall) -> DockedForm:
        """Returns the form in which the user answers for a seat named human."""
        ...

    def decision(self) -> DockedForm | None:
        """Returns the form for the decision that the session waits for."""
        ...

    async def decided(self, words: str) -> None:
        """Takes the decision."""


class SeatTurn:
    """The form of a workspace, who has the keys, and where an answer goes."""

    def __init__(
        self, bench: SessionContext, dock: FormHost, tab: Widget, view: SeatForm
    ) -> None:
        """`tab` contains the form, `view` describes the request."""
        self._bench = bench
        self._dock = dock
        self._tab = tab
        self._view = view

    async def tend(self) -> None:
        """Shows the form of the person who is asked, or takes it away."""
        question, play = self._bench.runner.question, self._bench.play
        if question is not None and play is not None:
            key = (play.session.header.id, question.call.role, len(play.session.events))
            await self._show_form(
                question, key, lambda: self._view.form_for(question.call)
            )
        elif isinstance(self._dock.about, SeatQuestion):
            await self._clear_form()

    async def decide(self) -> None:
        """Asks the user for the decision that the session waits for."""
        form, play = self._view.decision(), self._bench.play
        if (
            form is not None
            and play is not None
            and self._bench.runner.waits_for_person()
        ):
            await self._show_form(
                play,
                (play.session.header.id, "decision", len(play.session.events)),
                lambda: form,
            )

    async def _show_form(
        self, about: object, key: Hashable, make: Callable[[], DockedForm]
    ) -> None:
        def with_keys() -> DockedForm:
            form = make()
            form.switch = actions.first(self._bench.host.keys_of, "write")
            return form

        await self._dock.show(about, key, with_keys)
        if self._can_take_keys():
            self.take_keys()
        self._bench.host.say_place()

    async def _clear_form(self) -> None:
        had_keys = self._dock.has_keys
        await self._dock.clear()
        if had_keys:
            self._bench.view.focus_words()
        self._bench.host.say_place()

    def _can_take_keys(self) -> bool:
        """Whether this tab is in front, and nothing is being typed elsewhere."""
        shown = all(
            node.display
            for node in self._tab.ancestors_with_self
            if isinstance(node, Widget)
        )
        return shown and not self._tab.query("SearchBar")

    def take_keys(self) -> None:
        """Gives the keys to the form where there is one, else to what is read.

        A form that is about to come takes them then.
        """
        form = self._dock.form
        if form is None:
            self._bench.view.focus_words()
        elif form.is_mounted:
            form.take_keys()

    def can_write(self) -> bool:
        return self._dock.form is not None or (
            self._bench.runner.waits_for_person() and not self._bench.runner.running
        )

    def do_write(self) -> None:
        """Goes from what is read to the form, and back; where a decision waits its form
        comes.
        """
        if self._dock.has_keys:
            self._bench.view.focus_words()
        elif self._dock.form is not None:
            self.take_keys()
        elif self._bench.runner.waits_for_person() and not self._bench.runner.running:
            self._bench.view.ask_user()
        else:
            self._bench.host.say(t("docked.nothing"), "information")

    async def sent(self, event: DockedForm.Sent) -> None:
        """Passes on what the person has said."""
        if event.form is not self._dock.form:
            return
        about = self._dock.about
        if isinstance(about, SeatQuestion):
            about.answer(event.words)
            return
        await self._clear_form()
        if self._bench.runner.waits_for_person() and not self._bench.runner.running:
            await self._view.decided(event.words)

    async def left(self, event: DockedForm.Left) -> None:
        """Leaves the turn for later; what is written is kept."""
        if event.form is not self._dock.form:
            return
        if event.form.changed:
            self._bench.host.say(t("docked.kept"), "information")
        about = self._dock.about
        if isinstance(about, SeatQuestion):
            about.answer(None)
        else:
            await self._clear_form()
