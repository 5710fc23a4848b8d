"""Events of a debate (MAD)."""

from __future__ import annotations

from typing import Literal

import msgspec

from . import Change, Failure, Note, Read, ReplyEvent, Result


class Baseline(ReplyEvent, tag="baseline", kw_only=True):
    """Debate, seeded opening: the answer that the first debater will defend.

    Outside the debate history.
    """

    read: Read = "unread"
    answer: str | None = None


class Speech(ReplyEvent, tag="speech", kw_only=True):
    """One debater's argument in one round; `answer` is its closing line's answer, None
    without one.
    """

    round: int
    answer: str | None = None


class Stance(ReplyEvent, tag="stance", kw_only=True):
    """The observer's rating of how far the debaters disagree in a round: 0 they agree,
    1 they oppose, None unread.
    """

    round: int
    value: float | None = None
    read: Read = "unread"


class Verdict(ReplyEvent, tag="verdict", kw_only=True):
    """The judge's word after a round (discriminative) or at the limit (extractive).

    None is unread or not named.
    """

    round: int
    mode: Literal["discriminative", "extractive"]
    preference: bool | None = None
    supported_side: str | None = None
    """A role, `tie`, or None."""
    reason: str = ""
    answer: str | None = None
    read: Read = "unread"


class Candidates(ReplyEvent, tag="candidates", kw_only=True):
    """First step of the extractive judge: the different answers that the debate brought
    up.
    """

    round: int
    items: list[str] = []
    read: Read = "unread"


class Resample(ReplyEvent, tag="resample", kw_only=True):
    """The decision that ends the debate, asked for again: how steady the judge is.
    It decides nothing.
    """

    round: int
    sample: int
    """From 2: the decision itself is the first."""
    supported_side: str | None = None
    reason: str = ""
    answer: str | None = None
    read: Read = "unread"


class Disagreement(msgspec.Struct, kw_only=True):
    """How far debaters disagreed: mean over pairs, per round; None where no pair could
    be compared.
    """

    mode: Literal["answer", "stance", "none"]
    per_round: list[float | None] = []
    mean: float | None = None
    excluded: int = 0
    """Pairs (mode `answer`) or rounds (mode `stance`) that could not be measured."""

    @property
    def missing(self) -> Literal["observer", "round", "answers", "ratings"] | None:
        """What there would have to be for a mean: an observer, a whole round, two
        stated answers, a rating that can be read. None: it is there.
        """
        if self.mean is not None:
            return None
        if self.mode == "none":
            return "observer"
        if not self.per_round:
            return "round"
        if self.mode == "answer":
            return "answers"
        return "ratings"


class ResampleSummary(msgspec.Struct, kw_only=True):
    """How steady the judge was: its decisions, and how many of them are the one that
    decided.
    """

    asked: int
    """The first one included."""
    same_answer: int
    same_side: int
    unread: int = 0


class DebateResult(Result, tag="result", kw_only=True):
    """How a debate ended."""

    answer: str | None
    decided_by: Literal["discriminative", "extractive", "undecided"]
    supported_side: str | None = None
    side_by: Literal["judge", "match"] | None = None
    rounds: int = 0
    adaptive_round: int | None = None
    """Under `--stop forced`: the round after which the adaptive rule would have ended
    the debate.
    """
    disagreement: Disagreement | None = None
    resampled: ResampleSummary | None = None


EVENTS = (
    Change
    | Failure
    | Note
    | Baseline
    | Speech
    | Stance
    | Verdict
    | Candidates
    | Resample
    | DebateResult
)
