"""Who sits where when cases are judged."""

from __future__ import annotations

from collections.abc import Sequence

from ...sessions.session import Seat
from ..models.config import Config
from ..models.seating import seated
from .plan import ROLES
from .settings import SETTINGS


def seats(config: Config, needed: Sequence[str], models: Sequence[str] = (), params: Sequence[str] = ()) -> dict[str, Seat]:
    """As in `models.seating`, with `lexical` where nobody is named.

    An annotator that nobody named is left out where there is an extractor: it uses its model, whatever it becomes.
    """
    first = ("extractor",) if "extractor" in needed else needed
    return seated(SETTINGS, config, ROLES, first, models, params)
