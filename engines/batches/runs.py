"""Progress of a run in a folder: a batch, or a study with the batches of its conditions
as one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from copy import copy
from pathlib import Path

from ...sessions.folders import STUDY, kind_of
from ...sessions.session import Totals
from ...sessions.summary import Run
from ...texts import t
from .batch_snapshot import (
    COUNTED,
    ENDS,
    BatchSnapshot,
    LineState,
    RunState,
    read_mapping,
)


class RunNow:
    """A run in its folder at one moment. `look` returns a later one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.kind: Run | None = None
        """None: there is no batch and no study in the folder, or it cannot be reached.
        """
        self.head = BatchSnapshot(folder)
        """The folder's own diary: of a study it holds orders and no lines."""
        self.parts: dict[str, BatchSnapshot] = {}
        """The conditions of a study, by folder."""
        self._status = ""
        self._counts = dict.fromkeys(COUNTED, 0)
        self._spent = Totals()

    def look(self) -> RunNow:
        """The run as it is now: this object where nothing has come."""
        later = copy(self)
        later.parts = dict(self.parts)
        if later._read_on():
            return later
        return self

    def _read_on(self) -> bool:
        """Takes in what has come; returns False where nothing has."""
        before = self.kind, self.head, self._status, dict(self.parts)
        self.kind = kind_of(self.folder)
        if self.kind is not None:
            self.head = self.head.look()
        if self.kind == "study":
            self._look_at_parts()
        changed = before != (self.kind, self.head, self._status, self.parts)
        if changed:
            self._sum_up()
        return changed

    def _sum_up(self) -> None:
        """Count the lines once and cache the result, since there may be many."""
        counts, spent = dict.fromkeys(COUNTED, 0), Totals()
        for part in self._batches():
            for name, count in part.counts().items():
                counts[name] += count
            spent.add(part.spent())
        planned = (
            self.head.began.lines
            if self.kind == "study" and self.head.began is not None and self.alive
            else 0
        )
        counts["left"] += max(planned - sum(counts.values()), 0)
        self._counts, self._spent = counts, spent

    def _look_at_parts(self) -> None:
        manifest = read_mapping(self.folder / STUDY)
        self._status = str(manifest.get("status", ""))
        conditions = manifest.get("conditions")
        for one in conditions if isinstance(conditions, list) else []:
            name = one.get("folder") if isinstance(one, dict) else None
            if isinstance(name, str) and name not in self.parts and _plain(name):
                self.parts[name] = BatchSnapshot(self.folder / name)
        self.parts = {name: part.look() for name, part in self.parts.items()}
        for part in self.parts.values():
            self.head = self.head.written(part)

    @property
    def state(self) -> RunState:
        if self.kind != "study" or self.head.began is not None:
            return self.head.state
        living = next((part.state for part in self.parts.values() if part.alive), None)
        # begun by a version that kept no diary of a study
        return living or ENDS.get(self._status, "none")

    @property
    def alive(self) -> bool:
        """Whether a runner is at work and takes orders."""
        return self.head.alive

    @property
    def what(self) -> str:
        """Describe the lines, such as `debate topics`.

        "" for a study, whose conditions differ.
        """
        began = self.head.began
        if began is None or self.kind == "study":
            return ""
        return f"{began.method} {began.kind}".strip()

    @property
    def concurrency(self) -> int:
        return self.head.concurrency

    @property
    def budget_usd(self) -> float | None:
        return self.head.budget_usd

    @property
    def budget_tokens(self) -> int | None:
        return self.head.budget_tokens

    def lines(self) -> Iterator[LineState]:
        """The lines known so far. Conditions that have not started have none."""
        for part in self._batches():
            yield from part.lines.values()

    def _batches(self) -> Collection[BatchSnapshot]:
        return self.parts.values() if self.kind == "study" else (self.head,)

    def counts(self) -> dict[str, int]:
        """How many lines there are in each state: `failed`, `running`, `done`,
        `left`.
        """
        return self._counts

    def spent(self) -> Totals:
        """The total cost of all lines."""
        return self._spent

    def cost_in_words(self) -> str:
        """Format the cost of all lines for a column.

        `$0.19`; `$0.19+` if some prices are unknown; `unknown` if all are.
        """
        spent = self._spent
        if spent.unpriced and not spent.cost_known:
            return t("side.unknown")
        return f"${spent.cost_known:,.2f}{'+' if spent.unpriced else ''}"

    def left(self) -> float | None:
        """Estimated seconds until the run ends; None if unknown."""
        counts, pace = self.counts(), self._pace()
        rest = counts["left"] + counts["running"]
        if not self.alive or pace is None or rest == 0:
            return None
        return pace * rest

    def per_minute(self) -> float | None:
        """Lines that come to an end in a minute; None where none has."""
        pace = self._pace()
        if pace is None:
            return None
        return 60 / pace

    def _pace(self) -> float | None:
        counts = self.counts()
        before = sum(part.done_before for part in self._batches())
        return self.head.pace(counts["done"] + counts["failed"] - before)

    def as_json(self, now: float) -> dict[str, object]:
        """Return the run as JSON data."""
        counts, spent, began, pace, left = (
            self.counts(),
            self.spent(),
            self.head.began,
            self.per_minute(),
            self.left(),
        )
        return {
            "name": self.folder.name,
            "folder": str(self.folder),
            "kind": self.kind,
            "what": self.what,
            "state": self.state if self.kind is not None else "gone",
            "lines": sum(counts.values()),
            **counts,
            "tokens": spent.tokens,
            "cost": spent.cost,
            "cost_known": spent.cost_known,
            "per_minute": None if pace is None else round(pace, 2),
            "seconds": round(self.head.worked(now), 1) if began is not None else None,
            "seconds_left": None if left is None else round(left),
            "wave": None if self.head.outside is None else self.head.outside._asdict(),
            "concurrency": self.head.concurrency if began is not None else None,
            "budget_usd": self.head.budget_usd,
            "budget_tokens": self.head.budget_tokens,
            "pid": began.pid if began is not None and self.alive else None,
            "host": began.host if began is not None else "",
        }


def _plain(name: str) -> bool:
    """Whether this is the name of a folder and no way to another one."""
    return name not in ("", ".", "..") and "/" not in name and "\0" not in name
