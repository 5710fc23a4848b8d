"""Writes the progress of a batch to its runner's journal, for other processes."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from contextlib import suppress

from msgspec import UNSET

from ...sessions.session import Header
from ...sessions.summary import result_in_words
from .report import SummaryRow, own_fields
from .run_journal import AnyEntry, LineNow, RunEnded, RunJournal, RunStart

LONGEST = 300
"""Characters of a result or an error that the diary keeps: the session has all of it.
"""


class RunLog:
    """One run in the diary; without a diary it writes nothing."""

    def __init__(self, diary: RunJournal | None = None) -> None:
        self._diary = diary

    def begin(
        self, began: RunStart, sessions: Sequence[tuple[SummaryRow, Header]]
    ) -> None:
        """The state of the run at its start, and the progress of every line."""
        began.pid, began.host = os.getpid(), socket.gethostname()
        with suppress(OSError):  # the folder may be gone
            began.cwd = os.getcwd()
        self.note(
            began,
            *(_line_now(row, _at_rest(row), header.title) for row, header in sessions),
        )

    def line(self, row: SummaryRow, *, runs: bool) -> None:
        """How far a line is now."""
        if self._diary is not None:
            self._diary.write(_line_now(row, "running" if runs else _at_rest(row)))

    def note(self, *entries: AnyEntry) -> None:
        if self._diary is not None:
            self._diary.write(*entries)

    def end(self, status: str, rows: Sequence[SummaryRow]) -> None:
        """Record the end of the run. Interrupted lines keep their state."""
        self.note(
            *(_line_now(row, _at_rest(row)) for row in rows if row.status == "stopped"),
            RunEnded(status=status),
        )
        if self._diary is not None:
            self._diary.close()


def _at_rest(row: SummaryRow) -> str:
    if row.status == "stopped" and row.events == 0:
        return "waiting"
    return row.status


def _line_now(row: SummaryRow, status: str, title: str | None = None) -> LineNow:
    """The entry of a line; with a title its first one of a run."""
    spent = row.totals
    return LineNow(
        id=row.line.id,
        status=status,
        title=UNSET if title is None else title,
        events=row.events,
        input=spent.input,
        output=spent.output,
        cost_known=spent.cost_known,
        unpriced=spent.unpriced,
        cached_input=spent.cached_input,
        cached_of=spent.cached_of,
        result=None
        if row.result is None
        else _short(result_in_words(own_fields(row.result))),
        error=_short(row.error),
    )


def _short(text: str | None) -> str | None:
    if text is None or len(text) <= LONGEST:
        return text
    return text[:LONGEST] + " …"
