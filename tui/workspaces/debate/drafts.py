"""The debates that the screen begins with."""

from __future__ import annotations

from ....engines.debate.method import example
from ....engines.models.config import Config
from ...play import Play
from ..drafts import draft


def example_draft(config: Config) -> Play:
    """The first example topic in the user's language, with the script in all roles."""
    return draft(example(), config)
