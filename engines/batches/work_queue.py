"""Works off a list, as many at a time as a limiter has places."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from .budget import OverBudget
from .call_limiter import CallLimiter

Item = TypeVar("Item")


async def work_off(
    items: Iterable[Item],
    work: Callable[[Item], Awaitable[None]],
    limiter: CallLimiter,
) -> None:
    """A task for each item, until nothing is left or the run is over.

    None begins while the batch is paused.

    `work` raises OverBudget where the budget ends it: a larger one may still come, and
    then the item has its turn again.
    """
    todo, running = deque(items), set[asyncio.Task[None]]()
    ended: deque[asyncio.Task[None]] = deque()
    news = asyncio.Event()

    async def one(item: Item) -> None:
        try:
            await work(item)
        except OverBudget:
            todo.appendleft(item)

    def hear(task: asyncio.Task[None]) -> None:
        running.discard(task)
        ended.append(task)
        news.set()

    limiter.on_turn = news.set
    try:
        while todo or running:
            while todo and limiter.open and len(running) < limiter.width:
                task = asyncio.create_task(one(todo.popleft()))
                running.add(task)
                task.add_done_callback(hear)
            if not running and limiter.over:
                return
            await news.wait()
            news.clear()
            while ended:
                ended.popleft().result()
    finally:
        limiter.on_turn = lambda: None
        left = [*running]
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
