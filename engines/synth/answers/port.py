"""What a method must offer, so that its answers and verifications can become training
data.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from ....sessions.events import Event, Reference
from ....sessions.session import Header, Session
from ...batches.batch import Player
from ...starting import Starter, Wishes
from .samples import SampleVerdict


class SampledAnswer(msgspec.Struct, kw_only=True):
    """What a session answered."""

    question: str
    accepted: list[str] = []
    """Right answers, where the question has them."""
    query: str
    """What the references were searched with."""
    references: list[Reference] = []
    """As they were numbered for the answer."""
    answer: str
    models: list[str] = []
    """Who gave the answer."""


class Answering(Protocol):
    """What a method says of its sessions; a module has these names."""

    def answered(self, session: Session) -> SampledAnswer | None:
        """The answer that a session ended with; None where it has none, or no
        references.
        """
        ...

    def verified(self, session: Session, sample: str) -> SampleVerdict:
        """What the verifier said of the answer; unread where nothing was said.

        `sample`: its id.
        """
        ...

    def right(self, answer: str, accepted: Sequence[str]) -> bool:
        """Whether an answer is one of those accepted, as reports count it."""
        ...

    def holds(self, text: str, accepted: Sequence[str]) -> bool:
        """Whether an accepted answer stands in a text."""
        ...

    def abstains(self, answer: str) -> bool:
        """Whether an answer only says that there is none."""
        ...

    def unverified(self, header: Header) -> list[Event]:
        """The events of a session in which a given answer stands beside its references,
        and nobody said anything of it.
        """
        ...


class AnsweringMethod(Player, Protocol):
    """A method as the making of data needs it; `engines.method.Method` has it."""

    @property
    def answering(self) -> Answering | None: ...

    def begin(self, wanted: Wishes, starter: Starter) -> Header: ...
