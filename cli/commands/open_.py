"""`open`: a file or a folder without a command."""

from __future__ import annotations

import time
from pathlib import Path

import click

from .. import console
from ..command import command
from ..flags import PATH
from ..screen import app_options, open_app, plain_option

PATIENCE = 20.0
"""Seconds that a new folder may stay without a run."""
NOT_YET = ("run.log",)
"""Content of a folder before its run has started."""


@command(name="open", hidden=True)
@click.argument("target", type=PATH)
@app_options
@plain_option
def open_(target: Path) -> int:
    """Open the app on a session file, or on a folder of sessions."""
    if console.has_terminal():
        _await_run(target)
    return open_app(target)


def _await_run(folder: Path) -> None:
    """Waits while a folder that was made just now holds nothing of its run."""
    told = False
    while _starts(folder):
        if not told:
            console.tell("report.runs.starting", folder=folder)
        told = True
        time.sleep(0.1)


def _starts(folder: Path) -> bool:
    try:
        young = time.time() - folder.stat().st_mtime < PATIENCE
        return young and all(each.name in NOT_YET for each in folder.iterdir())
    except OSError:  # no folder, or it is gone: the app says so
        return False
