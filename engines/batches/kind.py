"""What a batch asks of a method: its lines, what counts of a finished session, and what
an estimate goes by.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from ...sessions.session import Seat, Session
from ..figures import common
from ..models.port import Task
from ..reports.batch import Breakdown
from ..step import Engine

if TYPE_CHECKING:
    from ..figures.measure import Measure
    from ..reports.batch import BatchReport
    from ..reports.document import DataTable
    from ..starting import Wishes
    from .lines import BatchLine
    from .report import SummaryRow


class StandIns(ABC):
    """Replies for an estimate, in place of those of models.

    `decides`: the reply that leads to as few further calls as possible.
    """

    longest_ways: ClassVar[tuple[bool, ...]] = (False,)
    """The values of `decides` under which a session can cost most: all are tried."""

    @property
    @abstractmethod
    def typical(self) -> str:
        """The length of the replies that the estimate is for: `speeches of 245
        tokens`.
        """

    @abstractmethod
    def engine(self, session: Session) -> Engine:
        """The engine to estimate with: it looks nothing up and writes nothing."""

    @abstractmethod
    def ordinary(self, task: Task, *, decides: bool) -> str:
        """A reply of ordinary length."""

    @abstractmethod
    def longest(self, task: Task, filled: str, *, decides: bool) -> str:
        """A reply that can be read and lets the method continue, and that contains
        `filled`: the text of the longest possible reply.
        """

    def asked(self, session: Session) -> list[tuple[str, Seat]]:
        """The roles that the session may ask, with their seats."""
        return session.seated(session.header.lineup)

    def looks_up(self, session: Session) -> bool:
        """True if the length of what the session sends depends on a search."""
        return False

    def open_ended(self, session: Session) -> bool:
        """True if how often the session asks depends on the length of the replies."""
        return False


class BatchKind(ABC):
    """One kind of batch: topics, questions, answers, pairs."""

    many: ClassVar[str]
    """What its lines make, in the plural: `debates`."""
    line_types: ClassVar[tuple[type[BatchLine], ...]]
    """What `read` returns."""
    judged_by: ClassVar[tuple[str, ...]]
    """The roles whose models a report names; the first one's opinion the figures rest
    on."""
    verb: ClassVar[str] = "judged"
    """What the first of them did, in `report.verb`."""
    verdict: ClassVar[str] = ""
    """What a certificate of this role is about: `judgement`, `level`; "": it cannot be
    certified."""
    quiet: ClassVar[Collection[str]] = common.LENIENT
    """Measures that people are not shown in the text of a report."""
    stand_ins: ClassVar[StandIns]

    @staticmethod
    def own() -> Mapping[str, Measure]:
        """Its own measures, in addition to those of all methods, by name."""
        return {}

    @property
    def measures(self) -> Mapping[str, Measure]:
        """The measures of its report, which are also its gates."""
        return common.measures() | dict(self.own())

    @abstractmethod
    def read(
        self, path: Path, wishes: Wishes, left_out: list[str] | None = None
    ) -> tuple[Sequence[BatchLine], Sequence[str]]:
        """The lines of a file under these options, and remarks for the user.

        `left_out` gets a sentence for each wrong line.

        Raises: BadInput, which names all wrong lines, without `left_out` or where no
        other line is left.
        """

    @staticmethod
    def tallies(session: Session) -> Mapping[str, Mapping[str, int]]:
        """Counts of what happened in a finished session: family to name to count."""
        return {}

    def details(self, row: SummaryRow) -> Mapping[str, object]:
        """Further fields of a line of summary.jsonl."""
        return {}

    def breakdown(self, rows: Sequence[SummaryRow]) -> Breakdown:
        """The same figures of parts of the run."""
        return Breakdown()

    def tables(self, report: BatchReport) -> Sequence[DataTable]:
        """Tables of the report in addition to those of figures."""
        return ()
