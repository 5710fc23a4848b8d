"""`import`: makes sessions from files that other programs recorded."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .. import console
from ..command import command
from ..flags import PATH, into_option

if TYPE_CHECKING:
    from ...sessions.events import Event
    from ...sessions.session import Header


@command(name="import")
@click.argument(
    "files",
    nargs=-1,
    required=True,
    type=PATH,
    metavar="FILE…",
)
@into_option
def import_(files: tuple[Path, ...], into: Path | None) -> int:
    """Make sessions of recorded debates: .json (one object) or .jsonl (one a line).

    Prints the paths written.
    """
    from ...sessions.importing import import_files

    for path in import_files(files, into, _recorded):
        console.out(f"{path}\n")
    return console.DONE


def _recorded(path: Path) -> Iterable[tuple[Header, list[Event]]]:
    """The records of the first method that knows any."""
    from ...engines.method import method
    from ...sessions.methods import METHODS

    return next(
        (
            records
            for name in METHODS
            if (records := method(name).recorded(path)) is not None
        ),
        (),
    )
