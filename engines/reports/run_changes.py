"""Changes made while a batch or a study ran, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime

from ...sessions.clean import clean_line
from ...texts import t
from ...texts.amounts import money

LIMITS = ("concurrency", "budget_tokens", "budget_usd")
STATES = {"pause": "paused", "go-on": "running", "stop": "stopped"}
MOST = 20
"""Changes that a report for people tells."""


def in_words(changes: Sequence[Mapping[str, object]]) -> list[str]:
    """Return a line for each of the latest changes; nothing if there are none."""
    whole = [
        change
        for change in changes
        if isinstance(change, Mapping)
        and {"time", "what", "was", "is"} <= change.keys()
    ]
    told = [
        t("report.changes.line", time=local_time(str(one["time"])), what=_what(one))
        for one in whole[-MOST:]
    ]
    more = len(whole) - len(told)
    first = t("report.changes.title") + (
        t("report.changes.earlier", n=more) if more > 0 else ""
    )
    if told:
        return [first, *told]
    return []


def _what(change: Mapping[str, object]) -> str:
    name, now = str(change["what"]), change["is"]
    if name not in LIMITS:
        if now in STATES.values():
            return t(f"report.changes.{now}")
        return clean_line(f"{name}: {now}")
    return t(
        "report.changes.limit",
        name=t(f"report.changes.{name}"),
        old=_limit(name, change["was"]),
        new=_limit(name, now),
    )


def _limit(name: str, value: object) -> str:
    if not isinstance(value, int | float):
        return t("report.changes.none")
    if name == "budget_usd":
        return money(value)
    return f"{value:,}"


def local_time(time: str) -> str:
    """Return a time of the run log in the time zone of this machine."""
    with suppress(ValueError, OverflowError, OSError):
        return datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    return clean_line(time)
