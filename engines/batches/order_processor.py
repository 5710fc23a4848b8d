"""Executes commands to a running batch or study: pause, continue, stop, limits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from msgspec import UNSET

from ...sessions.errors import BadInput
from ...texts import t
from ...texts.amounts import money
from .call_limiter import CallLimiter
from .orders import ControlOrder, Orders
from .run_journal import OrderApplied, OrderIgnored, RunPaused, WaveWait
from .run_log import RunLog

SECONDS = 0.5
"""Between two looks at the control file."""


class OrderProcessor:
    """The orders that come to one folder of a run. They hold for the whole run."""

    def __init__(
        self,
        orders: Orders,
        limiter: CallLimiter,
        check_prices: Callable[[], Awaitable[None]],
        say: Callable[[str], None],
    ) -> None:
        """`check_prices`: raises BadInput where a limit in dollars cannot hold."""
        self.stopped = False
        self.on_stop: Callable[[], Any] = lambda: None
        """Ends the work that is under way."""
        self.others: Sequence[RunLog] = ()
        """The diaries of the other folders of the run."""
        self._orders = orders
        self._limiter = limiter
        self._check_prices = check_prices
        self._say = say

    async def watch(self, run_log: RunLog) -> None:
        """Until it is cancelled, or the run is stopped.

        `run_log`: the folder's own diary.
        """
        rests, outside = False, None
        while not self.stopped:
            orders, ignored = self._orders.take()
            for sentence in ignored:
                self._refuse(sentence, "", run_log)
            for order in orders:
                await self._obey(order, run_log)
                if self.stopped:
                    self.on_stop()
                    return
            if rests != (self._limiter.paused and self._limiter.running == 0):
                rests = not rests
                if rests:
                    run_log.note(RunPaused())
            if outside != self._limiter.outside:
                outside = self._limiter.outside
                run_log.note(
                    WaveWait() if outside is None else WaveWait(**outside._asdict())
                )
            await asyncio.sleep(SECONDS)

    async def _obey(self, order: ControlOrder, run_log: RunLog) -> None:
        limiter, budget, name = (
            self._limiter,
            self._limiter.budget,
            order.id if isinstance(order.id, str) else "",
        )
        if isinstance(order.budget_usd, float):
            try:
                await self._check_prices()
            except BadInput as error:
                self._refuse(str(error), name, run_log)
                return
        was: dict[str, object] = {}
        if order.concurrency is not UNSET:
            was["concurrency"], limiter.places = limiter.places, order.concurrency
        if order.budget_tokens is not UNSET:
            was["budget_tokens"], budget.limit_tokens = (
                budget.limit_tokens,
                order.budget_tokens,
            )
        if order.budget_usd is not UNSET:
            was["budget_usd"], budget.limit_usd = budget.limit_usd, order.budget_usd
        if order.do is not UNSET:
            was["state"] = "paused" if limiter.paused else "running"
        if order.do in ("pause", "go-on"):
            limiter.paused = order.do == "pause"
        self.stopped = order.do == "stop"
        for one in (run_log, *self.others):
            one.note(_obeyed(order, name, was))
        self._say(t("batch.obeyed", what="; ".join(_order_text(order))))
        await limiter.turn()

    def _refuse(self, sentence: str, order: str, run_log: RunLog) -> None:
        self._say(sentence)
        run_log.note(OrderIgnored(why=sentence, order=order))


def _obeyed(order: ControlOrder, name: str, was: dict[str, object]) -> OrderApplied:
    return OrderApplied(
        order=name,
        was=was,
        do=order.do,
        concurrency=order.concurrency,
        budget_tokens=order.budget_tokens,
        budget_usd=order.budget_usd,
    )


def _order_text(order: ControlOrder) -> list[str]:
    """Describe an order."""
    told = (
        [t(f"batch.obeyed_{order.do.replace('-', '_')}")]
        if isinstance(order.do, str)
        else []
    )
    if order.concurrency is not UNSET:
        told.append(t("batch.obeyed_concurrency", n=order.concurrency))
    if order.budget_tokens is not UNSET:
        told.append(
            t("batch.obeyed_no_tokens")
            if order.budget_tokens is None
            else t("batch.obeyed_tokens", n=f"{order.budget_tokens:,}")
        )
    if order.budget_usd is not UNSET:
        told.append(
            t("batch.obeyed_no_usd")
            if order.budget_usd is None
            else t("batch.obeyed_usd", n=money(order.budget_usd))
        )
    return told
