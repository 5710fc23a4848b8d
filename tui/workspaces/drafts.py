"""Sessions that have not started, and so have no file."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from ...engines.method import begin
from ...engines.models.config import Config
from ...engines.script import NAME as SCRIPT
from ...engines.starting import Starter, Wishes, usable
from ...sessions.journal import Journal
from ...sessions.paths import paths
from ...sessions.session import Parent, Session
from ..play import Play


def draft(wanted: Wishes, config: Config, parent: Parent | None = None) -> Play:
    """A new session for these wishes.

    `parent`: the session it is derived from. Raises: BadInput for any invalid wish.
    """
    header = begin(wanted, Starter(config, paths(), attended=True))
    header.parent = parent
    return Play(Journal.create(None, header))


def lineup_of(session: Session) -> list[str]:
    """The line-up of a session, as `--model` takes it; empty where the built-in script
    sits there.
    """
    seats = session.seated(session.header.lineup)
    names = [seat.name or seat.model for _, seat in seats]
    if not names or any(seat.model == SCRIPT for _, seat in seats):
        return []
    every = max(names, key=names.count)
    others = [(role, name) for (role, _), name in zip(seats, names, strict=True)]
    return [every, *(f"{role}={name}" for role, name in others if name != every)]


def example(wanted: Wishes, config: Config, names: Collection[str]) -> Play:
    """A bundled example.

    Of the user's own settings only these count, and only where they are right: an
    example always opens.
    """
    declared = wanted.declared
    own = {
        name: value for name, value in usable(declared, config).items() if name in names
    }
    return draft(
        wanted, msgspec.structs.replace(config, settings={declared.method: own})
    )
