"""Who sits where when a debate begins."""

from __future__ import annotations

from collections.abc import Sequence

from ...sessions.session import Seat
from ..models.config import Config
from ..models.seating import seated
from .plan import DEBATERS, ROLES


def seats(config: Config, needed: Sequence[str], models: Sequence[str] = (), params: Sequence[str] = ()) -> dict[str, Seat]:
    """As in `models.seating`, with `script` where nobody is named. Configured debaters that this debate does not have are passed over."""
    spare = [role for role in DEBATERS if role not in needed]
    return seated("debate", config, ROLES, needed, models, params, default="script", spare=spare)
