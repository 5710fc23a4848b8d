"""Carries out the orders to a batch that runs: pause, go on, stop, other limits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Protocol

from msgspec import UNSET

from ...sessions.errors import BadInput
from ...texts import t
from .control import Order, Orders
from .diary import Ignored, Obeyed, Rested
from .telling import Telling
from .turnstile import Turnstile

SECONDS = 0.5
"""Between two looks at the control file."""


class Pausable(Protocol):
    """What shows that a batch is paused."""

    paused: bool


class Obeying:
    """The orders of one run: those that are appended after this was made."""

    def __init__(self, folder: Path, turnstile: Turnstile, check_prices: Callable[[], Awaitable[None]], say: Callable[[str], None]) -> None:
        """`check_prices`: raises BadInput where a limit in dollars cannot hold."""
        self.stopped = False
        self._orders = Orders(folder)
        self._turnstile = turnstile
        self._check_prices = check_prices
        self._say = say

    async def watch(self, state: Pausable, telling: Telling, stop: Callable[[], Any]) -> None:
        """Until it is cancelled, or the batch is stopped."""
        rests = False
        while not self.stopped:
            orders, ignored = self._orders.take()
            for sentence in ignored:
                self._refuse(sentence, telling)
            for order in orders:
                await self._obey(order, state, telling)
                if self.stopped:
                    stop()
                    return
            if rests != (self._turnstile.paused and self._turnstile.running == 0):
                rests = not rests
                if rests:
                    telling.note(Rested())
            await asyncio.sleep(SECONDS)

    async def _obey(self, order: Order, state: Pausable, telling: Telling) -> None:
        turnstile, budget = self._turnstile, self._turnstile.budget
        if isinstance(order.budget_usd, float):
            try:
                await self._check_prices()
            except BadInput as error:
                self._refuse(str(error), telling)
                return
        if order.concurrency is not UNSET:
            turnstile.places = order.concurrency
        if order.budget_tokens is not UNSET:
            budget.limit_tokens = order.budget_tokens
        if order.budget_usd is not UNSET:
            budget.limit_usd = order.budget_usd
        if order.do in ("pause", "go-on"):
            turnstile.paused = state.paused = order.do == "pause"
        self.stopped = order.do == "stop"
        telling.note(Obeyed(do=order.do, concurrency=order.concurrency, budget_tokens=order.budget_tokens, budget_usd=order.budget_usd))
        self._say(t("batch.obeyed", what="; ".join(_told(order))))
        await turnstile.turn()

    def _refuse(self, sentence: str, telling: Telling) -> None:
        self._say(sentence)
        telling.note(Ignored(why=sentence))


def _told(order: Order) -> list[str]:
    """What an order asks for, in words."""
    told = [t(f"batch.obeyed_{order.do.replace('-', '_')}")] if isinstance(order.do, str) else []
    if order.concurrency is not UNSET:
        told.append(t("batch.obeyed_concurrency", n=order.concurrency))
    if order.budget_tokens is not UNSET:
        told.append(t("batch.obeyed_no_tokens") if order.budget_tokens is None else t("batch.obeyed_tokens", n=f"{order.budget_tokens:,}"))
    if order.budget_usd is not UNSET:
        told.append(t("batch.obeyed_no_usd") if order.budget_usd is None else t("batch.obeyed_usd", n=f"{order.budget_usd:,.2f}"))
    return told
