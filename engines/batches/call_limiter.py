"""Where every call of a batch waits until it may begin."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from ...sessions.events import Failure
from .budget import Budget, OverBudget
from .outage import Outage
from .submitted_wave import SubmittedWave


class CallLimiter:
    """Limits when calls can start.

    No call starts while the batch is paused, while all places are taken, or beyond the
    budget. Call `turn` after changing places, hands, pause or limits.
    """

    def __init__(self, budget: Budget, places: int) -> None:
        self.budget = budget
        self.places = places
        """Calls at a time of each who makes events."""
        self.hands = 1
        """How many make events."""
        self.paused = False
        self.reached = False
        """The limit is reached: nothing more is asked."""
        self.enough = False
        """No further session starts; started sessions continue."""
        self.outage = Outage()
        """Whether a seat cannot be asked at all: then nothing more is asked."""
        self.on_turn: Callable[[], None] = lambda: None
        self.running = 0
        """Calls under way."""
        self.outside: SubmittedWave | None = None
        """What all lines wait for."""
        self.lost: list[tuple[str, Failure]] = []
        """What calls cost that were cut off while their lines waited: each with the id
        of its session.
        """
        self._changed = asyncio.Condition()

    @property
    def width(self) -> int:
        """Calls at a time in all."""
        return self.places * self.hands

    @property
    def open(self) -> bool:
        """Whether another session may begin as far as pause, budget and need go."""
        return not self.paused and not self.over

    @property
    def over(self) -> bool:
        """Whether no further session is to begin."""
        return self.reached or self.enough or self.out

    @property
    def out(self) -> bool:
        """Whether a seat failed permanently, so that no further calls are made."""
        return self.outage.failure is not None

    async def turn(self) -> None:
        """Wake all waiting calls to check the limits again."""
        async with self._changed:
            self.reached = self.reached and not self.budget.has_room(0)
            self._changed.notify_all()
        self.on_turn()

    async def goes_on(self) -> None:
        """Waits while the batch is paused."""
        async with self._changed:
            await self._changed.wait_for(lambda: not self.paused)

    @asynccontextmanager
    async def step(self) -> AsyncIterator[None]:
        """Around one step. Waits while the calls under way may use up what is left.

        Raises: OverBudget when nothing is left, or a seat failed for good.
        """
        async with self._changed:
            await self._changed.wait_for(self._decided)
            if self.out:
                raise OverBudget
            if self.reached or not self.budget.has_room(self.running):
                self.reached = True
                self._changed.notify_all()
                raise OverBudget
            self.running += 1
        try:
            yield
        finally:
            self.running -= 1
            async with self._changed:
                self._changed.notify_all()

    def _decided(self) -> bool:
        """Whether a call may begin, or never will."""
        if self.paused:
            return False
        return (
            self.reached
            or self.out
            or (
                self.running < self.width
                and (self.running == 0 or self.budget.has_room(self.running))
            )
        )
