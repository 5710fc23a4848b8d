"""Makes the next event of a session and keeps it: the one loop behind the screen, the
headless run and the batch.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Protocol

import msgspec

from ..sessions.events import Event, Failure, Usage
from ..sessions.session import Session
from .models.port import ModelError, Models, Part

Parts = AsyncGenerator[Part | Event, None]
"""Parts as they come, then the event of a step."""


class NextStep(Protocol):
    """The next step of a session."""

    @property
    def what(self) -> str:
        """The kind of the step."""
        ...

    @property
    def role(self) -> str:
        """The role that is asked; "" where nobody is: the step is computed or
        searched.
        """
        ...


class Engine(Protocol):
    """A method: looks at a session so far and makes the next event."""

    def advance(self, session: Session, models: Models) -> Parts:
        """Yields parts as they come and then one event, not yet numbered.

        Yields nothing when the session is finished.
        """
        ...

    def finished(self, session: Session) -> bool: ...

    def asks(self, session: Session) -> bool:
        """True if the next event needs a model; False if it is computed, or there is
        none.
        """
        ...


class Keeping(Protocol):
    """A session and whoever keeps its next event; `sessions.journal.Journal` is one."""

    session: Session

    def append(self, event: Event) -> Event: ...


async def step(journal: Keeping, engine: Engine, models: Models) -> Parts:
    """One step: parts as they come, then the event, which is on disk before it is
    yielded.

    A failed call yields its `Failure` as the event. A cancelled one is stored the same
    way unless it cost nothing, and the cancellation continues.
    """
    try:
        async with aclosing(engine.advance(journal.session, models)) as parts:
            async for part in parts:
                if isinstance(part, Event):
                    part = journal.append(part)
                    models.take_spent()
                yield part
    except ModelError as error:
        spent = (
            models.take_spent()
        )  # of all that were asked; the error says what came of it
        told = (
            None
            if spent is None
            else msgspec.structs.replace(spent, kind=error.kind, message=str(error))
        )
        yield journal.append(told or _failure(error))
    except (asyncio.CancelledError, GeneratorExit):
        lost = models.take_spent()
        if lost is not None and not (
            lost.kind == "cancelled"
            and lost.usage == Usage(input=0, output=0)
            and lost.cost == 0
        ):
            journal.append(lost)
        raise


def _failure(error: ModelError) -> Failure:
    """Of a step in which no seat was asked.

    It cost nothing, unless a model was asked beside the seats.
    """
    failure = Failure(role=error.role, kind=error.kind, message=str(error))
    if error.asked:
        return failure
    return msgspec.structs.replace(
        failure, usage=Usage(input=0, output=0), cost=0.0, attempts=0
    )
