"""A session in memory: its header, its events, and the values computed from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec
from msgspec import UNSET

from ..texts import t
from ..texts.roles import role_name
from .clean import clean
from .events import Change, Event, Failure, ReplyEvent, Result, Usage, known_sum
from .events.rag import Retrieval
from .msgspec_types import known

FORMAT = "verifytui/1"

SEAT_DEFAULTS = {
    "baseline": "affirmative",
    "verifier": "generator",
    "reviser": "generator",
    "annotator": "extractor",
}
"""Roles that use another role's model unless they have their own."""


class Seat(msgspec.Struct, kw_only=True, omit_defaults=True):
    """The model or person that takes a role."""

    model: str
    """The model's id, for LiteLLM or of a built-in."""
    name: str | None = None
    """The user's name for it in config.yaml, which defines endpoint and key."""
    params: dict[str, Any] = {}
    panel: list[Seat] = []
    """The members of a panel. Empty: one model, or a person."""
    rule: Literal["majority", "mean", "median"] = "majority"
    """The rule that combines the votes of a panel."""

    @property
    def members(self) -> list[Seat]:
        """The members of a panel, else the seat itself."""
        return self.panel or [self]

    @property
    def called(self) -> str:
        """The user's name for it, else the model's id."""
        return self.name or self.model


class Parent(msgspec.Struct, kw_only=True):
    """The origin of a fork."""

    id: str
    number: int
    """The last shared event."""
    why: str
    """fork, edit, retry, handover or swap."""


class Prompts(msgspec.Struct, kw_only=True):
    """The prompt templates of a session, stored in the file so that it is
    self-contained.
    """

    set: str
    hash: str
    templates: dict[str, Any]


class Header(msgspec.Struct, kw_only=True):
    """The first document of a session file. It never changes; changes are events."""

    format: str = FORMAT
    id: str
    workspace: str
    """The tab that shows it."""
    method: str | None = None
    """The method that makes its events; None: the method with the name of the
    workspace.
    """
    created: str
    title: str
    task: dict[str, Any]
    lineup: dict[str, Seat]
    settings: dict[str, Any]
    prompts: Prompts
    versions: dict[str, str] = {}
    parent: Parent | None = None


class Totals(msgspec.Struct, kw_only=True):
    """The cost of calls: of a session, of a role, or of several sessions. None means
    unknown, never 0.
    """

    input: int | None = 0
    output: int | None = 0
    estimated: bool = False
    cost_known: float = 0.0
    """US dollars of the calls with a known price."""
    unpriced: tuple[str, ...] = ()
    """Roles with calls of unknown price, without repetition."""
    seconds: float = 0.0
    calls: int = 0
    cached_input: int = 0
    """Input tokens found in providers' caches."""
    cached_of: int = 0
    """Input tokens of the calls that report cache use."""
    cached_calls: int = 0
    """Number of calls that report cache use."""
    saved_known: float = 0.0
    """US dollars saved by providers' caches, as far as known."""
    saved_unknown: bool = False
    """Whether cached input has an unknown saving."""

    @property
    def cached_share(self) -> float | None:
        """The share of the input found in providers' caches; None if no call reports
        it.
        """
        if self.cached_of:
            return self.cached_input / self.cached_of
        return None

    @property
    def saved(self) -> float | None:
        """US dollars saved by providers' caches; None if it is unknown for any call."""
        if self.saved_unknown:
            return None
        return self.saved_known

    @property
    def cost(self) -> float | None:
        """US dollars of all calls; None if the price of any call is unknown."""
        if self.unpriced:
            return None
        return self.cost_known

    @property
    def tokens(self) -> int | None:
        """Input and output tokens together; None if either is unknown."""
        if self.input is None or self.output is None:
            return None
        return self.input + self.output

    @classmethod
    def of(cls, event: Event) -> Totals | None:
        """The cost of one event, including failed and cancelled calls; None for an
        event without a call. Role `retriever`: embedding and reranking models; a search
        without a model is free and not a call.
        """
        if isinstance(event, ReplyEvent | Failure):
            role, calls = event.role, event.attempts
        elif isinstance(event, Retrieval) and event.usage is not None:
            role, calls = "retriever", 1
        else:
            return None
        used = event.usage or Usage()
        cached, read = (
            (0, 0)
            if used.cached_input is UNSET or used.input is None
            else (used.cached_input, used.input)
        )
        return cls(
            input=used.input,
            output=used.output,
            estimated=used.estimated,
            cost_known=event.cost or 0.0,
            unpriced=(role,) if event.cost is None else (),
            seconds=event.seconds,
            calls=calls,
            cached_input=cached,
            cached_of=read,
            cached_calls=calls if read else 0,
            saved_known=0.0 if used.saved is UNSET else used.saved,
            saved_unknown=cached > 0 and used.saved is UNSET,
        )

    def add(self, other: Totals) -> None:
        """Adds other totals. Unknown parts make the sum unknown."""
        self.input = known_sum((self.input, other.input))
        self.output = known_sum((self.output, other.output))
        self.estimated = self.estimated or other.estimated
        self.cost_known += other.cost_known
        if other.unpriced and other.unpriced != self.unpriced:
            self.unpriced = tuple(dict.fromkeys((*self.unpriced, *other.unpriced)))
        self.seconds += other.seconds
        self.calls += other.calls
        self.cached_input += other.cached_input
        self.cached_of += other.cached_of
        self.cached_calls += other.cached_calls
        self.saved_known += other.saved_known
        self.saved_unknown = self.saved_unknown or other.saved_unknown

    def cost_in_words(
        self, money: Callable[[float], str], *, roles: bool = True
    ) -> str:
        """`$0.19`; `$0.19 + unknown (negative)` or `unknown (negative)` if the price of
        that role's model is unknown. `roles`: whether to name the roles of unknown
        price.
        """
        known = [money(self.cost_known)] if self.cost_known or not self.unpriced else []
        names = clean(
            t("asked.comma").join(map(role_name, self.unpriced)), newlines=False
        )
        unknown = (
            [t("side.cost_unknown", roles=names) if roles else t("side.unknown")]
            if self.unpriced
            else []
        )
        return " + ".join(known + unknown)


@dataclass
class Session:
    """A header and an append-only list of events; everything else is computed from
    them.
    """

    header: Header
    events: list[Event] = field(default_factory=list)
    _changes: list[tuple[int, Change]] = field(
        default_factory=list, repr=False, compare=False
    )
    """The changes among the first `_scanned` events, with their numbers, cached because
    current values are needed often.
    """
    _scanned: int = field(default=0, repr=False, compare=False)
    _total: Totals | None = field(default=None, repr=False, compare=False)
    """The cost of the first `_counted` events."""
    _counted: int = field(default=0, repr=False, compare=False)

    @property
    def workspace(self) -> str:
        return self.header.workspace

    @property
    def method(self) -> str:
        return self.header.method or self.header.workspace

    @property
    def title(self) -> str:
        return str(self._changed("title", self.header.title))

    @property
    def result(self) -> Result | None:
        """The result event; None while the session continues."""
        return next(
            (event for event in reversed(self.events) if isinstance(event, Result)),
            None,
        )

    def setting(self, name: str) -> Any:
        """The current value: the header's, or that of the last change.

        Raises: KeyError if there is no such setting.
        """
        return self._changed(f"settings.{name}", self.header.settings[name])

    def seat(self, role: str) -> Seat:
        """Return the current seat of a role. Raises: KeyError if the role has none.

        A role emptied during the session has its initial seat again.
        """
        own = self.header.lineup.get(role)
        last = self._changed(f"lineup.{role}", own)
        if last is not None:
            if isinstance(last, Seat):
                return last
            return msgspec.convert(last, known(Seat))
        if role in SEAT_DEFAULTS:
            with suppress(KeyError):
                return self.seat(SEAT_DEFAULTS[role])
        if own is None:
            raise KeyError(role)
        return own

    def seated(self, roles: Iterable[str]) -> list[tuple[str, Seat]]:
        """The current seats of these roles. Roles without a seat, as in foreign files,
        are left out.
        """
        found = []
        for role in roles:
            with suppress(KeyError):
                found.append((role, self.seat(role)))
        return found

    def prefix(self, number: int) -> Session:
        """The session as it was after event `number` (0: only the header)."""
        before = [(at, change) for at, change in self._changes if at <= number]
        return Session(
            self.header, self.events[:number], before, min(self._scanned, number)
        )

    def totals(self, role: str | None = None) -> Totals:
        """The cost of the session or of one role, including failed and cancelled calls.
        Roles as for `Totals.of`.
        """
        if role is None:
            total = self._total = self._total or Totals()
            for event in self.events[self._counted :]:
                spent = Totals.of(event)
                if spent is not None:
                    total.add(spent)
            self._counted = len(self.events)
            return copy(total)
        total = Totals()
        for event in self.events:
            own = getattr(event, "role", None)
            if role != ("retriever" if isinstance(event, Retrieval) else own):
                continue
            spent = Totals.of(event)
            if spent is not None:
                total.add(spent)
        return total

    def _changed(self, field: str, first: object) -> Any:
        if self._scanned < len(self.events):
            fresh = enumerate(self.events[self._scanned :], self._scanned + 1)
            self._changes += [
                (number, event) for number, event in fresh if isinstance(event, Change)
            ]
            self._scanned = len(self.events)
        for _, change in reversed(self._changes):
            if change.field == field:
                return change.new
        return first
