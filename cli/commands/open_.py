"""`open`: a file or a folder without a command."""

from __future__ import annotations

from pathlib import Path

import click

from ..screen import interface, lang_option, open_app, theme_option


@click.command(name="open", hidden=True)
@click.argument("target", type=click.Path(path_type=Path))
@lang_option
@theme_option
def open_(target: Path, lang: str | None, theme: str | None) -> int:
    """Open the app on a session file, or on a folder of sessions."""
    interface(lang, theme)
    return open_app(target)
