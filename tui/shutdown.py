"""How the app ends: what runs is stopped first, so that what it cost is on disk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from typing import Any, Protocol

from textual.app import ScreenError
from textual.css.query import NoMatches
from textual.message_pump import MessagePump
from textual.widget import MountError

from .terminal.compat import OpenApp, driver_of, mounted
from .terminal.driver import TerminalDriver
from .terminal.typeahead import TypeAhead, passed

REST = 0.5
"""Seconds that the app waits at most for what is being drawn."""

TAKEN_DOWN = (MountError, NoMatches, ScreenError)
"""How Textual reports that a widget or a screen no longer exists."""


class Closable(Protocol):
    """What has to be closed before the app ends."""

    @property
    def running(self) -> bool: ...

    async def close(self) -> None: ...


class Shutdown:
    """Ends the app: after a question where something runs, or at once where a signal
    says so.
    """

    def __init__(
        self,
        app: OpenApp,
        typeahead: TypeAhead,
        open_now: Callable[[], Iterable[Closable]],
    ) -> None:
        """`open_now` returns what must be closed: the session on screen, and those in
        the background.
        """
        self._app = app
        self._typeahead = typeahead
        self._open_now = open_now

    def begin(
        self, sure: Callable[[], Coroutine[Any, Any, bool | None]], unsent: bool = False
    ) -> None:
        """Leaves; `sure` asks the user where something runs, or where something was
        written and is `unsent`.
        """

        async def leave() -> None:
            if (
                not (unsent or any(each.running for each in self._open_now()))
                or await sure()
            ):
                await self.leave(0)

        self._run(leave())

    async def leave(self, code: int) -> None:
        """Stops what runs, so that what it cost is on disk, and ends the app with this
        exit code.
        """
        if self._typeahead.closed:
            return
        self._typeahead.closed = True
        try:
            closed = await asyncio.gather(
                *(each.close() for each in self._open_now()), return_exceptions=True
            )
            await self._come_to_rest()
            for error in closed:
                if isinstance(error, BaseException):
                    raise error
        finally:
            self._app.exit(return_code=code)

    def caused(self, error: Exception) -> bool:
        """Whether something fails only because the screen is being taken down."""
        return self._app.exits and isinstance(error, TAKEN_DOWN)

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        self._app.run_worker(work, group="quit", exit_on_error=False)

    async def _come_to_rest(self) -> None:
        """Waits until all work started on the screen is done, at most `REST` seconds.

        After `exit`, Textual mounts no widgets, so unfinished work would fail.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(REST):
                await self._typeahead.last_key_given()
                await passed(self._app)
                await asyncio.gather(*(_rested(node) for node in self._app.nodes))
                await passed(self._app)

    # Called by the watchdog, in its thread

    def asked_to_leave(self, code: int) -> bool:
        """Has the event loop end the app, without a question.

        False where there is no loop yet, or none any more.
        """
        loop = self._app.event_loop
        if loop is None:
            return False
        try:
            loop.call_soon_threadsafe(lambda: self._run(self.leave(code)))
        except RuntimeError:  # closed
            return False
        return True

    def let_go(self) -> None:
        """Stops waiting for a terminal that is gone or takes no output."""
        driver = driver_of(self._app)
        if isinstance(driver, TerminalDriver):
            driver.let_go()


async def _rested(node: MessagePump) -> None:
    if node.is_running:
        await mounted(node)
        await passed(node)
