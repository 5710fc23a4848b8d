"""A new session is checked whole before it begins: configuration, settings, seats."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..sessions.session import Header, Session
from .method import method_of
from .models.config import Config
from .models.preflight import SeatModel, asked_in, problems, refuse
from .tools import Tools


def begin_checked(begin: Callable[[], Header], tools: Tools) -> Header:
    """The header that `begin` makes, where every seat of it can be asked.

    No model is called and nothing is written.
    Raises: BadInput, which names everything that is wrong, a line each.
    """
    header = begin()
    refuse([*tools.wrong, *problems(asked_in(header, tools.config), tools.config)])
    return header


def check_rest(session: Session, config: Config, wrong: Sequence[str] = ()) -> None:
    """Checks the configuration and the seats of a session that continues, under the
    settings in force now.

    `wrong`: what is wrong in the configuration. Raises: BadInput, which names
    everything that is wrong, a line each.
    """
    header = session.header
    roles = method_of(header).roles_of(session)
    seated = session.seated(roles)
    asked = [SeatModel(role, seat) for role, seat in seated]
    refuse([*wrong, *problems(asked, config)])
