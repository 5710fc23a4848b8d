"""Leads a run from a screen: pause and continue, stop, another budget, more or fewer
sessions at a time.
"""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from textual.app import App

from ...engines.batches.orders import ControlOrder, give
from ...sessions.errors import BadInput
from ...texts import t
from .confirm import ConfirmScreen, LinePrompt
from .place import Place

_DOLLARS = re.compile(
    r"[$\uff04]?\s*([\d.,\uff0c]+)\s*(?:usd|dollars?|美元|\$)?", re.IGNORECASE
)
_TOKENS = re.compile(r"([\d,\uff0c]+)\s*(k|m)?\s*(?:tokens?|词元)", re.IGNORECASE)
_NONE = ("none", "no", "-", "无", "不限")


def control_keys(*, paused: bool) -> dict[str, str]:
    """The keys that control a run, and what they do."""
    return {
        "p": t("follow.go_on" if paused else "follow.pause"),
        "x": t("follow.stop"),
        "$": t("follow.budget_key"),
        "+ -": t("follow.concurrency"),
    }


def read_budget(text: str) -> ControlOrder | None:
    """The order for `$5`, `200000 tokens` or `none`; None for anything else."""
    text = text.strip()
    if text.casefold() in _NONE:
        return ControlOrder(budget_usd=None, budget_tokens=None)
    tokens, dollars = _TOKENS.fullmatch(text), _DOLLARS.fullmatch(text)
    if tokens is not None:
        number = _number(tokens[1]) * {"k": 1e3, "m": 1e6}.get(
            (tokens[2] or "").casefold(), 1
        )
        if 1 <= number <= 1 << 53:
            return ControlOrder(budget_tokens=int(number))
        return None
    if dollars is not None:
        number = _number(dollars[1])
        if 0 < number < math.inf:
            return ControlOrder(budget_usd=number)
        return None
    return None


def budget_in_words(usd: float | None, tokens: int | None) -> str:
    """A budget as `read_budget` takes it; "" where there is none."""
    if usd is not None:
        return f"${usd:g}"
    if tokens is not None:
        return f"{tokens} tokens"
    return ""


def _number(text: str) -> float:
    try:
        return float(re.sub("[,\uff0c]", "", text))
    except ValueError:
        return 0.0


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
    """Sends commands to the runner of a batch or study, after a confirmation where
    needed, and reports each in a sentence.
    """

    def __init__(self, app: App[Any], tell: Callable[[str], None]) -> None:
        self._app = app
        self._tell = tell

    def pause(self, now: Now) -> None:
        """Pauses, or continues after a pause."""
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


class ControlPlace(Place):
    """A place from which runs are led, with the same keys in each."""

    BINDINGS = [
        ("p,f8", "pause"),
        ("x,f9", "stop"),
        ("plus,equals_sign,minus", "concurrency"),
        ("dollar_sign", "budget"),
    ]

    @abstractmethod
    def led(self) -> Now | None:
        """Progress of the controlled run; None without one."""

    @abstractmethod
    def tell(self, sentence: str) -> None:
        """Shows a sentence."""

    def _lead(self, order: Callable[[RunControls, Now], None]) -> None:
        now = self.led()
        if now is not None:
            order(RunControls(self.app, self.tell), now)

    def action_pause(self) -> None:
        self._lead(RunControls.pause)

    def action_stop(self) -> None:
        self._lead(RunControls.stop)

    def action_concurrency(self) -> None:
        self._lead(RunControls.concurrency)

    def action_budget(self) -> None:
        self._lead(RunControls.budget)
