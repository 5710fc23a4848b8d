"""What was changed while a batch or a study ran: a fold over its diary."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from ...sessions.clean import clean
from ...sessions.files import write_whole
from ...texts import t
from ...texts.amounts import money
from .diary import FILE

LIMITS = ("concurrency", "budget_tokens", "budget_usd")
STATES = {"pause": "paused", "go-on": "running", "stop": "stopped"}
_MARK = b'"obeyed"'
MOST = 20
"""Changes that a report for people tells."""


def changes_in(folder: Path) -> list[dict[str, Any]]:
    """Every change that was ordered in this folder, in order: {time, what, was, is}. `what`: `state`, or a limit, which may be None."""
    found: list[dict[str, Any]] = []
    with suppress(OSError), (folder / FILE).open("rb") as file:
        for line in file:
            if _MARK in line[:100]:
                found += _changes(line)
    return found


def join_changes(folders: Iterable[Path], into: Path) -> None:
    """Begins the diary of a folder with the orders that were carried out in others, in the order of time. One that has a diary keeps it.

    Raises: BadInput, WriteError.
    """
    found: list[tuple[str, bytes]] = []
    for folder in folders:
        with suppress(OSError), (folder / FILE).open("rb") as file:
            found += [
                (made[0]["time"], line)
                for line in file
                if _MARK in line[:100] and (made := _changes(line))
            ]
    if found and not (into / FILE).exists():
        write_whole(into / FILE, b"".join(line for _, line in sorted(found)))


def _changes(line: bytes) -> list[dict[str, Any]]:
    try:
        entry = json.loads(line)
        was, when = dict(entry.get("was", {})), str(entry["time"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return []
    made = [
        {"time": when, "what": name, "was": was[name], "is": entry[name]}
        for name in LIMITS
        if name in was and name in entry
    ]
    if "state" in was and entry.get("do") in STATES:
        made.append(
            {
                "time": when,
                "what": "state",
                "was": was["state"],
                "is": STATES[entry["do"]],
            }
        )
    return [one for one in made if one["was"] != one["is"]]


def in_words(changes: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line for each change, the latest ones; nothing where there are none."""
    whole = [
        one
        for one in changes
        if isinstance(one, Mapping) and {"time", "what", "was", "is"} <= one.keys()
    ]
    told = [
        t("report.changes.line", time=_when(str(one["time"])), what=_what(one))
        for one in whole[-MOST:]
    ]
    more = len(whole) - len(told)
    first = t("report.changes.title") + (
        t("report.changes.earlier", n=more) if more > 0 else ""
    )
    return [first, *told] if told else []


def _what(change: Mapping[str, Any]) -> str:
    name, now = str(change["what"]), change["is"]
    if name not in LIMITS:
        return (
            t(f"report.changes.{now}")
            if now in STATES.values()
            else clean(f"{name}: {now}", newlines=False)
        )
    return t(
        "report.changes.limit",
        name=t(f"report.changes.{name}"),
        was=_limit(name, change["was"]),
        now=_limit(name, now),
    )


def _limit(name: str, value: Any) -> str:
    if not isinstance(value, int | float):
        return t("report.changes.none")
    return money(value) if name == "budget_usd" else f"{value:,}"


def _when(time: str) -> str:
    """A time of the diary, in the time of this machine."""
    with suppress(ValueError, OverflowError, OSError):
        return datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    return clean(time, newlines=False)
