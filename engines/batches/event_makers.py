"""Creates the next events of a batch's sessions, here or in other processes.

The runner alone writes to the folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ...sessions.journal import Journal
from ...sessions.session import Session
from ..models.port import ModelCall, Models
from ..step import Engine, Parts, step
from .batch import Batch
from .call_limiter import CallLimiter
from .estimate import CallPrices, CostEstimate, prices_of
from .lines import BatchLine
from .shared_calls import SharedModels

if TYPE_CHECKING:
    from ..models.config import Config
    from ..models.litellm_door import Sending


class EventMaker(Protocol):
    """Makes the events of one session, one after another."""

    @property
    def engine(self) -> Engine:
        """Says whether the session is finished, and whether its next event asks a
        model.
        """
        ...

    def step(self, journal: Journal) -> Parts:
        """As `engines.step.step`: parts as they come, then the event, which is on disk
        before it is yielded. A call that was lost on the way may be before it, as a
        `failure`. Raises: Later, WorkersGone.
        """
        ...


class EstimateNote(NamedTuple):
    """What an estimate says about the event makers."""

    as_json: dict[str, Any] = {}
    in_words: str = ""
    """Whole lines."""


class EventMakers(Protocol):
    """Makes the events of many sessions."""

    @property
    def keyed(self) -> bool:
        """Whether models are asked with the keys of this process."""
        ...

    def check(self, batch: Batch) -> None:
        """Raises: BadInput where the events of this batch cannot be made so.

        Nothing is written.
        """
        ...

    async def prices(self, config: Config, sessions: Sequence[Session]) -> CallPrices:
        """Return the prices of these sessions' calls, where they are made."""
        ...

    def maker(self, batch: Batch, line: BatchLine, session: Session) -> EventMaker:
        """Return the maker of the events of this session."""
        ...

    async def open(self, limiter: CallLimiter, say: Callable[[str], None]) -> None:
        """Called before the first line, only if there is work, and in a study several
        times: starts or joins what is needed, and sets `limiter.hands` to the number of
        event makers. Raises: BadInput.
        """
        ...

    async def again(self, limiter: CallLimiter) -> bool:
        """Is called when every line has had its turn: True if the lines whose events
        came `Later` are to have another one.
        """
        ...

    def note(self, estimate: CostEstimate) -> EstimateNote:
        """Return the note for an estimate."""
        ...

    async def close(self) -> None:
        """Lets go of processes and connections."""
        ...


@dataclass(frozen=True)
class LocalMaker:
    """Makes the events of one session in this process."""

    engine: Engine
    models: Models

    def step(self, journal: Journal) -> Parts:
        """See `EventMaker`."""
        return step(journal, self.engine, self.models)


def search_costs(session: Session) -> bool:
    """Whether models are asked when this session looks something up: then each of its
    steps is counted as a call.
    """
    settings = session.header.settings
    return any(settings.get(name) for name in ("embed", "rerank")) or settings.get(
        "search"
    ) in ("dense", "hybrid")


def models_of(
    batch: Batch,
    line: BatchLine,
    session: Session,
    *,
    retries: int | None = None,
    sending: Callable[[ModelCall], Sending] | None = None,
) -> Models:
    """Whom a session of the batch asks. `retries` and `sending` as for `Desk`."""
    from ..models.desk import Desk

    builtins = batch.method.models(session.header, batch.tools)
    desk = Desk(
        lambda: session,
        batch.tools.config,
        env=os.environ,
        builtins=builtins,
        stream=False,
        retries=retries,
        sending=sending,
    )
    if batch.repeats is None:
        return desk
    return SharedModels(desk, session, batch.repeats.get(line.id, 0))


class LocalMakers:
    """Makes all events in this process."""

    keyed = True

    def check(self, batch: Batch) -> None:
        """See `EventMakers`."""

    async def prices(self, config: Config, sessions: Sequence[Session]) -> CallPrices:
        """See `EventMakers`."""
        return await prices_of(config, sessions)

    def maker(self, batch: Batch, line: BatchLine, session: Session) -> LocalMaker:
        """See `EventMakers`."""
        return LocalMaker(
            batch.method.engine(session.header, batch.tools),
            models_of(batch, line, session),
        )

    async def open(self, limiter: CallLimiter, say: Callable[[str], None]) -> None:
        """See `EventMakers`."""

    async def again(self, limiter: CallLimiter) -> bool:
        """See `EventMakers`. Nothing comes later here."""
        return False

    def note(self, estimate: CostEstimate) -> EstimateNote:
        """See `EventMakers`. Nothing is reported."""
        return EstimateNote()

    async def close(self) -> None:
        """See `EventMakers`."""
