"""The port of a runner: a plugin that makes the events of batches and studies in
another way, or runs a part of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..engines.batches.batch import Batch
    from ..engines.batches.event_makers import EventMakers
    from ..engines.batches.state import Limits
    from ..engines.starting import Starter
    from ..engines.studies.part import StudyPart
    from ..engines.studies.plan import StudyPlan
    from ..engines.tools import Tools
    from .flags import GiveOption


class RunPart(Protocol):
    """The part of a batch or a study to run."""

    @property
    def of(self) -> int:
        """Number of parts."""
        ...

    def share(self, limits: Limits) -> Limits:
        """The limits with this part's share of the budgets. Raises: BadInput."""
        ...

    def of_batch(self, batch: Batch, limits: Limits) -> Batch:
        """The part's lines of a batch, which are also reported.

        Raises: BadInput if it has none.
        """
        ...

    def of_study(
        self,
        plan: StudyPlan,
        limits: Limits,
        starter: Starter,
        tools: Tools,
        options: Mapping[str, object],
    ) -> tuple[StudyPlan, StudyPart]:
        """The part's items of a study, as for a batch."""
        ...


class Runner:
    """A plugin that runs batches and studies in another way, on request."""

    options: Sequence[GiveOption] = ()
    """Its command-line options. `values` below may lack some of them."""
    splits: bool = False
    """Whether it only selects a part of the lines."""

    def makers(
        self, values: Mapping[str, object], tools: Tools, parts: int
    ) -> EventMakers | None:
        """Returns the event makers; None unless the options request them. `parts`:
        number of parts that share the lines.

        Raises: BadInput.
        """
        return None

    def part(self, values: Mapping[str, object]) -> RunPart | None:
        """The part that the options select; None: everything. Raises: BadInput."""
        return None
