"""A session in memory: its header, its events, and the folds that everybody needs."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import msgspec

from .events import Change, Event, Failure, Made, Retrieval, Usage

FORMAT = "verifytui/1"

SEAT_DEFAULTS = {"baseline": "affirmative", "verifier": "generator", "reviser": "generator", "annotator": "extractor"}
"""Roles that use another role's model until they get one of their own."""


class Seat(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Who answers for a role."""

    model: str
    """The real id: what LiteLLM takes, or a built-in."""
    name: str | None = None
    """The user's own name for it in config.yaml, where endpoint and key are found."""
    params: dict[str, Any] = {}


class Parent(msgspec.Struct, kw_only=True):
    """Where a fork came from."""

    id: str
    number: int
    """The last event that both share."""
    why: str
    """fork, edit, retry, handover or swap."""


class Prompts(msgspec.Struct, kw_only=True):
    """The templates a session speaks with, so that it explains itself."""

    set: str
    hash: str
    templates: dict[str, Any]


class Header(msgspec.Struct, kw_only=True):
    """The first document of a session file. It is never changed; changes are events."""

    format: str = FORMAT
    id: str
    workspace: str
    created: str
    title: str
    task: dict[str, Any]
    lineup: dict[str, Seat]
    settings: dict[str, Any]
    prompts: Prompts
    versions: dict[str, str] = {}
    parent: Parent | None = None


class Totals(msgspec.Struct, kw_only=True):
    """What a session or one role of it has spent. None is unknown, never 0."""

    input: int | None = 0
    output: int | None = 0
    estimated: bool = False
    cost: float | None = 0.0
    seconds: float = 0.0
    calls: int = 0

    def add(self, usage: Usage | None, cost: float | None, seconds: float, calls: int) -> None:
        """Adds one event. An unknown part makes the whole unknown."""
        self.seconds += seconds
        self.calls += calls
        used = usage or Usage()
        self.input = None if self.input is None or used.input is None else self.input + used.input
        self.output = None if self.output is None or used.output is None else self.output + used.output
        self.cost = None if self.cost is None or cost is None else self.cost + cost
        self.estimated = self.estimated or used.estimated


@dataclass
class Session:
    """A header and a list of events, which only grows; everything else is computed from them."""

    header: Header
    events: list[Event] = field(default_factory=list)
    _changes: list[tuple[int, Change]] = field(default_factory=list, repr=False, compare=False)
    """The changes among the first `_scanned` events, with their numbers: values in force are asked for often."""
    _scanned: int = field(default=0, repr=False, compare=False)

    @property
    def workspace(self) -> str:
        return self.header.workspace

    @property
    def title(self) -> str:
        return str(self._changed("title", self.header.title))

    def setting(self, name: str) -> Any:
        """The value in force now: the header's, or that of the last change. KeyError if no such setting exists."""
        return self._changed(f"settings.{name}", self.header.settings[name])

    def seat(self, role: str) -> Seat:
        """Who answers for a role now: a role emptied in mid-session is again what it was at first. KeyError if nobody does."""
        own = self.header.lineup.get(role)
        last = self._changed(f"lineup.{role}", own)
        if last is not None:
            return last if isinstance(last, Seat) else msgspec.convert(last, Seat)
        if role in SEAT_DEFAULTS:
            with suppress(KeyError):
                return self.seat(SEAT_DEFAULTS[role])
        if own is None:
            raise KeyError(role)
        return own

    def seated(self, roles: Iterable[str]) -> list[tuple[str, Seat]]:
        """Who answers now for these roles; those that nobody answers for, as in a file from elsewhere, are left out."""
        found = []
        for role in roles:
            with suppress(KeyError):
                found.append((role, self.seat(role)))
        return found

    def prefix(self, number: int) -> Session:
        """The session as it stood after event `number` (0: only the header)."""
        before = [(at, change) for at, change in self._changes if at <= number]
        return Session(self.header, self.events[:number], before, min(self._scanned, number))

    def totals(self, role: str | None = None) -> Totals:
        """What was spent, by the whole session or by one role, failed and cancelled calls included.

        Role `retriever`: what embedding and reranking models took; a search without a model costs nothing and is no call.
        """
        total = Totals()
        for event in self.events:
            if isinstance(event, Made | Failure) and role in (None, event.role):
                total.add(event.usage, event.cost, event.seconds, event.attempts)
            elif isinstance(event, Retrieval) and event.usage is not None and role in (None, "retriever"):
                total.add(event.usage, event.cost, event.seconds, 1)
        return total

    def _changed(self, field: str, first: Any) -> Any:
        if self._scanned < len(self.events):
            fresh = enumerate(self.events[self._scanned :], self._scanned + 1)
            self._changes += [(number, event) for number, event in fresh if isinstance(event, Change)]
            self._scanned = len(self.events)
        for _, change in reversed(self._changes):
            if change.field == field:
                return change.new
        return first
