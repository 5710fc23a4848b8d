"""What came out of a batch: one row a line, and the totals."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from ..sessions.events import DebateResult, Event, Failure, Made
from ..sessions.session import Session, Totals
from .topics import Line

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
    result: DebateResult | None = None
    totals: Totals = field(default_factory=Totals)
    error: str | None = None
    unread: int = 0

    def take(self, session: Session) -> None:
        """What a session holds now."""
        self.totals = session.totals()
        self.unread = sum(getattr(event, "read", None) == "unread" for event in session.events if isinstance(event, Made))
        last = session.events[-1] if session.events else None
        self.result = next((event for event in reversed(session.events) if isinstance(event, DebateResult)), None)
        if self.result is not None:
            self.status, self.error = "done", None
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


def report(rows: Sequence[Row], same: Callable[[str, str], bool]) -> dict[str, Any]:
    """Totals and metrics of a batch. `same` says whether two answers are the same.

    Accuracy and trap share count the debates that ended with an answer and whose line says what is right (or a trap); debates that ended
    undecided are neither right nor wrong, and `excluded` says how many there are.
    """
    done = [(row, row.result) for row in rows if row.result is not None]
    total = together(row.totals for row in rows)
    sides = Counter(result.supported_side or "none" for _, result in done)
    rounds = [result.rounds for _, result in done]
    return {
        "lines": len(rows),
        **{status: sum(row.status == status for row in rows) for status in ("done", "failed", "stopped")},
        "calls": total.calls,
        "usage": usage(total),
        "cost": total.cost,
        "seconds": round(total.seconds, 3),
        "decided_by": dict(Counter(result.decided_by for _, result in done)),
        "undecided": sum(result.decided_by == "undecided" for _, result in done),
        "unread": sum(row.unread for row in rows),
        "rounds": sum(rounds) / len(rounds) if rounds else None,
        "wins": dict(sorted(sides.items())),
        "side_by": dict(Counter(result.side_by or "none" for _, result in done)),
        "disagreement": _disagreement([result for _, result in done]),
        "accuracy": _hits(done, "answers", same),
        "traps": _hits(done, "wrong_answers", same),
    }


def _hits(done: list[tuple[Row, DebateResult]], name: str, same: Callable[[str, str], bool]) -> dict[str, Any] | None:
    known = [(row, result) for row, result in done if getattr(row.line, name)]
    answered = [(row, result.answer) for row, result in known if result.answer is not None]
    hits = sum(any(same(answer, one) for one in getattr(row.line, name)) for row, answer in answered)
    measured = share(hits, len(answered))
    return None if measured is None else {**measured, "excluded": len(known) - len(answered)}


def _disagreement(results: list[DebateResult]) -> dict[str, Any]:
    """Mean over the debates, apart for each way of measuring."""
    means: dict[str, list[float]] = {}
    excluded: Counter[str] = Counter()
    for result in results:
        if result.disagreement is not None:
            excluded[result.disagreement.mode] += result.disagreement.excluded
            if result.disagreement.mean is not None:
                means.setdefault(result.disagreement.mode, []).append(result.disagreement.mean)
    return {mode: {"mean": sum(values) / len(values), "debates": len(values), "excluded": excluded[mode]} for mode, values in means.items()}


def in_words(found: dict[str, Any]) -> str:
    """The report for people, a few lines."""
    lines = [f"{found['lines']} topics: {found['done']} done, {found['failed']} failed, {found['stopped']} stopped"]
    for name, label in (("accuracy", "right"), ("traps", "in the trap")):
        part = found[name]
        if part is not None:
            left = f", {part['excluded']} without an answer left out" if part["excluded"] else ""
            interval = f"95 % interval {part['low']:.1%} to {part['high']:.1%}"
            lines.append(f"{label}: {part['count']} of {part['of']}, {part['value']:.1%} ({interval}{left})")
    if found["wins"]:
        lines.append("sides: " + ", ".join(f"{side} {count}" for side, count in found["wins"].items()))
    if found["done"]:
        lines.append(
            f"undecided: {found['undecided']}; replies that could not be read: {found['unread']}; rounds: {found['rounds']:.2f} on average"
        )
    for mode, part in found["disagreement"].items():
        lines.append(f"disagreement ({mode}): {part['mean']:.3f} on average over {part['debates']} debates, {part['excluded']} excluded")
    used, mark = found["usage"], "~" if found["usage"]["estimated"] else ""
    tokens = "unknown" if used["input"] is None or used["output"] is None else f"{mark}{used['input'] + used['output']:,}"
    cost = "unknown" if found["cost"] is None else f"${found['cost']:.4f}"
    lines.append(f"{found['calls']} calls, tokens {tokens}, cost {cost}")
    return "\n".join(lines)
