"""A method at work on the session that a workspace shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..engines.method import Method
    from ..engines.models.port import Message, Model
    from ..engines.settings import Settings
    from ..engines.step import Engine, NextStep
    from ..engines.tools import Tools
    from ..sessions.events import Event
    from ..sessions.session import Session
    from .play import Play


class SessionMethod:
    """The port of a method, with the tools of one session.

    The engine is made with the first step.
    """

    def __init__(self, method: Method, play: Play, tools: Tools) -> None:
        self.tools = tools
        self._method = method
        self._play = play
        self._engine: Engine | None = None

    @property
    def settings(self) -> Settings:
        """The settings of such a session at its start."""
        return self._method.settings

    def engine(self) -> Engine:
        """Returns the engine that makes the next event."""
        if self._engine is None:
            self._engine = self._method.engine(self._play.session.header, self.tools)
        return self._engine

    def builtins(self) -> Mapping[str, Model]:
        """Returns the built-in models that may be asked, by name."""
        return self._method.models(self._play.session.header, self.tools)

    def unscripted(self) -> str | None:
        """Returns why the built-in script has no lines for this session; None where it
        has.
        """
        return self._method.unscripted(self._play.session.header)

    def upcoming(self, session: Session) -> NextStep | None:
        """Returns the next step; None where the session is finished."""
        return self._method.upcoming(
            session, self.tools if session is self._play.session else None
        )

    def asked(self, session: Session, number: int) -> list[Message] | None:
        """Returns the messages that event `number` answers; None where they are not
        known.

        Raises:
            BadInput: they cannot be made again, because something they were made from
            is gone.
        """
        return self._method.asked(session, number, self.tools)

    def roles(self, session: Session) -> list[str]:
        """Returns the roles that are asked, in order."""
        return self._method.roles_of(session)

    def empty_seats(self, session: Session) -> list[str]:
        """Roles without a model that a person can take."""
        return self._method.empty_seats(session)

    def progress(self, session: Session) -> tuple[int, int] | None:
        """Returns the part that a session is at and how many there are at most; None
        where it has no parts.
        """
        return self._method.progress(
            session, self.tools if session is self._play.session else None
        )

    def ends_part(self, event: Event) -> bool:
        """Whether a round, an iteration or a candidate ends with this event."""
        return self._method.ends_part(event)

    def waits_for_person(self, session: Session) -> bool:
        """Whether the session waits for a decision of the user."""
        return self._method.waits_for_person(session)

    async def prepare(self, session: Session) -> None:
        """Loads what the next event needs and what may take time."""
        await self._method.prepare(session, self.tools)

    def close(self) -> None:
        """Lets go of what the session had open."""
        self.tools.close()
