"""What is trained on, before it takes the form of a tool: examples and pairs of
preferences.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ....engines.models.port import Message
from ....engines.models.tokens import estimate, estimate_messages


class TrainingExample(msgspec.Struct, kw_only=True, frozen=True):
    """Messages and the reply to learn."""

    id: str
    group: str
    """The question that it belongs to: all of a question is in `train`, or all of
    it in `validation`.
    """
    task: str
    """`answering` or `verification`; of cases `extraction` or `annotation`."""
    kind: str
    """How the answer in it came about."""
    prompt: Sequence[Message]
    reply: str

    @property
    def tokens(self) -> int:
        """How long it is, estimated."""
        return estimate_messages(self.prompt) + estimate(self.reply)


class Preference(msgspec.Struct, kw_only=True, frozen=True):
    """Messages, and of two replies to them the better and the worse one."""

    id: str
    group: str
    kind: str
    """Why the one is worse: the kind of a negative, or what a person did (`edit`,
    `retry`).
    """
    prompt: Sequence[Message]
    chosen: str
    rejected: str

    @property
    def tokens(self) -> int:
        """How long it is with the longer reply, estimated."""
        return estimate_messages(self.prompt) + max(
            estimate(self.chosen), estimate(self.rejected)
        )
