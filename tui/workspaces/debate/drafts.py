"""The debates that the screen begins with."""

from __future__ import annotations

from ....engines.debate.starting import example
from ....engines.models.config import Config
from ...play import Play
from ..drafts import draft


def example_draft(config: Config, number: int = 0) -> Play:
    """A bundled example topic, with the hand-written script in all seats."""
    return draft(example(number), config)
