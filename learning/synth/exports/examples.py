"""Training data independent of the tools: examples and preference pairs."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ....engines.models.port import Message
from ....engines.models.tokens import estimate, estimate_messages


class TrainingExample(msgspec.Struct, kw_only=True, frozen=True):
    """Messages and the reply to train on."""

    id: str
    group: str
    """Its question. All lines of a question are in `train`, or all are in `validation`.
    """
    task: str
    """`answering` or `verification`; of cases `extraction` or `annotation`."""
    kind: str
    """How the answer in it was made."""
    prompt: Sequence[Message]
    reply: str

    @property
    def tokens(self) -> int:
        """Estimated length."""
        return estimate_messages(self.prompt) + estimate(self.reply)


class Preference(msgspec.Struct, kw_only=True, frozen=True):
    """Messages, with a better and a worse reply."""

    id: str
    group: str
    kind: str
    """Why one reply is worse: the kind of a negative, or what a person did (`edit`,
    `retry`).
    """
    prompt: Sequence[Message]
    chosen: str
    rejected: str

    @property
    def tokens(self) -> int:
        """Estimated length with the longer reply."""
        return estimate_messages(self.prompt) + max(
            estimate(self.chosen), estimate(self.rejected)
        )
