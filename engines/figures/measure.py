"""One measure: what it is called, which way is better, and what it gives for a
session.
"""

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
"""`right`, `wrong`: of a share. `measured`: a number. The others say why an item has
no answer, or nothing to hold it against."""
STATES: tuple[State, ...] = get_args(State)
NO_RULE: tuple[State, ...] = ("long-answers", "no-segmenter")
"""The measure has no rule for such an item."""

Better = Literal["higher", "lower", "neither"]
Subject = Literal["answer", "references", "verification", "claims", "process", "price"]


def without_verdict(
    events: Iterable[Event], field: str = ""
) -> Literal["undecided", "unread"]:
    """Why these replies come to no verdict: a panel's tie, or they are unread. `field`:
    the one without a value; "": any.
    """
    ties = [event.ties for event in events if isinstance(event, ReplyEvent)]
    tied = any(field in one if field else one for one in ties)
    return "undecided" if tied else "unread"


class MeasuredValue(NamedTuple):
    """What a measure gives for a session, or for one of its rounds."""

    value: float | None
    """In a share 1 or 0: what is undecided, unread, failed or empty counts 0.

    None: it cannot be measured, and `state` says why.
    """
    state: State
    round: int | None = None
    """The round, iteration or sample that it is of, from 1; None: the whole session."""
    counts: tuple[float, ...] = ()
    """What a pooled measure adds up over sessions."""
    text: str = ""
    """What `Measure.across` compares, such as the answer."""


def right_if(
    right: bool, missing: State = "wrong", round_: int | None = None
) -> MeasuredValue:
    """Right, or wrong. `missing`: why it is wrong, where something is missing."""
    return MeasuredValue(float(right), "right" if right else missing, round_)


def ratio(counts: Sequence[float]) -> float | None:
    """The share of the first count in the second."""
    return counts[0] / counts[1] if counts[1] else None


@dataclass(frozen=True)
class Item:
    """What a session is about, and what it is held against."""

    id: str
    cluster: str
    """Items that are not independent share it; an independent one has its own id."""
    digest: str
    """Of the content: what is asked, and what counts as right.

    The same id with another digest is another item.
    """
    fields: Mapping[str, Any] = field(default_factory=dict)
    """The task of the session, such as `topic`, `answers`, `wrong_answers`; further
    fields as the data set publishes them.
    """


Rule = Callable[[Session, Item], Iterable[MeasuredValue]]
"""What a measure gives for a session, as `Measure.of`."""
Across = Callable[
    [Sequence[tuple["Item", "MeasuredValue"]]], Sequence[tuple["Item", "MeasuredValue"]]
]
"""Turns what each session gave into what pairs or groups of sessions give."""


@dataclass(frozen=True)
class Measure:
    """A figure's name and rule. `texts/report.*.yaml` has its words: `measure.NAME`.

    Reports, gates, comparisons and studies all use the same measures.
    """

    name: str
    """As on the command line and in files: `accuracy`, `chrf`, `cost`."""
    better: Better
    of: Rule
    """Pure: reads nothing else. A measure by round gives one value a round; a measure
    without rounds gives one, or none where it does not apply."""
    share: bool = False
    """Each item is right or wrong."""
    low: float | None = None
    high: float | None = None
    """The least and the greatest value; None: no bound."""
    pooled: Callable[[Sequence[float]], float | None] | None = None
    """The figure of the summed `counts`, where it is no mean of values: chrF of a
    corpus, kappa. It may be undefined."""
    by_round: bool = False
    tested: bool = True
    """False: it only describes. Its differences have no p and no verdict."""
    across: Across | None = None
    """For figures of several sessions, such as the agreement of repeats."""
    subject: Subject = "answer"
    """The part of a session that it describes: reports group figures by it."""
    paid: bool = False
    """It measures calls, tokens, time or money, whatever the answer is."""
    judge: str = ""
    """`ROLE.VERDICT` of the model whose verdict it rests on, such as
    `verifier.judgement`; `.VERDICT`: the role that the kind of batch is judged by; "":
    it rests on none."""
    correctable: bool = False
    """People's labels of the answers say what it should be."""
    rule: str = ""
    """Measures of one name that several methods have are comparable where this is the
    same; "": only with themselves."""

    def comparable(self, other: Measure) -> bool:
        """Whether two measures of one name go by one rule."""
        return self == other or (self.rule != "" and self.rule == other.rule)
