"""Sessions that have not begun: they have no file yet."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from ...engines.method import begin
from ...engines.models.config import Config
from ...engines.starting import Starter, Wishes, usable
from ...sessions.journal import Journal
from ...sessions.paths import paths
from ...sessions.session import Parent
from ..play import Play


def draft(wanted: Wishes, config: Config, parent: Parent | None = None) -> Play:
    """A new session for these wishes.

    `parent`: the session that it is made of. Raises: BadInput for whatever does not
    hold.
    """
    header = begin(wanted, Starter(config, paths(), attended=True))
    header.parent = parent
    return Play(Journal.create(None, header))


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
