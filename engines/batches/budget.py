"""Tracks what a batch has spent, and whether another call fits its limits."""

from __future__ import annotations

from ...sessions.session import Totals


class OverBudget(Exception):
    """The limit is reached; nothing more is asked."""


class Budget:
    """Counts what a batch has spent, earlier runs included, against limits in tokens
    and US dollars; None: no limit.
    """

    def __init__(
        self,
        limit_tokens: int | None,
        limit_usd: float | None,
        *,
        likely_tokens: float = 0.0,
        likely_usd: float = 0.0,
    ) -> None:
        """`likely_…`: assumed cost of a call before the first one is known."""
        self.limit_tokens = limit_tokens
        self.limit_usd = limit_usd
        self.likely_tokens = likely_tokens
        self.likely_usd = likely_usd
        self._tokens = 0
        self._usd = 0.0
        self._calls = 0

    def add(self, spent: Totals) -> None:
        """Adds what a call cost.

        An unknown cost counts as a likely one: a limit must not be passed by not
        knowing.
        """
        self._tokens += (
            round(self._one_in_tokens()) if spent.tokens is None else spent.tokens
        )
        self._usd += self._one_in_usd() if spent.cost is None else spent.cost
        self._calls += 1

    def has_room(self, running: int) -> bool:
        """Whether another call fits the budget while `running` others are in progress.

        Each is assumed to cost the average of the calls so far. Until the first cost is
        known, only one call runs.
        """
        return self._fits(
            running, self._tokens, self._one_in_tokens(), self.limit_tokens
        ) and self._fits(running, self._usd, self._one_in_usd(), self.limit_usd)

    def _fits(
        self, running: int, spent: float, one: float, limit: float | None
    ) -> bool:
        if limit is None:
            return True
        if not one and not self._calls:
            return running == 0 and spent < limit
        return spent < limit and spent + (running + 1) * one <= limit * (1 + 1e-9)

    @property
    def is_below_one_call(self) -> bool:
        """Whether nothing was asked yet and the first call does not fit."""
        return not self._calls and not self.has_room(0)

    def _one_in_tokens(self) -> float:
        if self._calls:
            return self._tokens / self._calls
        return self.likely_tokens

    def _one_in_usd(self) -> float:
        if self._calls:
            return self._usd / self._calls
        return self.likely_usd
