"""Runs work in threads that neither block the event loop nor delay the exit."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

Result = TypeVar("Result")


def _begin(run: Callable[[], None]) -> None:
    threading.Thread(target=run, name="verifytui-work", daemon=True).start()


async def in_thread(
    work: Callable[[], Result], begin: Callable[[Callable[[], None]], None] = _begin
) -> Result:
    """Returns or raises what `work` does.

    When cancelled, it does not wait: `work` must notice by itself that it is no longer
    needed. `begin` starts it in another thread than a new one.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Result] = loop.create_future()

    def give(result: Result) -> None:
        if not future.done():
            future.set_result(result)

    def fail(error: BaseException) -> None:
        if not future.done():
            future.set_exception(error)

    def run() -> None:
        with suppress(RuntimeError):  # that loop is closed: nobody waits any more
            try:
                result = work()
            except BaseException as error:
                loop.call_soon_threadsafe(fail, error)
            else:
                loop.call_soon_threadsafe(give, result)

    begin(run)
    return await future
