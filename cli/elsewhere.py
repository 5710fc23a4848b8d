"""Where and how a batch or a study runs: the options that both take, and who makes the events then."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from . import dealing, on_ray, waves

if TYPE_CHECKING:
    from ..engines.batches.makers import Makers
    from ..engines.tools import Tools

Command = Callable[..., Any]

commands_option = click.option("--allow-commands", is_flag=True)
"""Of every command that begins many sessions: see `flags.workshop`."""
OPTIONS: list[Callable[[Command], Command]] = [
    *dealing.OPTIONS,
    *on_ray.OPTIONS,
    click.option("--retries", type=click.IntRange(0, 100), metavar="N"),
    click.option("--detach", is_flag=True),
    commands_option,
    *waves.OPTIONS,
]
NAMES: tuple[str, ...] = (
    *dealing.NAMES,
    *on_ray.NAMES,
    "retries",
    "detach",
    "allow_commands",
    *waves.NAMES,
)
"""The names of these options as values."""


def makers_of(values: Mapping[str, Any], tools: Tools) -> Makers:
    """Who makes the events of the sessions, as the options say. Raises: BadInput."""
    if waves.wanted(values):
        shard = dealing.shard_of(values) if "shard" in values else None
        return waves.waves_of(values, tools, 1 if shard is None else shard.of)
    waves.say_left(values["into"])
    from ..engines.batches.makers import Here

    return on_ray.makers(values, tools) or Here()
