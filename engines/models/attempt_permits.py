"""The turn of one attempt: waits until the limits of its model let it begin, and gives
the place back.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

from ...sessions.events import Usage
from .calls import Target
from .pacing import Pacing, Ticket, here
from .port import ModelError, Waiting

LEAST = 0.01
"""Seconds. A shorter wait is none."""
SILENT = 1.0
"""Seconds. Of a shorter wait nothing is reported."""


class AttemptPermit:
    """The permit of one attempt.

    The caller calls `end` when the attempt is over, whatever happened.
    """

    def __init__(self, pacing: Pacing, target: Target, tokens: int) -> None:
        """`tokens`: how many it will about take, in and out."""
        self._pacing, self._target, self._tokens = pacing, target, tokens
        self._ticket: Ticket | None = pacing.at_once(
            target.paced_as, target.pace, tokens
        )
        self.waits = self._ticket is None
        """The attempt may not begin before `come` is over."""
        self.waited = 0.0
        """Seconds that it has waited."""

    async def come(self, role: str, attempt: int) -> AsyncGenerator[Waiting, None]:
        """Waits for the turn; yields a part where that takes a while."""
        target = self._target
        entering = asyncio.ensure_future(
            self._pacing.enter(target.paced_as, target.pace, self._tokens)
        )
        try:
            done, _ = await asyncio.wait({entering}, timeout=SILENT)
            if not done:
                seconds = self._pacing.likely(target.paced_as) or 0.0
                yield Waiting(
                    role,
                    seconds,
                    attempt,
                    "limit",
                    f"Waiting for the rate limit of {target.called}.",
                    target.called,
                )
            self._ticket = await entering
            self.waited = (
                round(self._ticket.waited, 3) if self._ticket.waited >= LEAST else 0.0
            )
        finally:
            if self._ticket is None:
                entering.cancel()
                await asyncio.gather(entering, return_exceptions=True)
                # its turn came just then
                if not entering.cancelled() and entering.exception() is None:
                    self._pacing.leave(entering.result(), 0)

    async def again(self) -> None:
        """The attempt sends another request, as the server refused the form of the last
        one: waits until it may begin.
        """
        ticket, self._ticket = self._ticket, None
        if ticket is not None:
            self._pacing.leave(ticket, 0)
            self._ticket = await self._pacing.enter(
                self._target.paced_as, self._target.pace, self._tokens
            )

    async def refused(self, error: ModelError) -> bool:
        """The provider takes no more calls for now; True if that slows the model
        down.
        """
        ticket, self._ticket = self._ticket, None
        return ticket is not None and await self._pacing.refuse(
            ticket, error.retry_after or 0.0
        )

    def end(self, usage: Usage | None) -> None:
        """End the attempt. `usage`: the tokens it used."""
        ticket, self._ticket = self._ticket, None
        if ticket is not None:
            known = (
                usage is not None
                and usage.input is not None
                and usage.output is not None
            )
            self._pacing.leave(
                ticket,
                (usage.input or 0) + (usage.output or 0)
                if usage is not None and known
                else None,
            )


@asynccontextmanager
async def in_turn(target: Target, tokens: int) -> AsyncIterator[list[Usage | None]]:
    """Around a call of an embedding or reranking model, which begins when it may.

    Append what it has used to the list.
    """
    used: list[Usage | None] = []
    turn = AttemptPermit(here(), target, tokens)
    try:
        if turn.waits:
            async for _ in turn.come("", 1):
                pass
        yield used
    except ModelError as error:
        if error.kind == "rate-limit":
            await turn.refused(error)
        raise
    finally:
        turn.end(used[-1] if used else None)
