"""`completion`: the script with which a shell completes words."""

from __future__ import annotations

import click

from .. import console
from ..command import command


@command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> int:
    """Print the script for a shell."""
    from ..app import group
    from ..completion import script

    console.line(script(group, shell))
    return console.DONE
