"""`--shard` and `--shards`: which part of a batch or a study this run is."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from ..sessions.errors import BadInput
from ..texts import t
from ..texts.amounts import money
from . import console

if TYPE_CHECKING:
    from ..engines.batches.batch import Batch
    from ..engines.batches.shards import Shard
    from ..engines.batches.state import Limits

Command = Callable[..., Any]

OPTIONS: list[Callable[[Command], Command]] = [
    click.option("--shard", metavar="i/n|auto"),
    click.option("--shards", type=click.IntRange(min=1), metavar="N"),
]
NAMES = ("shard", "shards")
AUTO = "auto"


def shard_of(values: Mapping[str, Any]) -> Shard | None:
    """The shard that the options name; None without `--shard`.

    Only `auto` looks at the environment. Raises: BadInput.
    """
    wanted, of = values["shard"], values["shards"]
    if of is not None and wanted != AUTO:
        raise BadInput(t("wrong.shard.auto_only"))
    if wanted is None:
        return None
    from ..engines.batches.shards import read_shard, shard_of_task

    if wanted == AUTO:
        return shard_of_task(os.environ, of)
    return read_shard(wanted)


def dealt(batch: Batch, shard: Shard, limits: Limits) -> Batch:
    """The part of a batch that is this shard's, which is said.

    `limits`: the shard's own. Raises: BadInput where it is nothing.
    """
    from ..engines.batches.shard_lines import deal

    part, places = deal(batch, shard)
    say_shard(shard, places, len(batch.lines), limits)
    return part


def say_shard(shard: Shard, places: Sequence[int], lines: int, limits: Limits) -> None:
    """Says on stderr which lines a shard has, and what it may spend. `limits`: its own."""
    budget = (
        [t("entry.tokens", n=f"{limits.tokens:,}")] if limits.tokens is not None else []
    )
    budget += [money(limits.usd)] if limits.usd is not None else []
    told = t("report.said.shard_budget", budget=", ".join(budget)) if budget else ""
    which = ", ".join(str(place + 1) for place in places[:3]) + (
        ", …" if len(places) > 3 else ""
    )
    console.say(
        t(
            "report.said.shard",
            shard=shard,
            n=f"{len(places):,}",
            lines=f"{lines:,}",
            which=which,
            budget=told,
        )
    )
