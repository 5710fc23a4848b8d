"""Model verdicts on the final answers of sessions, in one form for all methods, for
comparison with people's labels.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from ...sessions.session import Session


@dataclass(frozen=True)
class MachineVerdict:
    """A model's verdict on the answer of one session."""

    holds: bool | None
    """Whether it calls the answer right; None: its word could not be read."""
    said: str
    """Its word as files have it; "" where it could not be read."""
    scores: Mapping[str, float | None]
    """By name, 0 to 1; None is unread.

    One that this machine does not give is not there.
    """
    model: str
    """Who said so: the id of the model that answered."""
    abstains: bool = False
    """The answer does not answer: no bound decides about it."""


class Verdicts(ABC):
    """How a method's models judge answers, and the bounds by which it acts on that."""

    words: ClassVar[tuple[str, ...]]
    """What it can say, the word for right first."""
    better: ClassVar[Mapping[str, Literal["higher", "lower"]]]
    """Score to which way speaks for the answer."""
    signs: ClassVar[Mapping[str, str]]
    """Score that has a bound, to `<` or `>`: how it stands to the bound where it speaks
    for a revision.
    """
    rules: ClassVar[tuple[str, ...]]
    """The rules that look at bounds."""
    rule_setting: ClassVar[str]
    bounds_setting: ClassVar[str]
    """The settings that hold the rule and its bounds."""

    @abstractmethod
    def of(self, session: Session) -> MachineVerdict | None:
        """Return the model's verdict on the final answer of the session; None without
        one.
        """

    @abstractmethod
    def rule(self, session: Session) -> tuple[str, Mapping[str, float]]:
        """Return the rule and the bounds of the session."""

    @abstractmethod
    def revises(
        self, rule: str, clauses: Mapping[str, bool | None], holds: bool | None
    ) -> bool | None:
        """Return whether a rule requests a revision, from the scores and the verdict;
        None: no decision.

        `clauses`: by score, whether it is past its bound; None is unread.
        """
