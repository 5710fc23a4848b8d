"""What synthesis needs from a method and its sessions."""

from __future__ import annotations

import msgspec

from ....sessions.events import Reference


class SampledAnswer(msgspec.Struct, kw_only=True):
    """The answer of a session."""

    question: str
    accepted: list[str] = []
    """Accepted answers, if the question has any."""
    query: str
    """The query that retrieved the references."""
    references: list[Reference] = []
    """Numbered as in the answer."""
    answer: str
    models: list[str] = []
    """The model that gave the answer."""
