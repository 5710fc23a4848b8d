"""Who sits where when a question is asked."""

from __future__ import annotations

from collections.abc import Sequence

from ...sessions.session import Seat
from ..models.config import Config
from ..models.seating import seated
from ..script import NAME
from .plan import ROLES
from .settings import SETTINGS

LEXICAL = "lexical"
"""Who compares words."""

UNMEASURED = {LEXICAL: ("bias",)}
"""Scores that a model cannot give: who compares words has no knowledge of its own to
measure an answer against.
"""


def seats(
    config: Config,
    needed: Sequence[str],
    models: Sequence[str] = (),
    params: Sequence[str] = (),
    *,
    bundled: bool = False,
) -> dict[str, Seat]:
    """As in `models.seating`, with `lexical` where nobody is named; with `script` where
    nobody is and the question is a bundled one.

    Verifier and reviser that nobody named are left out where there is a generator: they
    use its model, whatever it becomes.
    """
    first = ("generator",) if "generator" in needed else needed
    return seated(
        SETTINGS, config, ROLES, first, models, params, alone=NAME if bundled else None
    )
