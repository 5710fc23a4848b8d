"""Counts tokens, as reported by the provider or estimated without a report.

There is no report for failed calls and from servers that do not count.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import UNSET

from ...sessions.events import Usage
from .port import Message

PER_MESSAGE = 4
"""About how many tokens a chat template adds to each message."""
LIKELY_OUTPUT = 500
"""Tokens of a reply, where nothing bounds it: a first guess, which the replies that
come correct.
"""


def estimate(text: str) -> int:
    """About how many tokens a text has: one for 4 ASCII characters or 1.5 others (CJK,
    accents, emoji). Shown as estimated.
    """
    if not text:
        return 0
    plain = len(text.encode("ascii", "ignore"))
    return max(1, round(plain / 4 + (len(text) - plain) / 1.5))


def estimate_messages(messages: Iterable[Message]) -> int:
    """About how many tokens a whole prompt has."""
    return sum(estimate(message["content"]) + PER_MESSAGE for message in messages)


def reported(found: Any) -> Usage | None:
    """The provider's figures, from LiteLLM's usage object; None if it gave none
    (LiteLLM then has 0 and 0).
    """
    if found is None or not (found.prompt_tokens or found.completion_tokens):
        return None
    cached = getattr(
        getattr(found, "prompt_tokens_details", None), "cached_tokens", None
    )
    known = (
        cached
        if isinstance(cached, int) and 0 <= cached <= (found.prompt_tokens or 0)
        else UNSET
    )
    return Usage(
        input=found.prompt_tokens, output=found.completion_tokens, cached_input=known
    )
