"""A measure: its name, its better side, and its value for a session."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, get_args

from ...sessions.events import Event, ReplyEvent
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
    "long-answers",
    "no-segmenter",
]
"""`right`, `wrong`: of a share. `measured`: a number. The others say why an item has no
answer, or nothing to compare it with.
"""
STATES: tuple[State, ...] = get_args(State)
NO_RULE: tuple[State, ...] = ("long-answers", "no-segmenter")
"""The measure does not apply to the item."""

Better = Literal["higher", "lower", "neither"]
Subject = Literal["answer", "references", "verification", "claims", "process", "price"]


def without_verdict(
    events: Iterable[Event], field: str = ""
) -> Literal["undecided", "unread"]:
    """Why these replies have no verdict: a panel's tie, or they are unread. `field`:
    the missing field; "": any.
    """
    ties = [event.ties for event in events if isinstance(event, ReplyEvent)]
    tied = any(field in one if field else one for one in ties)
    return "undecided" if tied else "unread"


class MeasuredValue(NamedTuple):
    """The value of a measure for a session, or for one of its rounds."""

    value: float | None
    """In a share 1 or 0; undecided, unread, failed and empty count as 0. None: it
    cannot be measured, and `state` gives the reason.
    """
    state: State
    round: int | None = None
    """The round, iteration or sample, from 1; None: the whole session."""
    counts: tuple[float, ...] = ()
    """Counts that a pooled measure sums over sessions."""
    text: str = ""
    """The value that `Measure.across` compares, such as the answer."""


def right_if(
    right: bool, missing: State = "wrong", round_: int | None = None
) -> MeasuredValue:
    """Right or wrong. `missing`: why it counts as wrong, if something is missing."""
    return MeasuredValue(float(right), "right" if right else missing, round_)


def ratio(counts: Sequence[float]) -> float | None:
    """The ratio of the first count to the second."""
    return counts[0] / counts[1] if counts[1] else None


@dataclass(frozen=True)
class Item:
    """The task of a session, and what its result is compared with."""

    id: str
    cluster: str
    """Shared by items that are not independent; an independent item has its own id."""
    digest: str
    """Digest of the content: the question, and what counts as right. The same id with
    another digest is a different item.
    """
    fields: Mapping[str, Any] = field(default_factory=dict)
    """The task of the session, such as `topic`, `answers`, `wrong_answers`, and further
    fields of the data set.
    """


Rule = Callable[[Session, Item], Iterable[MeasuredValue]]
"""Computes the values for a session; see `Measure.of`."""
Across = Callable[
    [Sequence[tuple["Item", "MeasuredValue"]]], Sequence[tuple["Item", "MeasuredValue"]]
]
"""Turns the values of sessions into those of pairs or groups of sessions."""


@dataclass(frozen=True)
class Measure:
    """The name and the rule of a figure.

    `texts/report.*.yaml` has its text: `measure.NAME`. Reports, gates, comparisons and
    studies all use the same measures.
    """

    name: str
    """As on the command line and in files: `accuracy`, `chrf`, `cost`."""
    better: Better
    of: Rule
    """Pure: depends on its arguments only. A measure by round gives one value per
    round; a measure without rounds gives one, or none if it does not apply.
    """
    share: bool = False
    """Whether each item is right or wrong."""
    low: float | None = None
    high: float | None = None
    """The smallest and the largest possible value; None: unbounded."""
    pooled: Callable[[Sequence[float]], float | None] | None = None
    """The figure of the summed `counts`, if it is not a mean of values: chrF of a
    corpus, kappa. It may be undefined.
    """
    by_round: bool = False
    tested: bool = True
    """False: descriptive only. Its differences have no p and no verdict."""
    across: Across | None = None
    """For figures over several sessions, such as the agreement of repeats."""
    subject: Subject = "answer"
    """The subject that it describes; reports group figures by it."""
    paid: bool = False
    """Whether it measures calls, tokens, time or money, independent of the answer."""
    judge: str = ""
    """The verdict it depends on: `ROLE.VERDICT`, such as `verifier.judgement`;
    `.VERDICT`: of the role that judges the kind of batch; "": none.
    """
    correctable: bool = False
    """Whether people's labels of the answers are its reference."""
    rule: str = ""
    """Measures with the same name in several methods are comparable if this is equal;
    "": only with themselves.
    """

    def comparable(self, other: Measure) -> bool:
        """Whether two measures with the same name use the same rule."""
        return self == other or (self.rule != "" and self.rule == other.rule)
