"""Rank as a method."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...sessions.events import Event
from ...sessions.events.rank import Ranking
from ...sessions.session import Header, Session
from ..method import Method
from .plan import ROLES, RankStep, criteria, rankings, turns, upcoming

if TYPE_CHECKING:
    from ...sessions.events.rank import RankResult
    from ..batches.kind import BatchKind
    from ..figures.measure import Measure
    from ..models.port import Message, Model
    from ..tools import Tools
    from .engine import RankEngine


class RankMethod(Method):
    """Several answers to one question are put in order under five criteria (CoV-RAG,
    Appendix G).
    """

    name = "rank"
    roles = ROLES

    def engine(self, header: Header, tools: Tools) -> RankEngine:
        from .engine import RankEngine

        return RankEngine()

    def builtins(self, header: Header, tools: Tools) -> dict[str, Model]:
        from .lexical import LexicalRanker
        from .script import RankScript

        return {
            "lexical": tools.shared((self.name, "lexical"), LexicalRanker),
            "script": RankScript(),
        }

    def unscripted(self, header: Header) -> str | None:
        from .script import unscripted

        return unscripted(header.task)

    def upcoming(self, session: Session, tools: Tools | None = None) -> RankStep | None:
        return upcoming(session)

    def asked(
        self, session: Session, number: int, tools: Tools | None = None
    ) -> list[Message] | None:
        from .engine import asked

        return asked(session, number)

    def roles_of(self, session: Session) -> list[str]:
        return list(ROLES)

    def ends_part(self, event: Event) -> bool:
        return isinstance(event, Ranking)

    def progress(self, session: Session, tools: Tools | None = None) -> tuple[int, int]:
        return len(rankings(session)), len(criteria(session)) * len(turns(session))

    def recomputed_result(self, session: Session) -> RankResult:
        from .plan import result

        return result(session)

    @property
    def measures(self) -> dict[str, Measure]:
        from .measures import measures

        return measures()

    @property
    def batches(self) -> dict[str, BatchKind]:
        from .batch import RankBatch

        return {"questions": RankBatch()}


METHOD = RankMethod()
