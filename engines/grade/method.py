"""Grade as a method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...sessions.events import Event
from ...sessions.events.relevance import Score
from ...sessions.session import Header, Session
from ...texts import t
from ..method import Method, RelevanceLevels, method
from .plan import ROLES, GradeState, GradeStep

if TYPE_CHECKING:
    from ...sessions.events.relevance import RelevanceResult
    from ..batches.kind import BatchKind
    from ..figures.measure import Measure
    from ..models.port import Message, Model
    from ..tools import Tools
    from .engine import GradeEngine


class GradeMethod(Method):
    """One prompt gives the level of relevance, after UMBRELA (Upadhyay et al. 2024): a
    baseline for judgements in stages.
    """

    name = "grade"
    roles = ROLES

    @property
    def ratings(self) -> RelevanceLevels | None:
        from .batch import JUDGED

        return method(JUDGED).ratings

    def recomputed_result(self, session: Session) -> RelevanceResult:
        from ..cases.rating import concluded

        fold = GradeState(session)
        grades = {id_: grade.value for id_, grade in fold.grades.items()}
        return concluded({**fold.in_order(), **grades}, {})

    @property
    def measures(self) -> Mapping[str, Measure]:
        from ..cases.measures import MEASURES

        return MEASURES

    def engine(self, header: Header, tools: Tools) -> GradeEngine:
        from .engine import GradeEngine

        return GradeEngine(tools.focus)

    def builtins(self, header: Header, tools: Tools) -> dict[str, Model]:
        from .lexical import LexicalGrader

        return {"lexical": tools.shared((self.name, "lexical"), LexicalGrader)}

    def unscripted(self, header: Header) -> str | None:
        return t("wrong.script.no_grades")

    def upcoming(
        self, session: Session, tools: Tools | None = None
    ) -> GradeStep | None:
        return GradeState(session).upcoming(
            tools.focus() if tools is not None and tools.focus is not None else None
        )

    def asked(
        self, session: Session, number: int, tools: Tools | None = None
    ) -> list[Message] | None:
        from .engine import asked

        return asked(session, number)

    def roles_of(self, session: Session) -> list[str]:
        return list(ROLES)

    def ends_part(self, event: Event) -> bool:
        return isinstance(event, Score)

    def progress(self, session: Session, tools: Tools | None = None) -> tuple[int, int]:
        fold = GradeState(session)
        return len(fold.scores), len(fold.ids)

    @property
    def batches(self) -> dict[str, BatchKind]:
        from .batch import GradeBatch

        return {"pairs": GradeBatch()}


METHOD = GradeMethod()
