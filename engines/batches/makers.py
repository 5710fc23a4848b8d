"""Who makes the next events of a batch's sessions: this process, or somebody else for it. The folder stays with the runner."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Protocol

from ...sessions.events import Event
from ...sessions.journal import Journal
from ...sessions.session import Session
from ..models.port import Models, Part
from ..step import Engine, step
from .batch import Batch
from .lines import Line
from .sharing import Sharing
from .turnstile import Turnstile


class Later(Exception):
    """The next event of a session cannot be made yet: its line is to have another turn. Nothing was asked and nothing is kept."""


class Maker(Protocol):
    """Makes the events of one session, one after another."""

    @property
    def engine(self) -> Engine:
        """Says whether the session is finished, and whether its next event asks a model."""
        ...

    def step(self, journal: Journal) -> AsyncGenerator[Part | Event, None]:
        """As `engines.step.step`: parts as they come, then the event, which is on disk before it is yielded. Raises: Later."""
        ...


class Makers(Protocol):
    """Makes the events of many sessions."""

    def maker(self, batch: Batch, line: Line, session: Session) -> Maker:
        """Who makes the events of this session of the batch."""
        ...

    async def again(self, turnstile: Turnstile) -> bool:
        """Is called when every line has had its turn: True if the lines whose events came `Later` are to have another one."""
        ...

    async def close(self) -> None:
        """Lets go of processes and connections."""
        ...


@dataclass(frozen=True)
class Local:
    """Makes the events of one session in this process."""

    engine: Engine
    models: Models

    def step(self, journal: Journal) -> AsyncGenerator[Part | Event, None]:
        """See `Maker`."""
        return step(journal, self.engine, self.models)


class Here:
    """Makes all events in this process."""

    def maker(self, batch: Batch, line: Line, session: Session) -> Local:
        """See `Makers`."""
        from ..models.desk import Desk

        method, tools = batch.method, batch.tools
        desk = Desk(lambda: session, tools.config, env=os.environ, builtins=method.models(session.header, tools), stream=False)
        models = desk if batch.repeats is None else Sharing(desk, session, batch.repeats.get(line.id, 0))
        return Local(method.engine(session.header, tools), models)

    async def again(self, turnstile: Turnstile) -> bool:
        """See `Makers`. Nothing comes later here."""
        return False

    async def close(self) -> None:
        """See `Makers`."""
