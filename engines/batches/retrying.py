"""`--retries N`: lines that failed have their turn again, in the same run."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from ...texts import t
from .call_limiter import CallLimiter
from .report import SummaryRow
from .state import BatchState

FIRST_PAUSE, LONGEST_PAUSE = 10.0, 300.0
"""Seconds before failed lines are tried again; doubled each time."""


def seconds_before(retry: int) -> float:
    """How long to wait before a retry, counted from 0."""
    return min(FIRST_PAUSE * 2.0**retry, LONGEST_PAUSE)


class Tried(Protocol):
    """Something that is to be done for one line."""

    @property
    def row(self) -> SummaryRow: ...


T = TypeVar("T", bound=Tried)


class Retrying:
    """Chooses the lines that are tried again, each at most `times` times a run."""

    def __init__(
        self, times: int, state: BatchState, say: Callable[[str], None]
    ) -> None:
        self._times, self._state, self._say = times, state, say
        self._tried: Counter[int] = Counter()
        """Row to how often it was tried again."""
        self._pauses = 0

    def choose(self, failed: Sequence[T]) -> list[T]:
        """Those of the failed lines that are to be tried again; they count as open."""
        chosen = [
            job
            for job in failed
            if job.row.may_pass and self._tried[id(job.row)] < self._times
        ]
        self._tried.update(id(job.row) for job in chosen)
        self._state.failed -= len(chosen)
        return chosen

    def say_joined(self, n: int) -> None:
        """Says that lines are asked again together with those that wait."""
        self._say(t("batch.retrying_joined", n=n))

    async def pause(self, n: int, limiter: CallLimiter) -> None:
        """Waits before `n` lines are tried again: a provider may need some time."""
        seconds = seconds_before(self._pauses)
        self._pauses += 1
        self._say(
            t(
                "batch.retrying",
                n=n,
                seconds=f"{seconds:g}",
                number=self._pauses,
            )
        )
        await asyncio.sleep(seconds)
        await limiter.goes_on()
