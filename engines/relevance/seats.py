"""Who sits where when cases are judged."""

from __future__ import annotations

from collections.abc import Sequence

from ...sessions.session import Seat
from ..models.config import Config
from ..models.seating import seated
from ..script import NAME
from .plan import ROLES
from .settings import SETTINGS


def seats(
    config: Config,
    needed: Sequence[str],
    models: Sequence[str] = (),
    params: Sequence[str] = (),
    *,
    bundled: bool = False,
) -> dict[str, Seat]:
    """As in `models.seating`, with `lexical` where nobody is named; with `script` where
    nobody is and the cases are the bundled ones.

    An annotator that nobody named is left out where there is an extractor: it uses its
    model, whatever it becomes.
    """
    first = ("extractor",) if "extractor" in needed else needed
    return seated(
        SETTINGS, config, ROLES, first, models, params, alone=NAME if bundled else None
    )
