"""All commands, by what click says of them."""

from __future__ import annotations

from collections.abc import Iterator

import click
from verifytui.cli.app import group


def commands(
    of: click.Command = group, words: tuple[str, ...] = ()
) -> Iterator[tuple[str, click.Command]]:
    """Every command that does something, with its words."""
    context = click.Context(of)
    if not isinstance(of, click.Group):
        yield " ".join(words), of
        return
    for name in of.list_commands(context):
        inner = of.get_command(context, name)
        assert inner is not None
        yield from commands(inner, (*words, name))


def flags(command: click.Command) -> set[str]:
    """The options of a command, as they are typed."""
    return {flag for one in command.params for flag in (*one.opts, *one.secondary_opts)}
