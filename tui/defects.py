"""Handling of defects of the app: each is reported, and the message says whether the
app can continue.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.worker import Worker

from ..texts import t

if TYPE_CHECKING:
    from .host import Host


class Defects:
    """Keeps and reports the defects of a running app."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.seen: list[BaseException] = []

    def report(self, error: BaseException) -> None:
        """Shows a message that names the report of a defect; the app continues.

        What the machine lacks is no defect.
        """
        from ..sessions.crash import crash_report
        from ..sessions.errors import machine_fault

        fault = machine_fault(error)
        if fault is not None:
            self._host.say(fault, "error")
            return
        self.seen.append(error)
        self._host.say(
            t("app.error", why=type(error).__name__, path=crash_report(error) or "-"),
            "error",
        )

    def listen(self, running: Callable[[], bool]) -> None:
        """Handles every defect from now on; after `running` returns False they are only
        reported.

        Textual reports the end of a worker only to the widget or screen that started
        it. asyncio prints the error of a task that is not awaited, and with it text of
        the session.
        """
        Worker.StateChanged.bubble = True

        def stray(loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
            from ..sessions.crash import crash_report, ours

            error = context.get("exception")
            if not isinstance(error, BaseException) or not ours(error):
                return
            if loop.is_closed() or not running():
                crash_report(error)
            else:
                self.report(error)

        asyncio.get_running_loop().set_exception_handler(stray)


def last_words(error: BaseException | None) -> str:
    """Writes a private report of the defect that ends the app, and returns a sentence
    about it.

    A traceback would show the session's text.
    """
    from ..sessions.crash import crash_report

    where = crash_report(error) if error is not None else None
    return t("app.crashed", why=type(error).__name__, path=where or "-")
