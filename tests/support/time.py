"""Times for tests, in place of waiting."""

from __future__ import annotations

import asyncio
import math

from verifytui.engines.models.pacing import Clock


class Hurried(Clock):
    """Runs a thousand times as fast as the machine's."""

    def now(self) -> float:
        return super().now() * 1000

    async def wait(self, news: asyncio.Event, seconds: float) -> None:
        await super().wait(news, seconds / 1000)


class SetTime(Clock):
    """Stands still until `go_on`. Whoever waits is woken when the time has come."""

    def __init__(self) -> None:
        self.time = 0.0
        self._sleepers: list[tuple[float, asyncio.Event]] = []

    def now(self) -> float:
        return self.time

    async def wait(self, news: asyncio.Event, seconds: float) -> None:
        self._sleepers.append((self.time + seconds, news))
        await news.wait()

    @property
    def next_at(self) -> float:
        """When somebody's time comes; infinite where nobody waits for the time."""
        return min((at for at, _ in self._sleepers), default=math.inf)

    async def go_on(self, seconds: float) -> None:
        """Lets so many seconds pass, moment by moment."""
        end = self.time + seconds
        await self.settle()
        while self.next_at <= end:
            self.time = max(self.time, self.next_at)
            due = [news for at, news in self._sleepers if at <= self.time]
            self._sleepers = [one for one in self._sleepers if one[0] > self.time]
            for news in due:
                news.set()
            await self.settle()
        self.time = end

    async def settle(self) -> None:
        """Lets all tasks run as far as they can without the time."""
        for _ in range(20):
            await asyncio.sleep(0)
