"""What a batch asks of a method: its lines, what counts of a finished session, and what an estimate goes by."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ...sessions.session import Seat, Session
from ..models.port import Task
from ..step import Engine

if TYPE_CHECKING:
    from ..starting import Wishes
    from .comparison import Compared
    from .equivalence import Question
    from .gates import Figures
    from .lines import Line
    from .report import Loss, Row


class StandIns(ABC):
    """Replies for an estimate, in place of those of models. `decides`: the reply that leads to as few further calls as possible."""

    longest_ways: ClassVar[tuple[bool, ...]] = (False,)
    """The values of `decides` under which a session can cost most: all are tried."""

    @property
    @abstractmethod
    def typical(self) -> str:
        """The length of the replies that the estimate is for: `speeches of 245 tokens`."""

    @abstractmethod
    def engine(self, session: Session) -> Engine:
        """The engine to estimate with: it looks nothing up and writes nothing."""

    @abstractmethod
    def ordinary(self, task: Task, *, decides: bool) -> str:
        """A reply of ordinary length."""

    @abstractmethod
    def longest(self, task: Task, filled: str, *, decides: bool) -> str:
        """A reply that can be read, makes the method go on, and hands on `filled`: the text of as many tokens as a reply can have."""

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
    line_types: ClassVar[tuple[type[Line], ...]]
    """What `read` returns."""
    figures: ClassVar[Figures]
    """The figures of its report that `--fail-under` and `--fail-over` can hold to a bound."""
    stand_ins: ClassVar[StandIns]

    @abstractmethod
    def read(
        self, path: Path, wishes: Wishes, left_out: list[str] | None = None
    ) -> tuple[Sequence[Line], Sequence[str]]:
        """The lines of a file under these options, and remarks for the user. `left_out` gets a sentence for each wrong line.

        Raises: BadInput, which names all wrong lines, without `left_out` or where no other line is left.
        """

    def facts(self, session: Session) -> Any:
        """What counts of a finished session; its row keeps it."""
        return None

    @abstractmethod
    def details(self, rows: Sequence[Row]) -> Sequence[dict[str, Any]]:
        """Further fields of each line of summary.jsonl."""

    @abstractmethod
    def losses(self, rows: Sequence[Row]) -> list[Loss]:
        """The lines that figures of the report leave out, and why."""

    @abstractmethod
    def report(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Totals and figures, as report.json has them."""

    @abstractmethod
    def in_words(self, report: dict[str, Any]) -> str:
        """A report for people, a few lines."""

    def questions(self, rows: Sequence[Row], compared: Compared) -> Sequence[Question]:
        """The answers that a model is to compare, since neither their text nor their value settles them."""
        return ()
