"""The part of a study that a run is, where its items are split over several folders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ..batches.batch import Batch, BatchPart
    from .plan import StudyPlan


class StudyPart(Protocol):
    """Which part of a study its items are."""

    def kept(self) -> dict[str, Any]:
        """What the manifest says of it, as `BatchPart.entry`."""
        ...

    def of(self, plan: StudyPlan, batch: Batch) -> BatchPart:
        """The part of a condition's batch. `plan`, `batch`: those of this part."""
        ...
