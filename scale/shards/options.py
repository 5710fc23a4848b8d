"""`--shard` and `--shards`: the part of a batch or a study to run."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from ...cli import console
from ...cli.flags import GiveOption, whole_option
from ...cli.runner import Runner
from ...sessions.errors import bad_input
from ...texts import t
from ...texts.amounts import money

if TYPE_CHECKING:
    from ...engines.batches.batch import Batch
    from ...engines.batches.state import Limits
    from ...engines.starting import Starter
    from ...engines.studies.plan import StudyPlan
    from ...engines.tools import Tools
    from .shard_items import ShardItems
    from .shards import Shard

OPTIONS: list[GiveOption] = [
    click.option("--shard", metavar="i/n|auto"),
    whole_option("--shards", 1),
]
AUTO = "auto"


def shard_of(values: Mapping[str, Any]) -> Shard | None:
    """The shard from the options; None without `--shard`. Only `auto` reads the
    environment.

    Raises: BadInput.
    """
    wanted, of = values.get("shard"), values.get("shards")
    if of is not None and wanted != AUTO:
        raise bad_input("wrong.shard.auto_only")
    if wanted is None:
        return None
    from .shards import read_shard, shard_of_task

    if wanted == AUTO:
        return shard_of_task(os.environ, of)
    return read_shard(wanted)


def say_shard(shard: Shard, places: Sequence[int], lines: int, limits: Limits) -> None:
    """Prints the lines and the budget of a shard to stderr. `limits`: those of the
    shard.
    """
    budget = (
        [t("entry.tokens", n=f"{limits.tokens:,}")] if limits.tokens is not None else []
    )
    budget += [money(limits.usd)] if limits.usd is not None else []
    told = t("report.said.shard_budget", budget=", ".join(budget)) if budget else ""
    which = ", ".join(str(place + 1) for place in places[:3]) + (
        ", …" if len(places) > 3 else ""
    )
    console.tell(
        "report.said.shard",
        shard=shard,
        n=f"{len(places):,}",
        lines=f"{lines:,}",
        which=which,
        budget=told,
    )


@dataclass(frozen=True)
class ShardRun:
    """The shard of this run. Implements `RunPart`."""

    shard: Shard

    @property
    def of(self) -> int:
        """See `RunPart`."""
        return self.shard.of

    def share(self, limits: Limits) -> Limits:
        """See `RunPart`."""
        return self.shard.share(limits)

    def of_batch(self, batch: Batch, limits: Limits) -> Batch:
        """See `RunPart`."""
        from .shard_lines import deal

        part, places = deal(batch, self.shard)
        say_shard(self.shard, places, len(batch.lines), limits)
        return part

    def of_study(
        self,
        plan: StudyPlan,
        limits: Limits,
        starter: Starter,
        tools: Tools,
        options: Mapping[str, object],
    ) -> tuple[StudyPlan, ShardItems]:
        """See `RunPart`."""
        from .shard_items import deal

        plan, part = deal(plan, self.shard, starter, tools, options)
        say_shard(self.shard, list(part.places.values()), part.items, limits)
        return plan, part


class _ShardsRunner(Runner):
    options = OPTIONS
    splits = True

    def part(self, values: Mapping[str, object]) -> ShardRun | None:
        """See `Runner`."""
        shard = shard_of(values)
        return None if shard is None else ShardRun(shard)


SHARDS = _ShardsRunner()
