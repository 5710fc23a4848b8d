"""Solo as a method."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...sessions.events import Event
from ...sessions.events.solo import Attempt
from ...sessions.session import Header, Session
from ..method import Method
from .plan import SoloStep, progress, upcoming
from .state import ROLES, roles_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...sessions.events.solo import SoloResult
    from ..batches.kind import BatchKind
    from ..figures.measure import Measure
    from ..models.port import Message, Model
    from ..tools import Tools
    from .engine import SoloEngine


class SoloMethod(Method):
    """One model answers alone, by one of several strategies: the baselines of the MAD
    paper, section 4.1.
    """

    name = "solo"
    roles = ROLES

    def engine(self, header: Header, tools: Tools) -> SoloEngine:
        from .command import rater
        from .engine import SoloEngine

        return SoloEngine(rater(tools.config.estimator_command))

    def builtins(self, header: Header, tools: Tools) -> dict[str, Model]:
        from .script import SoloScript

        return {"script": SoloScript()}

    def unscripted(self, header: Header) -> str | None:
        from ..topic import unscripted
        from .script import known_as

        return unscripted(header, known_as(str(header.task.get("topic", ""))))

    def upcoming(self, session: Session, tools: Tools | None = None) -> SoloStep | None:
        return upcoming(session)

    def asked(
        self, session: Session, number: int, tools: Tools | None = None
    ) -> list[Message] | None:
        from .engine import asked

        return asked(session, number)

    def roles_of(self, session: Session) -> list[str]:
        return roles_of(session)

    def ends_part(self, event: Event) -> bool:
        return isinstance(event, Attempt)

    def progress(
        self, session: Session, tools: Tools | None = None
    ) -> tuple[int, int] | None:
        return progress(session)

    def recomputed_result(self, session: Session) -> SoloResult:
        from .result import result

        return result(session)

    @property
    def measures(self) -> Mapping[str, Measure]:
        from .measures import measures

        return measures()

    @property
    def batches(self) -> dict[str, BatchKind]:
        from .batch import SoloBatch

        return {"topics": SoloBatch()}


METHOD = SoloMethod()
