"""A submitted provider batch that all lines of a run wait for."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import NamedTuple

from ...texts import t


class SubmittedWave(NamedTuple):
    """A wave that is out."""

    wave: int
    answered: int
    of: int
    since: str
    """When it was sent, as `sessions.new.timestamp` gives it."""

    def in_words(self) -> str:
        """Which it is, how far, and since when, by the clock of this place."""
        since = self.since
        with suppress(ValueError, OverflowError, OSError):
            since = datetime.fromisoformat(since).astimezone().strftime("%m-%d %H:%M")
        return t(
            "waves.progress",
            wave=self.wave,
            n=f"{self.answered:,}",
            total=f"{self.of:,}",
            since=since,
        )
