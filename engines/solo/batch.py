"""A batch of topics that one model answers alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..batches import topics
from ..batches.kind import BatchKind
from ..figures import common
from ..figures.measure import Measure
from ..starting import Wishes
from .measures import measures
from .stand_ins import SoloStandIns
from .state import ROLES, SOLVER


class SoloBatch(BatchKind):
    """One attempt for each topic."""

    many = "solo sessions"
    line_types = (topics.TopicLine,)
    judged_by = (SOLVER, *(role for role in ROLES if role != SOLVER))
    verb = "answered"
    stand_ins = SoloStandIns()

    @property
    def measures(self) -> Mapping[str, Measure]:
        return common.measures() | measures()

    def read(
        self, path: Path, wishes: Wishes, left_out: list[str] | None = None
    ) -> tuple[list[topics.TopicLine], list[str]]:
        return topics.read_topics(path, wishes, left_out), []
