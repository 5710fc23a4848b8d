"""Tokens: what a provider reports, and about how many a text is where nobody tells (failed calls, servers that count nothing)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...sessions.events import Usage
from .port import Message

PER_MESSAGE = 4
"""Tokens a chat template puts around each message, about."""


def estimate(text: str) -> int:
    """About as many as common tokenisers make: 4 ASCII characters or 1.5 others (CJK, accents, emoji) each. Shown as estimated."""
    if not text:
        return 0
    plain = len(text.encode("ascii", "ignore"))
    return max(1, round(plain / 4 + (len(text) - plain) / 1.5))


def estimate_messages(messages: Iterable[Message]) -> int:
    """The same for a whole prompt."""
    return sum(estimate(message["content"]) + PER_MESSAGE for message in messages)


def reported(found: Any) -> Usage | None:
    """The provider's figures, from LiteLLM's usage object; None where it gave none (LiteLLM then says 0 and 0)."""
    if found is None or not (found.prompt_tokens or found.completion_tokens):
        return None
    return Usage(input=found.prompt_tokens, output=found.completion_tokens)
