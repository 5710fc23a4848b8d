"""Two sessions side by side."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from ..sessions.errors import BadInput
from ..sessions.journal import read_session
from ..sessions.session import Session
from ..texts import t
from .showing import clean

if TYPE_CHECKING:
    from .host import Host
    from .play import Play
    from .screens.compare import CompareScreen


async def compare_with_parent(host: Host, play: Play, batch: Path | None) -> None:
    """Show a fork or twin next to its parent session. Arguments as for `parent_of`."""
    path = await parent_of(host, play, batch)
    if path is not None:
        screen = _side_by_side(_read(host, path), play.session)
        if screen is not None:
            host.push_screen(screen)


async def parent_of(host: Host, play: Play, batch: Path | None) -> Path | None:
    """The file of the parent session; None, with a message, if it is missing.

    It is searched for in the session's own folder, in the open batch, and in the
    library.
    """
    parent, own = play.session.header.parent, play.journal.path
    if parent is None:
        host.say(t("app.no_parent"), "warning")
        return None
    folders = [
        *([own.parent] if own is not None else []),
        *([batch] if batch is not None else []),
    ]
    path = await asyncio.to_thread(host.library.path_of, parent.id, *folders)
    if path is None:
        host.say(t("app.parent_gone"), "warning")
    return path


async def compare(host: Host, left: Path, right: Path) -> None:
    """Show two sessions of the library side by side until the user leaves."""
    screen = _side_by_side(_read(host, left), _read(host, right))
    if screen is not None:
        await host.ask(screen)


def _read(host: Host, path: Path) -> Session | None:
    try:
        return read_session(path)
    except BadInput as error:
        host.say(clean(str(error)), "error")
        return None


def _side_by_side(left: Session | None, right: Session | None) -> CompareScreen | None:
    from .screens.compare import CompareScreen

    if left is None or right is None:
        return None
    return CompareScreen(left, right)
