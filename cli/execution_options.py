"""Where and how a batch or a study runs: the options that both take, and who makes the
events then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from . import ray_options, shard_options, wave_options

if TYPE_CHECKING:
    from ..engines.batches.event_makers import EventMakers
    from ..engines.tools import Tools

Command = Callable[..., Any]

commands_option = click.option("--allow-commands", is_flag=True)
"""Of every command that begins many sessions: see `flags.workshop`."""
OPTIONS: list[Callable[[Command], Command]] = [
    *shard_options.OPTIONS,
    *ray_options.OPTIONS,
    click.option("--retries", type=click.IntRange(0, 100), metavar="N"),
    click.option("--detach", is_flag=True),
    commands_option,
    *wave_options.OPTIONS,
]
NAMES: tuple[str, ...] = (
    *shard_options.NAMES,
    *ray_options.NAMES,
    "retries",
    "detach",
    "allow_commands",
    *wave_options.NAMES,
)
"""The names of these options as values."""


def makers_of(values: Mapping[str, Any], tools: Tools) -> EventMakers:
    """Who makes the events of the sessions, as the options say. Raises: BadInput."""
    if wave_options.wanted(values):
        shard = shard_options.shard_of(values) if "shard" in values else None
        return wave_options.waves_of(values, tools, 1 if shard is None else shard.of)
    wave_options.say_left(values["into"])
    from ..engines.batches.event_makers import LocalMakers

    return ray_options.makers(values, tools) or LocalMakers()
