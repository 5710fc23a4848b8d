"""The debates that the screen begins with."""

from __future__ import annotations

from ....engines.debate.method import example
from ....engines.models.config import Config
from ...play import Play
from ..drafts import draft


def example_draft(config: Config, number: int | None = None) -> Play:
    """A bundled example topic with the handwritten script in all seats. Without a
    number: the first one in the user's language.
    """
    return draft(example(number), config)
