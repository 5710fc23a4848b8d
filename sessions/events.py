"""Everything that can happen in a session, one struct per event.

The field names are a public contract: docs/session-format.md lists them, `verifytui schema` prints them as JSON Schema.
Adding a field is free; renaming or dropping one is not.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Read = Literal["schema", "json", "sliced", "literal", "repaired", "unread"]
"""How a value was read from text, best first; `unread` means there is no value."""


class Event(msgspec.Struct, kw_only=True, tag_field="event"):
    """What all events have. `number` and `time` are given by the journal when the event is written."""

    number: int = 0
    """Position in the session, from 1."""
    time: str = ""
    """UTC, ISO 8601 with milliseconds and `Z`."""


class Usage(msgspec.Struct, kw_only=True):
    """Tokens of one event, summed over all its attempts. None is "unknown", which is not 0."""

    input: int | None = None
    output: int | None = None
    estimated: bool = False
    """True where any part of the figures is not the provider's own."""


class Change(Event, tag="change", kw_only=True):
    """The user changed something in mid-session: `title`, `settings.NAME` or `lineup.ROLE`. Holds from the next call."""

    field: str
    old: object = None
    new: object = None


class Failure(Event, tag="failure", kw_only=True):
    """A call that brought nothing to keep. Engines ignore it; totals count its usage."""

    role: str
    kind: str
    """A word for programs: the kinds are listed in engines/models/port.py."""
    message: str
    """One sentence for people."""
    model: str = ""
    usage: Usage | None = None
    cost: float | None = None
    seconds: float = 0.0
    attempts: int = 1


class Note(Event, tag="note", kw_only=True):
    """A remark by a person, about an event (its number), a candidate (its id) or the whole session (None)."""

    text: str
    about: int | str | None = None


class Made(Event, kw_only=True):
    """What all events made by a model, a built-in or a person have."""

    role: str
    model: str = ""
    """The real id that answered, or `human`, `script`, `lexical`."""
    text: str = ""
    """The reply as it came, without its reasoning."""
    reasoning: str | None = None
    usage: Usage | None = None
    cost: float | None = None
    """US dollars; None is unknown."""
    seconds: float = 0.0
    finish: str | None = None
    """Why the model stopped: `stop`, `length`, `content_filter` …; None if it did not say."""
    attempts: int = 1
    cached: bool = False
    altered: bool = False
    """True if the text held lone surrogates, which became U+FFFD."""
    dropped: list[str] = []
    """Parameters that the model does not take and that were left out."""


class Baseline(Made, tag="baseline", kw_only=True):
    """Debate, seeded opening: the answer that the first debater will defend. Outside the debate history."""

    read: Read = "unread"
    answer: str | None = None


class Speech(Made, tag="speech", kw_only=True):
    """One debater's argument in one round; `answer` is what its closing line states, None if there is none."""

    round: int
    answer: str | None = None


class Stance(Made, tag="stance", kw_only=True):
    """The observer's rating of how far the debaters disagree in a round: 0 they agree, 1 they oppose, None unread."""

    round: int
    value: float | None = None
    read: Read = "unread"


class Verdict(Made, tag="verdict", kw_only=True):
    """The judge's word after a round (discriminative) or at the limit (extractive). None is unread or not named."""

    round: int
    mode: Literal["discriminative", "extractive"]
    preference: bool | None = None
    supported_side: str | None = None
    """A role, `tie`, or None."""
    reason: str = ""
    answer: str | None = None
    read: Read = "unread"


class Candidates(Made, tag="candidates", kw_only=True):
    """First step of the extractive judge: the different answers that the debate brought up."""

    round: int
    items: list[str] = []
    read: Read = "unread"


class Disagreement(msgspec.Struct, kw_only=True):
    """How far debaters disagreed: mean over pairs, per round; None where no pair could be compared."""

    mode: Literal["answer", "stance", "none"]
    per_round: list[float | None] = []
    mean: float | None = None
    excluded: int = 0
    """Pairs (mode `answer`) or rounds (mode `stance`) that could not be measured."""


class DebateResult(Event, tag="result", kw_only=True):
    """How a debate ended."""

    answer: str | None
    decided_by: Literal["discriminative", "extractive", "undecided"]
    supported_side: str | None = None
    side_by: Literal["judge", "match"] | None = None
    rounds: int = 0
    adaptive_round: int | None = None
    """Under `--stop forced`: the round after which the adaptive rule would have ended the debate."""
    disagreement: Disagreement | None = None


DebateEvent = Change | Failure | Note | Baseline | Speech | Stance | Verdict | Candidates | DebateResult

EVENTS: dict[str, object] = {"debate": DebateEvent}
"""The union of event types of each workspace, as msgspec reads and writes them."""
