"""What the parts of a workspace share: the app, and the runner with its session."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, Protocol

from ...sessions.errors import BadInput
from ...texts import t
from ..runner import SessionRunner, Until
from ..showing import clean, clean_line
from ..wording import BUILT_IN
from .undo import Undo

if TYPE_CHECKING:
    from ...sessions.session import Session
    from ..host import Host
    from ..method import SessionMethod
    from ..play import Play


class View(Protocol):
    """The widget that shows the session."""

    async def open(self, play: Play) -> None:
        """Shows another session."""

    async def refresh_view(self) -> None:
        """Brings everything on screen to the cursor."""

    def focus_words(self) -> None:
        """Gives the keys to what is read."""

    def scroll_text(self, *, to_end: bool) -> bool:
        """Scroll the full-height text to its beginning or end; False if there is
        none.
        """
        ...

    def scroll_to_end(self) -> None:
        """Shows the last lines of what is read."""

    def show_hit(self, wanted: re.Pattern[str] | None, number: int = 0) -> None:
        """Marks what a search has found, and brings hit `number` of the event at the
        cursor into sight; None: the search is over.
        """

    def ask_user(self) -> None:
        """Asks the user for the decision that the session waits for."""

    def started(self) -> None:
        """A run has started."""


class SessionContext:
    """An open session with all that is needed to work on it."""

    def __init__(self, tab: str, host: Host, runner: SessionRunner, view: View) -> None:
        """`tab` is the section of the workspace's texts."""
        self.tab = tab
        self.host = host
        self.runner = runner
        self.view = view
        self.undo = Undo(
            lambda: (
                (self.play.scope or self.play.session.header.id)
                if self.play is not None
                else ""
            ),
            host.say,
        )

    @property
    def play(self) -> Play | None:
        return self.runner.play

    @property
    def method(self) -> SessionMethod | None:
        return self.runner.method

    def phrase(self, key: str, **values: object) -> str:
        """Returns a sentence of this workspace's texts."""
        return t(f"{self.tab}.{key}", **values)

    def say(
        self,
        key: str,
        severity: Literal["information", "warning"] = "warning",
        **values: object,
    ) -> None:
        """Shows a sentence of this workspace's texts."""
        self.host.say(self.phrase(key, **values), severity)

    def refuse(self, error: Exception) -> None:
        """Shows why something could not be done."""
        self.host.say(clean(str(error)), "error")

    @property
    def open(self) -> bool:
        """Whether a session is open in which nothing runs."""
        return self.play is not None and not self.runner.running

    @property
    def free_here(self) -> bool:
        """Whether nothing runs at the place that is on screen, as `working_here` has
        it, without a message.
        """
        return self.play is not None and not (self.play.at_end and self.runner.running)

    @property
    def changeable(self) -> bool:
        """Whether settings and models can be changed now, as `fixed` has it, without a
        message.
        """
        return self.method is not None and (self.runner.live or self.open)

    def busy(self) -> bool:
        """True where nothing is open, or, with a message, while something runs."""
        if self.runner.running:
            self.say("running")
        return self.runner.running or self.play is None

    def fixed(self) -> bool:
        """True where no setting and no model can be changed now: while a recording
        plays, and, with a message, in a session that this version cannot take further.
        """
        if self.play is not None and self.method is None:
            self.say_unknown(self.play.session)
            return True
        return not self.runner.live and self.busy()

    def working_here(self) -> bool:
        """True where nothing is open, or, with a message, while something runs at the
        place that is on screen.
        """
        return self.play is None or (self.play.at_end and self.busy())

    def say_unknown(self, session: Session) -> None:
        """Says that the session cannot continue because its method is unknown."""
        self.host.say(
            t("play.unknown_method", name=clean_line(session.method)),
            "warning",
        )

    def roles(self, session: Session) -> list[str]:
        """Returns the roles that are asked in a session; of an unknown method those
        that have a seat.
        """
        if self.method is not None:
            return self.method.roles(session)
        return [*session.header.lineup]

    def warm_models(self) -> None:
        """Loads LiteLLM in the background if a role has a language model."""
        play = self.play
        if play is not None and play.journal.writable and not play.finished:
            roles = dict.fromkeys(
                (*play.session.header.lineup, *self.roles(play.session))
            )
            _warm(seat.model for _, seat in play.session.seated([*roles]))

    def warm_configured(self) -> None:
        """The same where the user's configuration seats one, before the session begins:
        a form takes as long to fill in as that takes.
        """
        config = self.host.config
        _warm(
            [
                config.model,
                *(
                    model
                    for lineup in config.lineup.values()
                    for model in lineup.values()
                ),
            ]
        )

    def start(self, until: Until) -> None:
        """Goes on, or says why not."""
        hindrance = self.runner.start(until)
        if not hindrance:
            self.view.started()
        elif hindrance == "person":
            self.view.ask_user()
        elif hindrance == "unknown" and self.play is not None:
            self.say_unknown(self.play.session)
        elif hindrance != "nothing":
            self.say(hindrance)

    async def look(self, cursor: int) -> None:
        """Shows the session as it was after event `cursor`.

        A recording that plays stops there; a live run continues.
        """
        await self.runner.look(cursor)

    async def look_at_end(self) -> None:
        """Shows the session after its last event."""
        if self.play is not None:
            await self.look(len(self.play.session.events))

    async def fork(self, number: int, why: str, **changed: object) -> bool:
        """Opens a fork that shares the events up to `number`; False, with a message,
        where it cannot be made.
        """
        assert self.play is not None
        try:
            fork = self.play.fork(self.host.library, number, why, **changed)
        except BadInput as error:
            self.refuse(error)
            return False
        await self.view.open(fork)
        self.say(f"forked_{why}", "information", n=number)
        return True


def _warm(models: Iterable[str | None]) -> None:
    """Begins to load LiteLLM where one of these is no built-in and no command."""
    from ...engines.models.lineup import is_command

    if any(
        model and model not in BUILT_IN and not is_command(model) for model in models
    ):
        from ...engines.models.litellm_loading import warm

        warm()
