"""One measure: what it is called, which way is better, and what it gives for a session."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from ...sessions.session import Session

State = Literal[
    "right",
    "wrong",
    "measured",
    "undecided",
    "unread",
    "failed",
    "empty",
    "no-references",
    "not-ranked",
]
"""`right`, `wrong`: of a share. `measured`: a number. The others say why there is no answer, or nothing to hold it against."""
STATES: tuple[State, ...] = (
    "right",
    "wrong",
    "measured",
    "undecided",
    "unread",
    "failed",
    "empty",
    "no-references",
    "not-ranked",
)

Better = Literal["higher", "lower", "neither"]


class Measured(NamedTuple):
    """What a measure gives for a session, or for one of its rounds."""

    value: float | None
    """In a share 1 or 0: what is undecided, unread, failed or empty counts 0. None: it cannot be measured, and `state` says why."""
    state: State
    round: int | None = None
    """The round, iteration or sample that it is of, from 1; None: the whole session."""
    counts: tuple[float, ...] = ()
    """What a pooled measure adds up over sessions."""


@dataclass(frozen=True)
class Item:
    """What a session is about, and what it is held against."""

    id: str
    cluster: str
    """Items that are not independent share it; an independent one has its own id."""
    digest: str
    """Of the content: what is asked, and what counts as right. The same id with another digest is another item."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    """The task of the session, such as `topic`, `answers`, `wrong_answers`; further fields as the data set publishes them."""


@dataclass(frozen=True)
class Measure:
    """A measure. `texts/report.*.yaml` has its words under `measure.NAME`."""

    name: str
    """As the command line and files have it: `accuracy`, `chrf`, `cost`."""
    better: Better
    of: Callable[[Session, Item], Iterable[Measured]]
    """Pure: reads nothing else. A measure by round gives one for each round; without rounds it gives one or none."""
    share: bool = False
    """Each item is right or wrong."""
    low: float | None = None
    high: float | None = None
    """What a value can be, at the least and at the most; None: no bound."""
    pooled: Callable[[Sequence[float]], float | None] | None = None
    """The figure of the whole, of the sums of `counts`, where it is no mean of values: chrF of a corpus, kappa. It may be undefined."""
    by_round: bool = False
    tested: bool = True
    """False: it only describes, as what caches happened to hold. Its differences have no p and no verdict."""
