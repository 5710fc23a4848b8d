"""What the app says to the user, and what it does with a defect of its own: each is reported, and said where the app can go on."""

from __future__ import annotations

import asyncio
from typing import Any

from textual.app import App
from textual.notifications import SeverityLevel
from textual.worker import Worker, WorkerState

from ..sessions.clean import clean
from .texts import t

SEVERITY: dict[SeverityLevel, int] = {"information": 3, "warning": 6, "error": 10}
"""Seconds a message stays."""


class ReportingApp(App[None]):
    """Hears of every defect, in the background too."""

    def __init__(self) -> None:
        super().__init__()
        self.defects: list[BaseException] = []

    def say(self, message: str, severity: SeverityLevel = "information") -> None:
        """A message at the corner; never parsed as markup, and without control characters."""
        self.notify(clean(message), severity=severity, timeout=SEVERITY[severity], markup=False)

    def tell(self, error: BaseException) -> None:
        """A defect in the background: a message that names the report; the app goes on."""
        from ..sessions.crash import crash_report

        self.defects.append(error)
        self.say(t("app.error", why=type(error).__name__, path=crash_report(error) or "-"), "error")

    def hear_defects(self) -> None:
        """From here on the app hears of them.

        Textual tells of a worker's end only the widget or screen that started it. Of a task that nobody waits for asyncio prints the error,
        and with it what it says of the session.
        """
        Worker.StateChanged.bubble = True

        def stray(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
            from ..sessions.crash import crash_report, ours

            error = context.get("exception")
            if not isinstance(error, BaseException) or not ours(error):
                return
            if loop.is_closed() or not self.is_running:
                crash_report(error)
            else:
                self.tell(error)

        asyncio.get_running_loop().set_exception_handler(stray)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A defect in the background is said and reported; the app goes on."""
        error = event.worker.error
        if event.state is WorkerState.ERROR and error is not None:
            self.tell(error)

    def _fatal_error(self) -> None:
        """A defect that ends the app: one sentence and a private report instead of a traceback, which would hold the session's text."""
        from rich.text import Text

        from ..sessions.crash import crash_report

        error = self._exception
        where = crash_report(error) if error is not None else None
        self.panic(Text(t("app.crashed", why=type(error).__name__, path=where or "-")))
