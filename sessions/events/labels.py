"""Labels by people on cases, answers and other items, in label files and sessions."""

from __future__ import annotations

from typing import Literal

import msgspec

from . import Event


class Bits(msgspec.Struct, kw_only=True):
    """The two bits of a level, as a person gave them; None: not yet."""

    material: bool | None = None
    legal: bool | None = None


class Reasons(msgspec.Struct, kw_only=True):
    """A person's reason for each bit."""

    material: str = ""
    legal: str = ""


class Evidence(msgspec.Struct, kw_only=True):
    """A passage that a person selected as a fact, with its offsets in characters."""

    case: str
    """`query`, or the candidate's id."""
    kind: Literal["material", "legal"] | None = None
    """None: the person has not said which."""
    text: str
    start: int | None = None
    end: int | None = None


class Voice(msgspec.Struct, kw_only=True):
    """One annotator's label at the time an adjudicator decided."""

    annotator: str
    value: int | None = None
    time: str = ""
    """That of the label."""


class Label(Event, tag="label", kw_only=True):
    """A person's own level for a candidate, or rating of something else; None:
    undecided, or taken back.
    """

    candidate: str = ""
    value: int | None = None
    annotator: str = ""
    seen_machine: bool = False
    """Whether the machine's judgement had been on the screen before."""
    seconds: float = 0.0
    """How long the candidate had been in front."""
    session: str = ""
    """Id of the session that the label is about, in a file of labels; in a session it
    is that one.
    """
    pair: str = ""
    """Digest of the texts of query and candidate: the label counts wherever both
    stand. Older files lack it.
    """
    item: str = ""
    """What is rated where it is no candidate."""
    measure: str = ""
    """What is rated; empty: the level of relevance."""
    bits: Bits | None = None
    """The bits, where they were given one by one."""
    reasons: Reasons | None = None
    facts: list[Evidence] = []
    """The person's evidence."""
    decides: list[Voice] = msgspec.field(default_factory=list, name="from")
    """Of an adjudicated level: the labels that it decides between."""
    by: str = ""
    """Of an adjudicated level: who decided."""
    reason: str = ""
    """Of an adjudicated level: why."""
    note: str = ""
    """A remark."""
    seen_references: bool = False
    """Whether the answers that count as right had been shown, where an answer is rated.
    """
    undone: bool = False
    """True: the labels before are taken back, and it is as if none had been given;
    without it, no value says undecided.
    """
    training: bool = False
    """Given in the training round, after which the known level is shown: it counts in
    no figure and no export.
    """
    words_only: bool = False
    """Without a value: evidence, reasons or a remark came first, so the person has not
    said that they are undecided. Older files do not tell the two apart.
    """

    rare = frozenset(
        {
            "session",
            "pair",
            "item",
            "measure",
            "bits",
            "reasons",
            "facts",
            "from",
            "by",
            "reason",
            "note",
            "seen_references",
            "undone",
            "training",
            "words_only",
        }
    )


class Reply(Event, tag="reply", kw_only=True):
    """In `gold.yaml`: the lead's reply to an annotator's note."""

    session: str
    candidate: str
    pair: str
    to: str
    """The annotator."""
    note: str
    """The note that is answered."""
    label: str
    """Time of the label that bears the note: until the annotator labels the pair again,
    it comes back to them.
    """
    by: str
    text: str


class Reveal(Event, tag="reveal", kw_only=True):
    """In a file of labels: the machine's word about a candidate was shown on
    request.
    """

    session: str
    candidate: str
    pair: str = ""
    """As of a label."""

    rare = frozenset({"pair"})


class Assignment(Event, tag="assignment", kw_only=True):
    """In a label file: which pairs, or which items' answers, are assigned to this
    person, and in which order. The last one counts.
    """

    part: int = 1
    of: int = 1
    """What not everybody gets is dealt to this many people; this is number `part`, from
    1.
    """
    overlap: float = 0.0
    """The share that everybody gets, 0 to 1."""
    sample: int | None = None
    """Number of pairs of every level, or of items, drawn by the seed; None: all."""
    seed: int = 0
    strata: dict[str, int] = {}
    """Of a sample of this many answers of each machine verdict: how many answers have
    each verdict.
    """
    drawn: list[str] = []
    """Of such a sample: a session of each drawn answer."""
    hashed: bool = False
    """Whether a hash of each thing says whose it is. False, as in older files: the
    order of all things does.
    """
    people: dict[str, float] = {}
    """Of a team: name to share. `part` and `of` say nothing then."""
    left: dict[str, float] = {}
    """Who has left the team, with the share of then: what they had labelled stays
    theirs.
    """

    rare = frozenset({"strata", "drawn", "hashed", "people", "left"})
