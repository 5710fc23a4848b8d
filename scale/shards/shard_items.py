"""Assigns the items of a study to shards. All conditions of an item are in the same
shard.
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
    """A shard of a study."""

    shard: Shard
    digest: str
    """Digest of the study and of all its items under all conditions, including those of
    other shards.
    """
    items: int
    """Number of items in the study."""
    places: Mapping[str, int]
    """The shard's items → their indexes in the study, from 0."""

    def kept(self) -> dict[str, Any]:
        """The shard's entry in the manifest."""
        return {
            "index": self.shard.index,
            "of": self.shard.of,
            "digest": self.digest,
            "items": self.items,
        }

    def of(self, plan: StudyPlan, batch: Batch) -> ShardPart:
        """The shard's part of a condition's batch. `plan`, `batch`: of the shard."""
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
    """Returns the shard's part of a study, and the shard.

    Raises: BadInput, also if the part is empty.
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
