"""What the making of data needs of a method, and what it takes from its sessions."""

from __future__ import annotations

import msgspec

from ....sessions.events import Reference


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
