"""What becomes of a session chosen in the library, and sessions side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ..sessions.clean import clean
from ..sessions.errors import BadInput
from ..sessions.events import Event
from ..sessions.journal import Journal
from ..sessions.session import Session
from .texts import t

if TYPE_CHECKING:
    from .app import VerifyTui
    from .screens.library import LibraryChoice


async def carry_out(app: VerifyTui, chosen: LibraryChoice) -> None:
    """Opens, replays, forks, exports or compares what was chosen."""
    match chosen.action:
        case "open":
            await app.open_path(chosen.path)
        case "replay":
            await app.open_path(chosen.path, at_start=True)
        case "fork":
            await app.open_path(chosen.path)
            await app.workspace.do_fork()
        case "export":
            await app.open_path(chosen.path)
            app.workspace.do_export()
        case "compare" if chosen.other is not None:
            compare(app, chosen.path, chosen.other)


def compare_with_parent(app: VerifyTui) -> None:
    """A fork or twin beside the session it came from."""
    play = app.workspace.play
    parent = play.session.header.parent if play is not None else None
    if play is None or parent is None:
        app.say(t("app.no_parent"), "warning")
        return
    for entry in app.library.entries():
        if entry.id == parent.id:
            _side_by_side(app, _read(app, entry.path), play.session)
            return
    app.say(t("app.parent_gone"), "warning")


def compare(app: VerifyTui, left: Path, right: Path) -> None:
    """Two sessions of the library beside each other."""
    _side_by_side(app, _read(app, left), _read(app, right))


def _read(app: VerifyTui, path: Path) -> Session | None:
    try:
        with Journal.open(path, write=False) as journal:
            return journal.session
    except BadInput as error:
        app.say(clean(str(error)), "error")
        return None


def _side_by_side(app: VerifyTui, left: Session | None, right: Session | None) -> None:
    from .screens.compare import CompareScreen

    if left is not None and right is not None:
        app.push_screen(CompareScreen(left, right, first_difference(left, right)))


def first_difference(left: Session, right: Session) -> int:
    """Index of the first event in which two sessions differ; when and how fast it came does not count."""
    for index, (one, other) in enumerate(zip(left.events, right.events, strict=False)):
        if _matter(one) != _matter(other):
            return index
    return min(len(left.events), len(right.events))


def _matter(event: Event) -> Event:
    alike: dict[str, object] = {"time": "", **({"seconds": 0.0} if hasattr(event, "seconds") else {})}
    return msgspec.structs.replace(event, **alike)
