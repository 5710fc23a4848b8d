"""Changes made while a batch or study ran, read from its journal."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...sessions.files import write_whole
from ..reports.run_changes import LIMITS, STATES
from .run_journal import FILE

_MARK = b'"obeyed"'


def changes_in(folder: Path) -> list[dict[str, Any]]:
    """Every change that was ordered in this folder, in order: {time, what, was, is}.

    `what`: `state`, or a limit, which may be None.
    """
    found = []
    with suppress(OSError), (folder / FILE).open("rb") as file:
        for line in file:
            if _MARK in line[:100]:
                found += _changes(line)
    return found


def join_changes(folders: Iterable[Path], into: Path) -> None:
    """Begins the diary of a folder with the orders that were carried out in others, in
    the order of time. One that has a diary keeps it.

    Raises: BadInput, WriteError.
    """
    found = []
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
