"""What a batch needs from a method: lines, counts of sessions, and estimates."""

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
    """Placeholder replies for an estimate. `decides`: choose the reply that leads to
    the fewest further calls.
    """

    longest_ways: ClassVar[tuple[bool, ...]] = (False,)
    """The values of `decides` under which a session can cost most; all are tried."""

    @property
    @abstractmethod
    def typical(self) -> str:
        """A description of the reply length that the estimate assumes: `speeches of 245
        tokens`.
        """

    @abstractmethod
    def engine(self, session: Session) -> Engine:
        """The engine for the estimate. It looks nothing up and writes nothing."""

    @abstractmethod
    def ordinary(self, task: Task, *, decides: bool) -> str:
        """A reply of ordinary length."""

    @abstractmethod
    def longest(self, task: Task, filled: str, *, decides: bool) -> str:
        """A readable reply that lets the method continue and contains `filled`, the
        text of the longest possible reply.
        """

    def asked(self, session: Session) -> list[tuple[str, Seat]]:
        """The roles that the session may call, with their models."""
        return session.seated(session.header.lineup)

    def looks_up(self, session: Session) -> bool:
        """Whether the length of the requests depends on a search."""
        return False

    def open_ended(self, session: Session) -> bool:
        """Whether the number of calls depends on the length of the replies."""
        return False


class BatchKind(ABC):
    """One kind of batch: topics, questions, answers, pairs."""

    many: ClassVar[str]
    """What a line creates, in the plural: `debates`."""
    line_types: ClassVar[tuple[type[BatchLine], ...]]
    """The line types that `read` returns."""
    judged_by: ClassVar[tuple[str, ...]]
    """The roles whose models a report names. The figures depend on the first one."""
    verb: ClassVar[str] = "judged"
    """What the first role did, in `report.verb`."""
    verdict: ClassVar[str] = ""
    """What a certificate of this role covers: `judgement`, `level`; "": it cannot be
    certified.
    """
    quiet: ClassVar[Collection[str]] = common.LENIENT
    """Measures that the text of a report omits."""
    stand_ins: ClassVar[StandIns]

    @staticmethod
    def own() -> Mapping[str, Measure]:
        """The method's own measures by name, in addition to those of all methods."""
        return {}

    @property
    def measures(self) -> Mapping[str, Measure]:
        """The measures of the report, which are also its gates."""
        return common.measures() | dict(self.own())

    @abstractmethod
    def read(
        self, path: Path, wishes: Wishes, left_out: list[str] | None = None
    ) -> tuple[Sequence[BatchLine], Sequence[str]]:
        """Reads the lines of a file with these options, and remarks for the user.
        `left_out` receives a sentence for each invalid line.

        Raises: BadInput, which names all invalid lines, if `left_out` is not given or
        no valid line remains.
        """

    @staticmethod
    def tallies(session: Session) -> Mapping[str, Mapping[str, int]]:
        """Counts of what happened in a finished session: family → name → count."""
        return {}

    def details(self, row: SummaryRow) -> Mapping[str, object]:
        """Additional fields of a line of summary.jsonl."""
        return {}

    def breakdown(self, rows: Sequence[SummaryRow]) -> Breakdown:
        """The same figures for parts of the run."""
        return Breakdown()

    def tables(self, report: BatchReport) -> Sequence[DataTable]:
        """Additional tables of the report."""
        return ()
