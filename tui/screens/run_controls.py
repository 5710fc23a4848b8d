"""Leads a run from a screen: pause and go on, stop, another budget, more or fewer
sessions at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from textual.app import App

from ...engines.batches.orders import ControlOrder, give
from ...sessions.errors import BadInput
from ...texts import t
from .confirm import ConfirmScreen, LinePrompt
from .limits import budget_in_words, read_budget


class ControlledRun(Protocol):
    """How far a run is, and what limits it has."""

    folder: Path

    @property
    def alive(self) -> bool: ...

    @property
    def state(self) -> str: ...

    @property
    def concurrency(self) -> int: ...

    @property
    def budget_usd(self) -> float | None: ...

    @property
    def budget_tokens(self) -> int | None: ...

    def counts(self) -> Mapping[str, int]: ...


Now = Callable[[], ControlledRun]
"""How far a run is at the moment of asking: a question may stand for long."""


class RunControls:
    """Gives orders to whoever works on a run, after a question where one is needed.

    What was told to it is said in a sentence.
    """

    def __init__(self, app: App[Any], tell: Callable[[str], None]) -> None:
        self._app = app
        self._tell = tell

    def pause(self, now: Now) -> None:
        """Pauses, or goes on after a pause."""
        if now().state == "paused":
            self._order(now, ControlOrder(do="go-on"), "go_on")
        else:
            self._order(now, ControlOrder(do="pause"), "pause")

    def stop(self, now: Now) -> None:
        def answered(yes: bool | None) -> None:
            if yes:
                self._order(now, ControlOrder(do="stop"), "stop")

        if not self._nobody(now):
            question = t("follow.stop_question", running=now().counts()["running"])
            self._app.push_screen(
                ConfirmScreen(question, t("follow.stop_yes"), t("follow.stop_no")),
                answered,
            )

    def concurrency(self, now: Now) -> None:
        def answered(text: str | None) -> None:
            if text is None:
                return
            if text.isascii() and text.isdecimal() and 1 <= int(text) <= 1000:
                self._order(now, ControlOrder(concurrency=int(text)), "limits")
            else:
                self._tell(t("follow.concurrency_wrong"))

        if not self._nobody(now):
            self._app.push_screen(
                LinePrompt(t("follow.concurrency_question"), str(now().concurrency)),
                answered,
            )

    def budget(self, now: Now) -> None:
        def answered(text: str | None) -> None:
            if text is None:
                return
            order = read_budget(text)
            if order is None:
                self._tell(t("follow.budget_wrong"))
            else:
                self._order(now, order, "limits")

        if not self._nobody(now):
            run = now()
            limits = budget_in_words(run.budget_usd, run.budget_tokens)
            question = LinePrompt(t("follow.budget_question"), limits)
            self._app.push_screen(question, answered)

    def _nobody(self, now: Now) -> bool:
        """Says so where nobody would obey."""
        alive = now().alive
        if not alive:
            self._tell(t("follow.nobody"))
        return not alive

    def _order(self, now: Now, order: ControlOrder, what: str) -> None:
        if self._nobody(now):
            return
        try:
            give(now().folder, order)
        except BadInput as error:
            self._tell(str(error))
        else:
            self._tell(t("follow.sent", what=t(f"follow.sent_{what}")))
