"""The functions of the package for code without an event loop: scripts and notebooks,
also where a loop runs already.

They run in one loop of their own, in a thread beside the caller's.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable, Coroutine
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def blocking(function: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """The same function, which returns when the work is done.

    Ctrl+C stops the work; what it cost is kept first.
    """

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        ended = threading.Event()

        async def work() -> T:
            try:
                return await function(*args, **kwargs)
            finally:
                ended.set()

        future = asyncio.run_coroutine_threadsafe(work(), _loop())
        try:
            return future.result()
        except KeyboardInterrupt:
            if future.cancel():
                ended.wait(10)
            raise

    return call


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """The loop of these functions, which runs as long as the process."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="verifytui", daemon=True).start()
    return loop


if TYPE_CHECKING:
    import verifytui

    ask = blocking(verifytui.ask)
    batch = blocking(verifytui.batch)
    compare = verifytui.compare
    debate = blocking(verifytui.debate)
    frames = verifytui.frames
    grade = blocking(verifytui.grade)
    load = verifytui.load
    rank = blocking(verifytui.rank)
    relevance = blocking(verifytui.relevance)
    resume = blocking(verifytui.resume)
    solo = blocking(verifytui.solo)
else:

    def __getattr__(name: str) -> Callable[..., Any]:
        """A function of the package, blocking; one that needs no loop as it is."""
        if name.startswith("_"):
            raise AttributeError(name)
        import verifytui

        function: Callable[..., Any] = getattr(verifytui, name)
        if inspect.iscoroutinefunction(function):
            return blocking(function)
        return function


def __dir__() -> list[str]:
    """The functions, for completion."""
    import verifytui

    return [
        name
        for name in dir(verifytui)
        if name.islower() and name not in ("sync", "__version__")
    ]
