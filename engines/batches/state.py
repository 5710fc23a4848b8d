"""The limits and the progress of a batch, and the interface that shows them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from ...sessions.session import Totals
from .call_limiter import CallLimiter


@dataclass(frozen=True)
class Limits:
    """How many sessions run at a time, and what the folder may cost in all, earlier
    runs included.
    """

    concurrency: int = 16
    tokens: int | None = None
    usd: float | None = None
    retries: int = 0
    """How often a line that failed is tried again in the same run."""


@dataclass
class BatchState:
    """How far a batch is."""

    lines: int
    done: int = 0
    failed: int = 0
    already: int = 0
    """Of `done`: finished before this run."""
    tokens: int = 0
    """Those that are known."""
    spent: Totals = field(default_factory=Totals)
    limiter: CallLimiter | None = None
    """Where its calls wait."""

    @property
    def paused(self) -> bool:
        """Whether new calls wait for a command to continue."""
        return self.limiter is not None and self.limiter.paused

    @property
    def waits_for(self) -> str:
        """Describe what all lines wait for; empty if nothing."""
        if self.limiter is None or self.limiter.outside is None:
            return ""
        return self.limiter.outside.in_words()


class Reporter(Protocol):
    """Shows the progress of a batch."""

    def begin(self, state: BatchState) -> None:
        """The sessions start; `state` changes as they continue."""

    def say(self, message: str) -> None:
        """A sentence for the user; the same one comes once."""

    def end(self) -> None:
        """The sessions have stopped running."""


class NoReporter:
    """Reports nothing."""

    def begin(self, state: BatchState) -> None: ...

    def say(self, message: str) -> None: ...

    def end(self) -> None: ...
