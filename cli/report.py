"""What came out of a batch, whatever it did: one row a line, shares and means with their intervals, totals."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from ..sessions.events import DebateResult, Event, Failure, Made, RagResult, RelevanceResult
from ..sessions.session import Session, Totals
from .lines import Line

Z95 = 1.959963984540054
"""Two-sided 95 % quantile of the normal distribution."""


def own_fields(event: Event) -> dict[str, Any]:
    """An event without what all events have."""
    return {name: value for name, value in msgspec.to_builtins(event).items() if name not in ("event", "number", "time")}


@dataclass
class Row:
    """One line of summary.jsonl, and what the report needs beside it."""

    line: Line
    status: str = "stopped"
    result: DebateResult | RagResult | RelevanceResult | None = None
    totals: Totals = field(default_factory=Totals)
    error: str | None = None
    unread: int = 0
    facts: Any = None
    """What the method counts of a finished session."""

    def take(self, session: Session, facts: Callable[[Session], Any]) -> None:
        """What a session holds now."""
        self.totals = session.totals()
        self.unread = sum(getattr(event, "read", None) == "unread" for event in session.events if isinstance(event, Made))
        last = session.events[-1] if session.events else None
        results = (event for event in reversed(session.events) if isinstance(event, DebateResult | RagResult | RelevanceResult))
        self.result = next(results, None)
        if self.result is not None:
            self.status, self.error, self.facts = "done", None, facts(session)
        elif isinstance(last, Failure) and last.kind != "cancelled":
            self.status, self.error = "failed", last.message

    def summary(self) -> dict[str, Any]:
        """{id, file, status, result, usage, cost, seconds, error}"""
        return {
            "id": self.line.id,
            "file": self.line.file,
            "status": self.status,
            "result": None if self.result is None else own_fields(self.result),
            "usage": usage(self.totals),
            "cost": self.totals.cost,
            "seconds": round(self.totals.seconds, 3),
            "error": self.error,
        }


def usage(totals: Totals) -> dict[str, Any]:
    return {"input": totals.input, "output": totals.output, "estimated": totals.estimated}


def together(all_totals: Iterable[Totals]) -> Totals:
    """The sum; an unknown part makes the whole unknown."""
    total = Totals()
    for one in all_totals:
        total.seconds += one.seconds
        total.calls += one.calls
        total.input = None if total.input is None or one.input is None else total.input + one.input
        total.output = None if total.output is None or one.output is None else total.output + one.output
        total.cost = None if total.cost is None or one.cost is None else total.cost + one.cost
        total.estimated = total.estimated or one.estimated
    return total


def wilson(hits: int, counted: int) -> tuple[float, float] | None:
    """The 95 % score interval of a share (Wilson 1927). None where nothing was counted."""
    if counted == 0:
        return None
    share, z2 = hits / counted, Z95 * Z95
    middle = (share + z2 / (2 * counted)) / (1 + z2 / counted)
    half = Z95 * math.sqrt(share * (1 - share) / counted + z2 / (4 * counted * counted)) / (1 + z2 / counted)
    return 0.0 if hits == 0 else max(0.0, middle - half), 1.0 if hits == counted else min(1.0, middle + half)


def share(hits: int, counted: int) -> dict[str, Any] | None:
    interval = wilson(hits, counted)
    if interval is None:
        return None
    return {"value": hits / counted, "low": interval[0], "high": interval[1], "count": hits, "of": counted}


def mean(values: Sequence[float], low: float, high: float) -> dict[str, Any] | None:
    """Mean and its 95 % interval by the normal distribution, kept within what the values can be; no interval for a single one."""
    if not values:
        return None
    middle = statistics.fmean(values)
    half = Z95 * statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else None
    ends = (None, None) if half is None else (max(low, middle - half), min(high, middle + half))
    return {"value": middle, "low": ends[0], "high": ends[1], "of": len(values)}


def totals(rows: Sequence[Row]) -> dict[str, Any]:
    """How many lines there are in each state, and what they cost together."""
    total = together(row.totals for row in rows)
    return {
        "lines": len(rows),
        **{status: sum(row.status == status for row in rows) for status in ("done", "failed", "stopped")},
        "calls": total.calls,
        "usage": usage(total),
        "cost": total.cost,
        "seconds": round(total.seconds, 3),
    }


def share_in_words(label: str, part: dict[str, Any]) -> str:
    """`right: 3 of 4, 75.0% (95 % interval 30.1% to 95.4%)`"""
    left = f", {part['excluded']} without an answer left out" if part.get("excluded") else ""
    interval = f"95 % interval {part['low']:.1%} to {part['high']:.1%}"
    return f"{label}: {part['count']} of {part['of']}, {part['value']:.1%} ({interval}{left})"


def totals_in_words(found: dict[str, Any]) -> str:
    used, mark = found["usage"], "~" if found["usage"]["estimated"] else ""
    tokens = "unknown" if used["input"] is None or used["output"] is None else f"{mark}{used['input'] + used['output']:,}"
    cost = "unknown" if found["cost"] is None else f"${found['cost']:.4f}"
    return f"{found['calls']} calls, tokens {tokens}, cost {cost}"


def states_in_words(found: dict[str, Any], many: str) -> str:
    return f"{found['lines']} {many}: {found['done']} done, {found['failed']} failed, {found['stopped']} stopped"
