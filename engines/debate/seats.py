"""Who sits where when a debate begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...sessions.session import Seat
from ..models.config import Config
from ..models.seating import seated
from .new import check_settings, roles_needed
from .plan import DEBATERS, ROLES
from .settings import SETTINGS


def seats(
    config: Config,
    settings: Mapping[str, Any],
    kind: str = "question",
    models: Sequence[str] = (),
    params: Sequence[str] = (),
) -> dict[str, Seat]:
    """Role to seat, as in `models.seating`.

    Configured debaters that this debate does not have are passed over.

    Where the disagreement is rated (`stance`), a language model that is named for all
    is the observer too. Nobody else is unless named. The baseline stays empty unless it
    is named: then the affirmative's model answers.

    Raises: BadInput.
    """
    wanted = check_settings(settings, kind)
    needed = [role for role in roles_needed(wanted, kind) if role != "baseline"]
    spare = [role for role in DEBATERS if role not in needed]
    rated = (
        ["observer"]
        if wanted["disagreement"] == "stance" and wanted["control"] == "none"
        else []
    )
    return seated(
        SETTINGS, config, ROLES, needed, models, params, spare=spare, optional=rated
    )
