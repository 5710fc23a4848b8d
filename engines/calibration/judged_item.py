"""One thing that a machine has judged, beside what people say of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..metrics.intervals import clustered_share


@dataclass(frozen=True)
class JudgedItem:
    """An answer, or a pair of cases, with the machine's word and people's."""

    id: str
    cluster: str
    """Things that are not independent share it."""
    truth: bool | None
    """Whether people judge it right; None: no label."""
    holds: bool | None
    """Whether the machine calls it right; None: its word could not be read, or a panel
    did not agree.
    """
    said: str = ""
    """The machine's word as it put it; "" where it could not be read."""
    scores: Mapping[str, float | None] = field(default_factory=dict)
    """Its scores by name, as it gave them; None is unread.

    One that it does not give is not there.
    """
    abstains: bool = False
    """The answer does not answer: no bound decides about it."""
    content: str = ""
    """What was judged, where its id alone does not say; "": the id does."""
    unit: str = ""
    """Things that share it get their label together, as one draw; "": it has its own.
    """


@dataclass(frozen=True)
class Share:
    """A share with its 95 % interval; without a value where there is nothing to
    count.
    """

    value: float | None
    low: float | None
    high: float | None
    count: int
    of: int


def share(told: Iterable[tuple[str, bool]]) -> Share:
    """The share of what is true, each with its cluster: Wilson's interval, for as many
    items as the clusters are worth.
    """
    listed = list(told)
    count, of = sum(held for _, held in listed), len(listed)
    found = clustered_share(listed)
    if found is None:
        return Share(None, None, None, 0, 0)
    return Share(count / of, found.low, found.high, count, of)


def labelled(things: Sequence[JudgedItem]) -> list[JudgedItem]:
    """Those that people have said something of."""
    return [thing for thing in things if thing.truth is not None]
