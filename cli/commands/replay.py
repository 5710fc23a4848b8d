"""`replay`: a recorded session is played again."""

from __future__ import annotations

import time
from pathlib import Path

import click

from .. import console
from ..command import command
from ..console import has_terminal
from ..screen import app_options, must_exist, open_app
from ..stdin import piped

LONGEST_PAUSE = 5.0
"""Seconds; a recorded pause longer than this is cut to it."""
SPEEDS = click.Choice(["1", "2", "4", "max"])


@command()
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--plain", is_flag=True)
@click.option("--speed", type=SPEEDS)
@app_options
def replay(file: Path, plain: bool, speed: str | None) -> int:
    """Play the recorded session FILE (- is stdin) again: no model, no network."""
    data = piped() if str(file) == "-" else None
    if plain or not has_terminal():
        return _print(file, data, speed or "max")
    if data is None:
        must_exist(file)
    return open_app(
        None if data is not None else file,
        replay=True,
        speed=speed or "1",
        stdin_bytes=data,
    )


def _print(file: Path, data: bytes | None, speed: str) -> int:
    from datetime import datetime

    from ...sessions.journal import Journal
    from ..printer import Printer

    journal = (
        Journal.from_bytes(data)
        if data is not None
        else Journal.open(file, write=False)
    )
    session = journal.session
    text = Printer()
    if journal.torn:
        console.say(journal.torn)
    text.header(session)
    before: float | None = None
    for event in session.events:
        if speed != "max":
            try:
                now = datetime.fromisoformat(
                    event.time.replace("Z", "+00:00")
                ).timestamp()
            except ValueError:
                now = before or 0.0
            if before is not None:
                time.sleep(min(max(now - before, 0.0), LONGEST_PAUSE) / int(speed))
            before = now
        text.event(event)
    return console.DONE
