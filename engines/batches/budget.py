"""The hard limit of a batch: no call is begun that would, by what calls have cost so far, lead past it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ...sessions.session import Totals


class OverBudget(Exception):
    """The limit is reached; nothing more is asked."""


class Budget:
    """Counts what a batch has spent, earlier runs included, and lets calls begin while there is room."""

    def __init__(self, tokens: int | None, usd: float | None, *, likely_tokens: float = 0.0, likely_usd: float = 0.0) -> None:
        """`likely_…`: what one call may cost before the first one has told."""
        self.tokens = 0
        self.usd = 0.0
        self.reached = False
        self._limits = (tokens, usd)
        self._likely = (likely_tokens, likely_usd)
        self._calls = 0
        self._running = 0
        self._changed = asyncio.Condition()

    def add(self, spent: Totals) -> None:
        """Adds what a call cost. An unknown cost counts as a likely one: a limit must not be passed by not knowing."""
        self.tokens += round(self._one(0)) if spent.tokens is None else spent.tokens
        self.usd += self._one(1) if spent.cost is None else spent.cost
        self._calls += 1

    @asynccontextmanager
    async def step(self) -> AsyncIterator[None]:
        """Around one step. Waits while the calls under way may use up what is left; OverBudget when nothing is left."""
        if self._limits == (None, None):
            yield
            return
        async with self._changed:
            await self._changed.wait_for(lambda: self.reached or self._running == 0 or self._room())
            if self.reached or not self._room():
                self.reached = True
                self._changed.notify_all()
                raise OverBudget
            self._running += 1
        try:
            yield
        finally:
            self._running -= 1
            async with self._changed:
                self._changed.notify_all()

    def _room(self) -> bool:
        for which, (limit, spent) in enumerate(zip(self._limits, (self.tokens, self.usd), strict=True)):
            if limit is not None and spent + self._running * self._one(which) >= limit:
                return False
        return True

    def _one(self, which: int) -> float:
        """What one call costs on average; before the first, what is likely."""
        return (self.tokens, self.usd)[which] / self._calls if self._calls else self._likely[which]
