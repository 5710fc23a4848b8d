"""Deals the items of a study out to shards: all conditions of an item are in one of
them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...engines.batches.batch import Batch
from ...engines.starting import Starter
from ...engines.studies.batches import batch_of
from ...engines.studies.plan import StudyPlan
from ...engines.tools import Tools
from ...sessions.errors import bad_input
from .shard_lines import ShardPart, digest_of
from .shards import Shard


@dataclass(frozen=True)
class ShardItems:
    """Which part of a study a shard is."""

    shard: Shard
    digest: str
    """Of the study, and of all its items under all conditions, those of the other
    shards too.
    """
    items: int
    """How many there are in all."""
    places: Mapping[str, int]
    """The shard's own items → their places among all, from 0."""

    def kept(self) -> dict[str, Any]:
        """What the manifest says of it."""
        return {
            "index": self.shard.index,
            "of": self.shard.of,
            "digest": self.digest,
            "items": self.items,
        }

    def of(self, plan: StudyPlan, batch: Batch) -> ShardPart:
        """The part of a condition's batch that is the shard's.

        `plan`, `batch`: the shard's own.
        """
        repeats = plan.study.repeats
        found = (plan.by_line[line.id] for line in batch.lines)
        places = [self.places[item.id] * repeats + repeat - 1 for item, repeat in found]
        return ShardPart(self.shard, self.digest, self.items * repeats, places)


def deal(
    plan: StudyPlan,
    shard: Shard,
    starter: Starter,
    tools: Tools,
    options: Mapping[str, object],
) -> tuple[StudyPlan, ShardItems]:
    """The part of a study that is this shard's, and which part that is.

    Raises: BadInput, also where it is nothing.
    """
    if plan.recorded:
        raise bad_input("wrong.study.run_shard", name=plan.recorded[0].name)
    places = {
        item.id: place for place, item in enumerate(plan.items) if shard.has(place)
    }
    if not places:
        raise bad_input("wrong.shard.no_lines", shard=shard, lines=len(plan.items))
    items = [[item.id, item.cluster, item.digest] for item in plan.items]
    digest = digest_of(
        (batch_of(plan, condition, starter, tools) for condition in plan.played),
        plan.study.text,
        json.dumps([dict(options), items], sort_keys=True),
    )
    own = replace(plan, items=[item for item in plan.items if item.id in places])
    return own, ShardItems(shard, digest, len(plan.items), places)
