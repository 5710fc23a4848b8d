"""`open`: a file or a folder without a command."""

from __future__ import annotations

from pathlib import Path

import click

from ..command import command
from ..flags import PATH
from ..screen import interface, open_app, theme_option


@command(name="open", hidden=True)
@click.argument("target", type=PATH)
@theme_option
def open_(target: Path, theme: str | None) -> int:
    """Open the app on a session file, or on a folder of sessions."""
    interface(theme)
    return open_app(target)
